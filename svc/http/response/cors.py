"""CORS: header fields that let pages of other sites call (https://fetch.spec.whatwg.org/#http-cors-protocol)."""

from typing import Final

from svc.http.response.answers import Field

PREFLIGHT_SECONDS: Final = 86_400
"""For which a browser may cache the answer to a preflight."""

ANY_ORIGIN: Final = (b"access-control-allow-origin", b"*")
ALLOW_CREDENTIALS: Final = (b"access-control-allow-credentials", b"true")
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


def expose_headers(names: bytes) -> Field:
    """Allow pages to read the answer's headers *names*, a list joined by commas."""
    return b"access-control-expose-headers", names
