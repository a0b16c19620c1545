"""Indexes of records, updated in the transaction of every write.

Sort keys of the properties that lists use, values of unique properties, relations, the words of search, and
which files are pictures. Deleted properties stay indexed, so that they can be restored.
"""

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict
from svc.domain.files.files import is_file_id
from svc.domain.records.duplicates import kind_of
from svc.domain.records.kinds.registry import KINDS, sort_key
from svc.domain.records.sort_keys import fold
from svc.domain.records.text_search import words_of
from svc.storage.files import uses
from svc.storage.files.uses import FileUse
from svc.storage.records import objects, tables
from svc.storage.records.duplicates import keys as duplicate_keys
from svc.storage.records.listing import search_words
from svc.storage.records.objects import IndexState, StoredObject, StoredProperty
from svc.storage.statements import LOOKED_UP_MAX, Statement, batched

UNIQUE_KEY_BYTES_MAX: Final = 1_000
"""Longer unique values are compared by a digest: an index entry of PostgreSQL has 2,700 bytes at most."""

Made = Sequence[tuple[str, Mapping[str, Any]]]
"""Records with their properties."""


class Shape(msgspec.Struct, frozen=True):
    """Which properties of an object are in which index."""

    object_id: str
    organization_id: str
    keyed: list[StoredProperty]
    unique: list[StoredProperty]
    relations: list[StoredProperty]
    texts: list[str]
    """Their slugs."""
    pictures: list[StoredProperty]
    duplicates: Sequence[StoredProperty]
    """What records may have in common; empty where nobody looks for that: see `records.duplicates`."""


_INSERT_KEY: Final = Statement(sa.insert(tables.record_keys))
_DELETE_KEY: Final = Statement(
    sa.delete(tables.record_keys).where(
        tables.record_keys.c.property_id == sa.bindparam("of_property"),
        tables.record_keys.c.record_id == sa.bindparam("of_record"),
    )
)


_OWNER: Final = Statement(
    sa.select(tables.unique_values.c.record_id).where(
        tables.unique_values.c.property_id == sa.bindparam("property_id"),
        tables.unique_values.c.value == sa.bindparam("value"),
    ),
    str,
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


def shape_of(conn: sa.Connection, organization_id: str, object_id: str) -> Shape:
    """The shape of the object, read by its id."""
    return _shape(organization_id, object_id, *objects.kept_with_state(conn, object_id))


def shape_in(object_: StoredObject) -> Shape:
    """The shape of an object that was read in this transaction."""
    return _shape(object_.organization_id, object_.id, object_.kept, object_.duplicates_state)


def _shape(
    organization_id: str, object_id: str, kept: Sequence[StoredProperty], duplicates: IndexState | None
) -> Shape:
    return Shape(
        object_id=object_id,
        organization_id=organization_id,
        keyed=[prop for prop in kept if prop.index_state is not None],
        unique=[prop for prop in kept if prop.unique],
        relations=[prop for prop in kept if prop.type == "relation"],
        texts=[prop.slug for prop in kept if KINDS[prop.type].is_searchable],
        pictures=[prop for prop in kept if prop.type == "picture"],
        duplicates=[prop for prop in kept if duplicates is not None and kind_of(prop) is not None],
    )


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
        keyed = [prop for prop in shape.keyed if prop.slug in same]
        unique = shape.unique if any(prop.slug in same for prop in shape.unique) else []
        relations = shape.relations if any(prop.slug in same for prop in shape.relations) else []
        pictures = shape.pictures if any(prop.slug in same for prop in shape.pictures) else []
        duplicates = shape.duplicates if any(prop.slug in same for prop in shape.duplicates) else []
        if keyed or unique or relations or pictures or duplicates:
            # Sort keys are deleted by property; the others for all of a record's properties together.
            narrowed = msgspec.structs.replace(
                shape,
                keyed=keyed,
                unique=unique,
                relations=relations,
                texts=[],
                pictures=pictures,
                duplicates=duplicates,
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
        {"property_id": prop.id, "record_id": record_id, "key": sort_key(prop.type, values.get(prop.slug))}
        for prop in shape.keyed
        for record_id, values in made
    ]
    if keys:
        _INSERT_KEY.many(conn, keys)
    for prop in shape.unique:
        _claim(conn, prop, made)
    related = [
        {"target_id": values[prop.slug], "property_id": prop.id, "record_id": record_id}
        for prop in shape.relations
        for record_id, values in made
        if prop.slug in values
    ]
    if related:
        _INSERT_RELATION.many(conn, related)
    if shape.pictures:
        uses.add(conn, _pictures(shape, made))
    if shape.duplicates:
        duplicate_keys.add(conn, shape.object_id, shape.duplicates, made)


def _pictures(shape: Shape, made: Made) -> list[FileUse]:
    return [
        FileUse(values[prop.slug], record_id, prop.id, shape.organization_id, "record")
        for prop in shape.pictures
        for record_id, values in made
        if is_file_id(values.get(prop.slug))
    ]


def _remove(conn: sa.Connection, shape: Shape, ids: Collection[str]) -> None:
    rows = [{"of_record": record_id} for record_id in ids]
    if shape.keyed:
        _DELETE_KEY.many(conn, [row | {"of_property": prop.id} for prop in shape.keyed for row in rows])
    if shape.unique:
        _DELETE_UNIQUE.many(conn, rows)
    if shape.relations:
        _DELETE_RELATION.many(conn, rows)
    if shape.duplicates:
        duplicate_keys.remove(conn, ids)


def owner(conn: sa.Connection, property_id: str, key: str) -> str | None:
    """The record whose unique property has the value of *key*."""
    return _OWNER.one(conn, property_id=property_id, value=key)


def owners(conn: sa.Connection, property_id: str, keys: Sequence[str]) -> dict[str, str]:
    """The records whose unique property has a value of *keys*, by key."""
    return {
        row.value: row.record_id
        for some in batched(keys, LOOKED_UP_MAX)
        for row in _OWNERS.all(conn, property_id=property_id, several=some)
    }


def _claim(conn: sa.Connection, prop: StoredProperty, made: Made) -> None:
    for record_id, values in made:
        if prop.slug in values:
            key = unique_key(values[prop.slug])
            if owner(conn, prop.id, key) is not None:
                raise Conflict(f"another record has this {prop.slug}, which is unique")
            INSERT_UNIQUE.run(conn, property_id=prop.id, value=key, record_id=record_id)


def unique_key(value: Any) -> str:
    """A unique value in the form in which it is compared: texts without case, numbers unchanged.

    A long text is its digest, in capitals, which no text without case has: entries of an index are limited.
    """
    key = fold(value) if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = key.encode()
    return key if len(text) <= UNIQUE_KEY_BYTES_MAX else f"SHA256:{sha256(text).hexdigest()}"


def mark_of(object_id: str) -> str:
    """The prefix of each word of an object's records; two objects may share one, very rarely."""
    return object_id[-search_words.MARK_CHARS :].lower()
