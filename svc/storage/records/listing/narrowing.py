"""Narrowing: which records the sort keys of an indexed property leave, as SQL conditions and counts."""

from typing import Any, NamedTuple

import sqlalchemy as sa

from svc.domain.records.queries import KeyRange, Query
from svc.storage.records import tables
from svc.storage.records.objects import StoredObject


class NarrowedCondition(NamedTuple):
    """A condition whose property is indexed, and the ranges of sort keys that it leaves."""

    property_id: str
    ranges: list[KeyRange]


def narrowed_conditions(object_: StoredObject, query: Query) -> list[NarrowedCondition]:
    """The conditions of the query that an index can answer."""
    return [
        NarrowedCondition(prop.id, ranges)
        for condition in query.conditions
        if (prop := object_.properties.get(condition.prop.slug)) is not None
        and prop.index_state == "ready"
        and (ranges := condition.ranges()) is not None
    ]


def unindexed(object_: StoredObject, query: Query) -> tuple[str, ...]:
    """Ids of the properties whose index the query would use, and that have none yet."""
    used = [
        *(condition.prop.slug for condition in query.conditions if condition.ranges() is not None),
        query.order.keys[0].prop.slug,
    ]
    wanted = [object_.properties[slug] for slug in dict.fromkeys(used) if slug in object_.properties]
    return tuple(prop.id for prop in wanted if prop.index_state is None)


def within(narrowed: NarrowedCondition, keys: Any = tables.record_keys) -> sa.ColumnElement[bool]:
    """Whether a row of *keys* is in the ranges."""
    return sa.and_(
        keys.c.property_id == narrowed.property_id,
        sa.or_(*(_between(keys.c.key, range_) for range_ in narrowed.ranges)),
    )


def _between(key: sa.ColumnElement[Any], range_: KeyRange) -> sa.ColumnElement[bool]:
    return key == range_.low if range_.low == range_.high else sa.and_(key >= range_.low, key <= range_.high)


def key_exists(narrowed: NarrowedCondition, record_id: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Whether the record has a key in the ranges."""
    probed = tables.record_keys.alias()
    return sa.select(sa.literal(1)).where(probed.c.record_id == record_id, within(narrowed, probed)).exists()


def count_narrowed(conn: sa.Connection, narrowed: NarrowedCondition, maximum: int) -> int:
    """How many records are in the ranges, counted up to *maximum*."""
    counted = 0
    for range_ in narrowed.ranges:
        in_range = sa.select(sa.literal(1)).where(
            tables.record_keys.c.property_id == narrowed.property_id,
            _between(tables.record_keys.c.key, range_),
        )
        counted += count_rows(conn, in_range, maximum - counted)
        if counted >= maximum:
            break
    return counted


def count_rows(conn: sa.Connection, select: sa.Select[Any], maximum: int) -> int:
    """How many rows *select* has, counted up to *maximum*."""
    return conn.execute(sa.select(sa.func.count()).select_from(select.limit(maximum).subquery())).scalar_one()
