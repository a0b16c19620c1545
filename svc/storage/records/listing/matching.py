"""Matching: the records that a query finds, as SQL, where no record is to be shown.

What `Condition.holds` says of the types that SQL compares as Python does is said again here; of others, the
database asks Python.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.limits import QUICK_RECORDS_MAX
from svc.domain.records.conditions import Condition
from svc.domain.records.properties import PropertyType
from svc.domain.records.queries import CREATED_AT, TIMES, UPDATED_AT, Query
from svc.domain.times import ms_of, rfc3339
from svc.storage.records import tables
from svc.storage.records.listing import narrowing
from svc.storage.records.listing.narrowing import NarrowedGroup
from svc.storage.records.objects import StoredObject
from svc.storage.sqlite import json_values

_records: Final = tables.records.c
_TIME_COLUMNS: Final = {CREATED_AT: _records.created_at, UPDATED_AT: _records.updated_at}
_COMPARED: Final[frozenset[PropertyType]] = frozenset(
    {"number", "amount", "date", "datetime", "boolean", "select", "picture", "relation", "member"}
)
"""Types whose values a database compares as Python does; texts are compared without regard to case."""
_NARROW: Final = 4
"""One record in so many may be left by an index for it to be quicker than reading all in their order."""
_ONE: Final[sa.ColumnElement[int]] = sa.literal_column("1")
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


class Matched:
    """The records of an object for which all groups of a query hold."""

    def __init__(
        self, conn: sa.Connection, object_: StoredObject, tests: Sequence[sa.ColumnElement[bool]]
    ) -> None:
        self._conn = conn
        self._live = sa.and_(_records.object_id == object_.id, _records.deleted_at.is_(None))
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
def matched(conn: sa.Connection, object_: StoredObject, query: Query) -> Iterator[Matched]:
    """The records that *query* finds, for statements that are run in here."""
    tests, asked = [], []
    for group in query.groups:
        said = [_test(object_, condition) for condition in group]
        known = [one for one in said if one is not None]
        if len(known) == len(group):
            tests.append(sa.or_(*known))
        else:
            asked.append(group)
    if not asked:
        yield Matched(conn, object_, [json_values.is_readable(_records.properties), *tests])
        return
    with json_values.function(conn, _holds(query._replace(groups=tuple(asked))), 3) as holds:
        called = holds(_records.properties, _records.created_at, _records.updated_at)
        yield Matched(conn, object_, [*tests, called == _ONE])


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
        return _compared(_TIME_COLUMNS[slug], condition, ms_of)
    value = json_values.value(_records.properties, slug)
    if op in {"is_empty", "is_not_empty"} or kind in _COMPARED:
        return _compared(value, condition, int if kind == "boolean" else _as_it_is)
    if kind == "multi_select" and op in {"contains", "in", "not_in"}:
        wanted = [condition.wanted] if op == "contains" else condition.wanted
        has = json_values.has_item(_records.properties, slug, wanted)
        return sa.not_(has) if op == "not_in" else has
    if condition.exact and (narrowed := narrowing.narrowed_group(object_, [condition])) is not None:
        return narrowing.key_exists(narrowed, _records.id)
    return None


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
        case _:
            test = value == bound(wanted)
    return test
