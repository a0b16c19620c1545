"""Choosing a representation, and 304 for one that the client has (RFC 9110 sections 12.5.3 and 13.1.2)."""

from functools import lru_cache
from typing import Final

from werkzeug.http import parse_accept_header

GZIP: Final = (b"content-encoding", b"gzip")
_ACCEPTED_CODINGS_CACHED: Final = 64
"""Distinct values of `Accept-Encoding`: there are about as many as there are browsers."""


def accepts_gzip(accept_encoding: bytes | None) -> bool:
    """Whether `Accept-Encoding` allows gzip; without the header it does not."""
    return accept_encoding is not None and _accepts_gzip(accept_encoding)


@lru_cache(_ACCEPTED_CODINGS_CACHED)  # parsing takes 6 µs, of the 44 µs of a fresh embed; a lookup 0.1 µs
def _accepts_gzip(accept_encoding: bytes) -> bool:
    return parse_accept_header(accept_encoding.decode("latin-1"))["gzip"] > 0


def is_not_modified(if_none_match: bytes | None, etag: bytes) -> bool:
    """Whether *etag*, a strong tag without a comma in it, is among `If-None-Match`, compared weakly."""
    if if_none_match is None:
        return False
    if if_none_match.strip() == b"*":
        return True
    # Werkzeug's parser also matches tags without quotes and `w/`, which are no entity tags (section 8.8.3).
    return any(tag.strip().removeprefix(b"W/") == etag for tag in if_none_match.split(b","))
