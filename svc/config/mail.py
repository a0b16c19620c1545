"""The settings of `[mail]`."""

from email.utils import parseaddr
from pathlib import Path
from typing import Annotated, Final, Literal, Self

import msgspec

from svc.config.masked import MaskedText
from svc.domain.errors import InvalidValue
from svc.domain.mail.senders import Sender
from svc.domain.records.contact_points import normalise_email

PORT_MAX: Final = 0xFFFF


def _is_sender(text: str) -> bool:
    name, address = parseaddr(text)
    try:
        normalise_email(address)
    except InvalidValue:
        return False
    return text.isprintable() and (not name or "<" in text)


class MailAddress(str):
    """Whom mails are from: an address, or a name and an address in angle brackets."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not _is_sender(text):
            raise ValueError(
                f"{text!r} is no sender, such as crm@example.com or Harbour Lamps <crm@example.com>"
            )
        return super().__new__(cls, text)

    @property
    def sender(self) -> Sender:
        """Its name and address."""
        name, address = parseaddr(self)
        return Sender(name, normalise_email(address))


class MailPassword(MaskedText):
    """The password for the mail server: never printed, and ASCII, as its sign-in needs."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not text or not (text.isascii() and text.isprintable()):
            raise ValueError("expected ASCII characters")
        return super().__new__(cls, text)


MailSecurity = Literal["starttls", "tls", "none"]
_MAIL_PORTS: Final[dict[MailSecurity, int]] = {"starttls": 587, "tls": 465, "none": 25}
_HostName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._:-]{1,253}$")]


class MailSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[mail]`: the mail server. Without `server`, the service sends no mail."""

    server: _HostName | None = None
    port: Annotated[int, msgspec.Meta(ge=1, le=PORT_MAX)] | None = None
    security: MailSecurity = "starttls"
    ca_file: Path | None = None
    user: Annotated[str, msgspec.Meta(pattern=r"^[\x20-\x7e]{1,254}$")] | None = None
    password: MailPassword | None = None
    password_variable: str | None = None
    sender: MailAddress | None = None

    @property
    def actual_port(self) -> int:
        """The port, by default that of the kind of security (RFC 6409, RFC 8314)."""
        return self.port or _MAIL_PORTS[self.security]
