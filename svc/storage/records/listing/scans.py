"""Scans: a page out of all records of an object, where no index is in the wanted order.

The database sorts, and hands over no more than a page of each part. A row that Python reads costs ten times
one that the database passes over, and waits for the interpreter's lock.
"""

from collections.abc import Callable, Iterator, Sequence
from heapq import nsmallest
from typing import Any, Final, NamedTuple, assert_never

import sqlalchemy as sa

from svc.domain.cursors import Position
from svc.domain.locale.times import ms_of
from svc.domain.records.kinds.registry import KINDS, sort_key
from svc.domain.records.limits import QUICK_RECORDS_MAX, SCANNED_AT_ONCE, SORT_KEY_BYTES_MAX
from svc.domain.records.orders import Key, Order
from svc.domain.records.sort_keys import CHOICES_SEPARATOR, EMPTY, number_of
from svc.storage.records import tables
from svc.storage.records.listing.candidates import COLUMNS, Candidate, CandidateReader
from svc.storage.records.listing.stored_values import stored_value
from svc.storage.records.rows import TIME_COLUMNS, is_live
from svc.storage.sql import json_values
from svc.storage.sql.expressions import DurationSeconds, Folded, Utf8

_records: Final = tables.records.c


class _Term(NamedTuple):
    """A key of the order, in SQL."""

    value: sa.ColumnElement[Any]
    """What sorts as the sort key does; NULL where that is empty."""
    read: Callable[[bytes], Any]
    """Makes of a sort key what *value* is for it."""
    descending: bool


def scan(
    conn: sa.Connection,
    reader: CandidateReader,
    tests: Sequence[sa.ColumnElement[bool]],
    after: Position | None,
    *,
    most: int,
    expect_long: Callable[[], None],
) -> list[Candidate]:
    """The first *most* records behind *after* that pass the *tests*, in the order of the query.

    Calls *expect_long* before it reads more than `QUICK_RECORDS_MAX` records, and before each further part.
    """
    order = reader.query.order
    terms = [_term(key) for key in order.keys]
    select = (
        sa.select(*COLUMNS)
        .where(json_values.is_readable(_records.properties), *tests)
        .order_by(*in_order(order))
    )
    if after is not None:
        select = select.where(_behind(terms, after, descending=order.descending))
    first: list[Candidate] = []
    for number, part in enumerate(_parts(conn, reader.object_.id)):
        if number:
            expect_long()
        found = _first(conn, select.where(part), reader, after, most)
        first = nsmallest(most, [*first, *found], key=reader.rank)
    return first


def in_order(order: Order) -> Iterator[sa.ColumnElement[Any]]:
    """What rows of `records` are ordered by, for them to be in *order*: missing values come last."""
    for key in order.keys:
        value, _, descending = _term(key)
        placed = value.desc() if descending else value.asc()
        # Times are never missing, and an index has their order.
        yield placed if key.prop.slug in TIME_COLUMNS else placed.nulls_last()
    yield _records.id.desc() if order.descending else _records.id.asc()


def _parts(conn: sa.Connection, object_id: str) -> Iterator[sa.ColumnElement[bool]]:
    """Conditions that each select some live records of the object, and all of them together."""
    position = sa.tuple_(_records.created_at, _records.id)
    rest = is_live(object_id)
    live, size = rest, QUICK_RECORDS_MAX
    while True:
        in_order = sa.select(_records.created_at, _records.id).where(rest)
        next_ = conn.execute(
            in_order.order_by(_records.created_at, _records.id).limit(1).offset(size)
        ).first()
        if next_ is None:
            yield rest
            return
        end = sa.tuple_(sa.literal(next_.created_at), sa.literal(next_.id))
        yield sa.and_(rest, position < end)
        rest, size = sa.and_(live, position >= end), SCANNED_AT_ONCE


def _first(
    conn: sa.Connection, select: sa.Select[Any], reader: CandidateReader, after: Position | None, most: int
) -> list[Candidate]:
    """At least the first *most* candidates of *select*, if it has so many."""
    many = most
    while True:
        rows = conn.execute(select.limit(many)).all()
        found = [*reader.read_all(rows, after)]
        if len(found) >= most or len(rows) < many:
            return found
        many *= 2  # some of the rows cannot be decoded


def _term(key: Key) -> _Term:
    kind, slug = key.prop.type, key.prop.slug
    if slug in TIME_COLUMNS:
        return _Term(TIME_COLUMNS[slug], lambda at: ms_of(at.decode()), key.descending)
    value = stored_value(key.prop)
    order = KINDS[kind].order
    match order:
        case "text" | "choices":
            if order == "choices":
                value = json_values.joined(_records.properties, slug, CHOICES_SEPARATOR)
            folded = Utf8(Folded(sa.func.nullif(value, "")))
            return _Term(sa.func.substr(folded, 1, SORT_KEY_BYTES_MAX), bytes, key.descending)
        case "number":
            return _Term(value, number_of, key.descending)
        case "seconds":
            return _Term(DurationSeconds(value), number_of, key.descending)
        case "boolean":
            return _Term(value, lambda one: int(one == sort_key(kind, True)), key.descending)
        case "code":
            return _Term(value, bytes.decode, key.descending)
        case _:
            assert_never(order)


def _behind(terms: Sequence[_Term], after: Position, *, descending: bool) -> sa.ColumnElement[bool]:
    """Whether a record comes behind the position *after*; missing values come last."""
    behind: list[sa.ColumnElement[bool]] = []
    same: list[sa.ColumnElement[bool]] = []
    for term, key in zip(terms, after.keys, strict=True):
        if key == EMPTY:
            same.append(term.value.is_(None))
            continue
        at = term.read(key)
        further = term.value < at if term.descending else term.value > at
        behind.append(sa.and_(*same, sa.or_(further, term.value.is_(None))))
        same.append(term.value == at)
    behind.append(sa.and_(*same, _records.id < after.id if descending else _records.id > after.id))
    return sa.or_(*behind)
