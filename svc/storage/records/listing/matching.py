"""Matching: the records that a query finds, as SQL, where no record is to be shown.

What `Condition.holds` says of the types that SQL compares as Python does is said again here; of others, the
database asks Python.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, assert_never

import msgspec
import sqlalchemy as sa

from svc.domain.locale.durations import parse_duration
from svc.domain.locale.times import ms_of, rfc3339
from svc.domain.records.conditions import Condition
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.limits import QUICK_RECORDS_MAX
from svc.domain.records.queries import CREATED_AT, TIMES, UPDATED_AT, Query
from svc.domain.records.sort_keys import fold
from svc.storage.records import tables
from svc.storage.records.listing import narrowing, search_words
from svc.storage.records.listing.index import mark_of
from svc.storage.records.listing.narrowing import NarrowedGroup
from svc.storage.records.listing.stored_values import stored_value
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import TIME_COLUMNS, is_live
from svc.storage.sql import json_values
from svc.storage.sql.asked import asked
from svc.storage.sql.expressions import DurationSeconds, Folded, PlaceIn

_records: Final = tables.records.c
_NARROW: Final = 4
"""One record in so many may be left by an index for it to be quicker than reading all in their order."""
_ONE: Final[sa.ColumnElement[int]] = sa.literal_column("1")
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


class MatchingRecords:
    """The records of an object for which all groups of a query hold."""

    def __init__(
        self, conn: sa.Connection, object_: StoredObject, tests: Sequence[sa.ColumnElement[bool]]
    ) -> None:
        self._conn = conn
        self._live = is_live(object_.id)
        self._tests = tests
        self._driver: NarrowedGroup | None = None

    def is_long(self, groups: Sequence[NarrowedGroup]) -> bool:
        """Whether more than `QUICK_RECORDS_MAX` records are read, though the *groups* narrow them down."""
        maximum = QUICK_RECORDS_MAX + 1
        if narrowing.count_rows(self._conn, sa.select(_ONE).where(self._live), maximum) < maximum:
            return False
        return all(narrowing.count_narrowed(self._conn, group, maximum) >= maximum for group in groups)

    def plan(self, groups: Sequence[NarrowedGroup], maximum: int) -> int:
        """Decide which records are read, and return how many these are, counted up to *maximum*.

        They are those that the narrowest of *groups* leaves, or all if these are hardly more.
        """
        live = narrowing.count_rows(self._conn, sa.select(_ONE).where(self._live), maximum)
        fewest = live // _NARROW if live < maximum else maximum
        for group in groups:
            counted = narrowing.count_narrowed(self._conn, group, fewest)
            if counted < fewest or (live == maximum and self._driver is None):
                self._driver, fewest = group, counted
        return live if self._driver is None else fewest

    def select(self, *columns: Any, examined_max: int | None = None) -> sa.Select[Any]:
        """Selects *columns* of their rows; of the first *examined_max* records that are read, if given."""
        source: Any = tables.records
        scope = self._live
        if self._driver is not None:
            found = narrowing.ids_within(self._driver).subquery("narrowed")
            source = found.join(tables.records, _records.id == found.c.record_id)
            scope = _records.deleted_at.is_(None)
        selected = sa.select(*columns).select_from(source).where(scope, *self._tests)
        if examined_max is None:
            return selected
        read = sa.select(_records.id).select_from(source).where(scope).limit(examined_max)
        return sa.select(*columns).where(_records.id.in_(read.correlate(None)), *self._tests)


@contextmanager
def matched(conn: sa.Connection, object_: StoredObject, query: Query) -> Iterator[MatchingRecords]:
    """The records that *query* finds, for statements that are run in here."""
    with tests(conn, object_, query) as all_hold:
        yield MatchingRecords(conn, object_, [json_values.is_readable(_records.properties), *all_hold])


@contextmanager
def tests(
    conn: sa.Connection, object_: StoredObject, query: Query
) -> Iterator[Sequence[sa.ColumnElement[bool]]]:
    """What holds for a row of `records` that *query* finds, for statements that are run in here."""
    all_hold, others = [], []
    for group in query.groups:
        said = [_test(object_, condition) for condition in group]
        known = [one for one in said if one is not None]
        if len(known) == len(group):
            all_hold.append(sa.or_(*known))
        else:
            others.append(group)
    search = query.search
    if search is not None:
        words = [mark_of(object_.id) + word for word in search.terms.words]
        all_hold.append(search_words.having(conn, words, prefix=search.terms.prefix))
    if not others and (search is None or not search.slugs):
        yield all_hold
        return
    columns = (_records.properties, _records.created_at, _records.updated_at)
    rest = _holds(query._replace(groups=tuple(others)))
    with asked(conn, rest, _records.id, columns, [is_live(object_.id), *all_hold]) as holds:
        yield [*all_hold, holds]


def _holds(query: Query) -> Callable[[str, int, int], bool]:
    uses_times = any(condition.prop.slug in TIMES for condition in query.conditions)

    def holds(properties: str, created_at: int, updated_at: int) -> bool:
        try:
            values = _decode(properties)
        except msgspec.DecodeError:
            return False
        if uses_times:
            values |= {CREATED_AT: rfc3339(created_at), UPDATED_AT: rfc3339(updated_at)}
        return query.holds(values)

    return holds


def _test(object_: StoredObject, condition: Condition) -> sa.ColumnElement[bool] | None:
    """What *condition* says, in SQL; None if only Python can say it."""
    kind, op, slug = condition.prop.type, condition.op, condition.prop.slug
    if slug in TIMES:
        return _compared(TIME_COLUMNS[slug], condition, ms_of)
    value = stored_value(condition.prop)
    compared = KINDS[kind].compared
    if op in {"is_empty", "is_not_empty"} or compared == "as_it_is":
        return _compared(value, condition, int if kind == "boolean" else _as_it_is)
    match compared:
        case "seconds":
            return _compared(DurationSeconds(value), condition, parse_duration)
        case "folded":
            return _text_test(Folded(value), condition)
        case "choices":
            return _choices_test(object_, condition)
        case _:
            assert_never(compared)


def _choices_test(object_: StoredObject, condition: Condition) -> sa.ColumnElement[bool] | None:
    """What *condition* says of the choices in a list, as `_test`."""
    op, slug = condition.op, condition.prop.slug
    if op in {"contains", "in", "not_in"}:
        wanted = [condition.wanted] if op == "contains" else condition.wanted
        has = json_values.has_item(_records.properties, slug, wanted)
        return sa.not_(has) if op == "not_in" else has
    if condition.exact and (narrowed := narrowing.narrowed_group(object_, [condition])) is not None:
        return narrowing.key_exists(narrowed, _records.id)
    return None


def _text_test(folded: sa.ColumnElement[str], condition: Condition) -> sa.ColumnElement[bool]:
    if condition.op in {"contains", "starts_with"}:
        part = fold(condition.wanted)
        if condition.op == "contains":
            return PlaceIn(folded, sa.literal(part, sa.Text())) > sa.literal_column("0")
        return sa.func.substr(folded, 1, len(part)) == part
    return _compared(folded, condition, fold)


def _as_it_is(value: Any) -> Any:
    return value


def _compared(
    value: sa.ColumnElement[Any], condition: Condition, bound: Callable[[Any], Any]
) -> sa.ColumnElement[bool]:
    """The comparison of a *value* that is NULL where there is none."""
    wanted = condition.wanted
    test: sa.ColumnElement[bool]
    match condition.op:
        case "is_empty":
            test = value.is_(None)
        case "is_not_empty":
            test = value.is_not(None)
        case "in":
            test = value.in_([bound(one) for one in wanted])
        case "not_in":
            test = sa.or_(value.is_(None), value.not_in([bound(one) for one in wanted]))
        case "neq":
            test = sa.or_(value.is_(None), value != bound(wanted))
        case "gt":
            test = value > bound(wanted)
        case "gte":
            test = value >= bound(wanted)
        case "lt":
            test = value < bound(wanted)
        case "lte":
            test = value <= bound(wanted)
        # Parts of text are compared in `_text_test`.
        case "eq" | "contains" | "starts_with":
            test = value == bound(wanted)
        case _:
            assert_never(condition.op)
    return test
