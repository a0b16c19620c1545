"""CORS: header fields that let pages of other sites call (https://fetch.spec.whatwg.org/#http-cors-protocol)."""

import re
from typing import Final

from svc.http.response.answers import Field

PREFLIGHT_SECONDS: Final = 86_400
"""For which a browser may cache the answer to a preflight."""

ANY_ORIGIN: Final = (b"access-control-allow-origin", b"*")
ALLOW_CREDENTIALS: Final = (b"access-control-allow-credentials", b"true")
_NAME: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A header's name (RFC 9110 section 5.1)."""
MAX_AGE: Final = (b"access-control-max-age", b"%d" % PREFLIGHT_SECONDS)


def allow_origin(origin: bytes) -> Field:
    """Allow pages of *origin* to read the answer, which then varies by `Origin`."""
    return b"access-control-allow-origin", origin


def allow_methods(methods: bytes) -> Field:
    """Allow the *methods*, a list joined by commas."""
    return b"access-control-allow-methods", methods


def allow_headers(names: bytes) -> Field:
    """Allow the request headers *names*, a list joined by commas."""
    return b"access-control-allow-headers", names


def allow_requested_headers(asked: bytes | None) -> tuple[Field, ...]:
    """Allow the headers that a preflight has *asked* for; what is no name of a header is left out.

    Libraries add headers of their own, such as those of tracing. Naming them lets nobody in.
    """
    names = [name for one in (asked or b"").split(b",") if _NAME.fullmatch(name := one.strip(b" \t"))]
    return (allow_headers(b", ".join(names)),) if names else ()


def expose_headers(names: bytes) -> Field:
    """Allow pages to read the answer's headers *names*, a list joined by commas."""
    return b"access-control-expose-headers", names
