"""Names that a certificate may be for."""

from typing import Self

from svc.domain.errors import InvalidValue
from svc.domain.net.hosts import ascii_host


class CertificateName(str):
    """A domain that a directory can certify by HTTP-01: no address, no wildcard, no name of one label."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        try:
            name = ascii_host(text.strip())
        except InvalidValue:
            name = ""
        if "." not in name:
            raise ValueError(f"{text!r} is not a domain such as crm.example.com")
        return super().__new__(cls, name)
