"""Narrowing: which records the sort keys of indexed properties leave, as SQL conditions and counts."""

from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple, TypeAlias

import sqlalchemy as sa

from svc.domain.records.conditions import Condition, KeyRange
from svc.domain.records.limits import QUICK_RECORDS_MAX, SORT_KEY_BYTES_MAX
from svc.domain.records.queries import Query
from svc.storage.records import tables
from svc.storage.records.objects import StoredObject, StoredProperty
from svc.storage.sql.expressions import PlaceIn


class NarrowedCondition(NamedTuple):
    """A condition whose property is indexed, and the ranges of sort keys that it leaves."""

    property_id: str
    ranges: list[KeyRange]


NarrowedGroup: TypeAlias = tuple[NarrowedCondition, ...]
"""A group of conditions, of which one must hold; the property of each is indexed."""


def narrowed_groups(object_: StoredObject, query: Query) -> list[NarrowedGroup]:
    """The groups of the query that indexes can answer: those of which every condition is narrowed."""
    groups = (narrowed_group(object_, group) for group in query.groups)
    return [group for group in groups if group is not None]


def narrowed_group(object_: StoredObject, group: Collection[Condition]) -> NarrowedGroup | None:
    """The *group* by the indexes of its properties; None where one of them does not help."""
    narrowed = []
    for condition in group:
        prop = object_.properties.get(condition.prop.slug)
        if prop is None or prop.index_state != "ready" or (ranges := condition.ranges()) is None:
            return None
        narrowed.append(NarrowedCondition(prop.id, ranges))
    return tuple(narrowed)


def unindexed(object_: StoredObject, query: Query) -> tuple[str, ...]:
    """Ids of the properties whose index a list of the query would use, and that have none yet."""
    return tuple(prop.id for prop in unready(object_, query) if prop.index_state is None)


def unready(object_: StoredObject, query: Query) -> list[StoredProperty]:
    """As `unindexed`, the properties, and with those whose index is being built."""
    return _unready(object_, [*_filtered(query), query.order.keys[0].prop.slug])


def unindexed_filters(object_: StoredObject, query: Query) -> tuple[str, ...]:
    """As `unindexed`, of what has no order."""
    return tuple(prop.id for prop in _unready(object_, _filtered(query)) if prop.index_state is None)


def _filtered(query: Query) -> list[str]:
    """Slugs of the properties that an index can narrow by."""
    return [
        condition.prop.slug
        for group in query.groups
        if all(condition.ranges() is not None or condition.part is not None for condition in group)
        for condition in group
    ]


def _unready(object_: StoredObject, slugs: Iterable[str]) -> list[StoredProperty]:
    wanted = [object_.properties[slug] for slug in dict.fromkeys(slugs) if slug in object_.properties]
    return [prop for prop in wanted if prop.index_state != "ready"]


def ids_with_parts(
    conn: sa.Connection, object_: StoredObject, query: Query, maximum: int, expect_long: Callable[[], None]
) -> list[str] | None:
    """Ids of the records that a group of the query may leave, by the parts of texts that it looks for.

    They are found by looking at all sort keys of a property, which is far less than all records. None where
    no group can be answered so, or each leaves more than *maximum*. Calls *expect_long* before it looks at
    more than `QUICK_RECORDS_MAX`.
    """
    for group in query.groups:
        selects = [_with_part(object_, condition) for condition in group]
        known = [select for select in selects if select is not None]
        if len(known) < len(group) or all(condition.part is None for condition in group):
            continue
        keys = sa.select(sa.literal(1)).where(
            tables.record_keys.c.property_id == object_.properties[group[0].prop.slug].id
        )
        if count_rows(conn, keys, QUICK_RECORDS_MAX + 1) > QUICK_RECORDS_MAX:
            expect_long()
        found = known[0] if len(known) == 1 else sa.union(*known)
        ids = list(conn.scalars(found.limit(maximum + 1)))
        if len(ids) <= maximum:
            return ids
    return None


def _with_part(object_: StoredObject, condition: Condition) -> sa.Select[Any] | None:
    """Selects the ids of the records that *condition* may leave; None if its property has no index."""
    prop = object_.properties.get(condition.prop.slug)
    if prop is None or prop.index_state != "ready":
        return None
    keys = tables.record_keys.c
    part = condition.part
    if part is None:
        narrowed = narrowed_group(object_, [condition])
        return None if narrowed is None else sa.select(keys.record_id).where(within(narrowed[0]))
    may_have = sa.or_(PlaceIn(keys.key, sa.literal(part)) > 0, sa.func.length(keys.key) >= SORT_KEY_BYTES_MAX)
    return sa.select(keys.record_id).where(keys.property_id == prop.id, may_have)


def within(narrowed: NarrowedCondition, keys: Any = tables.record_keys) -> sa.ColumnElement[bool]:
    """Whether a row of *keys* is in the ranges."""
    return sa.and_(
        keys.c.property_id == narrowed.property_id,
        sa.or_(*(_between(keys.c.key, range_) for range_ in narrowed.ranges)),
    )


def _between(key: sa.ColumnElement[Any], range_: KeyRange) -> sa.ColumnElement[bool]:
    return key == range_.low if range_.low == range_.high else sa.and_(key >= range_.low, key <= range_.high)


def ids_within(group: NarrowedGroup) -> sa.Select[Any] | sa.CompoundSelect[Any]:
    """Selects the ids of the records that have a key in the ranges of the group, each once."""
    selects = [sa.select(tables.record_keys.c.record_id).where(within(narrowed)) for narrowed in group]
    return selects[0] if len(selects) == 1 else sa.union(*selects)


def key_exists(group: NarrowedGroup, record_id: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Whether the record has a key in the ranges of the group."""
    return sa.or_(*(_has_key(narrowed, record_id) for narrowed in group))


def _has_key(narrowed: NarrowedCondition, record_id: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    probed = tables.record_keys.alias()
    return sa.select(sa.literal(1)).where(probed.c.record_id == record_id, within(narrowed, probed)).exists()


def count_narrowed(conn: sa.Connection, group: NarrowedGroup, maximum: int) -> int:
    """How many keys are in the ranges, counted up to *maximum*: no fewer than there are records."""
    counted = 0
    for narrowed in group:
        for range_ in narrowed.ranges:
            in_range = sa.select(sa.literal(1)).where(
                tables.record_keys.c.property_id == narrowed.property_id,
                _between(tables.record_keys.c.key, range_),
            )
            counted += count_rows(conn, in_range, maximum - counted)
            if counted >= maximum:
                return counted
    return counted


def count_rows(conn: sa.Connection, select: sa.Select[Any], maximum: int | None = None) -> int:
    """How many rows *select* has, counted up to *maximum* if that is given."""
    return conn.execute(sa.select(sa.func.count()).select_from(select.limit(maximum).subquery())).scalar_one()
