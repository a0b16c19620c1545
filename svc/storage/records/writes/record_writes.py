"""The writes of one unit to the records of one object."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import msgspec

from svc.domain.events import NewEvent, Source
from svc.domain.locale.times import rfc3339
from svc.domain.records.answers import RecordAnswer
from svc.domain.records.events import E, RecordCreated, RecordUpdated, changes, record_event
from svc.domain.records.matching import IDENTITY_KINDS
from svc.domain.records.objects import CONTACT
from svc.domain.records.values import Values
from svc.domain.versions import FIRST_VERSION
from svc.storage.events import events
from svc.storage.records import bulk
from svc.storage.records import rows as record_rows
from svc.storage.records import versions as record_versions
from svc.storage.records.bulk import RecordChange, Suggested, UpdatedRecord
from svc.storage.records.listing import index as record_index
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record, RecordRow
from svc.storage.records.versions import ComparisonBudget, NewChange
from svc.storage.records.writes.identities import Identities
from svc.storage.records.writes.unique_values import UniqueValues
from svc.storage.store import Tx


class RecordState(msgspec.Struct, kw_only=True):
    """A record as the writes of the unit have left it so far."""

    id: str
    values: Values
    """Those of deleted properties, too."""
    version: int
    created_at: int
    updated_at: int
    is_new: bool = False
    changed: set[str] = msgspec.field(default_factory=set)
    """The slugs of what was changed of a record that was there before."""
    changes: list[RecordChange] = msgspec.field(default_factory=list)
    """Its changes that are not stored yet."""


class RecordWrites:
    """Writes, each of which sees those before it; `store` stores all of them.

    What refuses a write does so before anything of it is noted, so that it leaves no trace.
    """

    def __init__(self, tx: Tx, object_: StoredObject, source: Source) -> None:
        self._tx = tx
        self._source = source
        self.object_ = object_
        self._is_contact = object_.slug == CONTACT
        self._shape = record_index.shape_in(object_)
        self._rows: dict[str, RecordRow | None] = {}
        self._comparisons = ComparisonBudget()
        self._standing: dict[str, RecordState] = {}
        self._written: dict[str, RecordState] = {}
        self._changes: list[RecordChange] = []
        self._events: list[NewEvent] = []
        self._suggested: list[Suggested] = []

    @cached_property
    def unique(self) -> UniqueValues:
        """The unique values of the object's records."""
        return UniqueValues(self._tx.conn, self._shape.unique)

    @cached_property
    def identities(self) -> Identities:
        """What contacts are known by, if the records are contacts."""
        return Identities(self._tx.conn, self.object_.organization_id)

    def load(self, ids: Iterable[str]) -> None:
        """Read the records of *ids* at once."""
        wanted = [one for one in dict.fromkeys(ids) if one not in self._standing]
        found = {
            row.id: row for row in record_rows.by_ids(self._tx.conn, self.object_.organization_id, wanted)
        }
        self._rows.update({record_id: found.get(record_id) for record_id in wanted})

    def take(self, row: RecordRow) -> RecordState:
        """The record of a *row* that was read in this transaction."""
        standing = self._standing[row.id] = RecordState(
            id=row.id,
            values=record_rows.values_of(row),
            version=row.version,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        return standing

    def standing(self, record_id: str) -> RecordState:
        """The record as it is now. Raises `NotFound` for none of the object, and for one that is deleted."""
        known = self._standing.get(record_id)
        if known is not None:
            return known
        object_ = self.object_
        row = self._rows.get(record_id)
        if row is None or row.of.slug != object_.slug:
            row = record_rows.get(self._tx.conn, object_.organization_id, object_.slug, record_id)
        record_rows.check_live(row, record_id)
        return self.take(row)

    def check_version(self, standing: RecordState, if_version: int | None, after: Values) -> None:
        """Check that nothing that *after* would change was changed since *if_version*, if that is given.

        Raises `ChangedSince`, and `InvalidInput` for a version that the record has never had.
        """
        if if_version is None:
            return
        before = standing.values
        record_versions.check(
            self._tx.conn,
            self.object_,
            standing,
            if_version,
            stored=before,
            wanted=record_versions.written(before, after),
            pending=(
                NewChange(change.version, self._tx.now, change.difference, change.source)
                for change in reversed(standing.changes)
            ),
            budget=self._comparisons,
        )

    def create(self, values: Values) -> Record:
        """A new record with *values*. Raises `Conflict` if a unique one is another record's."""
        if self._shape.unique:
            self.unique.check(None, {}, values)
        now = self._tx.now
        standing = RecordState(
            id=self._tx.new_id("rec"),
            values=values,
            version=FIRST_VERSION,
            created_at=now,
            updated_at=now,
            is_new=True,
        )
        self._standing[standing.id] = self._written[standing.id] = standing
        if self._shape.unique:
            self.unique.write(standing.id, {}, values)
        if self._is_contact:
            self.identities.write(standing.id, {}, values)
        record = record_rows.with_values(self.object_, standing, values)
        self._events.append(event(RecordCreated, record, self._source))
        return record

    def update(self, standing: RecordState, after: Values) -> Record:
        """Write the values *after* to a record; where they change nothing, nothing is noted.

        Raises `Conflict` if a unique value is another record's.
        """
        before = standing.values
        difference = {
            slug: [before.get(slug), after.get(slug)]
            for slug in (*before, *(slug for slug in after if slug not in before))
            if before.get(slug) != after.get(slug)
        }
        if not difference:
            return record_rows.with_values(self.object_, standing, standing.values)
        if self._shape.unique:
            self.unique.check(standing.id, before, after)
            self.unique.write(standing.id, before, after)
        if self._is_contact and not difference.keys().isdisjoint(IDENTITY_KINDS):
            self.identities.write(standing.id, before, after)
        standing.values = after
        standing.version += 1
        standing.updated_at = self._tx.now
        standing.changed.update(difference)
        self._written[standing.id] = standing
        change = RecordChange(standing.id, "updated", standing.version, difference, self._source)
        standing.changes.append(change)
        self._changes.append(change)
        record = record_rows.with_values(self.object_, standing, standing.values)
        shown = changes(record_rows.visible(self.object_.properties, difference))
        self._events.append(event(RecordUpdated, record, self._source, changed=shown))
        return record

    def suggest(self, standing: RecordState, suggested: Values) -> None:
        """Suggest values for a record, for a person to decide on."""
        self._suggested += [(standing.id, slug, value) for slug, value in suggested.items()]

    def store(self) -> None:
        """Store everything that was written, with its indexes, changes and events."""
        tx, object_ = self._tx, self.object_
        # Unique values are stored by themselves, since these writes have checked them already.
        shape = msgspec.structs.replace(self._shape, unique=[]) if self._shape.unique else self._shape
        written = self._written.values()
        if new := [one for one in written if one.is_new]:
            bulk.insert_many(
                tx.conn,
                object_.organization_id,
                object_.id,
                tx.now,
                [(one.id, one.values) for one in new],
                shape=shape,
                versions={one.id: one.version for one in new},
            )
        if len(new) < len(written):
            updated = [
                UpdatedRecord(one.id, one.values, one.version, one.changed)
                for one in written
                if not one.is_new
            ]
            bulk.update_many(tx.conn, object_.organization_id, object_.id, tx.now, updated, shape=shape)
        if shape is not self._shape:
            self.unique.store()
        if "identities" in self.__dict__:
            self.identities.store({one.id for one in new})
        bulk.note_changes(tx, object_.organization_id, self._changes)
        if self._suggested:
            bulk.suggest(tx, object_.organization_id, [(one, None) for one in self._suggested])
        events.record(tx, object_.organization_id, self._events)


def event(kind: type[E], record: Record, source: Source, **more: Any) -> E:
    """The event of *record*, with the members that its *kind* has besides."""
    answer = RecordAnswer(
        id=record.id,
        object_type=record.object_type,
        version=record.version,
        properties=record.properties,
        created_at=rfc3339(record.created_at),
        updated_at=rfc3339(record.updated_at),
    )
    return record_event(kind, answer, source, **more)
