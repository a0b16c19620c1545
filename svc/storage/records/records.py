"""Records, one at a time.

Every write also updates the record's indexes, its identities and its events in the same transaction. Every
look-up is scoped by the organization: another organization's record is not found.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound
from svc.domain.events import NewEvent, Source
from svc.domain.identity.organizations import Organization
from svc.domain.limits import FAULTS_MAX, RECORDS_CREATED_MAX
from svc.domain.near_names import shown
from svc.domain.records.events import RecordEventType, from_to, record_event
from svc.domain.records.objects import CONTACT
from svc.domain.records.values import Values
from svc.domain.versions import ERASED_VERSION, FIRST_VERSION
from svc.storage.events import events
from svc.storage.records import bulk, contacts, objects, tables
from svc.storage.records import rows as record_rows
from svc.storage.records import versions as record_versions
from svc.storage.records.bulk import ChangeKind, RecordChange
from svc.storage.records.contacts import IDENTITY_KINDS
from svc.storage.records.listing import index as record_index
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record, RecordRow
from svc.storage.records.values import check_changed, check_new
from svc.storage.store import Tx


def get(
    conn: sa.Connection,
    organization_id: str,
    object_slug: str | None,
    record_id: str,
    *,
    read: dict[str, StoredObject] | None = None,
) -> Record:
    """The record; for one that was merged, the one that it was merged into. Raises `NotFound`.

    *read* has objects by id that were read in this transaction, and takes the record's.
    """
    row = record_rows.get(conn, organization_id, object_slug, record_id)
    while row.merged_into is not None:
        row = record_rows.get(conn, organization_id, object_slug, row.merged_into)
    record_rows.check_live(row, record_id)
    object_ = None if read is None else read.get(row.object_id)
    if object_ is None:
        object_ = record_rows.object_of(conn, row)
        if read is not None:
            read[row.object_id] = object_
    return record_rows.from_row(object_, row)


def create(
    tx: Tx, organization: Organization, object_slug: str, given: Mapping[str, Any], *, source: Source
) -> Record:
    """Make a record with the values *given*. Raises as `create_many`, with pointers into one record."""
    object_ = objects.get(tx.conn, organization.id, object_slug)
    return create_in(tx, organization, object_, given, source=source)


def create_in(
    tx: Tx, organization: Organization, object_: StoredObject, given: Mapping[str, Any], *, source: Source
) -> Record:
    """As `create`, of an object that was read in this transaction."""
    values = check_new(tx.conn, organization, object_, given, pointer="/properties")
    return _insert_all(tx, object_, [values], source)[0]


def create_many(
    tx: Tx,
    organization: Organization,
    object_slug: str,
    given: Sequence[Mapping[str, Any]],
    *,
    source: Source,
) -> list[Record]:
    """Make up to `RECORDS_CREATED_MAX` records: all or none.

    Raises:
        NotFound: no such object.
        InvalidInput: all that is wrong with any of them.
        Conflict: a unique value is another record's.
    """
    if not 0 < len(given) <= RECORDS_CREATED_MAX:
        raise InvalidInput([Fault("/records", "invalid_value", f"not 1 to {RECORDS_CREATED_MAX} records")])
    object_ = objects.get(tx.conn, organization.id, object_slug)
    faults: list[Fault] = []
    made: list[Values] = []
    for place, values in enumerate(given):
        try:
            made.append(
                check_new(tx.conn, organization, object_, values, pointer=f"/records/{place}/properties")
            )
        except InvalidInput as error:
            faults += error.faults
        if len(faults) >= FAULTS_MAX:
            break
    if faults:
        raise InvalidInput(faults)
    return _insert_all(tx, object_, made, source)


def update(
    tx: Tx,
    organization: Organization,
    object_slug: str | None,
    record_id: str,
    given: Mapping[str, Any],
    *,
    if_version: int | None = None,
    source: Source,
) -> Record:
    """Write the values *given*; null clears a value. A write that changes nothing records nothing.

    Raises:
        NotFound: no such object or record.
        InvalidInput: all that is wrong with the values and *if_version*.
        ChangedSince: a value that it changes was changed since *if_version*.
        Conflict: a unique value is another record's.
    """
    object_, row = record_rows.find(tx.conn, organization.id, object_slug, record_id)
    before = record_rows.values_of(row)
    after = check_changed(tx.conn, organization, object_, before, given, pointer="/properties")
    if if_version is not None:
        wanted = record_versions.written(before, after)
        record_versions.check(tx.conn, object_, row, if_version, stored=before, wanted=wanted)
    return write(tx, object_, row, before, after, source=source)


def delete(
    tx: Tx,
    organization_id: str,
    object_slug: str | None,
    record_id: str,
    *,
    if_version: int | None = None,
    source: Source,
    merged_into: str | None = None,
) -> None:
    """Delete the record so that `restore` can bring it back.

    Raises:
        NotFound: no such object or record.
        InvalidInput: the record never had *if_version*.
        ChangedSince: a value was changed since *if_version*.
    """
    object_, row = record_rows.find(tx.conn, organization_id, object_slug, record_id)
    if if_version is not None:
        stored = record_rows.values_of(row)
        record_versions.check(tx.conn, object_, row, if_version, stored=stored, wanted=None)
    version = row.version + 1
    tx.conn.execute(
        sa.update(tables.records)
        .where(tables.records.c.id == record_id)
        .values(deleted_at=tx.now, merged_into=merged_into, version=version)
    )
    if object_.slug == CONTACT:
        contacts.forget_all(tx.conn, record_id)
    record_index.remove(tx.conn, record_index.shape_in(object_), [record_id])
    kind: ChangeKind = "merged" if merged_into else "deleted"
    bulk.note_changes(tx, organization_id, [RecordChange(record_id, kind, version, {}, source)])
    gone = msgspec.structs.replace(record_rows.from_row(object_, row), version=version)
    into = {} if merged_into is None else {"mergedInto": merged_into}
    events.record(tx, organization_id, [_event("record.deleted", gone, source, **into)])


def restore(
    tx: Tx, organization_id: str, object_slug: str | None, record_id: str, *, source: Source
) -> Record:
    """Bring a deleted record back as it was; its event is `record.created` again.

    Raises `NotFound` for the object or the deleted record, and `Conflict` if it was merged into another, or a
    unique value is another record's by now.
    """
    row = record_rows.get(tx.conn, organization_id, object_slug, record_id)
    object_ = record_rows.object_of(tx.conn, row)
    if row.merged_into is not None:
        raise Conflict("it was merged into another record, which has all that it had")
    if row.version == ERASED_VERSION:
        raise NotFound(f"the record {shown(record_id)} was erased")
    if row.deleted_at is None:
        raise NotFound(f"the record {shown(record_id)} is not deleted")
    values = record_rows.values_of(row)
    version = row.version + 1
    tx.conn.execute(
        sa.update(tables.records)
        .where(tables.records.c.id == record_id)
        .values(deleted_at=None, updated_at=tx.now, version=version)
    )
    if object_.slug == CONTACT:
        contacts.remember_values(tx.conn, organization_id, record_id, values)
    record_index.add_again(tx.conn, record_index.shape_in(object_), [(record_id, values)])
    bulk.note_changes(tx, organization_id, [RecordChange(record_id, "restored", version, {}, source)])
    restored = msgspec.structs.replace(record_rows.from_row(object_, row), updated_at=tx.now, version=version)
    events.record(tx, organization_id, [_event("record.created", restored, source)])
    return restored


def write(
    tx: Tx, object_: StoredObject, row: RecordRow, before: Values, after: Values, *, source: Source
) -> Record:
    """Update the values *before* of a record to those *after*, with its indexes, changes and events."""
    difference = {
        slug: [before.get(slug), after.get(slug)]
        for slug in (*before, *(slug for slug in after if slug not in before))
        if before.get(slug) != after.get(slug)
    }
    if not difference:
        return record_rows.from_row(object_, row)
    record = Record(
        id=row.id,
        object_type=object_.slug,
        version=row.version + 1,
        properties=record_rows.visible(object_.properties, after),
        created_at=row.created_at,
        updated_at=tx.now,
    )
    bulk.update_properties(tx.conn, row.id, after, tx.now, record.version)
    if object_.slug == CONTACT:
        for kind in IDENTITY_KINDS:
            if kind in difference:
                contacts.forget(tx.conn, object_.organization_id, row.id, kind, before.get(kind))
                now_known: Values = {kind: after[kind]} if kind in after else {}
                contacts.remember_values(tx.conn, object_.organization_id, row.id, now_known)
    record_index.rewrite(tx.conn, record_index.shape_in(object_), row.id, after, difference.keys())
    change = RecordChange(row.id, "updated", record.version, difference, source)
    bulk.note_changes(tx, object_.organization_id, [change])
    shown_difference = from_to(record_rows.visible(object_.properties, difference))
    updated = _event("record.updated", record, source, changed=shown_difference)
    events.record(tx, object_.organization_id, [updated])
    return record


def _insert_all(tx: Tx, object_: StoredObject, made: Sequence[Values], source: Source) -> list[Record]:
    new = [
        Record(
            id=tx.new_id("rec"),
            object_type=object_.slug,
            version=FIRST_VERSION,
            properties=values,
            created_at=tx.now,
            updated_at=tx.now,
        )
        for values in made
    ]
    bulk.insert_many(
        tx.conn,
        object_.organization_id,
        object_.id,
        tx.now,
        [(record.id, record.properties) for record in new],
        shape=record_index.shape_in(object_),
    )
    if object_.slug == CONTACT:
        contacts.remember(
            tx.conn,
            object_.organization_id,
            [
                (record.id, kind, record.properties[kind])
                for record in new
                for kind in IDENTITY_KINDS
                if kind in record.properties
            ],
        )
    created = [_event("record.created", record, source) for record in new]
    events.record(tx, object_.organization_id, created)
    return new


def _event(type_: RecordEventType, record: Record, source: Source, **more: Any) -> NewEvent:
    return record_event(
        type_,
        record_id=record.id,
        object_type=record.object_type,
        version=record.version,
        properties=record.properties,
        created_at=record.created_at,
        updated_at=record.updated_at,
        source=source,
        **more,
    )
