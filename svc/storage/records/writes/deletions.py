"""Deletions of records and their undoing, one or many in a unit, with few statements for all of them."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, NotFound
from svc.domain.events import NewEvent, Source
from svc.domain.input.near_names import shown
from svc.domain.records.events import RecordCreated, RecordDeleted
from svc.domain.records.matching import IDENTITY_KINDS
from svc.domain.records.objects import CONTACT
from svc.domain.versions import ERASED_VERSION
from svc.storage.events import events
from svc.storage.records import bulk, contacts, tables
from svc.storage.records import rows as record_rows
from svc.storage.records.bulk import RecordChange
from svc.storage.records.listing import index as record_index
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record, RecordRow
from svc.storage.records.writes.record_writes import event
from svc.storage.records.writes.unique_values import UniqueValues
from svc.storage.statements import Statement
from svc.storage.store import Tx

_DELETE: Final = Statement(
    sa.update(tables.records)
    .where(tables.records.c.id == sa.bindparam("record_id"))
    .values(
        version=sa.bindparam("new_version"),
        deleted_at=sa.bindparam("at"),
        merged_into=sa.bindparam("survivor_id"),
    )
)
_RESTORE: Final = Statement(
    sa.update(tables.records)
    .where(tables.records.c.id == sa.bindparam("record_id"))
    .values(version=sa.bindparam("new_version"), deleted_at=None, updated_at=sa.bindparam("at"))
)


class RefusedId(NamedTuple):
    """An id that nothing was done about, and why."""

    id: str
    error: NotFound | Conflict


class ManyOutcome(NamedTuple):
    """The ids of the records that were deleted or restored, and the others, each in the order given."""

    done: Sequence[str]
    refused: Sequence[RefusedId]


class RecordDeletions:
    """Deletions of one unit; `store` stores all of them."""

    def __init__(self, tx: Tx, source: Source, *, merged_into: str | None = None) -> None:
        """*merged_into* is the record that stays of a merge."""
        self._tx = tx
        self._source = source
        self._merged_into = merged_into
        self._objects = _Objects(tx.conn)
        self._deleted: dict[str, RecordRow] = {}

    def delete(self, row: RecordRow) -> None:
        """Raises `NotFound` for a record that is deleted, by this unit too."""
        record_rows.check_live(row, row.id)
        if row.id in self._deleted:
            raise NotFound(f"the record {shown(row.id)} is deleted")
        self._deleted[row.id] = row

    def store(self) -> None:
        """Store the deletions, with their indexes, changes and events."""
        tx, into, rows = self._tx, self._merged_into, list(self._deleted.values())
        _DELETE.many(
            tx.conn,
            [
                {"record_id": row.id, "new_version": row.version + 1, "at": tx.now, "survivor_id": into}
                for row in rows
            ],
        )
        for object_, some in self._objects.split(rows):
            ids = [row.id for row in some]
            if object_.slug == CONTACT:
                contacts.forget_all(tx.conn, ids)
            record_index.remove(tx.conn, record_index.shape_in(object_), ids)
        _note(tx, rows, "deleted" if into is None else "merged", self._source)
        more = {} if into is None else {"merged_into": into}
        _announce(tx, rows, lambda row: event(RecordDeleted, self._gone(row), self._source, **more))

    def _gone(self, row: RecordRow) -> Record:
        return msgspec.structs.replace(
            record_rows.from_row(self._objects.of(row), row), version=row.version + 1
        )


class RecordRestorations:
    """Deletions that one unit undoes; `store` stores all of that."""

    def __init__(self, tx: Tx, source: Source) -> None:
        self._tx = tx
        self._source = source
        self._objects = _Objects(tx.conn)
        self._unique: dict[str, UniqueValues] = {}
        self._restored: dict[str, RecordRow] = {}

    def load(self, rows: Sequence[RecordRow]) -> None:
        """Look up the owners of all unique values of *rows* at once."""
        for object_, some in self._objects.split(rows):
            self._unique_of(object_).load(map(record_rows.values_of, some))

    def restore(self, row: RecordRow) -> Record:
        """The record as it is from then on.

        Raises `NotFound` if it was erased or is not deleted, and `Conflict` if it was merged into another, or
        a unique value is another record's by now.
        """
        if row.merged_into is not None:
            raise Conflict("it was merged into another record, which has all that it had")
        if row.version == ERASED_VERSION:
            raise NotFound(f"the record {shown(row.id)} was erased")
        if row.deleted_at is None or row.id in self._restored:
            raise NotFound(f"the record {shown(row.id)} is not deleted")
        unique, values = self._unique_of(self._objects.of(row)), record_rows.values_of(row)
        unique.check(None, {}, values)
        unique.write(row.id, {}, values)
        self._restored[row.id] = row
        return self._back(row)

    def store(self) -> None:
        """Store what was restored, with its indexes, changes and events, which are `record.created` again."""
        tx, rows = self._tx, list(self._restored.values())
        _RESTORE.many(
            tx.conn, [{"record_id": row.id, "new_version": row.version + 1, "at": tx.now} for row in rows]
        )
        for object_, some in self._objects.split(rows):
            made = [(row.id, record_rows.values_of(row)) for row in some]
            if object_.slug == CONTACT:
                known = [
                    (id_, kind, values[kind])
                    for id_, values in made
                    for kind in IDENTITY_KINDS
                    if kind in values
                ]
                contacts.keep(tx.conn, object_.organization_id, known)
            # Unique values are stored by themselves, since they were checked already.
            shape = msgspec.structs.replace(record_index.shape_in(object_), unique=[])
            record_index.add_again(tx.conn, shape, made)
            self._unique_of(object_).store()
        _note(tx, rows, "restored", self._source)
        _announce(tx, rows, lambda row: event(RecordCreated, self._back(row), self._source))

    def _unique_of(self, object_: StoredObject) -> UniqueValues:
        unique = self._unique.get(object_.id)
        if unique is None:
            properties = record_index.shape_in(object_).unique
            unique = self._unique[object_.id] = UniqueValues(self._tx.conn, properties)
        return unique

    def _back(self, row: RecordRow) -> Record:
        return msgspec.structs.replace(
            record_rows.from_row(self._objects.of(row), row), updated_at=self._tx.now, version=row.version + 1
        )


def delete_many(tx: Tx, organization_id: str, ids: Sequence[str], *, source: Source) -> ManyOutcome:
    """Delete the records of *ids*, of any objects, each as a call of its own would after those before it."""
    deletions = RecordDeletions(tx, source)
    outcome = _outcome(_rows(tx, organization_id, ids), ids, deletions.delete)
    deletions.store()
    return outcome


def restore_many(tx: Tx, organization_id: str, ids: Sequence[str], *, source: Source) -> ManyOutcome:
    """Bring the deleted records of *ids* back, of any objects, each as a call of its own would."""
    restorations = RecordRestorations(tx, source)
    rows = _rows(tx, organization_id, ids)
    restorations.load(list(rows.values()))
    outcome = _outcome(rows, ids, restorations.restore)
    restorations.store()
    return outcome


def _rows(tx: Tx, organization_id: str, ids: Sequence[str]) -> dict[str, RecordRow]:
    wanted = list(dict.fromkeys(ids))
    return {row.id: row for row in record_rows.by_ids(tx.conn, organization_id, wanted)}


def _outcome(
    rows: dict[str, RecordRow], ids: Collection[str], act: Callable[[RecordRow], object]
) -> ManyOutcome:
    done: list[str] = []
    refused: list[RefusedId] = []
    for record_id in ids:
        if record_id not in rows:
            refused.append(RefusedId(record_id, NotFound(f"there is no record {shown(record_id)}")))
            continue
        try:
            act(rows[record_id])
        except (NotFound, Conflict) as error:
            refused.append(RefusedId(record_id, error))
        else:
            done.append(record_id)
    return ManyOutcome(done, refused)


class _Objects:
    """The objects of records, each read once."""

    def __init__(self, conn: sa.Connection) -> None:
        self._conn = conn
        self._read: dict[str, StoredObject] = {}

    def of(self, row: RecordRow) -> StoredObject:
        if row.object_id not in self._read:
            self._read[row.object_id] = record_rows.object_of(self._conn, row)
        return self._read[row.object_id]

    def split(self, rows: Collection[RecordRow]) -> Iterator[tuple[StoredObject, list[RecordRow]]]:
        """*rows* by object, in their order."""
        by_object = attrgetter("object_id")
        for _, some in groupby(sorted(rows, key=by_object), by_object):
            first, *others = some
            yield self.of(first), [first, *others]


def _note(tx: Tx, rows: Sequence[RecordRow], kind: bulk.ChangeKind, source: Source) -> None:
    if rows:
        changes = [RecordChange(row.id, kind, row.version + 1, {}, source) for row in rows]
        bulk.note_changes(tx, rows[0].organization_id, changes)


def _announce(tx: Tx, rows: Sequence[RecordRow], made: Callable[[RecordRow], NewEvent]) -> None:
    if rows:
        events.record(tx, rows[0].organization_id, [made(row) for row in rows])
