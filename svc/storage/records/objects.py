"""Objects, each read with its properties."""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ObjectsChanged
from svc.domain.errors import Conflict, NotFound
from svc.domain.limits import OBJECTS_MAX
from svc.domain.near_names import hint, shown
from svc.domain.records import objects as rules
from svc.domain.records.objects import BUILTIN_OBJECTS
from svc.domain.records.properties import Property, PropertyType
from svc.domain.versions import FIRST_VERSION, check_version
from svc.storage.readable import LenientDecoder
from svc.storage.records import tables
from svc.storage.statements import Statement
from svc.storage.store import Tx

IndexState = Literal["building", "ready"]

_options: Final = LenientDecoder(msgspec.json.Decoder(tuple[str, ...]), tuple, tables.properties.c.options)


class StoredProperty(Property, frozen=True, kw_only=True):
    """A property, and what storage keeps for it."""

    id: str
    index_state: IndexState | None = None
    """Whether the sort keys of its values are kept: being made, or there for every record."""
    version: int


class StoredObject(msgspec.Struct, frozen=True, kw_only=True):
    """An object with its properties by slug, in their order."""

    id: str
    organization_id: str
    slug: str
    label: str
    label_plural: str
    publishable: bool
    """Whether it may appear in embeds."""
    version: int
    created_at: int
    properties: dict[str, StoredProperty]
    kept: tuple[StoredProperty, ...]
    """The properties that are deleted as well, all in their order: records keep their values of them."""


class PropertyRow(NamedTuple):
    """The row of a property."""

    slug: str
    label: str
    type: PropertyType
    options: str
    personal: int
    unique_values: int
    id: str
    index_state: IndexState | None
    deleted_at: int | None
    version: int


class ObjectRow(NamedTuple):
    """An object's row."""

    id: str
    organization_id: str
    slug: str
    label: str
    label_plural: str
    publishable: bool
    version: int
    created_at: int


COLUMNS: Final[tuple["sa.Column[Any]", ...]] = tuple(tables.objects.c[name] for name in ObjectRow._fields)

_INSERT_OBJECT = Statement(sa.insert(tables.objects))
_OBJECT = Statement(
    sa.select(*COLUMNS).where(
        tables.objects.c.organization_id == sa.bindparam("organization_id"),
        tables.objects.c.slug == sa.bindparam("slug"),
    ),
    ObjectRow,
)
_EVERY = Statement(
    sa.select(*COLUMNS)
    .where(tables.objects.c.organization_id == sa.bindparam("organization_id"))
    .order_by(tables.objects.c.id),
    ObjectRow,
)


def _unconverted(column: "sa.Column[Any]") -> "sa.ColumnElement[Any]":
    """*column* without the conversion of booleans, which takes as long as the rest of the row does."""
    if not isinstance(column.type, sa.Boolean):
        return column
    return sa.type_coerce(column, sa.Integer).label(column.name)


_PROPERTIES = Statement(
    sa.select(*(_unconverted(tables.properties.c[name]) for name in PropertyRow._fields))
    .where(tables.properties.c.object_id == sa.bindparam("object_id"))
    .order_by(tables.properties.c.position),
    PropertyRow,
)


def create_builtin(tx: Tx, organization_id: str) -> None:
    """Give a new organization the objects that every one starts with."""
    for builtin in BUILTIN_OBJECTS:
        object_id = _insert(tx, organization_id, builtin.slug, builtin.label, builtin.label_plural)
        insert_properties(tx, organization_id, object_id, builtin.properties, first=0)


def create(tx: Tx, organization_id: str, slug: str, label: str, label_plural: str) -> StoredObject:
    """Make a custom object; it starts with the property `name`.

    Raises `InvalidInput` with all that is wrong with the slug and the labels, and `Conflict` if there is such
    an object already, or there are `OBJECTS_MAX`.
    """
    rules.check_object(slug, label, label_plural)
    taken = ids_by_slug(tx.conn, organization_id)
    if slug in taken:
        raise Conflict("there is an object with this slug already")
    if len(taken) >= OBJECTS_MAX:
        raise Conflict(f"an organization has at most {OBJECTS_MAX} objects")
    object_id = _insert(tx, organization_id, slug, label, label_plural)
    insert_properties(tx, organization_id, object_id, [rules.FIRST_PROPERTY], first=0)
    tx.announce(ObjectsChanged(organization_id))
    return get(tx.conn, organization_id, slug)


def update_labels(
    tx: Tx,
    organization_id: str,
    slug: str,
    *,
    label: str | None = None,
    label_plural: str | None = None,
    if_version: int | None = None,
) -> StoredObject:
    """Change the labels that are given.

    Raises:
        NotFound: no such object.
        InvalidInput: of the labels, with all that is wrong.
        Conflict: it is at another version than *if_version*.
    """
    kept = get(tx.conn, organization_id, slug)
    check_version(kept.version, if_version)
    label = kept.label if label is None else label
    label_plural = kept.label_plural if label_plural is None else label_plural
    rules.check_object(slug, label, label_plural)
    tx.conn.execute(
        sa.update(tables.objects)
        .where(tables.objects.c.id == kept.id)
        .values(label=label, label_plural=label_plural, version=tables.objects.c.version + 1)
    )
    tx.announce(ObjectsChanged(organization_id))
    return get(tx.conn, organization_id, slug)


def publish(tx: Tx, organization_id: str, slug: str, *, publishable: bool) -> StoredObject:
    """Switch whether the object may appear in embeds. Raises `NotFound`."""
    kept = get(tx.conn, organization_id, slug)
    tx.conn.execute(
        sa.update(tables.objects)
        .where(tables.objects.c.id == kept.id)
        .values(publishable=publishable, version=tables.objects.c.version + 1)
    )
    tx.announce(ObjectsChanged(organization_id))
    return get(tx.conn, organization_id, slug)


def get(conn: sa.Connection, organization_id: str, slug: str) -> StoredObject:
    """The organization's object. Raises `NotFound`."""
    row = _OBJECT.one(conn, organization_id=organization_id, slug=slug)
    if row is None:
        known = ids_by_slug(conn, organization_id)
        raise NotFound(f"there is no object {shown(slug)}{hint(slug, known)}")
    return with_properties(conn, row)


def with_properties(conn: sa.Connection, row: ObjectRow) -> StoredObject:
    """The object of a row, with its properties."""
    rows = _PROPERTIES.all(conn, object_id=row.id)
    kept = tuple(map(_property_of, rows))
    live = {prop.slug: prop for prop, of in zip(kept, rows, strict=True) if of.deleted_at is None}
    return StoredObject(
        id=row.id,
        organization_id=row.organization_id,
        slug=row.slug,
        label=row.label,
        label_plural=row.label_plural,
        publishable=row.publishable,
        version=row.version,
        created_at=row.created_at,
        properties=live,
        kept=kept,
    )


def list_all(conn: sa.Connection, organization_id: str) -> list[StoredObject]:
    """The organization's objects, the built-in ones first."""
    return [with_properties(conn, row) for row in _EVERY.all(conn, organization_id=organization_id)]


def ids_by_slug(conn: sa.Connection, organization_id: str) -> dict[str, str]:
    """Ids of the organization's objects, by slug, in the order of their making."""
    rows = conn.execute(
        sa.select(tables.objects.c.slug, tables.objects.c.id)
        .where(tables.objects.c.organization_id == organization_id)
        .order_by(tables.objects.c.id)
    )
    return {slug: object_id for slug, object_id in rows}  # noqa: C416  # rows are not pairs to mypy


def properties_of(conn: sa.Connection, object_id: str) -> dict[str, StoredProperty]:
    """The properties of an object, by slug, in their order."""
    rows = _PROPERTIES.all(conn, object_id=object_id)
    return {row.slug: _property_of(row) for row in rows if row.deleted_at is None}


def _property_of(row: PropertyRow) -> StoredProperty:
    slug, label, kind, options, personal, unique, property_id, state, _, version = row
    return StoredProperty(
        slug=slug,
        label=label,
        type=kind,
        options=_options.read(options, property_id) if options != "[]" else (),
        personal=bool(personal),
        unique=bool(unique),
        id=property_id,
        index_state=state,
        version=version,
    )


def _insert(tx: Tx, organization_id: str, slug: str, label: str, label_plural: str) -> str:
    object_id = tx.new_id("obj")
    _INSERT_OBJECT.run(
        tx.conn,
        {
            "id": object_id,
            "organization_id": organization_id,
            "slug": slug,
            "label": label,
            "label_plural": label_plural,
            "publishable": False,
            "created_at": tx.now,
            "version": FIRST_VERSION,
        },
    )
    return object_id


def insert_properties(
    tx: Tx, organization_id: str, object_id: str, properties: Sequence[Property], *, first: int
) -> None:
    """Insert properties of an object, at the positions from *first* on."""
    rows: list[dict[str, Any]] = [
        {
            "id": tx.new_id("prp"),
            "organization_id": organization_id,
            "object_id": object_id,
            "slug": prop.slug,
            "label": prop.label,
            "type": prop.type,
            "options": msgspec.json.encode(prop.options).decode(),
            "personal": prop.personal,
            "position": position,
            "created_at": tx.now,
            "unique_values": prop.unique,
        }
        for position, prop in enumerate(properties, start=first)
    ]
    tx.conn.execute(sa.insert(tables.properties), rows)
