"""Addresses that are safe on a page of a foreign site: they run no script."""

import re
from typing import Final

from svc.domain.errors import InvalidValue
from svc.domain.records.limits import URL_CHARS_MAX

# Browsers drop tabs and line ends inside an address and blanks before it, and read `\` as `/`. So none of
# these is accepted, and this is an allowlist.
_INSIDE: Final = r"[^\s\\<>\"\x00-\x20\x7f-\x9f\u202a-\u202e\u2066-\u206f\ud800-\udfff]"
_WEB: Final = rf"https?://[^/?#\s\\]{_INSIDE}*"
_ON_THIS_SITE: Final = rf"(?:\.{{0,2}}/(?!/)|[?#]){_INSIDE}*"
_SRC: Final = re.compile(f"{_WEB}|{_ON_THIS_SITE}", re.IGNORECASE)
_HREF: Final = re.compile(rf"{_WEB}|{_ON_THIS_SITE}|(?:mailto|tel):{_INSIDE}+", re.IGNORECASE)


def is_safe_href(address: str) -> bool:
    """Whether a link may lead to *address*: http, https, mailto, tel, or a place on the page's own site.

    A place on the same site is a path (`/lamps`, `./lamps`, `../lamps`), a query or a fragment. `//host` is
    another site.
    """
    return len(address) <= URL_CHARS_MAX and _HREF.fullmatch(address) is not None


def is_safe_src(address: str) -> bool:
    """Whether a picture may be loaded from *address*: http, https, or a place on the page's own site."""
    return len(address) <= URL_CHARS_MAX and _SRC.fullmatch(address) is not None


def check_href(address: str) -> None:
    """Raises `InvalidValue` for an address that no link may lead to."""
    if not is_safe_href(address):
        raise InvalidValue("not an address of http, https, mailto or tel, nor a path such as /lamps")


def check_src(address: str) -> None:
    """Raises `InvalidValue` for an address that no picture may be loaded from."""
    if not is_safe_src(address):
        raise InvalidValue("not an address of http or https, nor a path such as /lamps.jpg")
