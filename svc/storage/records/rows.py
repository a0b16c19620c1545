"""Rows of records: looked up by id, and read as records."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

import msgspec
import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.domain.input.near_names import shown
from svc.domain.records.queries import CREATED_AT, UPDATED_AT
from svc.domain.records.values import Values
from svc.storage.records import objects, tables
from svc.storage.records.objects import OBJECTS, ObjectHead, StoredObject
from svc.storage.rows import Rows, Selection
from svc.storage.statements import LOOKED_UP_MAX, batched

V = TypeVar("V")


class Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A record as it stands. Times are ms since the epoch; `properties` has what is not empty."""

    id: str
    object_type: str
    version: int
    """Counts up with each change."""
    properties: dict[str, Any]
    created_at: int
    updated_at: int


class RecordHead(Protocol):
    """What has the members of a record but for its properties."""

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def created_at(self) -> int: ...
    @property
    def updated_at(self) -> int: ...


class StoredRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A record as it is stored, deleted or not."""

    id: str
    organization_id: str
    object_id: str
    properties: str
    """JSON, of which a record that cannot be read has something else: see `readable`."""
    created_at: int
    updated_at: int
    deleted_at: int | None = None
    merged_into: str | None = None
    version: int


class RecordRow(StoredRecord, frozen=True, kw_only=True):
    """A record as it is stored, with its object."""

    of: ObjectHead


RECORDS: Final = Rows(tables.records, StoredRecord, undecoded=["properties"])
_RECORDS: Final = Selection(RecordRow, tables.records, members={"of": OBJECTS}, undecoded=["properties"])
_OF_ORGANIZATION: Final = _RECORDS.select(
    tables.records.c.organization_id == sa.bindparam("organization_id")
).join(tables.objects, tables.objects.c.id == tables.records.c.object_id)
_BY_ID = _RECORDS.prepared(_OF_ORGANIZATION.where(tables.records.c.id == sa.bindparam("record_id")))
_BY_IDS = _RECORDS.prepared(
    _OF_ORGANIZATION.where(tables.records.c.id.in_(sa.bindparam("ids", expanding=True)))
)
TIME_COLUMNS: Final = {CREATED_AT: tables.records.c.created_at, UPDATED_AT: tables.records.c.updated_at}
"""The columns of what filters and orders have as properties of every record."""
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


def is_live(object_id: Any) -> sa.ColumnElement[bool]:
    """Whether a row of `records` is of the object, and not deleted."""
    return sa.and_(tables.records.c.object_id == object_id, tables.records.c.deleted_at.is_(None))


def get(conn: sa.Connection, organization_id: str, object_slug: str | None, record_id: str) -> RecordRow:
    """The row of a record, deleted or not.

    Raises `NotFound` for the record, also where it is of another object, and for the object.
    """
    row = by_id(conn, organization_id, record_id)
    if object_slug is not None and (row is None or row.of.slug != object_slug):
        objects.get(conn, organization_id, object_slug)  # raises if it is the object that does not exist
    if row is None:
        raise NotFound(f"there is no record {shown(record_id)}")
    if object_slug not in {None, row.of.slug}:
        raise NotFound(f"the record {shown(record_id)} is a `{row.of.slug}`, not a `{object_slug}`")
    return row


def by_id(conn: sa.Connection, organization_id: str, record_id: str) -> RecordRow | None:
    """The row of a record of any object, deleted or not, if it exists."""
    return _BY_ID.one(conn, record_id=record_id, organization_id=organization_id)


def survivor_id(conn: sa.Connection, organization_id: str, record_id: str) -> str | None:
    """The id of a record, deleted or not, or of what it was merged into; None if there is none."""
    row = by_id(conn, organization_id, record_id)
    while row is not None and row.merged_into is not None:
        row = by_id(conn, organization_id, row.merged_into)
    return None if row is None else row.id


def find(
    conn: sa.Connection, organization_id: str, object_slug: str | None, record_id: str
) -> tuple[StoredObject, RecordRow]:
    """The row of a record that is not deleted, and its object. Raises `NotFound`."""
    row = get_live(conn, organization_id, object_slug, record_id)
    return object_of(conn, row), row


def get_live(conn: sa.Connection, organization_id: str, object_slug: str | None, record_id: str) -> RecordRow:
    """The row of a record that is not deleted. Raises as `get`, and `NotFound` for one that is."""
    row = get(conn, organization_id, object_slug, record_id)
    check_live(row, record_id)
    return row


def by_ids(conn: sa.Connection, organization_id: str, ids: Sequence[str]) -> Iterator[RecordRow]:
    """The rows of the records of *ids* that exist, deleted or not."""
    for some in batched(ids, LOOKED_UP_MAX):
        yield from _BY_IDS.all(conn, organization_id=organization_id, ids=some)


def object_of(conn: sa.Connection, row: RecordRow) -> StoredObject:
    """The object of a record, from the record's row."""
    return objects.with_properties(conn, row.of)


def live_row(conn: sa.Connection, object_: StoredObject, record_id: str) -> RecordRow:
    """The row of a record that is not deleted. Raises `NotFound`."""
    return get_live(conn, object_.organization_id, object_.slug, record_id)


def check_live(row: RecordRow, record_id: str) -> None:
    """Raises `NotFound` if the record, found by *record_id*, is deleted."""
    if row.deleted_at is not None:
        raise NotFound(f"the record {shown(record_id)} is deleted")


def from_row(object_: StoredObject, row: StoredRecord) -> Record:
    """The record of a row, with the properties that the object has now."""
    return with_values(object_, row, _decode(row.properties))


def with_values(object_: StoredObject, head: RecordHead, values: Values) -> Record:
    """The record of *head* with those of *values* whose properties the object has now."""
    return Record(
        id=head.id,
        object_type=object_.slug,
        version=head.version,
        properties=visible(object_.properties, values),
        created_at=head.created_at,
        updated_at=head.updated_at,
    )


def values_of(row: StoredRecord) -> Values:
    """The values of a row, those of deleted properties too."""
    return _decode(row.properties)


def visible(live: Container[str], values: Mapping[str, V]) -> dict[str, V]:
    """*values* by slug without those of deleted properties; *live* has the slugs of the others."""
    return {
        slug: value
        for slug, value in values.items()
        if slug in live or slug.removesuffix("_currency") in live
    }
