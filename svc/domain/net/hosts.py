"""Host names as DNS has them: lower case, ASCII, each label well-formed."""

import re
from typing import Final

import idna

from svc.domain.errors import InvalidValue

_HOST_CHARS_MAX: Final = 253
_LABEL: Final = r"(?!-)[a-z0-9-]{1,63}(?<!-)"
# A last label of digits alone would be an IPv4 address, written out or in one of its short forms.
_HOST: Final = re.compile(rf"(?:{_LABEL}\.)*(?![0-9]+\Z){_LABEL}")


def ascii_host(text: str) -> str:
    """The host name *text* in lower case and ASCII (IDNA 2008 after UTS 46), without a trailing dot.

    Raises `InvalidValue` if it is not a host name; an IP address is not one.
    """
    host = text
    if not text.isascii():
        try:
            host = idna.encode(text[: _HOST_CHARS_MAX + 1], uts46=True).decode()
        except UnicodeError as error:
            raise InvalidValue("not a host name") from error
    host = host.lower().removesuffix(".")
    if len(host) > _HOST_CHARS_MAX or not _HOST.fullmatch(host):
        raise InvalidValue("not a host name")
    return host
