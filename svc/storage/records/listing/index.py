"""Indexes of records, updated in the transaction of every write.

Sort keys of the properties that lists use, values of unique properties, relations, the words of search, and
which files are pictures. Deleted properties stay indexed, so that they can be restored.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict
from svc.domain.files.files import is_file_id
from svc.domain.records.properties import TEXT_TYPES, Property, PropertyType
from svc.domain.records.sort_keys import fold, sort_key
from svc.domain.records.text_search import words_of
from svc.storage.files import uses
from svc.storage.files.uses import FileUse
from svc.storage.records import tables
from svc.storage.records.listing import search_words
from svc.storage.records.objects import IndexState, StoredObject
from svc.storage.statements import LOOKED_UP_MAX, Statement, batched

Made = Sequence[tuple[str, Mapping[str, Any]]]
"""Records with their properties."""


class Shape(msgspec.Struct, frozen=True):
    """Which properties of an object are in which index: pairs of a property's id and its slug."""

    object_id: str
    organization_id: str
    keyed: list[tuple[str, Property]]
    unique: list[tuple[str, Property]]
    relations: list[tuple[str, str]]
    texts: list[str]
    pictures: list[tuple[str, str]]


class ShapeRow(NamedTuple):
    """What the shape says of one property."""

    id: str
    slug: str
    type: PropertyType
    unique_values: bool
    index_state: IndexState | None
    organization_id: str


_SHAPE: Final = Statement(
    sa.select(*(tables.properties.c[name] for name in ShapeRow._fields))
    .where(tables.properties.c.object_id == sa.bindparam("object_id"))
    .order_by(tables.properties.c.position),
    ShapeRow,
)
INSERT_KEY: Final = Statement(sa.insert(tables.record_keys))
DELETE_KEY: Final = Statement(
    sa.delete(tables.record_keys).where(
        tables.record_keys.c.property_id == sa.bindparam("of_property"),
        tables.record_keys.c.record_id == sa.bindparam("of_record"),
    )
)


class _Owner(NamedTuple):
    """The record that has a unique value."""

    record_id: str


_OWNER: Final = Statement(
    sa.select(tables.unique_values.c.record_id).where(
        tables.unique_values.c.property_id == sa.bindparam("property_id"),
        tables.unique_values.c.value == sa.bindparam("value"),
    ),
    _Owner,
)


class _OwnerOf(NamedTuple):
    """A unique value, and the record that has it."""

    value: str
    record_id: str


_OWNERS: Final = Statement(
    sa.select(tables.unique_values.c.value, tables.unique_values.c.record_id).where(
        tables.unique_values.c.property_id == sa.bindparam("property_id"),
        tables.unique_values.c.value.in_(sa.bindparam("several", expanding=True)),
    ),
    _OwnerOf,
)
INSERT_UNIQUE: Final = Statement(sa.insert(tables.unique_values))
_DELETE_UNIQUE: Final = Statement(
    sa.delete(tables.unique_values).where(tables.unique_values.c.record_id == sa.bindparam("of_record"))
)
_INSERT_RELATION: Final = Statement(sa.insert(tables.relations))
_DELETE_RELATION: Final = Statement(
    sa.delete(tables.relations).where(tables.relations.c.record_id == sa.bindparam("of_record"))
)


def shape_of(conn: sa.Connection, object_id: str) -> Shape:
    """The shape of the object, read by its id."""
    rows = _SHAPE.all(conn, object_id=object_id)
    return _shape(object_id, rows[0].organization_id if rows else "", (row[:5] for row in rows))


def shape_in(object_: StoredObject) -> Shape:
    """The shape of an object that was read in this transaction."""
    return _shape(
        object_.id,
        object_.organization_id,
        ((prop.id, prop.slug, prop.type, prop.unique, prop.index_state) for prop in object_.kept),
    )


def _shape(
    object_id: str,
    organization_id: str,
    kept: Iterable[tuple[str, str, PropertyType, bool, IndexState | None]],
) -> Shape:
    shape = Shape(object_id, organization_id, [], [], [], [], [])
    for property_id, slug, kind, unique, state in kept:
        if state is not None:
            shape.keyed.append((property_id, Property(slug=slug, label=slug, type=kind)))
        if unique:
            shape.unique.append((property_id, Property(slug=slug, label=slug, type=kind)))
        if kind == "relation":
            shape.relations.append((property_id, slug))
        elif kind in TEXT_TYPES:
            shape.texts.append(slug)
        elif kind == "picture":
            shape.pictures.append((property_id, slug))
    return shape


def add(conn: sa.Connection, shape: Shape, made: Made) -> None:
    """Index new records. Raises `Conflict` when a unique value is another record's."""
    _add(conn, shape, made)
    search_words.add(conn, _words(shape, made))


def add_again(conn: sa.Connection, shape: Shape, made: Made) -> None:
    """Index restored records. Raises as `add`."""
    _add(conn, shape, made)
    search_words.replace(conn, _words(shape, made))


def rewrite(
    conn: sa.Connection, shape: Shape, changed: Sequence[tuple[str, Mapping[str, Any], Collection[str]]]
) -> None:
    """Index changed records again, each with the slugs of the values that changed. Raises as `add`."""
    by_slugs: dict[frozenset[str], list[tuple[str, Mapping[str, Any]]]] = {}
    for record_id, values, slugs in changed:
        by_slugs.setdefault(frozenset(slugs), []).append((record_id, values))
    for same, made in by_slugs.items():
        keyed = [keyed for keyed in shape.keyed if keyed[1].slug in same]
        unique = shape.unique if any(prop.slug in same for _, prop in shape.unique) else []
        relations = shape.relations if any(slug in same for _, slug in shape.relations) else []
        pictures = shape.pictures if any(slug in same for _, slug in shape.pictures) else []
        if keyed or unique or relations or pictures:
            # Sort keys are deleted by property; the others for all of a record's properties together.
            narrowed = msgspec.structs.replace(
                shape, keyed=keyed, unique=unique, relations=relations, texts=[], pictures=pictures
            )
            ids = [record_id for record_id, _ in made]
            _remove(conn, narrowed, ids)
            if pictures:
                uses.end(conn, ids)
            _add(conn, narrowed, made)
        if not same.isdisjoint(shape.texts):
            search_words.replace(conn, _words(shape, made))


def remove(conn: sa.Connection, shape: Shape, ids: Collection[str]) -> None:
    """Remove records from the indexes. They still use their pictures, since they can be restored."""
    _remove(conn, shape, ids)
    search_words.replace(conn, [(record_id, "") for record_id in ids])


def _words(shape: Shape, made: Made) -> list[tuple[str, str]]:
    mark = mark_of(shape.object_id)
    return [
        (record_id, " ".join([mark + word for word in words_of(shape.texts, values)]))
        for record_id, values in made
    ]


def _add(conn: sa.Connection, shape: Shape, made: Made) -> None:
    keys = [
        {
            "property_id": property_id,
            "record_id": record_id,
            "key": sort_key(prop.type, values.get(prop.slug)),
        }
        for property_id, prop in shape.keyed
        for record_id, values in made
    ]
    if keys:
        INSERT_KEY.many(conn, keys)
    for property_id, prop in shape.unique:
        _claim(conn, property_id, prop, made)
    related = [
        {"target_id": values[slug], "property_id": property_id, "record_id": record_id}
        for property_id, slug in shape.relations
        for record_id, values in made
        if slug in values
    ]
    if related:
        _INSERT_RELATION.many(conn, related)
    if shape.pictures:
        uses.add(conn, _pictures(shape, made))


def _pictures(shape: Shape, made: Made) -> list[FileUse]:
    return [
        FileUse(values[slug], record_id, property_id, shape.organization_id, "record")
        for property_id, slug in shape.pictures
        for record_id, values in made
        if is_file_id(values.get(slug))
    ]


def _remove(conn: sa.Connection, shape: Shape, ids: Collection[str]) -> None:
    rows = [{"of_record": record_id} for record_id in ids]
    if shape.keyed:
        DELETE_KEY.many(
            conn, [row | {"of_property": property_id} for property_id, _ in shape.keyed for row in rows]
        )
    if shape.unique:
        _DELETE_UNIQUE.many(conn, rows)
    if shape.relations:
        _DELETE_RELATION.many(conn, rows)


def owner(conn: sa.Connection, property_id: str, key: str) -> str | None:
    """The record whose unique property has the value of *key*."""
    row = _OWNER.one(conn, property_id=property_id, value=key)
    return None if row is None else row.record_id


def owners(conn: sa.Connection, property_id: str, keys: Sequence[str]) -> dict[str, str]:
    """The records whose unique property has a value of *keys*, by key."""
    return {
        row.value: row.record_id
        for some in batched(keys, LOOKED_UP_MAX)
        for row in _OWNERS.all(conn, property_id=property_id, several=some)
    }


def _claim(conn: sa.Connection, property_id: str, prop: Property, made: Made) -> None:
    for record_id, values in made:
        if prop.slug in values:
            key = unique_key(values[prop.slug])
            if owner(conn, property_id, key) is not None:
                raise Conflict(f"another record has this {prop.slug}, which is unique")
            INSERT_UNIQUE.run(conn, property_id=property_id, value=key, record_id=record_id)


def unique_key(value: Any) -> str:
    """A unique value in the form in which it is compared: texts without case, numbers unchanged."""
    return fold(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def mark_of(object_id: str) -> str:
    """The prefix of each word of an object's records; two objects may share one, very rarely."""
    return object_id[-search_words.MARK_CHARS :].lower()
