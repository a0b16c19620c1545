"""Counts of records: exact ones, and the totals of lists, which stop counting at some point."""

from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.limits import EXAMINED_MAX, TOTAL_EXAMINED_MAX, TOTAL_MAX
from svc.domain.records.queries import Filter, Query, parse
from svc.storage.pages import Total, total_of
from svc.storage.records import objects
from svc.storage.records.listing import narrowing
from svc.storage.records.listing.matching import matched
from svc.storage.records.listing.narrowing import NarrowedGroup
from svc.storage.records.listing.search import word_search
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import is_live

ExpectLong = Callable[[], None]
_ONE: Final[sa.ColumnElement[int]] = sa.literal_column("1")
_EVERY: Final = 1 << 62


class Count(msgspec.Struct, frozen=True):
    """A number of records."""

    many: int
    unindexed: tuple[str, ...]
    """As `Page.unindexed`."""


def count(
    conn: sa.Connection,
    organization_id: str,
    object_slug: str,
    *,
    country: str,
    filters: Sequence[Filter] = (),
    search: str | None = None,
    expect_long: ExpectLong = lambda: None,
) -> Count:
    """How many of the object's records there are for which all *filters* hold, with the words of *search*.

    Raises as `lists.list_page`, and calls *expect_long* as that does.
    """
    object_ = objects.get(conn, organization_id, object_slug)
    query = parse(object_.properties, filters, (), country)._replace(search=word_search(object_, search))
    return Count(_counted(conn, object_, query, expect_long), narrowing.unindexed(object_, query))


def total(conn: sa.Connection, object_: StoredObject, query: Query, expect_long: ExpectLong) -> Total:
    """How many records *query* finds: exact up to `TOTAL_MAX`, if an index says it or few are looked at.

    Else it is what was counted of the first `TOTAL_EXAMINED_MAX`. Calls *expect_long* as `count`.
    """
    groups = narrowing.narrowed_groups(object_, query)
    if not query.groups and query.search is None:
        return total_of(narrowing.count_rows(conn, _live(object_), TOTAL_MAX + 1))
    if _is_exact(query, groups):
        narrowest, fewest = _narrowest(conn, groups)
        if len(groups) == 1 and _has_many(conn, narrowest):
            return Total(TOTAL_MAX, exact=False)
        if fewest <= TOTAL_EXAMINED_MAX:
            if len(groups) > 1 and fewest > EXAMINED_MAX:
                expect_long()
            return total_of(narrowing.count_rows(conn, _by_keys(groups, narrowest), TOTAL_MAX + 1))
    with matched(conn, object_, query) as found:
        if found.is_long(groups):
            expect_long()
        examined = found.plan(groups, TOTAL_EXAMINED_MAX + 1)
        if examined <= TOTAL_EXAMINED_MAX:
            return total_of(narrowing.count_rows(conn, found.select(_ONE), TOTAL_MAX + 1))
        first = found.select(_ONE, examined_max=TOTAL_EXAMINED_MAX)
        return Total(narrowing.count_rows(conn, first, TOTAL_MAX), exact=False)


def _counted(conn: sa.Connection, object_: StoredObject, query: Query, expect_long: ExpectLong) -> int:
    groups = narrowing.narrowed_groups(object_, query)
    if not query.groups and query.search is None:
        return _count_quickly(conn, _live(object_), expect_long)
    if _is_exact(query, groups):
        narrowest, fewest = _narrowest(conn, groups)
        if len(groups) > 1 and fewest > EXAMINED_MAX:
            expect_long()
        return _count_quickly(conn, _by_keys(groups, narrowest), expect_long)
    with matched(conn, object_, query) as found:
        if found.is_long(groups):
            expect_long()
        found.plan(groups, _EVERY)
        return narrowing.count_rows(conn, found.select(_ONE))


def _live(object_: StoredObject) -> sa.Select[tuple[int]]:
    return sa.select(_ONE).where(is_live(object_.id))


def _is_exact(query: Query, groups: Sequence[NarrowedGroup]) -> bool:
    """Whether the indexes alone say which records are found."""
    if query.search is not None:
        return False
    return len(groups) == len(query.groups) and all(condition.exact for condition in query.conditions)


def _narrowest(conn: sa.Connection, groups: Sequence[NarrowedGroup]) -> tuple[NarrowedGroup, int]:
    """The group that leaves the fewest records, and how many, counted up to one more than are looked at."""
    counted = [(narrowing.count_narrowed(conn, group, TOTAL_EXAMINED_MAX + 1), group) for group in groups]
    fewest, narrowest = min(counted, key=lambda pair: pair[0])
    return narrowest, fewest


def _has_many(conn: sa.Connection, group: NarrowedGroup) -> bool:
    """Whether one of its conditions alone leaves more than a total counts."""
    return any(narrowing.count_narrowed(conn, (narrowed,), TOTAL_MAX + 1) > TOTAL_MAX for narrowed in group)


def _by_keys(groups: Sequence[NarrowedGroup], driver: NarrowedGroup) -> sa.Select[tuple[int]]:
    """Selects a row for each record that is in the ranges of all *groups*."""
    found = narrowing.ids_within(driver).subquery("narrowed")
    others = [group for group in groups if group is not driver]
    return (
        sa.select(_ONE)
        .select_from(found)
        .where(*(narrowing.key_exists(group, found.c.record_id) for group in others))
    )


def _count_quickly(conn: sa.Connection, select: sa.Select[tuple[int]], expect_long: ExpectLong) -> int:
    """How many rows *select* has; calls *expect_long* before it counts more than `EXAMINED_MAX`."""
    counted = narrowing.count_rows(conn, select, EXAMINED_MAX)
    if counted < EXAMINED_MAX:
        return counted
    expect_long()
    return narrowing.count_rows(conn, select)
