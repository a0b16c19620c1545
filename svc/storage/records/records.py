"""Records, one at a time.

Every write also updates the record's indexes, its identities and its events in the same transaction. Every
look-up is scoped by the organization: another organization's record is not found.
"""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.domain.records.values import Values
from svc.storage.records import objects
from svc.storage.records import rows as record_rows
from svc.storage.records import versions as record_versions
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record, RecordRow
from svc.storage.records.writes.deletions import RecordDeletions, RecordRestorations
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
    deletions = RecordDeletions(tx, source, merged_into=merged_into)
    deletions.delete(row)
    deletions.store()


def restore(
    tx: Tx, organization_id: str, object_slug: str | None, record_id: str, *, source: Source
) -> Record:
    """Bring a deleted record back as it was; its event is `record.created` again.

    Raises `NotFound` for the object or the deleted record, and `Conflict` if it was merged into another, or a
    unique value is another record's by now.
    """
    row = record_rows.get(tx.conn, organization_id, object_slug, record_id)
    restorations = RecordRestorations(tx, source)
    restored = restorations.restore(row)
    restorations.store()
    return restored


def write(tx: Tx, object_: StoredObject, row: RecordRow, after: Values, *, source: Source) -> Record:
    """Update the values of a record to those *after*, with its indexes, changes and events."""
    writes = RecordWrites(tx, object_, source)
    record = writes.update(writes.take(row), after)
    writes.store()
    return record
