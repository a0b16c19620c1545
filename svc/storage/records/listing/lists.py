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
from svc.storage.records.listing import counts, index_builds, list_plans, narrowing
from svc.storage.records.listing.candidates import CandidateReader
from svc.storage.records.listing.search import word_search
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record
from svc.storage.store import OutOfTime


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


def _never_late() -> bool:
    """The `is_late` of a caller that waits for as long as it takes."""
    return False


def list_page(
    conn: sa.Connection,
    object_: StoredObject,
    *,
    country: str,
    filters: Sequence[Filter] = (),
    sort: Sequence[Sort] = (),
    cursor: str | None = None,
    limit: int = LIST_ROWS,
    search: str | None = None,
    total: bool = False,
    expect_long: Callable[[], None] = _ignore_long,
    is_late: Callable[[], bool] = _never_late,
) -> Page:
    """A page of the object's records for which all *filters* hold; without *sort*, the newest first.

    With *search*, those that have all its words, as `search` finds them.

    Calls *expect_long* before it reads more than `QUICK_RECORDS_MAX` records: see `View.expect_long`.
    Raises `InvalidInput` with all faults of filters, sort, cursor and limit, and `IndexNotReady` where it
    *is_late* for want of an index, which is built then.
    """
    query = parse(object_.properties, filters, sort, country)._replace(search=word_search(object_, search))
    cursors.check_limit(limit)
    question = [object_.id, filters, sort, *([] if search is None else [search])]
    after = cursors.read(question, cursor, len(query.order.keys))
    reader = CandidateReader(object_, query)
    unready = narrowing.unready(object_, query)

    def expect_part() -> None:
        expect_long()
        if unready and is_late():
            raise OutOfTime

    try:
        candidates, end = list_plans.read_page(conn, reader, after, limit, expect_part)
    except OutOfTime:
        unindexed = narrowing.unindexed(object_, query)
        raise index_builds.not_ready(conn, object_.id, unindexed) from None
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
