"""Encodings of uploaded files: found out from their first bytes, and decoded from any position on.

What cannot be decoded is carried through as single surrogates, so that decoded text tells how many bytes it
was; see PEP 383.
"""

import codecs
import re
from typing import Final, Literal, NamedTuple

from svc.domain.errors import InvalidValue

Encoding = Literal["utf-8", "utf-16-le", "utf-16-be", "windows-1252"]

_MARKS: Final[tuple[tuple[bytes, Encoding], ...]] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ERRORS: Final[dict[Encoding, str]] = {
    "utf-8": "surrogateescape",
    "windows-1252": "surrogateescape",
    "utf-16-le": "surrogatepass",
    "utf-16-be": "surrogatepass",
}
_CODECS: Final[dict[Encoding, str]] = {
    "utf-8": "utf-8",
    "windows-1252": "cp1252",
    "utf-16-le": "utf-16-le",
    "utf-16-be": "utf-16-be",
}
_UNIT_BYTES: Final[dict[Encoding, int]] = {"utf-8": 1, "windows-1252": 1, "utf-16-le": 2, "utf-16-be": 2}
_ESCAPED: Final = re.compile("[\udc80-\udcff]")


class DetectedEncoding(NamedTuple):
    """An encoding, and the length of the byte order mark before the text."""

    encoding: Encoding
    mark_bytes: int


def detect(head: bytes, *, whole: bool, asked: Encoding | None = None) -> DetectedEncoding:
    """The encoding of a file that begins with *head*, which may be the *whole* of it.

    A byte order mark decides, unless an encoding is *asked* for. Else it is UTF-8, if the head is, or
    Windows-1252, which spreadsheets write west of the Oder.
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark) and asked in {None, encoding}:
            return DetectedEncoding(encoding, len(mark))
    if asked is not None:
        return DetectedEncoding(asked, 0)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=whole)
    except UnicodeDecodeError:
        return DetectedEncoding("windows-1252", 0)
    return DetectedEncoding("utf-8", 0)


def decode(data: bytes, encoding: Encoding, *, final: bool) -> str:
    """The text of *data*. Unless it is the *final* part, the beginning of a character at its end is left."""
    if final:
        data = data[: len(data) - len(data) % _UNIT_BYTES[encoding]]
    decoder = codecs.getincrementaldecoder(_CODECS[encoding])(_ERRORS[encoding])
    return decoder.decode(data, final=final)


def encoded_bytes(text: str, encoding: Encoding) -> int:
    """The number of bytes that *text* was decoded from."""
    if encoding == "windows-1252" or (encoding == "utf-8" and text.isascii()):
        return len(text)
    return len(text.encode(_CODECS[encoding], _ERRORS[encoding]))


def mended(text: str, encoding: Encoding) -> str:
    """*text*, where its bytes were not UTF-8 after all: as Windows-1252, in which programs mix it in.

    Raises `InvalidValue` if it is that neither.
    """
    if text.isascii() or not _ESCAPED.search(text):
        return text
    try:
        return text.encode(_CODECS[encoding], "surrogateescape").decode("cp1252")
    except UnicodeDecodeError:
        raise InvalidValue("is neither UTF-8 nor Windows-1252") from None
