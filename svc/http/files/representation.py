"""How a file is served: its headers, and the part of it that a request asks for (RFC 9110 section 14)."""

from contextlib import suppress
from typing import Final, NamedTuple
from urllib.parse import quote

from werkzeug.http import parse_options_header, parse_range_header

from svc.domain.errors import Fault, InvalidInput, InvalidValue
from svc.domain.files.contents import SAFE_PICTURES
from svc.domain.files.files import StoredFile, clean_name
from svc.http.response.answers import NOSNIFF, Fields

_POLICY: Final = (b"content-security-policy", b"sandbox; default-src 'none'")
_OWN_PAGES: Final = (b"cross-origin-resource-policy", b"same-origin")
_CACHE: Final = (b"cache-control", b"private, max-age=300")
"""The content of a file never changes; the right to it may end, so a browser asks again after a while."""
_VARY: Final = (b"vary", b"cookie, authorization")
_RANGES: Final = (b"accept-ranges", b"bytes")


class Part(NamedTuple):
    """From where to where a content is sent; the end is not in it."""

    start: int
    end: int


def etag_of(file: StoredFile) -> bytes:
    """The strong entity tag: the hash of the content."""
    return b'"%b"' % file.digest.encode()


def headers_of(file: StoredFile) -> Fields:
    """The headers of every answer with the file or a part of it.

    Pictures that can hold no scripts may be shown in place; all else is downloaded. The policy takes any
    script and any origin away from what a browser shows all the same.
    """
    return (
        (b"content-type", file.media_type.encode()),
        (b"content-disposition", _disposition(file).encode()),
        (b"etag", etag_of(file)),
        _RANGES,
        _CACHE,
        _VARY,
        _OWN_PAGES,
        _POLICY,
        NOSNIFF,
    )


def part_of(size: int, asked: str | None, if_range: str | None, etag: bytes) -> Part | None:
    """The part that `Range` asks for; None for all of it, as for several parts or of another version.

    Raises `ValueError` for a range that lies behind the end.
    """
    if asked is None or (if_range is not None and if_range.encode("latin-1") != etag):
        return None
    ranges = parse_range_header(asked)
    if ranges is None or ranges.units != "bytes" or len(ranges.ranges) != 1:
        return None
    found = ranges.range_for_length(size)
    if found is None or not 0 <= found[0] < size or found[1] is None:
        raise ValueError("the range is not in the file")
    return Part(found[0], found[1])


def name_in(disposition: str | None) -> str:
    """The file's name in `Content-Disposition` (RFC 6266); raises `InvalidInput` for one that is too long."""
    _, options = parse_options_header(disposition)
    name = options.get("filename")
    if name is not None:
        with suppress(ValueError):
            name = name.encode("latin-1").decode()  # as many clients send it, against the RFC
    try:
        return clean_name(name)
    except InvalidValue as error:
        raise InvalidInput([Fault("", "too_large", f"the name in Content-Disposition: {error}")]) from None


def _disposition(file: StoredFile) -> str:
    shown = "inline" if file.media_type in SAFE_PICTURES else "attachment"
    ascii_name = "".join(
        character if " " <= character <= "~" and character not in '"\\%' else "_" for character in file.name
    )
    return f"{shown}; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(file.name, safe='')}"
