"""What a content is: its hash, its size, and its type by what is in it.

The table is our own and short. The types decide what a browser may show and what a record's picture may be,
so what matters is that nothing is taken for a picture that is more than one; libraries of types guess by
thousands of rules, and libmagic would be a system package.
"""

import codecs
import hashlib
import re
from typing import Final

import msgspec

SAFE_PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Types that browsers may show in place: none of them has scripts in it."""
OCTETS: Final = "application/octet-stream"
"""The type of what is not known, or is two things at once."""
PLAIN_TEXT: Final = "text/plain; charset=utf-8"
"""The type of all text, be it HTML, SVG or a program: a browser is told to show no more than characters."""

_HEAD_BYTES: Final = 65_536
"""How much of the beginning is looked at."""
_TAIL_BYTES: Final = 65_557
"""Where a zip archive has its end record: 22 bytes, and a comment of up to 65,535."""
_ZIP: Final = b"PK\x03\x04"
_ZIP_END: Final = re.compile(rb"PK\x05\x06(?:\x00{4}|\xff{4})")
"""How the end record begins: its mark, and the numbers of two disks."""
_ZIP_ENTRY: Final = re.compile(rb"PK\x03\x04(?=.{22}(..)..([!-~]{1,100}))", re.DOTALL)
_OFFICE: Final = {
    b"word/": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    b"xl/": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    b"ppt/": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}
_OPEN_DOCUMENT: Final = re.compile(
    rb"PK\x03\x04.{22}\x08\x00..mimetype(application/vnd\.oasis\.opendocument\.[a-z-]{1,40})PK", re.DOTALL
)
_MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
)
_NO_TEXT: Final = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
"""Control characters that no text has. A terminal's escape is none of them: logs are coloured by it."""


class ContentFacts(msgspec.Struct, frozen=True):
    """What is known of a content that was read to its end."""

    digest: str
    """SHA-256, in hexadecimal."""
    size: int
    media_type: str


class ContentReader:
    """Reads a content in pieces of any size, and keeps no more of it than its two ends."""

    def __init__(self) -> None:
        self.size = 0
        self._hash = hashlib.sha256()
        self._head = b""
        self._tail = b""
        self._decoder: codecs.IncrementalDecoder | None = codecs.getincrementaldecoder("utf-8")()

    def feed(self, piece: bytes) -> None:
        """Read the next *piece*."""
        self.size += len(piece)
        self._hash.update(piece)
        if len(self._head) < _HEAD_BYTES:
            self._head += piece[: _HEAD_BYTES - len(self._head)]
        self._tail = (self._tail + piece[-_TAIL_BYTES:])[-_TAIL_BYTES:]
        self._check_text(piece, final=False)

    def facts(self) -> ContentFacts:
        """The facts, once all was read."""
        self._check_text(b"", final=True)
        return ContentFacts(self._hash.hexdigest(), self.size, self._media_type())

    def _check_text(self, piece: bytes, *, final: bool) -> None:
        if self._decoder is None:
            return
        try:
            text = self._decoder.decode(piece, final)
        except UnicodeDecodeError:
            self._decoder = None
        else:
            if _NO_TEXT.search(text):
                self._decoder = None

    def _media_type(self) -> str:
        head = self._head
        if head.startswith(_ZIP):
            return self._archive_type()
        found = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)
        if found is None and head[:4] == b"RIFF" and head[8:12] == b"WEBP":
            found = "image/webp"
        if found is not None:
            # A program that reads archives from their end would find one here.
            return OCTETS if _ZIP_END.search(self._tail) else found
        return PLAIN_TEXT if self._decoder is not None else OCTETS

    def _archive_type(self) -> str:
        document = _OPEN_DOCUMENT.match(self._head)
        if document is not None:
            return document[1].decode()
        for entry in _ZIP_ENTRY.finditer(self._head):
            name = entry[2][: int.from_bytes(entry[1], "little")]
            for folder, kind in _OFFICE.items():
                if name.startswith(folder):
                    return kind
        return "application/zip"
