"""Lists of records: filtered, sorted, and gone on with by cursors.

A page comes from one of three ways, whichever looks at fewer records:

- *walk*: along an index in the wanted order, asking each record whether the filters hold;
- *drive*: from a filter that leaves few records, which are fetched and sorted;
- *scan*: over all records of the object, until the index that the walk needs has been made.

Cursors are places in the order, not counts, so a record that is not touched is never shown twice nor left
out, whatever is written between two pages.
"""

from collections.abc import Callable, Iterator, Sequence
from heapq import nsmallest
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.cursors import Position
from svc.domain.limits import (
    EXAMINED_MAX,
    FILTERED_FIRST_MAX,
    LIST_ROWS,
    QUICK_RECORDS_MAX,
)
from svc.domain.records.queries import (
    CREATED_AT,
    TIMES,
    UPDATED_AT,
    Condition,
    Filter,
    KeyRange,
    Query,
    Sort,
    holds,
    parse,
)
from svc.domain.records.sort_keys import EMPTY, FIRST, LAST
from svc.domain.records.values import Values
from svc.domain.times import ms_of, rfc3339
from svc.storage import readable
from svc.storage.records import objects, tables
from svc.storage.records.objects import StoredObject
from svc.storage.records.records import Record, visible

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode

_CHUNK_FACTOR: Final = 6
"""How many entries are looked at first for each row that a filtered page may have."""
_CHUNK_GROWTH: Final = 2
"""How much more is looked at in each step of a walk than in the one before."""
_CHUNK_MAX: Final = 4_096
_SCAN_CHUNK: Final = 2_000
_TIME_COLUMNS: Final = {CREATED_AT: tables.records.c.created_at, UPDATED_AT: tables.records.c.updated_at}


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Some records of a list, in its order."""

    records: list[Record]
    next_cursor: str | None
    """Where it goes on; None at its end. A page may be short, or empty, and still have one."""
    unindexed: tuple[str, ...] = ()
    """Ids of properties whose keys are not kept yet, and would have made this quicker: see `record_index`."""


class Count(msgspec.Struct, frozen=True):
    """How many records there are."""

    many: int
    unindexed: tuple[str, ...]
    """As `Page.unindexed`."""


def _let_it_take_long() -> None:
    """For who has no other work to do meanwhile."""


class _Found(NamedTuple):
    """A record that was looked at, with the keys of its place in the order."""

    record: Record
    keys: tuple[bytes, ...]


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
    expect_long: Callable[[], None] = _let_it_take_long,
) -> Page:
    """A page of the object's records for which all *filters* hold; without *sort*, the newest first.

    *expect_long* is called before more than `QUICK_RECORDS_MAX` are looked at: see `View.expect_long`.

    Raises:
        NotFound: no such object.
        InvalidInput: of filters, sort, cursor and limit, with all that is wrong.
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
    of: StoredObject,
    *,
    country: str,
    filters: Sequence[Filter] = (),
    sort: Sequence[Sort] = (),
    cursor: str | None = None,
    limit: int = LIST_ROWS,
    expect_long: Callable[[], None] = _let_it_take_long,
) -> Page:
    """As `list_page`, of an object that was read in this transaction."""
    query = parse(of.properties, filters, sort, country)
    cursors.check_limit(limit)
    question = [of.id, filters, sort]
    after = cursors.read(question, cursor, len(query.order.keys))
    found, more = _answer(conn, _Reader(of, query), after, limit, expect_long)
    return Page(
        records=[one.record for one in found],
        next_cursor=None if more is None else cursors.write(question, more),
        unindexed=_unindexed(of, query),
    )


def count(
    conn: sa.Connection,
    organization_id: str,
    object_slug: str,
    *,
    country: str,
    filters: Sequence[Filter] = (),
    expect_long: Callable[[], None] = _let_it_take_long,
) -> Count:
    """How many of the object's records there are for which all *filters* hold.

    Raises as `list_page`, and calls *expect_long* as that does.
    """
    of = objects.get(conn, organization_id, object_slug)
    query = parse(of.properties, filters, (), country)
    return Count(_count(conn, of, query, expect_long), _unindexed(of, query))


def _count(conn: sa.Connection, of: StoredObject, query: Query, expect_long: Callable[[], None]) -> int:
    narrowed = _narrowed(of, query)
    live = sa.and_(tables.records.c.object_id == of.id, tables.records.c.deleted_at.is_(None))
    if len(narrowed) == len(query.conditions) and all(one.exact for one in query.conditions):
        if not narrowed:
            return _quickly(
                conn, sa.select(sa.literal(1)).select_from(tables.records).where(live), expect_long
            )
        first, *others = sorted(narrowed, key=lambda one: _at_most(conn, one, EXAMINED_MAX))
        among = sa.select(sa.literal(1)).select_from(tables.record_keys).where(_within(first))
        if others and _up_to(conn, among, EXAMINED_MAX) == EXAMINED_MAX:
            expect_long()
        asked = among.where(*(_exists(one, tables.record_keys.c.record_id) for one in others))
        return _quickly(conn, asked, expect_long)
    reader = _Reader(of, query)
    return sum(1 for row in _announced(_every(conn, of), expect_long) if reader.read(row) is not None)


def _quickly(conn: sa.Connection, asked: sa.Select[Any], expect_long: Callable[[], None]) -> int:
    """How many rows *asked* has; they are only counted to the end where that may take long."""
    some = _up_to(conn, asked, EXAMINED_MAX)
    if some < EXAMINED_MAX:
        return some
    expect_long()
    return conn.execute(sa.select(sa.func.count()).select_from(asked.subquery())).scalar_one()


def _up_to(conn: sa.Connection, asked: sa.Select[Any], most: int) -> int:
    return conn.execute(sa.select(sa.func.count()).select_from(asked.limit(most).subquery())).scalar_one()


class _Reader:
    """Reads rows as records, and tells those for which the conditions hold."""

    def __init__(self, of: StoredObject, query: Query) -> None:
        self.of = of
        self.query = query
        asked = {one.prop.slug for one in query.conditions} | {key.prop.slug for key in query.order.keys}
        self._times = not asked.isdisjoint(TIMES)

    def read(self, row: Any) -> _Found | None:
        try:
            stored: Values = _decode(row.properties)
        except msgspec.DecodeError as error:
            readable.tell("records", row.id, error)
            return None
        values = stored
        if self._times:
            times = {CREATED_AT: rfc3339(row.created_at), UPDATED_AT: rfc3339(row.updated_at)}
            values = stored | times
        if not holds(self.query.conditions, values):
            return None
        record = Record(
            id=row.id,
            object_type=self.of.slug,
            properties=visible(self.of, stored),
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        return _Found(record, self.query.order.sort_keys(values))

    def rank(self, found: _Found) -> Any:
        return self.query.order.rank(found.keys, found.record.id)

    def follows(self, found: _Found, after: Position | None) -> bool:
        return after is None or self.rank(found) > self.query.order.rank(after.keys, after.id)


class _Narrowed(NamedTuple):
    """A condition whose property has its keys kept, and the ranges of keys that it leaves."""

    property_id: str
    ranges: list[KeyRange]


_Answer = tuple[list[_Found], Position | None]
"""The rows of a page, and where the list goes on."""


def _answer(
    conn: sa.Connection,
    reader: _Reader,
    after: Position | None,
    limit: int,
    expect_long: Callable[[], None],
) -> _Answer:
    """The page, in the way that looks at fewest records; how many that is shows when a walk is tried."""
    narrowed = _narrowed(reader.of, reader.query)
    few, driver = min(
        ((_at_most(conn, one, FILTERED_FIRST_MAX + 1), one) for one in narrowed),
        key=lambda counted: counted[0],
        default=(FILTERED_FIRST_MAX + 1, None),
    )
    axis = _axis(reader)
    drives = driver is not None and few <= FILTERED_FIRST_MAX
    if axis is not None and not (drives and few <= limit):
        path = _Path(axis, narrowed, descending=reader.query.order.descending)
        chunk = (limit + 1) * (_CHUNK_FACTOR if reader.query.conditions else 1)
        entries = _announced(_entries(conn, path, after, min(chunk, _CHUNK_MAX)), expect_long)
        answer = _walk(entries, reader, axis, after, limit, most=few // 2 if drives else None)
        if answer is not None:
            return answer
    if driver is not None and drives:
        return _sorted(reader, _driven(conn, driver), after, limit)
    return _sorted(reader, _announced(_every(conn, reader.of), expect_long), after, limit)


def _announced(rows: Iterator[Any], expect_long: Callable[[], None]) -> Iterator[Any]:
    """*rows*, which may turn out to be very many."""
    for number, row in enumerate(rows):
        if number == QUICK_RECORDS_MAX:
            expect_long()
        yield row


def _sorted(reader: _Reader, rows: Iterator[Any], after: Position | None, limit: int) -> _Answer:
    """The page out of *rows* in any order."""
    found = (one for row in rows if (one := reader.read(row)) is not None and reader.follows(one, after))
    return _cut(nsmallest(limit + 1, found, key=reader.rank), limit)


def _cut(found: list[_Found], limit: int) -> _Answer:
    page = found[:limit]
    return page, Position(page[-1].keys, page[-1].record.id) if len(found) > limit else None


def _driven(conn: sa.Connection, by: _Narrowed) -> Iterator[Any]:
    """Rows of the records in the ranges of one condition."""
    return iter(
        conn.execute(
            sa.select(*_COLUMNS)
            .select_from(
                tables.record_keys.join(tables.records, tables.records.c.id == tables.record_keys.c.record_id)
            )
            .where(_within(by), tables.records.c.deleted_at.is_(None))
        ).all()
    )


_COLUMNS: Final = (
    tables.records.c.id,
    tables.records.c.properties,
    tables.records.c.created_at,
    tables.records.c.updated_at,
)


def _every(conn: sa.Connection, of: StoredObject) -> Iterator[Any]:
    """Rows of all records of the object, a chunk at a time."""
    place = sa.tuple_(tables.records.c.created_at, tables.records.c.id)
    last: tuple[int, str] = (-(1 << 62), "")
    while True:
        rows = conn.execute(
            sa.select(*_COLUMNS)
            .where(
                tables.records.c.object_id == of.id,
                tables.records.c.deleted_at.is_(None),
                place > sa.tuple_(sa.literal(last[0]), sa.literal(last[1])),
            )
            .order_by(tables.records.c.created_at, tables.records.c.id)
            .limit(_SCAN_CHUNK)
        ).all()
        yield from rows
        if len(rows) < _SCAN_CHUNK:
            return
        last = rows[-1].created_at, rows[-1].id


# Narrowing by what is kept of a filter's property.


def _narrowed(of: StoredObject, query: Query) -> list[_Narrowed]:
    return [
        _Narrowed(prop.id, ranges)
        for one in query.conditions
        if (prop := of.properties.get(one.prop.slug)) is not None
        and prop.index_state == "ready"
        and (ranges := one.ranges()) is not None
    ]


def _unindexed(of: StoredObject, query: Query) -> tuple[str, ...]:
    """Ids of the properties that the query would use the keys of, and that have none yet."""
    used = [
        *(one.prop.slug for one in query.conditions if one.ranges() is not None),
        query.order.keys[0].prop.slug,
    ]
    wanted = [of.properties[slug] for slug in dict.fromkeys(used) if slug in of.properties]
    return tuple(prop.id for prop in wanted if prop.index_state is None)


def _within(one: _Narrowed, keys: Any = tables.record_keys) -> sa.ColumnElement[bool]:
    return sa.and_(
        keys.c.property_id == one.property_id,
        sa.or_(*(_between(keys.c.key, range_) for range_ in one.ranges)),
    )


def _between(key: sa.ColumnElement[Any], range_: KeyRange) -> sa.ColumnElement[bool]:
    return key == range_.low if range_.low == range_.high else sa.and_(key >= range_.low, key <= range_.high)


def _exists(one: _Narrowed, record_id: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    probed = tables.record_keys.alias()
    return sa.select(sa.literal(1)).where(probed.c.record_id == record_id, _within(one, probed)).exists()


def _at_most(conn: sa.Connection, one: _Narrowed, most: int) -> int:
    """How many records are in the ranges, counted up to *most*."""
    counted = 0
    for range_ in one.ranges:
        within = sa.select(sa.literal(1)).where(
            tables.record_keys.c.property_id == one.property_id, _between(tables.record_keys.c.key, range_)
        )
        counted += _up_to(conn, within, most - counted)
        if counted >= most:
            break
    return counted


# Walking along an order.


class _Axis(NamedTuple):
    """An index in the order of one key: the records' times, or the kept keys of a property."""

    key: Any
    record_id: Any
    scope: sa.ColumnElement[bool]
    segments: list[tuple[Any, Any]]
    """Keys from and to, in ascending order within each, and in the order of the list among them."""
    time: bool

    def read(self, key: bytes) -> Any:
        """A cursor's key as the index has it."""
        return ms_of(key.decode()) if self.time else key

    def write(self, key: Any) -> bytes:
        return rfc3339(key).encode() if self.time else bytes(key)


def _axis(reader: _Reader) -> _Axis | None:
    """The index to walk along; None while it is not there."""
    first = reader.query.order.keys[0]
    own = [one for one in reader.query.conditions if one.prop.slug == first.prop.slug]
    if first.prop.slug in _TIME_COLUMNS:
        column = _TIME_COLUMNS[first.prop.slug]
        scope = sa.and_(tables.records.c.object_id == reader.of.id, tables.records.c.deleted_at.is_(None))
        return _Axis(column, tables.records.c.id, scope, [_time_bounds(own)], time=True)
    prop = reader.of.properties[first.prop.slug]
    if prop.index_state != "ready":
        return None
    return _Axis(
        tables.record_keys.c.key,
        tables.record_keys.c.record_id,
        tables.record_keys.c.property_id == prop.id,
        _segments(own),
        time=False,
    )


_FIRST_MS: Final = ms_of("0001-01-01T00:00:00.000+00:00")
_LAST_MS: Final = ms_of("9999-12-31T23:59:59.999+00:00")


def _bounds(conditions: Sequence[Condition]) -> KeyRange:
    """What the conditions on the walked property leave of it, gaps not counted."""
    low, high = EMPTY, LAST
    for one in conditions:
        ranges = one.ranges()
        if ranges is not None:
            low, high = max(low, ranges[0].low), min(high, max(range_.high for range_ in ranges))
    return KeyRange(low, high)


def _segments(conditions: Sequence[Condition]) -> list[tuple[bytes, bytes]]:
    """What to walk: the values, then what has none, whichever the conditions leave."""
    low, high = _bounds(conditions)
    values = [(max(low, FIRST), high)] if high >= FIRST else []
    empties = [(EMPTY, EMPTY)] if low == EMPTY else []
    return values + empties


def _time_bounds(conditions: Sequence[Condition]) -> tuple[int, int]:
    low, high = _bounds(conditions)
    return (
        _FIRST_MS if low <= FIRST else ms_of(low.decode()),
        _LAST_MS if high == LAST else ms_of(high.decode() or "0001-01-01T00:00:00.000+00:00"),
    )


def _walk(
    entries: Iterator[Any],
    reader: _Reader,
    axis: _Axis,
    after: Position | None,
    limit: int,
    *,
    most: int | None,
) -> _Answer | None:
    """The page out of the *entries* of an axis; with further keys, ties of the first are sorted.

    None when *most* entries, if that is given, do not fill it.
    """
    several = len(reader.query.order.keys) > 1
    found: list[_Found] = []
    for examined, row in enumerate(entries, start=1):
        one = None if row.properties is None else reader.read(row)
        if one is not None and reader.follows(one, after):
            if several and len(found) > limit and one.keys[0] != found[-1].keys[0]:
                break
            found.append(one)
            if not several and len(found) > limit:
                break
        if most is not None and examined >= most:
            return None
        if examined >= EXAMINED_MAX and not several:
            # The next page goes on behind the last record that was looked at, be it shown or not.
            return found, Position((axis.write(row.key),), row.entry_id)
    if several:
        found = nsmallest(limit + 1, found, key=reader.rank)
    return _cut(found, limit)


class _Path(NamedTuple):
    """How to walk: along what, past what, and which way."""

    axis: _Axis
    narrowed: list[_Narrowed]
    descending: bool


def _entries(conn: sa.Connection, path: _Path, after: Position | None, chunk: int) -> Iterator[Any]:
    """The entries of the index in the order of the list, with their records where the filters may hold."""
    axis, narrowed, descending = path
    place = sa.tuple_(axis.key, axis.record_id)
    started = after is None
    for low, high in axis.segments:
        last: tuple[Any, str] | None = None
        if not started and after is not None:
            key = axis.read(after.keys[0])
            if key < low or key > high:
                continue  # the cursor is in the other segment, behind this one
            started = True
            # Among those with one first key, further keys decide: all of them are looked at again.
            last = (key, after.id) if len(after.keys) == 1 else (key, "~" if descending else "")
        while True:
            beyond = [] if last is None else [_beyond(place, last, descending=descending)]
            entries = _chunk(axis, low, high, beyond, descending=descending).limit(chunk)
            rows = conn.execute(_with_records(entries, narrowed, descending=descending)).all()
            yield from rows
            if len(rows) < chunk:
                break
            last = rows[-1].key, rows[-1].entry_id
            chunk = min(chunk * _CHUNK_GROWTH, _CHUNK_MAX)


def _beyond(place: Any, last: tuple[Any, str], *, descending: bool) -> sa.ColumnElement[bool]:
    there = sa.tuple_(sa.literal(last[0]), sa.literal(last[1]))
    beyond: sa.ColumnElement[bool] = place < there if descending else place > there
    return beyond


def _chunk(
    axis: _Axis, low: Any, high: Any, beyond: Sequence[sa.ColumnElement[bool]], *, descending: bool
) -> sa.Select[Any]:
    order = (axis.key, axis.record_id)
    return (
        sa.select(axis.key.label("key"), axis.record_id.label("entry_id"))
        .where(axis.scope, axis.key >= low, axis.key <= high, *beyond)
        .order_by(*(column.desc() if descending else column.asc() for column in order))
    )


def _with_records(
    entries: sa.Select[Any], narrowed: Sequence[_Narrowed], *, descending: bool
) -> sa.Select[Any]:
    """*entries*, each with its record when that is there and in the ranges of every narrowed condition."""
    walked = entries.subquery("walked")
    joined = walked.outerjoin(
        tables.records,
        sa.and_(
            tables.records.c.id == walked.c.entry_id,
            tables.records.c.deleted_at.is_(None),
            *(_exists(one, walked.c.entry_id) for one in narrowed),
        ),
    )
    order = (walked.c.key, walked.c.entry_id)
    return (
        sa.select(walked.c.key, walked.c.entry_id, *_COLUMNS)
        .select_from(joined)
        .order_by(*(column.desc() if descending else column.asc() for column in order))
    )
