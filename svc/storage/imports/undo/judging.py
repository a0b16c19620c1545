"""What an undo may take back of one record: nothing that something else has changed since, or relies on."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.events import Source
from svc.domain.imports import undo
from svc.domain.imports.limits import IMPORT_UNDO_CHANGES_MAX, IMPORT_UNDO_REFERENCES_MAX
from svc.domain.versions import FIRST_VERSION
from svc.storage.imports.tables import import_records
from svc.storage.imports.undo.written import WrittenRecord
from svc.storage.records import tables
from svc.storage.records.rows import RecordRow
from svc.storage.rows import Selection
from svc.storage.statements import Statement
from svc.storage.store import Tx


class OtherChange(NamedTuple):
    """A change of a property by something else, since the import."""

    at: int
    source: Source


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What of a record may be taken back."""

    before: Mapping[str, Any] = {}
    """By slug, the values of a changed record as they were before the import; None for none."""
    others: Mapping[str, OtherChange] = {}
    """What was changed since, by slug: that stays."""
    why: str = ""
    """Why the record, or a part of it, stays; empty where it does not."""


class _Change(msgspec.Struct, frozen=True):
    id: str
    at: int
    changed: dict[str, tuple[Any, Any]]
    source: dict[str, Any]


_CHANGES: Final = Selection(_Change, tables.record_changes, empty={"changed": dict, "source": dict})
_SINCE: Final = _CHANGES.prepared(
    _CHANGES.select(
        tables.record_changes.c.record_id == sa.bindparam("record_id"),
        tables.record_changes.c.version >= sa.bindparam("version"),
    )
    .order_by(tables.record_changes.c.version)
    .limit(IMPORT_UNDO_CHANGES_MAX + 1)
)
_NOTE: Final = Statement(
    sa.select(tables.notes.c.id).where(tables.notes.c.record_id == sa.bindparam("record_id")).limit(1), str
)
_REFERENCES: Final = (
    sa.select(tables.relations.c.record_id)
    .join(tables.properties, tables.properties.c.id == tables.relations.c.property_id)
    .where(
        tables.relations.c.target_id == sa.bindparam("record_id"), tables.properties.c.deleted_at.is_(None)
    )
    .limit(IMPORT_UNDO_REFERENCES_MAX)
    .subquery()
)
# A record that the import wrote counts as long as the undo has left it; otherwise it is gone by then, or in a
# dry run would be.
_REFERENCE: Final = Statement(
    sa.select(tables.records.c.id)
    .join(_REFERENCES, _REFERENCES.c.record_id == tables.records.c.id)
    .where(
        tables.records.c.deleted_at.is_(None),
        ~sa.exists().where(
            import_records.c.import_id == sa.bindparam("import_id"),
            import_records.c.is_new.in_([sa.false(), sa.true()]),
            import_records.c.record_id == tables.records.c.id,
            import_records.c.left_in != sa.bindparam("number"),
        ),
    )
    .limit(1),
    str,
)


def judge(tx: Tx, row: RecordRow, written: WrittenRecord, number: int) -> Judgement:
    """What the undo with that *number* may take back of a record, which the import has made or changed."""
    if row.merged_into is not None:
        return Judgement(why=undo.MERGED)
    if row.deleted_at is not None:
        return Judgement(why=undo.DELETED)
    if written.is_new:
        return _judge_new(tx, row, written, number)
    return _judge_changes(_changes(tx, written), written.import_id)


def _judge_new(tx: Tx, row: RecordRow, written: WrittenRecord, number: int) -> Judgement:
    """Whether a record that the import made is as it made it, and nothing relies on it."""
    if row.version > FIRST_VERSION:
        changes = _changes(tx, written)
        others = [change for change in changes if not _is_own(change, written.import_id)]
        if others:
            by_slug = {slug: OtherChange(one.at, one.source) for one in others for slug in one.changed}
            return Judgement(others=by_slug, why=undo.CHANGED)
        if len(changes) > IMPORT_UNDO_CHANGES_MAX:
            return Judgement(why=undo.TOO_OFTEN)
    if _NOTE.one(tx.conn, record_id=row.id) is not None:
        return Judgement(why=undo.NOTED)
    referring = _REFERENCE.one(tx.conn, record_id=row.id, import_id=written.import_id, number=number)
    return Judgement(why="" if referring is None else undo.REFERRED_TO)


def _judge_changes(changes: Sequence[_Change], import_id: str) -> Judgement:
    """What of a record is as the import left it: the values before its last changes of that."""
    if len(changes) > IMPORT_UNDO_CHANGES_MAX:
        return Judgement(why=undo.TOO_OFTEN)
    before: dict[str, Any] = {}
    others: dict[str, OtherChange] = {}
    for change in changes:
        for slug, (was, _) in change.changed.items():
            if _is_own(change, import_id):
                if slug in others or slug not in before:
                    before[slug] = was
                others.pop(slug, None)
            elif slug in before:
                others[slug] = OtherChange(change.at, change.source)
    mine = {slug: was for slug, was in before.items() if slug not in others}
    return Judgement(before=mine, others=others, why=undo.CHANGED if others or not mine else "")


def _changes(tx: Tx, written: WrittenRecord) -> list[_Change]:
    return _SINCE.all(tx.conn, record_id=written.record_id, version=written.version)


def _is_own(change: _Change, import_id: str) -> bool:
    return bool(change.source.get("importId") == import_id)
