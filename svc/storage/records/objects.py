"""Objects, each read with its properties."""

from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ObjectsChanged
from svc.domain.errors import Conflict, NotFound
from svc.domain.input.near_names import hint, shown
from svc.domain.records import objects as rules
from svc.domain.records.limits import OBJECTS_MAX
from svc.domain.records.objects import BUILTIN_OBJECTS
from svc.domain.records.properties import Property
from svc.domain.versions import FIRST_VERSION, check_version
from svc.storage.records import tables
from svc.storage.rows import Rows, Selection
from svc.storage.store import Tx

IndexState = Literal["building", "ready"]


class StoredProperty(Property, frozen=True, kw_only=True):
    """A property, and what storage keeps for it."""

    id: str
    index_state: IndexState | None = None
    """Whether the sort keys of its values are kept: being made, or there for every record."""
    deleted_at: int | None = None
    version: int


class ObjectHead(msgspec.Struct, frozen=True, kw_only=True):
    """An object without its properties."""

    id: str
    organization_id: str
    slug: str
    label: str
    label_plural: str
    publishable: bool
    """Whether it may appear in embeds."""
    version: int
    created_at: int
    duplicates_state: IndexState | None = None
    """Whether what its records may have in common is kept: being made, or there for every record."""


class StoredObject(ObjectHead, frozen=True, kw_only=True):
    """An object with its properties by slug, in their order."""

    properties: dict[str, StoredProperty]
    kept: tuple[StoredProperty, ...]
    """The properties that are deleted as well, all in their order: records keep their values of them."""


OBJECTS: Final = Rows(tables.objects, ObjectHead)
_OF_ORGANIZATION: Final = OBJECTS.select(tables.objects.c.organization_id == sa.bindparam("organization_id"))
_OBJECT = OBJECTS.prepared(_OF_ORGANIZATION.where(tables.objects.c.slug == sa.bindparam("slug")))
_EVERY = OBJECTS.prepared(_OF_ORGANIZATION.order_by(tables.objects.c.id))
PROPERTIES: Final = Rows(
    tables.properties,
    StoredProperty,
    renamed={"unique": "unique_values"},
    empty={"options": tuple},
    beside=["organization_id", "object_id", "position", "created_at"],
)
_PROPERTIES = PROPERTIES.prepared(
    PROPERTIES.select(tables.properties.c.object_id == sa.bindparam("object_id")).order_by(
        tables.properties.c.position
    )
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
    return _update(tx, kept, label=label, label_plural=label_plural)


def publish(tx: Tx, organization_id: str, slug: str, *, publishable: bool) -> StoredObject:
    """Switch whether the object may appear in embeds. Raises `NotFound`."""
    return _update(tx, get(tx.conn, organization_id, slug), publishable=publishable)


def _update(tx: Tx, kept: StoredObject, **members: Any) -> StoredObject:
    version = tables.objects.c.version + 1
    tx.conn.execute(OBJECTS.update(tables.objects.c.id == kept.id, version=version, **members))
    tx.announce(ObjectsChanged(kept.organization_id))
    return get(tx.conn, kept.organization_id, kept.slug)


def get(conn: sa.Connection, organization_id: str, slug: str) -> StoredObject:
    """The organization's object. Raises `NotFound`."""
    row = _OBJECT.one(conn, organization_id=organization_id, slug=slug)
    if row is None:
        known = ids_by_slug(conn, organization_id)
        raise NotFound(f"there is no object {shown(slug)}{hint(slug, known)}")
    return with_properties(conn, row)


def with_properties(conn: sa.Connection, head: ObjectHead) -> StoredObject:
    """The object of *head*, with its properties."""
    kept = kept_properties(conn, head.id)
    live = {prop.slug: prop for prop in kept if prop.deleted_at is None}
    return StoredObject(**msgspec.structs.asdict(head), properties=live, kept=kept)


def list_all(conn: sa.Connection, organization_id: str) -> list[StoredObject]:
    """The organization's objects, the built-in ones first."""
    return [with_properties(conn, row) for row in _EVERY.all(conn, organization_id=organization_id)]


def heads(conn: sa.Connection, organization_id: str) -> list[ObjectHead]:
    """As `list_all`, without their properties."""
    return _EVERY.all(conn, organization_id=organization_id)


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
    return {prop.slug: prop for prop in kept_properties(conn, object_id) if prop.deleted_at is None}


def kept_properties(conn: sa.Connection, object_id: str) -> tuple[StoredProperty, ...]:
    """As `properties_of`, those that are deleted as well."""
    return tuple(_PROPERTIES.all(conn, object_id=object_id))


class _PropertyOfObject(StoredProperty, frozen=True, kw_only=True):
    """A property, with what it is to know of its object."""

    duplicates_state: IndexState | None


_OF_OBJECT: Final = Selection(
    _PropertyOfObject,
    tables.properties,
    members={
        "unique": tables.properties.c.unique_values,
        "duplicates_state": tables.objects.c.duplicates_state,
    },
    empty={"options": tuple},
)
_WITH_OBJECT: Final = _OF_OBJECT.prepared(
    _OF_OBJECT.select(tables.properties.c.object_id == sa.bindparam("object_id"))
    .join(tables.objects, tables.objects.c.id == tables.properties.c.object_id)
    .order_by(tables.properties.c.position)
)


def kept_with_state(
    conn: sa.Connection, object_id: str
) -> tuple[Sequence[StoredProperty], IndexState | None]:
    """As `kept_properties`, and whether duplicates among the records are kept."""
    properties = _WITH_OBJECT.all(conn, object_id=object_id)
    return properties, properties[0].duplicates_state if properties else None


def _insert(tx: Tx, organization_id: str, slug: str, label: str, label_plural: str) -> str:
    head = ObjectHead(
        id=tx.new_id("obj"),
        organization_id=organization_id,
        slug=slug,
        label=label,
        label_plural=label_plural,
        publishable=False,
        version=FIRST_VERSION,
        created_at=tx.now,
    )
    OBJECTS.insert(tx.conn, head)
    return head.id


def insert_properties(
    tx: Tx, organization_id: str, object_id: str, properties: Sequence[Property], *, first: int
) -> None:
    """Insert properties of an object, at the positions from *first* on."""
    for position, prop in enumerate(properties, start=first):
        PROPERTIES.insert(
            tx.conn,
            StoredProperty(**msgspec.structs.asdict(prop), id=tx.new_id("prp"), version=FIRST_VERSION),
            organization_id=organization_id,
            object_id=object_id,
            position=position,
            created_at=tx.now,
        )
