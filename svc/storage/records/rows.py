"""Rows of records: looked up by id, and read as records."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import msgspec
import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.domain.near_names import shown
from svc.domain.records.values import Values
from svc.storage.records import objects, tables
from svc.storage.records.objects import ObjectRow, StoredObject
from svc.storage.statements import LOOKED_UP_MAX, Statement, batched

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


class RecordColumns(Protocol):
    """What `from_row` reads: a row that has these columns of `records`, and maybe others."""

    @property
    def id(self) -> str: ...
    @property
    def properties(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def created_at(self) -> int: ...
    @property
    def updated_at(self) -> int: ...


class RecordRow(NamedTuple):
    """A record's row, with the row of its object."""

    id: str
    organization_id: str
    object_id: str
    properties: str
    created_at: int
    updated_at: int
    deleted_at: int | None
    merged_into: str | None
    version: int
    object_type: str
    of_id: str
    of_organization_id: str
    of_slug: str
    of_label: str
    of_label_plural: str
    of_publishable: bool
    of_version: int
    of_created_at: int


_OF_ORGANIZATION: Final = (
    sa.select(
        *(tables.records.c[name] for name in RecordRow._fields if name in tables.records.c),
        tables.objects.c.slug.label("object_type"),
        *(column.label(f"of_{column.name}") for column in objects.COLUMNS),
    )
    .join(tables.objects, tables.objects.c.id == tables.records.c.object_id)
    .where(tables.records.c.organization_id == sa.bindparam("organization_id"))
)
_BY_ID = Statement(_OF_ORGANIZATION.where(tables.records.c.id == sa.bindparam("record_id")), RecordRow)
_BY_IDS = Statement(
    _OF_ORGANIZATION.where(tables.records.c.id.in_(sa.bindparam("ids", expanding=True))), RecordRow
)
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


def get(conn: sa.Connection, organization_id: str, object_slug: str | None, record_id: str) -> RecordRow:
    """The row of a record, deleted or not.

    Raises `NotFound` for the record, also where it is of another object, and for the object.
    """
    row = by_id(conn, organization_id, record_id)
    if object_slug is not None and (row is None or row.object_type != object_slug):
        objects.get(conn, organization_id, object_slug)  # raises if it is the object that does not exist
    if row is None:
        raise NotFound(f"there is no record {shown(record_id)}")
    if object_slug not in {None, row.object_type}:
        raise NotFound(f"the record {shown(record_id)} is a `{row.object_type}`, not a `{object_slug}`")
    return row


def by_id(conn: sa.Connection, organization_id: str, record_id: str) -> RecordRow | None:
    """The row of a record of any object, deleted or not, if it exists."""
    return _BY_ID.one(conn, record_id=record_id, organization_id=organization_id)


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
    return objects.with_properties(conn, ObjectRow._make(row[-len(ObjectRow._fields) :]))


def live_row(conn: sa.Connection, object_: StoredObject, record_id: str) -> RecordRow:
    """The row of a record that is not deleted. Raises `NotFound`."""
    return get_live(conn, object_.organization_id, object_.slug, record_id)


def check_live(row: RecordRow, record_id: str) -> None:
    """Raises `NotFound` if the record, found by *record_id*, is deleted."""
    if row.deleted_at is not None:
        raise NotFound(f"the record {shown(record_id)} is deleted")


def from_row(object_: StoredObject, row: RecordColumns) -> Record:
    """The record of a row, with the properties that the object has now."""
    return Record(
        id=row.id,
        object_type=object_.slug,
        version=row.version,
        properties=visible(object_.properties, _decode(row.properties)),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def values_of(row: RecordColumns) -> Values:
    """The values of a row, those of deleted properties too."""
    return _decode(row.properties)


def visible(live: Container[str], values: Mapping[str, V]) -> dict[str, V]:
    """*values* by slug without those of deleted properties; *live* has the slugs of the others."""
    return {
        slug: value
        for slug, value in values.items()
        if slug in live or slug.removesuffix("_currency") in live
    }
