"""Steps of an undo: some records are taken back, and the undo moves on, in one unit of work.

What the import changed comes first and then what it made, the newest first: what refers to a record is gone,
or as it was before, when the record's turn comes.
"""

from collections.abc import Sequence
from typing import Any, Final

from svc.domain.errors import Conflict, InvalidInput
from svc.domain.identity.organizations import Organization
from svc.domain.imports.columns import NAME
from svc.domain.imports.limits import IMPORT_EXAMPLE_CHARS_MAX, IMPORT_UNDO_RECORDS
from svc.domain.imports.undo import LeftRecord, Undo, UndoConflict, UndoneRecord
from svc.storage.identity import organizations
from svc.storage.imports import rows as import_rows
from svc.storage.imports import starters
from svc.storage.imports.announcing import announce_progress
from svc.storage.imports.rows import IMPORTS, Import
from svc.storage.imports.starters import ImportEnded
from svc.storage.imports.undo import written as written_records
from svc.storage.imports.undo.judging import Judgement, judge
from svc.storage.imports.undo.written import WrittenRecord
from svc.storage.records import rows as record_rows
from svc.storage.records.rows import RecordRow
from svc.storage.records.values import References, check
from svc.storage.records.writes.deletions import RecordDeletions
from svc.storage.records.writes.record_writes import RecordWrites
from svc.storage.store import Tx

TOOL: Final = "import.undo"


def step(tx: Tx, organization_id: str, records_max: int) -> bool:
    """Take back some records of an import that is being undone; whether there is more to do."""
    import_ = import_rows.undone_one(tx.conn, organization_id)
    if import_ is None or import_.undo is None:
        return False
    try:
        organization = organizations.get(tx.conn, organization_id)
        starters.check(tx, organization, import_.undo.starter, TOOL)
        run(tx, organization, import_, import_.undo, records_max)
    except ImportEnded as error:
        end(tx, import_.undo, str(error))
    store(tx, import_)
    return import_.undo.state == "running"


def fail(tx: Tx, organization_id: str, reason: str) -> None:
    """End the undo that is under way, for *reason*."""
    import_ = import_rows.undone_one(tx.conn, organization_id)
    if import_ is not None and import_.undo is not None:
        end(tx, import_.undo, reason)
        store(tx, import_)


def run(tx: Tx, organization: Organization, import_: Import, undo: Undo, records_max: int) -> None:
    """Take back at most *records_max* records, fewer if there is no time, and move on behind them."""
    piece = Piece(tx, organization, import_.id, undo)
    left = min(records_max, IMPORT_UNDO_RECORDS)
    while left > 0 and undo.state == "running":
        page = written_records.page(tx, import_.id, new=undo.after_new, before=undo.after_id, limit=left)
        looked_at = piece.take_back(page)
        if looked_at < len(page):
            break
        left -= looked_at
        if left > 0 and undo.after_new:
            end(tx, undo)
        elif left > 0:
            undo.after_new, undo.after_id = True, ""
    piece.delete()


def end(tx: Tx, undo: Undo, failure: str | None = None) -> None:
    """End *undo*, for *failure* where it cannot go on."""
    undo.state = "done" if failure is None else "failed"
    undo.failure, undo.ended_at = failure, tx.now


def store(tx: Tx, import_: Import) -> None:
    """Store how far an undo is."""
    import_.undo_state = None if import_.undo is None else import_.undo.state
    import_.updated_at = tx.now
    IMPORTS.replace(tx.conn, import_)
    announce_progress(tx, import_)


class Piece:
    """What is taken back in one unit of work: values at once, and records together, by `delete`."""

    def __init__(self, tx: Tx, organization: Organization, import_id: str, undo: Undo) -> None:
        self._tx = tx
        self._import_id = import_id
        self._organization = organization
        self._undo = undo
        self._deleted: dict[str, list[RecordRow]] = {}
        """By object. They are forgotten with their deletion: until then they refer to others."""

    def take_back(self, page: Sequence[WrittenRecord]) -> int:
        """Take records back as long as there is time, and move on behind them; how many were looked at."""
        ids = [one.record_id for one in page]
        rows = {row.id: row for row in record_rows.by_ids(self._tx.conn, self._organization.id, ids)}
        for looked_at, one in enumerate(page, start=1):
            if one.record_id in rows:
                self._take_back(rows[one.record_id], one)
            self._undo.after_id = one.record_id
            if not self._tx.has_time():
                return looked_at
        return len(page)

    def delete(self) -> None:
        """Delete the records that are to go."""
        deletions = RecordDeletions(self._tx, self._undo.source)
        for rows in self._deleted.values():
            for row in rows:
                deletions.delete(row)
            written_records.forget(self._tx, self._import_id, [row.id for row in rows], new=True)
        deletions.store()

    def _take_back(self, row: RecordRow, written: WrittenRecord) -> None:
        tx, undo = self._tx, self._undo
        judgement = judge(tx, row, written, undo.number)
        why = judgement.why
        if written.is_new and not why:
            if not undo.dry_run:
                self._deleted.setdefault(row.object_id, []).append(row)
            undo.note_undone(UndoneRecord(object_id=row.id, object_type=row.of.slug, kind="deleted"))
        elif judgement.before:
            refusal = self._revert(row, dict(judgement.before))
            if refusal is None:
                undo.note_undone(UndoneRecord(object_id=row.id, object_type=row.of.slug, kind="reverted"))
            why = "; ".join(filter(None, [why, refusal]))
        if why:
            left = LeftRecord(object_id=row.id, object_type=row.of.slug, name=_name_of(row), why=why)
            undo.note_left(left, _conflicts(tx, row, judgement))
            written_records.leave(tx, written, undo.number)
        elif not (undo.dry_run or written.is_new):
            written_records.forget(tx, self._import_id, [row.id], new=False)

    def _revert(self, row: RecordRow, before: dict[str, Any]) -> str | None:
        """Give a record the values of *before*; why not, if they are not taken any more."""
        tx, organization = self._tx, self._organization
        object_ = record_rows.object_of(tx.conn, row)
        gone = before.keys() - record_rows.visible(object_.properties, before).keys()
        if gone:
            return f"a property was deleted since: {', '.join(sorted(gone))}"
        writes = RecordWrites(tx, object_, self._undo.source)
        standing = writes.take(row)
        references = References(tx.conn, organization.id)
        try:
            writes.update(standing, check(references, organization, object_, standing.values, before))
        except (InvalidInput, Conflict) as error:
            return f"the values of before do not fit any more: {error}"
        if not self._undo.dry_run:
            writes.store()
        return None


def _name_of(row: RecordRow) -> str | None:
    name = record_rows.values_of(row).get(NAME)
    return name[:IMPORT_EXAMPLE_CHARS_MAX] if isinstance(name, str) else None


def _conflicts(tx: Tx, row: RecordRow, judgement: Judgement) -> list[UndoConflict]:
    if not judgement.others:
        return []
    visible = record_rows.visible(record_rows.object_of(tx.conn, row).properties, judgement.others)
    values = record_rows.values_of(row)
    return [
        UndoConflict(
            object_id=row.id,
            object_type=row.of.slug,
            property=slug,
            theirs=values.get(slug),
            changed_by=dict(other.source),
            changed_at=other.at,
        )
        for slug, other in visible.items()
    ]
