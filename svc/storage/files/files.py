"""Files: their rows. One is inserted once its content is on the disk, which goes only after the row does."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import FilesRemoved, ResourceChanged
from svc.domain.errors import Conflict, NotFound
from svc.domain.files.contents import ContentFacts
from svc.domain.files.files import CreatorKind, Noun, StoredFile, Use
from svc.domain.files.limits import FILE_USES_SHOWN_MAX, FILES_BYTES_MAX, FILES_MAX
from svc.domain.identity.callers import Caller
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.storage.files import tables
from svc.storage.pages import Keyset
from svc.storage.rows import Rows, Selection
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_keep


class NewFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file whose content is on the disk."""

    name: str
    facts: ContentFacts
    creator_kind: CreatorKind
    creator_id: str


class Totals(NamedTuple):
    """The files of an organization together."""

    files: int
    bytes: int


_columns: Final = tables.files.c
_uses: Final = tables.file_uses.c
_totals: Final = tables.file_totals.c
# Files that are not removed all have a digest.
FILES: Final = Rows(
    tables.files,
    StoredFile,
    members={"digest": sa.type_coerce(_columns.digest, sa.Text)},
    defaulted=["uses"],
    beside=["digest", "unused_at"],
)
_SELECT: Final = FILES.select(_columns.removed_at.is_(None))
_GET_ANYWHERE = FILES.prepared(_SELECT.where(_columns.id == sa.bindparam("file_id")))
_GET = FILES.prepared(
    _SELECT.where(
        _columns.id == sa.bindparam("file_id"), _columns.organization_id == sa.bindparam("organization_id")
    )
)
_BY_CONTENT = Statement(
    sa.select(_columns.id).where(
        _columns.organization_id == sa.bindparam("organization_id"), _columns.digest == sa.bindparam("digest")
    ),
    str,
)
_USED_BY: Final = Selection(Use, tables.file_uses, members={"id": _uses.subject_id})
_USES = _USED_BY.prepared(
    _USED_BY.select(_uses.file_id == sa.bindparam("file_id"))
    .distinct()
    .order_by(_uses.subject_id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_NOUNS = Statement(sa.select(_uses.noun).distinct().where(_uses.file_id == sa.bindparam("file_id")))
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
    file = StoredFile(
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
    FILES.insert(tx.conn, file, digest=file.digest, unused_at=tx.now)
    count(tx.conn, organization_id, 1, file.size)
    tx.announce(ResourceChanged(organization_id, "file", file.id))
    return file


def get(conn: sa.Connection, organization_id: str, file_id: str) -> StoredFile:
    """The file with what uses it, as far as that is shown. Raises `NotFound`."""
    file = find(conn, organization_id, file_id)
    if file is None:
        raise NotFound(f"there is no file {shown(file_id)}")
    return _with_uses(conn, file)


def find(conn: sa.Connection, organization_id: str, file_id: str) -> StoredFile | None:
    """The file without what uses it; None where there is none, or it was removed."""
    return _GET.one(conn, file_id=file_id, organization_id=organization_id)


def find_anywhere(conn: sa.Connection, file_id: str) -> StoredFile | None:
    """As `find`, in whichever organization it is: for an address that we signed."""
    return _GET_ANYWHERE.one(conn, file_id=file_id)


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
    return [_with_uses(conn, FILES.make(row)) for row in rows], next_cursor


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


def _with_uses(conn: sa.Connection, file: StoredFile) -> StoredFile:
    """*file* with what uses it, as far as that is shown."""
    uses = tuple(_USES.all(conn, file_id=file.id, most=FILE_USES_SHOWN_MAX))
    return msgspec.structs.replace(file, uses=uses)
