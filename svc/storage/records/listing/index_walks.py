"""Index walks: a page read along an index that is in the wanted order."""

from collections.abc import Callable, Iterator, Sequence
from heapq import nsmallest
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from svc.domain.cursors import Position
from svc.domain.limits import EXAMINED_MAX
from svc.domain.locale.times import ms_of, rfc3339
from svc.domain.records.conditions import Condition, KeyRange
from svc.domain.records.limits import QUICK_RECORDS_MAX
from svc.domain.records.queries import Query
from svc.domain.records.sort_keys import EMPTY, FIRST, LAST
from svc.storage.records import tables
from svc.storage.records.listing.candidates import COLUMNS, Candidate, CandidateReader, RecordRow
from svc.storage.records.listing.narrowing import NarrowedGroup, key_exists
from svc.storage.records.rows import TIME_COLUMNS, is_live

_CHUNK_FACTOR: Final = 6
"""How many entries are read first for each row that a filtered page may have."""
_CHUNK_GROWTH: Final = 2
"""How many times as many entries each step of a walk reads as the one before."""
_CHUNK_MAX: Final = 4_096
_SEGMENTS_MAX: Final = 16
"""How many segments of an index are walked one by one; of more, the gaps between them are walked, too."""
_FIRST_MS: Final = ms_of("0001-01-01T00:00:00.000+00:00")
_LAST_MS: Final = ms_of("9999-12-31T23:59:59.999+00:00")


class Chunk(NamedTuple):
    """Successive entries of an index."""

    rows: Sequence[RecordRow]
    """The records of those that match, in the order of the list."""
    entries: int
    """How many entries there are at most."""
    end: sa.Row[Any] | None
    """The last entry; None if no entry follows in this segment."""


PlannedPage = tuple[list[Candidate], Position | None]
"""The rows of a page, and the position behind which the next one begins; None at the end."""


def first_page(candidates: list[Candidate], limit: int) -> PlannedPage:
    """The page of sorted *candidates*, of which there is one more than *limit* if the list goes on."""
    page = candidates[:limit]
    return page, Position(page[-1].keys, page[-1].record.id) if len(candidates) > limit else None


class Axis(NamedTuple):
    """An index in the order of one key: the records' times, or the sort keys of a property."""

    key: Any
    record_id: Any
    scope: sa.ColumnElement[bool]
    segments: Sequence[tuple[Any, Any]]
    """Keys from and to, in ascending order within each, and in the order of the list among them."""
    time: bool

    def read(self, key: bytes) -> Any:
        """A cursor's key as the index has it."""
        return ms_of(key.decode()) if self.time else key

    def write(self, key: Any) -> bytes:
        """The index's key as a cursor has it."""
        return rfc3339(key).encode() if self.time else bytes(key)


class IndexWalk(NamedTuple):
    """Which index to walk along, what to test, and in which direction."""

    axis: Axis
    narrowed: list[NarrowedGroup]
    tests: Sequence[sa.ColumnElement[bool]]
    """What else holds for the records that are wanted."""
    descending: bool


def axis_of(reader: CandidateReader) -> Axis | None:
    """The index to walk along; None while it is not built."""
    first = reader.query.order.keys[0]
    own = [
        group
        for group in reader.query.groups
        if all(condition.prop.slug == first.prop.slug for condition in group)
    ]
    if first.prop.slug in TIME_COLUMNS:
        column = TIME_COLUMNS[first.prop.slug]
        scope = is_live(reader.object_.id)
        segments = _time_segments(_left_by(own), descending=first.descending)
        return Axis(column, tables.records.c.id, scope, segments, time=True)
    prop = reader.object_.properties[first.prop.slug]
    if prop.index_state != "ready":
        return None
    return Axis(
        tables.record_keys.c.key,
        tables.record_keys.c.record_id,
        tables.record_keys.c.property_id == prop.id,
        _segments(_left_by(own), descending=first.descending),
        time=False,
    )


def _left_by(groups: Sequence[Sequence[Condition]]) -> list[KeyRange]:
    """The ranges that the groups of conditions on the walked property leave of it, in ascending order."""
    left = [KeyRange(EMPTY, LAST)]
    for group in groups:
        ranges = [condition.ranges() for condition in group]
        known = [range_ for one in ranges if one is not None for range_ in one]
        if all(one is not None for one in ranges):
            left = [
                KeyRange(max(one.low, other.low), min(one.high, other.high))
                for one in left
                for other in _merged(known)
                if one.low <= other.high and other.low <= one.high
            ]
    if len(left) > _SEGMENTS_MAX:
        return [KeyRange(left[0].low, left[-1].high)]
    return left


def _merged(ranges: Sequence[KeyRange]) -> list[KeyRange]:
    """The union of *ranges*, as ranges that do not overlap, in ascending order."""
    merged: list[KeyRange] = []
    for range_ in sorted(ranges):
        if merged and range_.low <= merged[-1].high:
            merged[-1] = KeyRange(merged[-1].low, max(merged[-1].high, range_.high))
        else:
            merged.append(range_)
    return merged


def _segments(left: Sequence[KeyRange], *, descending: bool) -> list[tuple[bytes, bytes]]:
    """The segments to walk: records with a value in the order of the list, then those without."""
    values = [(max(low, FIRST), high) for low, high in left if high >= FIRST]
    empties = [(EMPTY, EMPTY)] if left and left[0].low == EMPTY else []
    return [*(reversed(values) if descending else values), *empties]


def _time_segments(left: Sequence[KeyRange], *, descending: bool) -> list[tuple[int, int]]:
    segments = [
        (
            _FIRST_MS if low <= FIRST else ms_of(low.decode()),
            _LAST_MS if high == LAST else ms_of(high.decode()),
        )
        for low, high in left
        if high != EMPTY  # every record has its times
    ]
    return segments[::-1] if descending else segments


def walk(
    chunks: Iterator[Chunk],
    reader: CandidateReader,
    axis: Axis,
    after: Position | None,
    limit: int,
    *,
    examined_max: int | None,
) -> PlannedPage | None:
    """The page out of the *chunks* of an axis; with further sort keys, ties of the first are sorted.

    None when *examined_max* entries, if that is given, do not fill it.
    """
    several = len(reader.query.order.keys) > 1
    page: list[Candidate] = []
    examined = 0
    for chunk in chunks:
        for candidate in reader.read_all(chunk.rows, after):
            if several and len(page) > limit and candidate.keys[0] != page[-1].keys[0]:
                return first_page(nsmallest(limit + 1, page, key=reader.rank), limit)
            page.append(candidate)
            if not several and len(page) > limit:
                return first_page(page, limit)
        examined += chunk.entries
        if examined_max is not None and examined >= examined_max:
            return None
        if examined >= EXAMINED_MAX and not several and chunk.end is not None:
            # The next page goes on behind the last record that was examined, on this page or not.
            return page, Position((axis.write(chunk.end.key),), chunk.end.entry_id)
    if several:
        page = nsmallest(limit + 1, page, key=reader.rank)
    return first_page(page, limit)


def first_chunk(query: Query, limit: int) -> int:
    """How many entries the first step of a walk reads."""
    return min((limit + 1) * (_CHUNK_FACTOR if query.groups else 1), _CHUNK_MAX)


def chunks(
    conn: sa.Connection,
    walk: IndexWalk,
    after: Position | None,
    size: int,
    expect_long: Callable[[], None],
) -> Iterator[Chunk]:
    """The entries of the index in the order of the list, *size* at first, then in ever larger chunks.

    Calls *expect_long* before it reads more than `QUICK_RECORDS_MAX` of them.
    """
    axis, descending = walk.axis, walk.descending
    started = after is None
    left = QUICK_RECORDS_MAX
    for low, high in axis.segments:
        last: tuple[Any, str] | None = None
        if not started and after is not None:
            key = axis.read(after.keys[0])
            if key < low or key > high:
                continue  # the cursor is in another segment, behind this one
            started = True
            # Among those with one first key, further keys decide: all of them are read again.
            last = (key, after.id) if len(after.keys) == 1 else (key, "~" if descending else "")
        while True:
            if left <= 0:
                expect_long()
            many = min(size, EXAMINED_MAX, left if left > 0 else size)
            chunk = _read(conn, walk, (low, high), last, many)
            yield chunk
            if chunk.end is None:
                break
            last = chunk.end.key, chunk.end.entry_id
            left -= many
            size = min(size * _CHUNK_GROWTH, _CHUNK_MAX)


def _read(
    conn: sa.Connection, walk: IndexWalk, segment: tuple[Any, Any], last: tuple[Any, str] | None, many: int
) -> Chunk:
    """The first *many* entries of the *segment* behind *last*.

    The rows of those that do not match are not fetched: each costs more than the look at its entry.
    """
    entries = _entries(walk, segment, last, None)
    if not (walk.narrowed or walk.tests):
        rows = conn.execute(_with_records(entries.limit(many), walk)).all()
        return Chunk(rows, many, rows[-1] if len(rows) == many else None)
    end = conn.execute(entries.limit(1).offset(many - 1)).first()
    if end is not None:
        entries = _entries(walk, segment, last, (end.key, end.entry_id))
    return Chunk(conn.execute(_with_records(entries, walk)).all(), many, end)


def _entries(
    walk: IndexWalk, segment: tuple[Any, Any], last: tuple[Any, str] | None, end: tuple[Any, str] | None
) -> sa.Select[Any]:
    """The entries of the *segment* in the order of the list, behind *last* and up to *end* if given."""
    axis, descending = walk.axis, walk.descending
    position = sa.tuple_(axis.key, axis.record_id)
    low, high = segment
    bounds: list[sa.ColumnElement[bool]] = []
    # Of each side a database uses one bound: that of the key is as narrow as that of the position.
    if last is not None:
        low, high = (low, last[0]) if descending else (last[0], high)
        behind = sa.tuple_(sa.literal(last[0]), sa.literal(last[1]))
        bounds.append(position < behind if descending else position > behind)
    if end is not None:
        low, high = (end[0], high) if descending else (low, end[0])
        until = sa.tuple_(sa.literal(end[0]), sa.literal(end[1]))
        bounds.append(position >= until if descending else position <= until)
    order = (axis.key, axis.record_id)
    return (
        sa.select(axis.key.label("key"), axis.record_id.label("entry_id"))
        .where(axis.scope, axis.key >= low, axis.key <= high, *bounds)
        .order_by(*(column.desc() if descending else column.asc() for column in order))
    )


def _with_records(entries: sa.Select[Any], walk: IndexWalk) -> sa.Select[Any]:
    """The entries with live records that are in the ranges of every narrowed group and pass the tests."""
    tests = (*(key_exists(group, tables.records.c.id) for group in walk.narrowed), *walk.tests)
    if walk.axis.time:
        return entries.add_columns(*COLUMNS).where(*tests)
    walked = entries.subquery("walked")
    order = (walked.c.key, walked.c.entry_id)
    return (
        sa.select(walked.c.key, walked.c.entry_id, *COLUMNS)
        .select_from(walked.join(tables.records, tables.records.c.id == walked.c.entry_id))
        .where(tables.records.c.deleted_at.is_(None), *tests)
        .order_by(*(column.desc() if walk.descending else column.asc() for column in order))
    )
