"""Records: one by one, as tools write them, and in sets, as filing does.

Every write keeps what a record is found by, its identities and its events right in the same transaction.
All is scoped by the organization: another's record is not found.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound
from svc.domain.identity.organizations import Organization
from svc.domain.ids import new_id
from svc.domain.limits import FAULTS_MAX, RECORD_BYTES_MAX, RECORDS_CREATED_MAX
from svc.domain.near_names import shown
from svc.domain.records.objects import CONTACT
from svc.domain.records.properties import Property
from svc.domain.records.values import Values, changed
from svc.storage import events
from svc.storage.events import NewEvent
from svc.storage.identity import tables as identity_tables
from svc.storage.records import contacts, objects, tables
from svc.storage.records.listing import index as record_index
from svc.storage.records.listing.index import Shape
from svc.storage.records.objects import StoredObject
from svc.storage.statements import Statement
from svc.storage.store import Tx

Source = Mapping[str, Any]
"""Where a write came from, JSON-ready: `{"kind": "api", …}` (decisions §10)."""
ChangeKind = Literal["updated", "deleted", "restored", "merged"]

IDENTITY_KINDS: Final = ("email", "phone")


class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A record as it stands. Times are ms since the epoch; `properties` has what is not empty."""

    id: str
    object_type: str
    properties: dict[str, Any]
    created_at: int
    updated_at: int


_INSERT = Statement(sa.insert(tables.records))
_UPDATE = Statement(
    sa.update(tables.records)
    .where(tables.records.c.id == sa.bindparam("record_id"))
    .values(properties=sa.bindparam("new_properties"), updated_at=sa.bindparam("at"))
)
_BY_ID = Statement(
    sa.select(
        tables.records,
        tables.objects.c.slug.label("object_type"),
        *(column.label(f"of_{column.name}") for column in objects.COLUMNS),
    )
    .join(tables.objects, tables.objects.c.id == tables.records.c.object_id)
    .where(
        tables.records.c.id == sa.bindparam("record_id"),
        tables.records.c.organization_id == sa.bindparam("organization_id"),
    )
)
_MEMBER = Statement(
    sa.select(identity_tables.members.c.status).where(
        identity_tables.members.c.organization_id == sa.bindparam("organization_id"),
        identity_tables.members.c.person_id == sa.bindparam("person_id"),
    )
)
_FORGET = Statement(
    sa.delete(tables.identities).where(
        tables.identities.c.record_id == sa.bindparam("of_record"),
        tables.identities.c.organization_id == sa.bindparam("of_organization"),
        tables.identities.c.kind == sa.bindparam("of_kind"),
        tables.identities.c.value == sa.bindparam("of_value"),
    )
)
_INSERT_CHANGE = Statement(sa.insert(tables.record_changes))
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


# In sets. The caller has made sure of the values, and remembers the identities and records the events.


def insert_many(
    conn: sa.Connection,
    organization_id: str,
    object_id: str,
    at: int,
    made: Iterable[tuple[str, dict[str, Any]]],
    *,
    shape: Shape | None = None,
) -> None:
    """Store new records of one object, each an id and its properties; its *shape* is read unless given."""
    made = list(made)
    if not made:
        return
    _INSERT.many(
        conn,
        [
            {
                "id": record_id,
                "organization_id": organization_id,
                "object_id": object_id,
                "properties": _json(properties),
                "created_at": at,
                "updated_at": at,
                "deleted_at": None,
                "merged_into": None,
            }
            for record_id, properties in made
        ],
    )
    record_index.add(conn, shape or record_index.shape_of(conn, object_id), made)


def update_many(
    conn: sa.Connection, object_id: str, at: int, updated: Iterable[tuple[str, dict[str, Any]]]
) -> None:
    """Store the properties of records of one object that were there before."""
    updated = list(updated)
    if not updated:
        return
    _UPDATE.many(
        conn,
        [
            {"record_id": record_id, "new_properties": _json(properties), "at": at}
            for record_id, properties in updated
        ],
    )
    record_index.replace(conn, record_index.shape_of(conn, object_id), updated)


def note_changes(
    conn: sa.Connection,
    organization_id: str,
    at: int,
    happened: Sequence[tuple[str, ChangeKind, Mapping[str, Any], Source]],
) -> None:
    """Keep for the timeline what happened to records: id, kind, `{slug: [before, after]}`, source."""
    if happened:
        _INSERT_CHANGE.many(
            conn,
            [
                {
                    "id": new_id("chg", at),
                    "organization_id": organization_id,
                    "record_id": record_id,
                    "kind": kind,
                    "at": at,
                    "changed": _json(difference),
                    "source": _json(source),
                }
                for record_id, kind, difference, source in happened
            ],
        )


# One by one.


def get(conn: sa.Connection, organization_id: str, object_slug: str | None, record_id: str) -> Record:
    """The record; for one that was merged, the one that it was merged into. Raises `NotFound`."""
    row = row_of(conn, organization_id, object_slug, record_id)
    while row.merged_into is not None:
        row = row_of(conn, organization_id, object_slug, row.merged_into)
    if row.deleted_at is not None:
        raise _deleted(record_id)
    return from_row(_object_of(conn, row), row)


def create(
    tx: Tx, organization: Organization, object_slug: str, given: Mapping[str, Any], *, source: Source
) -> Record:
    """Make a record with the values *given*. Raises as `create_many`, with pointers into one record."""
    of = objects.get(tx.conn, organization.id, object_slug)
    return create_in(tx, organization, of, given, source=source)


def create_in(
    tx: Tx, organization: Organization, of: StoredObject, given: Mapping[str, Any], *, source: Source
) -> Record:
    """As `create`, of an object that was read in this transaction."""
    values = _made(tx.conn, organization, of, given, pointer="/properties")
    return _insert_all(tx, of, [values], source)[0]


def create_many(
    tx: Tx,
    organization: Organization,
    object_slug: str,
    given: Sequence[Mapping[str, Any]],
    *,
    source: Source,
) -> list[Record]:
    """Make up to `RECORDS_CREATED_MAX` records, all or none.

    Raises:
        NotFound: no such object.
        InvalidInput: all that is wrong with any of them.
        Conflict: a unique value is another record's.
    """
    if not 0 < len(given) <= RECORDS_CREATED_MAX:
        raise InvalidInput([Fault("/records", "invalid_value", f"not 1 to {RECORDS_CREATED_MAX} records")])
    of = objects.get(tx.conn, organization.id, object_slug)
    faults: list[Fault] = []
    made: list[Values] = []
    for place, one in enumerate(given):
        try:
            made.append(_made(tx.conn, organization, of, one, pointer=f"/records/{place}/properties"))
        except InvalidInput as error:
            faults += error.faults
        if len(faults) >= FAULTS_MAX:
            break
    if faults:
        raise InvalidInput(faults)
    return _insert_all(tx, of, made, source)


def update(
    tx: Tx,
    organization: Organization,
    object_slug: str | None,
    record_id: str,
    given: Mapping[str, Any],
    *,
    source: Source,
) -> Record:
    """Write the values *given*; null clears one. What changes nothing leaves no trace.

    Raises:
        NotFound: no such object or record.
        InvalidInput: all that is wrong with the values.
        Conflict: a unique value is another record's.
    """
    of, row = find(tx.conn, organization.id, object_slug, record_id)
    before = _decode(row.properties)
    after = _changed(tx.conn, organization, of, before, given, pointer="/properties")
    return write(tx, of, row, before, after, source=source)


def delete(
    tx: Tx,
    organization_id: str,
    object_slug: str | None,
    record_id: str,
    *,
    source: Source,
    merged_into: str | None = None,
) -> None:
    """Delete the record so that `restore` can bring it back. Raises `NotFound`."""
    of, row = find(tx.conn, organization_id, object_slug, record_id)
    tx.conn.execute(
        sa.update(tables.records)
        .where(tables.records.c.id == record_id)
        .values(deleted_at=tx.now, merged_into=merged_into)
    )
    _forget(tx.conn, of, record_id)
    record_index.remove(tx.conn, record_index.shape_in(of), [record_id])
    kind: ChangeKind = "merged" if merged_into else "deleted"
    note_changes(tx.conn, organization_id, tx.now, [(record_id, kind, {}, source)])
    deleted = NewEvent("record.deleted", _data(from_row(of, row), source) | _into(merged_into))
    events.record(tx.conn, organization_id, tx.now, [deleted])


def restore(
    tx: Tx, organization_id: str, object_slug: str | None, record_id: str, *, source: Source
) -> Record:
    """Bring a deleted record back as it was; to those who listen it is created again.

    Raises:
        NotFound: no such object, or no such deleted record.
        Conflict: it was merged into another, or a unique value is another record's by now.
    """
    row = row_of(tx.conn, organization_id, object_slug, record_id)
    of = _object_of(tx.conn, row)
    if row.merged_into is not None:
        raise Conflict("it was merged into another record, which has all that it had")
    if row.deleted_at is None:
        raise NotFound(f"the record {shown(record_id)} is not deleted")
    values = _decode(row.properties)
    tx.conn.execute(
        sa.update(tables.records)
        .where(tables.records.c.id == record_id)
        .values(deleted_at=None, updated_at=tx.now)
    )
    _remember(tx.conn, of, record_id, values)
    record_index.add_again(tx.conn, record_index.shape_in(of), [(record_id, values)])
    note_changes(tx.conn, organization_id, tx.now, [(record_id, "restored", {}, source)])
    restored = msgspec.structs.replace(from_row(of, row), updated_at=tx.now)
    events.record(tx.conn, organization_id, tx.now, [NewEvent("record.created", _data(restored, source))])
    return restored


# What the modules beside this one build on.


def row_of(conn: sa.Connection, organization_id: str, object_slug: str | None, record_id: str) -> Any:
    """The row of a record, deleted or not. Raises `NotFound`, also where it is of another object."""
    row = _BY_ID.one(conn, {"record_id": record_id, "organization_id": organization_id})
    if object_slug is not None and (row is None or row.object_type != object_slug):
        objects.get(conn, organization_id, object_slug)  # which may be what there is not
    if row is None:
        raise NotFound(f"there is no record {shown(record_id)}")
    if object_slug not in {None, row.object_type}:
        raise NotFound(f"the record {shown(record_id)} is a `{row.object_type}`, not a `{object_slug}`")
    return row


def find(
    conn: sa.Connection, organization_id: str, object_slug: str | None, record_id: str
) -> tuple[StoredObject, Any]:
    """The row of a record that is not deleted, and its object. Raises `NotFound`."""
    row = row_of(conn, organization_id, object_slug, record_id)
    if row.deleted_at is not None:
        raise _deleted(record_id)
    return _object_of(conn, row), row


def _object_of(conn: sa.Connection, row: Any) -> StoredObject:
    """The object of a record, from the record's row."""
    return objects.with_properties(conn, row[-len(objects.COLUMNS) :])


def live_row(conn: sa.Connection, of: StoredObject, record_id: str) -> Any:
    """The row of a record that is not deleted. Raises `NotFound`."""
    row = row_of(conn, of.organization_id, of.slug, record_id)
    if row.deleted_at is not None:
        raise _deleted(record_id)
    return row


def _deleted(record_id: str) -> NotFound:
    return NotFound(f"the record {shown(record_id)} is deleted")


def from_row(of: StoredObject, row: Any) -> Record:
    """The record of a row, with the properties that the object has now."""
    return Record(
        id=row.id,
        object_type=of.slug,
        properties=visible(of, _decode(row.properties)),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def values_of(row: Any) -> Values:
    """The values of a row, those of deleted properties too."""
    return _decode(row.properties)


def visible(of: StoredObject, values: Values) -> Values:
    """*values* without those of deleted properties."""
    return {
        slug: value
        for slug, value in values.items()
        if slug in of.properties or slug.removesuffix("_currency") in of.properties
    }


def write(tx: Tx, of: StoredObject, row: Any, before: Values, after: Values, *, source: Source) -> Record:
    """Store what a record is now, with all that follows from it."""
    difference = {
        slug: [before.get(slug), after.get(slug)]
        for slug in (*before, *(slug for slug in after if slug not in before))
        if before.get(slug) != after.get(slug)
    }
    if not difference:
        return from_row(of, row)
    record = Record(
        id=row.id,
        object_type=of.slug,
        properties=visible(of, after),
        created_at=row.created_at,
        updated_at=tx.now,
    )
    _UPDATE.run(tx.conn, {"record_id": row.id, "new_properties": _json(after), "at": tx.now})
    if of.slug == CONTACT:
        for kind in IDENTITY_KINDS:
            if kind in difference:
                forget(tx.conn, of.organization_id, row.id, kind, before.get(kind))
                _remember(tx.conn, of, row.id, {kind: after[kind]} if kind in after else {})
    record_index.rewrite(tx.conn, record_index.shape_in(of), row.id, after, difference.keys())
    note_changes(tx.conn, of.organization_id, tx.now, [(row.id, "updated", difference, source)])
    events.record(tx.conn, of.organization_id, tx.now, [NewEvent("record.updated", _data(record, source))])
    return record


def forget(conn: sa.Connection, organization_id: str, record_id: str, kind: str, value: str | None) -> None:
    """Know the contact no more by this e-mail or phone."""
    if value is not None:
        _FORGET.run(
            conn,
            {
                "of_record": record_id,
                "of_organization": organization_id,
                "of_kind": kind,
                "of_value": value,
            },
        )


def _forget(conn: sa.Connection, of: StoredObject, record_id: str) -> None:
    if of.slug == CONTACT:
        conn.execute(sa.delete(tables.identities).where(tables.identities.c.record_id == record_id))


def _remember(conn: sa.Connection, of: StoredObject, record_id: str, values: Values) -> None:
    """Know the contact by its e-mail and phone; by those of one merged into it, it may be known already."""
    if of.slug != CONTACT:
        return
    known = {
        (row.kind, row.value)
        for row in conn.execute(
            sa.select(tables.identities.c.kind, tables.identities.c.value).where(
                tables.identities.c.record_id == record_id
            )
        )
    }
    learned = [(kind, values[kind]) for kind in IDENTITY_KINDS if kind in values]
    contacts.remember(conn, of.organization_id, [(record_id, *one) for one in learned if one not in known])


def _insert_all(tx: Tx, of: StoredObject, made: Sequence[Values], source: Source) -> list[Record]:
    new = [
        Record(
            id=new_id("rec", tx.now),
            object_type=of.slug,
            properties=values,
            created_at=tx.now,
            updated_at=tx.now,
        )
        for values in made
    ]
    insert_many(
        tx.conn,
        of.organization_id,
        of.id,
        tx.now,
        [(one.id, one.properties) for one in new],
        shape=record_index.shape_in(of),
    )
    if of.slug == CONTACT:
        contacts.remember(
            tx.conn,
            of.organization_id,
            [
                (one.id, kind, one.properties[kind])
                for one in new
                for kind in IDENTITY_KINDS
                if kind in one.properties
            ],
        )
    created = [NewEvent("record.created", _data(one, source)) for one in new]
    events.record(tx.conn, of.organization_id, tx.now, created)
    return new


def _made(
    conn: sa.Connection,
    organization: Organization,
    of: StoredObject,
    given: Mapping[str, Any],
    *,
    pointer: str,
) -> Values:
    """The values of a new record, which has at least one. Raises `InvalidInput`."""
    values = _changed(conn, organization, of, {}, given, pointer=pointer)
    if not values:
        raise InvalidInput([Fault(pointer, "missing", "a record needs at least one value that is not empty")])
    return values


def _changed(
    conn: sa.Connection,
    organization: Organization,
    of: StoredObject,
    stored: Values,
    given: Mapping[str, Any],
    *,
    pointer: str,
) -> Values:
    """*stored* with the values *given*, which fit and lead where they should. Raises `InvalidInput`."""
    after, faults = changed(
        of.properties,
        stored,
        given,
        country=organization.country,
        currency=organization.currency,
        pointer=pointer,
    )
    new = {slug: after[slug] for slug in given if slug in after and after[slug] != stored.get(slug)}
    faults += [
        Fault(f"{pointer}/{slug}", "not_found", f"there is no {leads_to} {shown(target)}")
        for slug, target in new.items()
        if (prop := of.properties.get(slug)) is not None
        and (leads_to := _missing(conn, organization.id, prop, target)) is not None
    ]
    if len(_json(after)) > RECORD_BYTES_MAX:
        faults.append(Fault(pointer, "too_large", f"a record has at most {RECORD_BYTES_MAX} bytes"))
    if faults:
        raise InvalidInput(faults)
    return after


def _missing(conn: sa.Connection, organization_id: str, prop: Property, target: str) -> str | None:
    """What *prop* leads to, when there is no such one as *target*."""
    if prop.type == "relation":
        row = _BY_ID.one(conn, {"record_id": target, "organization_id": organization_id})
        there = row is not None and row.deleted_at is None and row.object_type in prop.options
        return None if there else prop.options[0]
    if prop.type == "member":
        # One that was deactivated too: what somebody did before stays theirs.
        row = _MEMBER.one(conn, {"person_id": target, "organization_id": organization_id})
        return None if row is not None else "member"
    return None


def _data(record: Record, source: Source) -> dict[str, Any]:
    """What an event says of a record."""
    return {
        "objectType": record.object_type,
        "recordId": record.id,
        "record": {"id": record.id, "objectType": record.object_type, "properties": record.properties},
        "source": source,
    }


def _into(merged_into: str | None) -> dict[str, Any]:
    return {} if merged_into is None else {"mergedInto": merged_into}
