"""List plans: which way reads the fewest records for a page.

- *walk*: along an index in the wanted order, testing each record against the filters (`index_walks`);
- *drive*: fetch the few records that one filter leaves, and sort them;
- *scan*: have the database sort all records of the object, where no index helps (`scans`).
"""

from collections.abc import Callable, Iterable, Sequence
from heapq import nsmallest
from typing import Any

import sqlalchemy as sa

from svc.domain.cursors import Position
from svc.domain.records.limits import FILTERED_FIRST_MAX, QUICK_RECORDS_MAX
from svc.storage.records import tables
from svc.storage.records.listing import index_walks, matching, scans, search_words
from svc.storage.records.listing.candidates import COLUMNS, CandidateReader, RecordRow
from svc.storage.records.listing.index import mark_of
from svc.storage.records.listing.index_walks import IndexWalk, PlannedPage, first_page
from svc.storage.records.listing.narrowing import (
    NarrowedGroup,
    count_narrowed,
    ids_with_parts,
    ids_within,
    narrowed_group,
    narrowed_groups,
)
from svc.storage.sql import json_values


def read_page(
    conn: sa.Connection,
    reader: CandidateReader,
    after: Position | None,
    limit: int,
    expect_long: Callable[[], None],
) -> PlannedPage:
    """The page behind *after*, by the plan that reads the fewest records: a walk shows how many it reads."""
    object_, query = reader.object_, reader.query
    if query.search is not None:
        words = [mark_of(object_.id) + word for word in query.search.terms.words]
        prefix, most = query.search.terms.prefix, FILTERED_FIRST_MAX
        found = search_words.newest(conn, words, prefix=prefix, limit=most + 1) if words else []
        if len(found) <= most:
            own = _by_ids(found).where(tables.records.c.object_id == object_.id)
            return _sort(reader, conn.execute(own), after, limit)
        return _read_tested(conn, reader, after, limit, expect_long)
    narrowed = narrowed_groups(object_, query)
    fewest, driver = min(
        ((count_narrowed(conn, group, FILTERED_FIRST_MAX + 1), group) for group in narrowed),
        key=lambda counted: counted[0],
        default=(FILTERED_FIRST_MAX + 1, None),
    )
    page: PlannedPage | None = None
    drives = driver is not None and fewest <= FILTERED_FIRST_MAX
    if not drives:
        ids = ids_with_parts(conn, object_, query, FILTERED_FIRST_MAX, expect_long)
        if ids is not None:
            return _sort(reader, conn.execute(_by_ids(ids)), after, limit)
    axis = index_walks.axis_of(reader)
    if axis is not None and not (drives and fewest <= limit):
        examined_max = fewest // 2 if drives else QUICK_RECORDS_MAX if len(query.order.keys) > 1 else None
        others = tuple(group for group in query.groups if narrowed_group(object_, group) is None)
        with matching.tests(conn, object_, query._replace(groups=others)) as tests:
            walk = IndexWalk(axis, narrowed, tests, descending=query.order.descending)
            size = index_walks.first_chunk(query, limit)
            chunks = index_walks.chunks(conn, walk, after, size, expect_long)
            page = index_walks.walk(chunks, reader, axis, after, limit, examined_max=examined_max)
    if page is not None:
        return page
    if driver is not None and drives:
        return _sort(reader, conn.execute(driven(driver)), after, limit)
    with matching.tests(conn, object_, query) as tests:
        first = scans.scan(conn, reader, tests, after, most=limit + 1, expect_long=expect_long)
        return first_page(first, limit)


def _read_tested(
    conn: sa.Connection,
    reader: CandidateReader,
    after: Position | None,
    limit: int,
    expect_long: Callable[[], None],
) -> PlannedPage:
    """The page of a search for words that very many records have: the database tests each for them."""
    expect_long()
    with matching.tests(conn, reader.object_, reader.query) as tests:
        axis = index_walks.axis_of(reader)
        if axis is not None and len(reader.query.order.keys) == 1:
            walk = IndexWalk(axis, [], tests, descending=reader.query.order.descending)
            size = index_walks.first_chunk(reader.query, limit)
            chunks = index_walks.chunks(conn, walk, after, size, expect_long)
            page = index_walks.walk(chunks, reader, axis, after, limit, examined_max=None)
            if page is not None:
                return page
        first = scans.scan(conn, reader, tests, after, most=limit + 1, expect_long=expect_long)
        return first_page(first, limit)


def _sort(
    reader: CandidateReader, rows: Iterable[RecordRow], after: Position | None, limit: int
) -> PlannedPage:
    """The page out of *rows* in any order."""
    return first_page(nsmallest(limit + 1, reader.read_all(rows, after), key=reader.rank), limit)


def driven(driver: NarrowedGroup) -> sa.Select[Any]:
    """Selects the records in the ranges of one group."""
    found = ids_within(driver).subquery("narrowed")
    return (
        sa.select(*COLUMNS)
        .select_from(found.join(tables.records, tables.records.c.id == found.c.record_id))
        .where(tables.records.c.deleted_at.is_(None))
    )


def _by_ids(ids: Sequence[str]) -> sa.Select[Any]:
    """Selects the records with *ids*."""
    listed = json_values.is_item(tables.records.c.id, json_values.array_of(ids))
    return sa.select(*COLUMNS).where(listed, tables.records.c.deleted_at.is_(None))
