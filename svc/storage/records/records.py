"""Records, one at a time.

Every write also updates the record's indexes, its identities and its events in the same transaction. Every
look-up is scoped by the organization: another organization's record is not found.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, NotFound
from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.domain.near_names import shown
from svc.domain.records.objects import CONTACT
from svc.domain.records.values import Values
from svc.domain.versions import ERASED_VERSION
from svc.storage.events import events
from svc.storage.records import bulk, contacts, objects, tables
from svc.storage.records import rows as record_rows
from svc.storage.records import versions as record_versions
from svc.storage.records.bulk import ChangeKind, RecordChange
from svc.storage.records.listing import index as record_index
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record, RecordRow
from svc.storage.records.writes import record_writes
from svc.storage.records.writes.items import write_one
from svc.storage.records.writes.record_writes import RecordWrites
from svc.storage.records.writes.ways import Item
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
    """Make a record with the values *given*.

    Raises:
        NotFound: no such object.
        InvalidInput: all that is wrong with the values.
        Conflict: a unique value is another record's.
    """
    object_ = objects.get(tx.conn, organization.id, object_slug)
    return write_one(tx, organization, object_, "create", Item(given), source=source).record


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
    item = Item(given, record_id, if_version)
    return write_one(tx, organization, object_, "update", item, row=row, source=source).record


def upsert(
    tx: Tx,
    organization: Organization,
    object_slug: str,
    by: str,
    given: Mapping[str, Any],
    *,
    if_version: int | None = None,
    source: Source,
) -> tuple[Record, bool]:
    """Write *given* to the record whose property *by* has that value; the record, and whether it is new.

    *by* is a unique property, or a contact's `email` or `phone`.

    The look-up and the write are one unit of work, and units are serial: two upserts create one record.

    Raises:
        NotFound: no such object.
        InvalidInput: *by* is no such property or has no value, or what is wrong with the values.
        ChangedSince: a value that it changes was changed since *if_version*.
        Conflict: several contacts have that e-mail or phone; or a unique value is another record's; or with
            *if_version*, there is no such record.
    """
    object_ = objects.get(tx.conn, organization.id, object_slug)
    item = Item(given, if_version=if_version)
    written = write_one(tx, organization, object_, "upsert", item, by=by, source=source)
    return written.record, written.kind == "created"


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
    events.record(tx, organization_id, [record_writes.event("record.deleted", gone, source, **into)])


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
    events.record(tx, organization_id, [record_writes.event("record.created", restored, source)])
    return restored


def write(tx: Tx, object_: StoredObject, row: RecordRow, after: Values, *, source: Source) -> Record:
    """Update the values of a record to those *after*, with its indexes, changes and events."""
    writes = RecordWrites(tx, object_, source)
    record = writes.update(writes.take(row), after)
    writes.store()
    return record
