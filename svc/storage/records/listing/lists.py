"""Lists of records: filtered, sorted, and continued by cursors.

A cursor is a position in the order and no count, so a record that does not change is never shown twice nor
left out, whatever is written between two pages.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.limits import EXAMINED_MAX, LIST_ROWS
from svc.domain.records.queries import Filter, Query, Sort, parse
from svc.storage.records import objects, tables
from svc.storage.records.listing import list_plans, narrowing
from svc.storage.records.listing.candidates import CandidateReader
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Some records of a list, in its order."""

    records: list[Record]
    next_cursor: str | None
    """The cursor of the next page; None at the end. A page may be short, or empty, and still have one."""
    unindexed: tuple[str, ...] = ()
    """Ids of properties that have no index yet, with which this had been quicker: see `listing.index`."""


class Count(msgspec.Struct, frozen=True):
    """A number of records."""

    many: int
    unindexed: tuple[str, ...]
    """As `Page.unindexed`."""


def _ignore_long() -> None:
    """The `expect_long` of a caller that may take long."""


def list_page(
    conn: sa.Connection,
    organization_id: str,
    object_slug: str,
    *,
    country: str,
    filters: Sequence[Filter] = (),
    sort: Sequence[Sort] = (),
    cursor: str | None = None,
    limit: int = LIST_ROWS,
    expect_long: Callable[[], None] = _ignore_long,
) -> Page:
    """A page of the object's records for which all *filters* hold; without *sort*, the newest first.

    Calls *expect_long* before it reads more than `QUICK_RECORDS_MAX` records: see `View.expect_long`.
    Raises `NotFound` for the object, and `InvalidInput` with all faults of filters, sort, cursor and limit.
    """
    return page_of(
        conn,
        objects.get(conn, organization_id, object_slug),
        country=country,
        filters=filters,
        sort=sort,
        cursor=cursor,
        limit=limit,
        expect_long=expect_long,
    )


def page_of(
    conn: sa.Connection,
    object_: StoredObject,
    *,
    country: str,
    filters: Sequence[Filter] = (),
    sort: Sequence[Sort] = (),
    cursor: str | None = None,
    limit: int = LIST_ROWS,
    expect_long: Callable[[], None] = _ignore_long,
) -> Page:
    """As `list_page`, of an object that was read in this transaction."""
    query = parse(object_.properties, filters, sort, country)
    cursors.check_limit(limit)
    question = [object_.id, filters, sort]
    after = cursors.read(question, cursor, len(query.order.keys))
    reader = CandidateReader(object_, query)
    candidates, end = list_plans.read_page(conn, reader, after, limit, expect_long)
    return Page(
        records=[candidate.record for candidate in candidates],
        next_cursor=None if end is None else cursors.write(question, end),
        unindexed=narrowing.unindexed(object_, query),
    )


def count(
    conn: sa.Connection,
    organization_id: str,
    object_slug: str,
    *,
    country: str,
    filters: Sequence[Filter] = (),
    expect_long: Callable[[], None] = _ignore_long,
) -> Count:
    """How many of the object's records there are for which all *filters* hold.

    Raises as `list_page`, and calls *expect_long* as that does.
    """
    object_ = objects.get(conn, organization_id, object_slug)
    query = parse(object_.properties, filters, (), country)
    return Count(_count(conn, object_, query, expect_long), narrowing.unindexed(object_, query))


def _count(conn: sa.Connection, object_: StoredObject, query: Query, expect_long: Callable[[], None]) -> int:
    narrowed = narrowing.narrowed_conditions(object_, query)
    live = sa.and_(tables.records.c.object_id == object_.id, tables.records.c.deleted_at.is_(None))
    if len(narrowed) == len(query.conditions) and all(condition.exact for condition in query.conditions):
        if not narrowed:
            every = sa.select(sa.literal(1)).select_from(tables.records).where(live)
            return _count_quickly(conn, every, expect_long)
        first, *others = sorted(
            narrowed, key=lambda condition: narrowing.count_narrowed(conn, condition, EXAMINED_MAX)
        )
        driven = sa.select(sa.literal(1)).select_from(tables.record_keys).where(narrowing.within(first))
        if others and narrowing.count_rows(conn, driven, EXAMINED_MAX) == EXAMINED_MAX:
            expect_long()
        matching = driven.where(
            *(narrowing.key_exists(condition, tables.record_keys.c.record_id) for condition in others)
        )
        return _count_quickly(conn, matching, expect_long)
    reader = CandidateReader(object_, query)
    rows = list_plans.announce_long(list_plans.scan(conn, object_), expect_long)
    return sum(1 for row in rows if reader.read(row) is not None)


def _count_quickly(conn: sa.Connection, select: sa.Select[Any], expect_long: Callable[[], None]) -> int:
    """How many rows *select* has; calls *expect_long* before it counts more than `EXAMINED_MAX`."""
    counted = narrowing.count_rows(conn, select, EXAMINED_MAX)
    if counted < EXAMINED_MAX:
        return counted
    expect_long()
    return conn.execute(sa.select(sa.func.count()).select_from(select.subquery())).scalar_one()
