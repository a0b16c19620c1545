"""Files in an erasure: those that hang on what is the person's, and those whose text names the person.

What is in a text is searched, whatever uses it. A picture, a document or an archive is not looked into: of
these, the files are told that hang on the person's records and messages, or on what led to the person.
"""

import codecs
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.erasure.marks import Marks, Scrubber, scrubber
from svc.domain.files.contents import OCTETS, PLAIN_TEXT
from svc.storage.channels import tables as channels_tables
from svc.storage.erasure.scans import Reads, batches, scan
from svc.storage.erasure.sweep import Hit
from svc.storage.erasure.treatments import BY_TABLE
from svc.storage.files import tables
from svc.storage.files.directory import path_of
from svc.storage.records import tables as records_tables

_PAGE_FILES: Final = 500
_PIECE_BYTES: Final = 1 << 20
_MARK_CHARS_MAX: Final = 1_000
"""What of a piece is looked at again with the next one, since a mark may lie across both."""
FILES: Final = str(tables.files.name)
_USERS: Final = {str(records_tables.records.name), str(channels_tables.messages.name)}
"""Tables whose rows use files."""

_ONLY_THEIRS: Final = "only the person's records and messages use it"
_UNUSED: Final = "its text names the person, and nothing uses it"
_NAMED: Final = "its text names the person, and others use it: `file.remove` removes it"
_SHARED: Final = "others use it as well as the person did, and it is not looked into"
_RELATED: Final = "what uses it led to the person, and it is not looked into"


class FoundFile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A file that has to do with the person."""

    id: str
    media_type: str
    size: int
    """Bytes."""
    removed: bool
    """Whether it is removed with the person, or stays."""
    why: str


class _File(NamedTuple):
    id: str
    media_type: str
    size: int
    digest: str


class FileSearch:
    """The search for files in one erasure; contents are below *root*."""

    def __init__(self, read: Reads, organization_id: str, root: Path) -> None:
        self.found: tuple[FoundFile, ...] = ()
        """What the last look has found."""
        self.unsearched = 0
        """How many files it could not look into."""
        self._read = read
        self._organization_id = organization_id
        self._root = root
        self._own: set[str] = set()
        """The person's records and messages."""
        self._of_own: dict[str, FoundFile] = {}
        """Files that these used, as removed."""
        self._unused: dict[str, FoundFile] = {}
        """Files that nothing uses, as removed by an earlier look."""
        self._of_related: set[str] = set()
        self._looks: dict[tuple[str, Scrubber], bool] = {}
        """Whether a content has marks: it is never another one under the same digest."""

    def note(self, table: str, hits: Sequence[Hit]) -> None:
        """Note which files rows use that are going to be erased, as long as they do."""
        if table not in _USERS:
            return
        own = {str(hit.key[0]) for hit in hits if hit.how == "own"}
        linked = {str(hit.key[0]) for hit in hits if hit.how == "linked"}
        self._own |= own
        for file in self._read(_used_by, own):
            self._of_own[file.id] = _found(file, _ONLY_THEIRS, removed=True)
        self._of_related |= {file.id for file in self._read(_used_by, linked)}

    def look(self, marks: Marks) -> list[Hit]:
        """Look through all files, and return those that are to be removed; `found` has the others as well."""
        found = self._of_own | self._unused
        removed: list[Hit] = []
        self.unsearched = 0
        for page in batches(self._live(), _PAGE_FILES):
            uses = self._read(_uses_of, [file.id for file in page])
            for file in page:
                others = uses.get(file.id, set()) - self._own
                if file.id in self._of_own and not others:
                    continue  # it goes with what uses it
                found.pop(file.id, None)
                why = self._why(file, marks, is_used=bool(others))
                if why is not None:
                    found[file.id] = _found(file, why, removed=why == _UNUSED)
                if why == _UNUSED:
                    self._unused[file.id] = found[file.id]
                    removed.append(Hit(key=(file.id,), how="own"))
        self.found = tuple(found[id_] for id_ in sorted(found))
        return removed

    def _live(self) -> Iterator[_File]:
        columns = ("media_type", "size", "digest", "removed_at")

        def examine(key: tuple[Any, ...], row: sa.Row[Any]) -> _File | None:
            if row.removed_at is not None:
                return None
            return _File(str(key[0]), row.media_type.decode(), row.size, row.digest.decode())

        return scan(self._read, BY_TABLE[FILES], self._organization_id, columns, examine)

    def _why(self, file: _File, marks: Marks, *, is_used: bool) -> str | None:
        """Why a file is to be told; None for one that has nothing to do with the person."""
        names = self._names(file, marks)
        if names is None:
            self.unsearched += 1
        if names:
            return _NAMED if is_used else _UNUSED
        if names is None and is_used:
            if file.id in self._of_own:
                return _SHARED
            if file.id in self._of_related:
                return _RELATED
        return None

    def _names(self, file: _File, marks: Marks) -> bool | None:
        """Whether the text of a file names the person; None where it is no text, or the disk has lost it."""
        if file.media_type not in {PLAIN_TEXT, OCTETS}:
            return None
        searched = scrubber(marks, linked=file.id in self._of_own)
        key = (file.digest, searched)
        if key not in self._looks:
            try:
                path = path_of(self._root, self._organization_id, file.digest)
                self._looks[key] = _has_marks(path, searched)
            except FileNotFoundError:
                return None
        # What is no text by its bytes may be one of an old encoding: only a find there says anything.
        return self._looks[key] or (False if file.media_type == PLAIN_TEXT else None)


def _has_marks(path: Path, marks: Scrubber) -> bool:
    """Whether a mark is in the text at *path*: UTF-8, UTF-16 with its mark, else Windows-1252."""
    with path.open("rb") as file:
        piece = file.read(_PIECE_BYTES)
        decoder = codecs.getincrementaldecoder(_encoding_of(piece))(errors="replace")
        before = ""
        while piece:
            text = before + decoder.decode(piece)
            if marks.finds(text):
                return True
            before = text[-_MARK_CHARS_MAX:]
            piece = file.read(_PIECE_BYTES)
    return False


def _encoding_of(head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _used_by(conn: sa.Connection, subjects: set[str]) -> list[_File]:
    """The files that these use and that are not removed."""
    columns = tables.files.c
    using = tables.file_uses.c
    select = (
        sa.select(*(columns[name] for name in _File._fields))
        .distinct()
        .join(tables.file_uses, using.file_id == columns.id)
        .where(using.subject_id.in_(sorted(subjects)), columns.removed_at.is_(None))
    )
    return [_File._make(row) for row in conn.execute(select)]


def _uses_of(conn: sa.Connection, file_ids: list[str]) -> dict[str, set[str]]:
    """What uses these files."""
    using = tables.file_uses.c
    found: dict[str, set[str]] = {}
    for row in conn.execute(sa.select(using.file_id, using.subject_id).where(using.file_id.in_(file_ids))):
        found.setdefault(row.file_id, set()).add(row.subject_id)
    return found


def _found(file: _File, why: str, *, removed: bool) -> FoundFile:
    return FoundFile(id=file.id, media_type=file.media_type, size=file.size, removed=removed, why=why)
