"""List plans: which way reads the fewest records for a page.

- *walk*: along an index in the wanted order, testing each record against the filters (`index_walks`);
- *drive*: fetch the few records that one filter leaves, and sort them;
- *scan*: read all records of the object, until the index that the walk needs is built.
"""

from collections.abc import Callable, Iterator
from heapq import nsmallest
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.cursors import Position
from svc.domain.limits import FILTERED_FIRST_MAX, QUICK_RECORDS_MAX
from svc.storage.records import tables
from svc.storage.records.listing import index_walks
from svc.storage.records.listing.candidates import COLUMNS, CandidateReader, RecordRow
from svc.storage.records.listing.index_walks import IndexWalk, PlannedPage, first_page
from svc.storage.records.listing.narrowing import (
    NarrowedGroup,
    count_narrowed,
    ids_within,
    narrowed_groups,
)
from svc.storage.records.objects import StoredObject

_SCAN_CHUNK: Final = 2_000


def read_page(
    conn: sa.Connection,
    reader: CandidateReader,
    after: Position | None,
    limit: int,
    expect_long: Callable[[], None],
) -> PlannedPage:
    """The page behind *after*, by the plan that reads the fewest records: a walk shows how many it reads."""
    narrowed = narrowed_groups(reader.object_, reader.query)
    fewest, driver = min(
        ((count_narrowed(conn, group, FILTERED_FIRST_MAX + 1), group) for group in narrowed),
        key=lambda counted: counted[0],
        default=(FILTERED_FIRST_MAX + 1, None),
    )
    axis = index_walks.axis_of(reader)
    drives = driver is not None and fewest <= FILTERED_FIRST_MAX
    if axis is not None and not (drives and fewest <= limit):
        walk = IndexWalk(axis, narrowed, descending=reader.query.order.descending)
        chunk = index_walks.first_chunk(reader.query, limit)
        entries = announce_long(index_walks.entries(conn, walk, after, chunk), expect_long)
        examined_max = fewest // 2 if drives else None
        page = index_walks.walk(entries, reader, axis, after, limit, examined_max=examined_max)
        if page is not None:
            return page
    if driver is not None and drives:
        return _sort(reader, iter(conn.execute(driven(driver)).all()), after, limit)
    return _sort(reader, announce_long(scan(conn, reader.object_), expect_long), after, limit)


def announce_long(rows: Iterator[RecordRow], expect_long: Callable[[], None]) -> Iterator[RecordRow]:
    """*rows*, calling *expect_long* before more than `QUICK_RECORDS_MAX` of them are read."""
    for number, row in enumerate(rows):
        if number == QUICK_RECORDS_MAX:
            expect_long()
        yield row


def _sort(
    reader: CandidateReader, rows: Iterator[RecordRow], after: Position | None, limit: int
) -> PlannedPage:
    """The page out of *rows* in any order."""
    candidates = (
        candidate
        for row in rows
        if (candidate := reader.read(row)) is not None and reader.follows(candidate, after)
    )
    return first_page(nsmallest(limit + 1, candidates, key=reader.rank), limit)


def driven(driver: NarrowedGroup) -> sa.Select[Any]:
    """Selects the records in the ranges of one group."""
    found = ids_within(driver).subquery("narrowed")
    return (
        sa.select(*COLUMNS)
        .select_from(found.join(tables.records, tables.records.c.id == found.c.record_id))
        .where(tables.records.c.deleted_at.is_(None))
    )


def scan(conn: sa.Connection, object_: StoredObject) -> Iterator[RecordRow]:
    """Rows of all records of the object, a chunk at a time."""
    position = sa.tuple_(tables.records.c.created_at, tables.records.c.id)
    last: tuple[int, str] = (-(1 << 62), "")
    while True:
        rows = conn.execute(
            sa.select(*COLUMNS)
            .where(
                tables.records.c.object_id == object_.id,
                tables.records.c.deleted_at.is_(None),
                position > sa.tuple_(sa.literal(last[0]), sa.literal(last[1])),
            )
            .order_by(tables.records.c.created_at, tables.records.c.id)
            .limit(_SCAN_CHUNK)
        ).all()
        yield from rows
        if len(rows) < _SCAN_CHUNK:
            return
        last = rows[-1].created_at, rows[-1].id
