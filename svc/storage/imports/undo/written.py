"""What imports have written: a row for each record, for as long as it may be taken back."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from svc.storage.imports.rows import Import
from svc.storage.imports.tables import import_records
from svc.storage.records.writes.items import Outcome
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_keep


class WrittenRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record that an import made or changed."""

    import_id: str
    is_new: bool
    record_id: str
    version: int
    """The first version of it that the import made."""
    left_in: int = 0
    """The undo that has looked at it and left it, by its number."""


_ROWS: Final = Rows(import_records, WrittenRecord)
_OF_IMPORT: Final = import_records.c.import_id == sa.bindparam("of_import")
_KEEP: Final = Statement(insert_or_keep(import_records, ("import_id", "is_new", "record_id")))
_OF_RECORD: Final = (
    _OF_IMPORT,
    import_records.c.is_new == sa.bindparam("of_new"),
    import_records.c.record_id == sa.bindparam("of_record"),
)
_IS_NEW: Final = Statement(sa.select(sa.literal(1)).where(*_OF_RECORD), int)
_ANY: Final = Statement(sa.select(sa.literal(1)).where(_OF_IMPORT).limit(1), int)
_BEFORE: Final = _ROWS.prepared(
    _ROWS.select(
        _OF_IMPORT,
        import_records.c.is_new == sa.bindparam("of_new"),
        import_records.c.record_id < sa.bindparam("before"),
    )
    .order_by(import_records.c.record_id.desc())
    .limit(sa.bindparam("limit", type_=sa.Integer))
)
_FORGET: Final = Statement(sa.delete(import_records).where(*_OF_RECORD))
_LEAVE: Final = Statement(
    sa.update(import_records).where(*_OF_RECORD).values(left_in=sa.bindparam("new_left_in"))
)
_LAST: Final = "~"
"""Behind all ids."""


def note(tx: Tx, import_: Import, outcomes: Iterable[Outcome | None], made: Collection[str]) -> None:
    """Note what a batch has written: the records of *outcomes*, and those *made* for relations."""
    new, changed = dict.fromkeys(made), dict[str, int]()
    for outcome in outcomes:
        if outcome is None or outcome.record is None:
            continue
        if outcome.kind == "created":
            new[outcome.record.id] = None
        elif outcome.kind == "updated":
            changed.setdefault(outcome.record.id, outcome.record.version)
    rows = [WrittenRecord(import_id=import_.id, is_new=True, record_id=one, version=1) for one in new]
    rows += [
        WrittenRecord(import_id=import_.id, is_new=False, record_id=one, version=version)
        for one, version in changed.items()
        if one not in new and not _is_new(tx, import_, one)
    ]
    if rows:
        _KEEP.many(tx.conn, [_ROWS.values(row) for row in rows])


def is_any(conn: sa.Connection, import_id: str) -> bool:
    """Whether an import has written anything that was not taken back."""
    return _ANY.one(conn, of_import=import_id) is not None


def page(tx: Tx, import_id: str, *, new: bool, before: str, limit: int) -> list[WrittenRecord]:
    """Records that the import made, or changed, the newest first, from behind the one called *before* on."""
    return _BEFORE.all(tx.conn, of_import=import_id, of_new=new, before=before or _LAST, limit=limit)


def forget(tx: Tx, import_id: str, ids: Sequence[str], *, new: bool) -> None:
    """Forget records that were taken back, which the import had made, or changed."""
    _FORGET.many(
        tx.conn, [{"of_import": import_id, "of_new": new, "of_record": record_id} for record_id in ids]
    )


def leave(tx: Tx, written: WrittenRecord, number: int) -> None:
    """Note that the undo with that *number* has left a record."""
    _LEAVE.run(
        tx.conn,
        of_import=written.import_id,
        of_new=written.is_new,
        of_record=written.record_id,
        new_left_in=number,
    )


def _is_new(tx: Tx, import_: Import, record_id: str) -> bool:
    """Whether an earlier line of the import made the record."""
    found = _IS_NEW.one(tx.conn, of_import=import_.id, of_new=True, of_record=record_id)
    return found is not None
