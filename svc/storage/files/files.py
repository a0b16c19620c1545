"""Files: their rows. One is inserted once its content is on the disk, which goes only after the row does."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import FilesRemoved, ResourceChanged
from svc.domain.errors import Conflict, NotFound
from svc.domain.files.contents import ContentFacts
from svc.domain.files.files import CreatorKind, Noun, StoredFile, Use
from svc.domain.identity.callers import Caller
from svc.domain.limits import FILE_USES_SHOWN_MAX, FILES_BYTES_MAX, FILES_MAX, LIST_ROWS
from svc.domain.near_names import shown
from svc.storage.files import tables
from svc.storage.pages import Keyset
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_keep


class NewFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file whose content is on the disk."""

    name: str
    facts: ContentFacts
    creator_kind: CreatorKind
    creator_id: str


class FileRow(NamedTuple):
    """A file's row, while it is not removed."""

    id: str
    organization_id: str
    name: str
    media_type: str
    size: int
    digest: str
    created_at: int
    creator_kind: CreatorKind
    creator_id: str


class Totals(NamedTuple):
    """The files of an organization together."""

    files: int
    bytes: int


class _Use(NamedTuple):
    noun: Noun
    subject_id: str


class _UsedBy(NamedTuple):
    noun: Noun


class _Found(NamedTuple):
    id: str


_columns: Final = tables.files.c
_uses: Final = tables.file_uses.c
_totals: Final = tables.file_totals.c
_SELECT: Final = sa.select(*(_columns[name] for name in FileRow._fields)).where(_columns.removed_at.is_(None))
_GET = Statement(
    _SELECT.where(
        _columns.id == sa.bindparam("file_id"), _columns.organization_id == sa.bindparam("organization_id")
    ),
    FileRow,
)
_GET_ANYWHERE = Statement(_SELECT.where(_columns.id == sa.bindparam("file_id")), FileRow)
_BY_CONTENT = Statement(
    sa.select(_columns.id).where(
        _columns.organization_id == sa.bindparam("organization_id"), _columns.digest == sa.bindparam("digest")
    ),
    _Found,
)
_INSERT = Statement(sa.insert(tables.files))
_USES = Statement(
    sa.select(_uses.noun, _uses.subject_id)
    .distinct()
    .where(_uses.file_id == sa.bindparam("file_id"))
    .order_by(_uses.subject_id)
    .limit(sa.bindparam("most", type_=sa.Integer)),
    _Use,
)
_NOUNS = Statement(sa.select(_uses.noun).distinct().where(_uses.file_id == sa.bindparam("file_id")), _UsedBy)
_TOTALS = Statement(
    sa.select(_totals.files, _totals.bytes).where(_totals.organization_id == sa.bindparam("organization_id")),
    Totals,
)
_BEGIN_TOTALS = Statement(insert_or_keep(tables.file_totals, ["organization_id"]))
_COUNT = Statement(
    sa.update(tables.file_totals)
    .where(_totals.organization_id == sa.bindparam("of_organization"))
    .values(
        files=_totals.files + sa.bindparam("more_files"), bytes=_totals.bytes + sa.bindparam("more_bytes")
    )
)
_REMOVE = Statement(
    sa.update(tables.files)
    .where(_columns.id == sa.bindparam("file_id"))
    .values(removed_at=sa.bindparam("at"), unused_at=None)
)


def totals(conn: sa.Connection, organization_id: str) -> Totals:
    """How many files the organization has, and how large they are together."""
    return _TOTALS.one(conn, organization_id=organization_id) or Totals(0, 0)


def check_room(conn: sa.Connection, organization_id: str, size: int) -> None:
    """Raises `Conflict` if the organization may not have another file of *size* bytes."""
    before = totals(conn, organization_id)
    if before.files >= FILES_MAX:
        raise Conflict(f"there are {FILES_MAX:,} files, which is the limit: remove some that are not needed")
    if before.bytes + size > FILES_BYTES_MAX:
        raise Conflict(
            f"with this one the files would have over {FILES_BYTES_MAX:,} bytes together, which is the limit:"
            " remove some that are not needed"
        )


def has_room(conn: sa.Connection, organization_id: str, sizes: Sequence[int]) -> bool:
    """Whether the organization may have as many more files of these *sizes*."""
    before = totals(conn, organization_id)
    return before.files + len(sizes) <= FILES_MAX and before.bytes + sum(sizes) <= FILES_BYTES_MAX


def add(tx: Tx, organization_id: str, new: NewFile, file_id: str | None = None) -> StoredFile:
    """Store the row of a new file, which nothing uses yet. Raises `Conflict` where there is no room."""
    check_room(tx.conn, organization_id, new.facts.size)
    row = FileRow(
        id=file_id or tx.new_id("fil"),
        organization_id=organization_id,
        name=new.name,
        media_type=new.facts.media_type,
        size=new.facts.size,
        digest=new.facts.digest,
        created_at=tx.now,
        creator_kind=new.creator_kind,
        creator_id=new.creator_id,
    )
    _INSERT.run(tx.conn, row._asdict() | {"unused_at": tx.now, "removed_at": None})
    count(tx.conn, organization_id, 1, row.size)
    tx.announce(ResourceChanged(organization_id, "file", row.id))
    return _from_row(row, ())


def get(conn: sa.Connection, organization_id: str, file_id: str) -> StoredFile:
    """The file with what uses it, as far as that is shown. Raises `NotFound`."""
    row = _GET.one(conn, file_id=file_id, organization_id=organization_id)
    if row is None:
        raise NotFound(f"there is no file {shown(file_id)}")
    return _from_row(row, _uses_of(conn, file_id))


def find(conn: sa.Connection, organization_id: str, file_id: str) -> StoredFile | None:
    """The file without what uses it; None where there is none, or it was removed."""
    row = _GET.one(conn, file_id=file_id, organization_id=organization_id)
    return None if row is None else _from_row(row, ())


def find_anywhere(conn: sa.Connection, file_id: str) -> StoredFile | None:
    """As `find`, in whichever organization it is: for an address that we signed."""
    row = _GET_ANYWHERE.one(conn, file_id=file_id)
    return None if row is None else _from_row(row, ())


def has_content(conn: sa.Connection, organization_id: str, digest: str) -> bool:
    """Whether any row of the organization has this content, of a removed file too."""
    return _BY_CONTENT.one(conn, organization_id=organization_id, digest=digest) is not None


def nouns_of(conn: sa.Connection, file_id: str) -> frozenset[Noun]:
    """The nouns of all that uses the file."""
    return frozenset(row.noun for row in _NOUNS.all(conn, file_id=file_id))


def list_page(
    conn: sa.Connection,
    caller: Caller,
    nouns: Sequence[Noun],
    *,
    used_by: str | None = None,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[StoredFile], str | None]:
    """The files that *nouns* use, and the unused ones that the caller uploaded, the newest first; the cursor.

    With *used_by* those only that the record or message with that id uses.
    """
    keyset = Keyset(["files", caller.organization_id, used_by], cursor, limit)
    select = _SELECT.where(_columns.organization_id == caller.organization_id)
    use = sa.select(_uses.file_id).where(_uses.file_id == _columns.id)
    seen = use.where(_uses.noun.in_(nouns))
    if used_by is not None:
        select = select.where(seen.where(_uses.subject_id == used_by).exists())
    else:
        own = sa.true() if caller.kind == "operator" else _created_by(caller)
        select = select.where(sa.or_(seen.exists(), sa.and_(own, ~use.exists())))
    rows, next_cursor = keyset.fetch(conn, select, _columns.id, newest_first=True)
    return [_from_row(FileRow._make(row), _uses_of(conn, row.id)) for row in rows], next_cursor


def remove(tx: Tx, organization_id: str, file_id: str) -> StoredFile:
    """Remove the file for good, whatever uses it: from now on it cannot be fetched. Raises `NotFound`.

    What uses it keeps its id, which leads nowhere then. The content goes from the disk after the commit,
    unless another file of the organization has the same.
    """
    file = get(tx.conn, organization_id, file_id)
    mark_removed(tx, [file])
    return file


def mark_removed(tx: Tx, removed: Iterable[StoredFile]) -> None:
    """Mark files as removed, and have their contents go after the commit."""
    for file in removed:
        _REMOVE.run(tx.conn, file_id=file.id, at=tx.now)
        count(tx.conn, file.organization_id, -1, -file.size)
        tx.announce(ResourceChanged(file.organization_id, "file", file.id))
        tx.announce(FilesRemoved(file.organization_id))


def count(conn: sa.Connection, organization_id: str, more_files: int, more_bytes: int) -> None:
    """Add to the totals of the organization."""
    _BEGIN_TOTALS.run(conn, organization_id=organization_id, files=0, bytes=0)
    _COUNT.run(conn, of_organization=organization_id, more_files=more_files, more_bytes=more_bytes)


def _created_by(caller: Caller) -> sa.ColumnElement[bool]:
    return sa.and_(_columns.creator_kind == caller.kind, _columns.creator_id == caller.id)


def _uses_of(conn: sa.Connection, file_id: str) -> tuple[Use, ...]:
    rows = _USES.all(conn, file_id=file_id, most=FILE_USES_SHOWN_MAX)
    return tuple(Use(row.noun, row.subject_id) for row in rows)


def _from_row(row: FileRow, uses: tuple[Use, ...]) -> StoredFile:
    return StoredFile(**row._asdict(), uses=uses)
