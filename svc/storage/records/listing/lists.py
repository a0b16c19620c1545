"""Lists of records: filtered, sorted, and continued by cursors.

A cursor is a position in the order and no count, so a record that does not change is never shown twice nor
left out, whatever is written between two pages.
"""

from collections.abc import Callable, Sequence

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.limits import LIST_ROWS
from svc.domain.records.queries import Filter, Sort, parse
from svc.storage.pages import Total, total_of
from svc.storage.records import objects
from svc.storage.records.listing import counts, list_plans, narrowing
from svc.storage.records.listing.candidates import CandidateReader
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Some records of a list, in its order."""

    records: list[Record]
    next_cursor: str | None
    """The cursor of the next page; None at the end. A page may be short, or empty, and still have one."""
    total: Total | None = None
    """How many records the list has, if that was asked."""
    unindexed: tuple[str, ...] = ()
    """Ids of properties that have no index yet, with which this had been quicker: see `listing.index`."""


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
    total: bool = False,
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
        total=total,
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
    total: bool = False,
    expect_long: Callable[[], None] = _ignore_long,
) -> Page:
    """As `list_page`, of an object that was read in this transaction."""
    query = parse(object_.properties, filters, sort, country)
    cursors.check_limit(limit)
    question = [object_.id, filters, sort]
    after = cursors.read(question, cursor, len(query.order.keys))
    reader = CandidateReader(object_, query)
    candidates, end = list_plans.read_page(conn, reader, after, limit, expect_long)
    counted = None
    if total:
        whole = cursor is None and end is None
        counted = total_of(len(candidates)) if whole else counts.total(conn, object_, query, expect_long)
    return Page(
        records=[candidate.record for candidate in candidates],
        next_cursor=None if end is None else cursors.write(question, end),
        total=counted,
        unindexed=narrowing.unindexed(object_, query),
    )
