"""Aggregates: groups of records, and what their values come to, in one statement.

A sum of decimals is exact: values with up to four decimals are summed as whole numbers of ten-thousandths.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from decimal import Decimal
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from svc.domain.errors import Fault, InvalidInput
from svc.domain.locale.time_zones import offsets
from svc.domain.locale.times import SECOND_MS, rfc3339
from svc.domain.records.aggregates import Aggregation, Group, Part
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.limits import AGGREGATED_RECORDS_MAX, GROUPS_MAX
from svc.domain.records.properties import CURRENCY_SUFFIX, Property
from svc.domain.records.queries import TIMES, Query
from svc.storage.records import tables
from svc.storage.records.listing import narrowing
from svc.storage.records.listing.matching import matched
from svc.storage.records.listing.stored_values import stored_value
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import TIME_COLUMNS
from svc.storage.sql import json_values
from svc.storage.sql.expressions import DurationSeconds, Seconds, Total, Truncated, Whole

_records: Final = tables.records.c
_SCALE: Final = 10_000
_SCALED_MAX: Final = 200_000_000_000
"""Below this, ten-thousandths of a number are exact in a double."""
_HIGH: Final = 1_000_000
"""Whole numbers are summed in two parts, so that no sum is too large for the database."""


class Aggregate(NamedTuple):
    """Groups, those with the most records first."""

    groups: list[Group]
    more: bool
    """Whether there are further groups."""
    unindexed: tuple[str, ...]
    """As `lists.Page.unindexed`."""


class _Columns(NamedTuple):
    """The columns of one measured property, in a row that is a part of a group."""

    prop: Property
    first: int

    def part(self, row: Sequence[Any]) -> Part:
        currency, count, high, low, rest, least, most = row[self.first : self.first + len(_PART)]
        total = Decimal((high or 0) * _HIGH + (low or 0)) / _SCALE
        if rest:
            total += Decimal(repr(rest))
        if self.prop.slug in TIMES and count:
            least, most = rfc3339(least), rfc3339(most)
        return Part(count, total, least, most, currency)


_PART: Final = ("currency", "count", "high", "low", "rest", "least", "most")


def aggregate(
    conn: sa.Connection,
    object_: StoredObject,
    query: Query,
    aggregation: Aggregation,
    *,
    time_zone: str,
    expect_long: Callable[[], None],
) -> Aggregate:
    """The groups of the records that *query* finds, `GROUPS_MAX` at most; times are grouped by local days.

    Raises `InvalidInput` if more than `AGGREGATED_RECORDS_MAX` records would be read, and what *expect_long*
    does, which is called before more than `QUICK_RECORDS_MAX` are.
    """
    with matched(conn, object_, query) as found:
        groups = narrowing.narrowed_groups(object_, query)
        if found.is_long(groups):
            expect_long()
        examined = found.plan(groups, AGGREGATED_RECORDS_MAX + 1)
        if examined > AGGREGATED_RECORDS_MAX:
            detail = f"over {AGGREGATED_RECORDS_MAX:,} records would be read: filter by what leaves fewer"
            raise InvalidInput([Fault("/filters", "invalid_value", detail)])
        source = found.select(*_source(aggregation, time_zone)).limit(examined)
        with closing(conn.execute(_statement(source, aggregation))) as rows:
            first, more = _read(rows, aggregation)
    if not aggregation.group_by and not first:
        first = [Group(())]
    return Aggregate(first, more, narrowing.unindexed_filters(object_, query))


def _source(aggregation: Aggregation, time_zone: str) -> Iterator[sa.ColumnElement[Any]]:
    """Of each record: the keys of its group, and of each measured property its value and currency."""
    yield sa.literal_column("1").label("one")  # also where nothing else is read
    for place, prop in enumerate(aggregation.group_by):
        yield _group_key(prop, time_zone).label(f"key{place}")
    for place, prop in enumerate(aggregation.measured):
        yield _measured(prop).label(f"value{place}")
        if prop.type == "amount":
            yield json_values.value(_records.properties, prop.slug + CURRENCY_SUFFIX, "text").label(
                f"currency{place}"
            )


def _value(prop: Property) -> sa.ColumnElement[Any]:
    column = TIME_COLUMNS.get(prop.slug)
    return stored_value(prop) if column is None else column


def _measured(prop: Property) -> sa.ColumnElement[Any]:
    value = _value(prop)
    return DurationSeconds(value) if KINDS[prop.type].compared == "seconds" else value


def _group_key(prop: Property, time_zone: str) -> sa.ColumnElement[Any]:
    if prop.type != "datetime":
        return _value(prop)
    column = TIME_COLUMNS.get(prop.slug)
    at = Seconds(_value(prop)) if column is None else column.op("/")(sa.literal_column(str(SECOND_MS)))
    return json_values.local_day(at, offsets(time_zone))


def _statement(source: sa.Select[Any], aggregation: Aggregation) -> sa.Select[Any]:
    """Groups the rows of *source*, which has a limit: so the database reads each value once."""
    read = source.subquery("read")
    summed = [prop for prop in aggregation.measured if _is_summed(prop, aggregation)]
    if summed:
        scaled = {
            f"scaled{place}": _scaled(read.c[f"value{place}"])
            for place, prop in enumerate(aggregation.measured)
            if prop in summed
        }
        columns = [*read.c, *(column.label(name) for name, column in scaled.items())]
        read = sa.select(*columns).limit(AGGREGATED_RECORDS_MAX).subquery("scaled")
    keys = [read.c[f"key{place}"] for place in range(len(aggregation.group_by))]
    currencies = [column for column in read.c if column.name.startswith("currency")]
    parts = [
        column
        for place, prop in enumerate(aggregation.measured)
        for column in _part_columns(read, place, prop, summed=prop in summed)
    ]
    records = sa.func.count().label("records")
    grouped = sa.select(*keys, records, *parts).select_from(read).group_by(*keys, *currencies)
    if not currencies:
        return grouped.order_by(records.desc(), *_empty_first(keys)).limit(GROUPS_MAX + 1)
    part = grouped.subquery("part")
    whole = [part.c[key.name] for key in keys]
    of_group = sa.func.sum(part.c.records).over(partition_by=whole or None)
    return sa.select(*part.c).order_by(of_group.desc(), *_empty_first(whole))


def _empty_first(keys: Iterable[sa.ColumnElement[Any]]) -> list[sa.ColumnElement[Any]]:
    """The order of groups of one size; databases have the one without a value at either end."""
    return [key.asc().nulls_first() for key in keys]


def _is_summed(prop: Property, aggregation: Aggregation) -> bool:
    return any(measure.prop == prop and measure.op in {"sum", "avg"} for measure in aggregation.measures)


def _scaled(value: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Ten-thousandths of *value*; NULL if it is no whole number of them, or a large one."""
    half = sa.case(
        (value < sa.literal_column("0"), sa.literal_column("-0.5")), else_=sa.literal_column("0.5")
    )
    scaled = Truncated(value * sa.literal_column(str(_SCALE)) + half)
    is_whole = scaled.op("/")(sa.literal_column(f"{_SCALE}.0")) == value
    # One within the other, so that no database computes what would be too large.
    return sa.case((sa.func.abs(value) < sa.literal_column(str(_SCALED_MAX)), sa.case((is_whole, scaled))))


def _part_columns(read: Any, place: int, prop: Property, *, summed: bool) -> list[sa.ColumnElement[Any]]:
    """The columns `_PART` of the property at *place*."""
    value = read.c[f"value{place}"]
    nothing = sa.null()
    columns: list[sa.ColumnElement[Any]] = [
        read.c[f"currency{place}"] if prop.type == "amount" else nothing,
        sa.func.count(value),
    ]
    if summed:
        scaled = read.c[f"scaled{place}"]
        high: sa.ColumnElement[int] = sa.literal_column(str(_HIGH))
        columns += [
            Whole(scaled.op("/")(high)),
            Whole(scaled % high),
            Total(sa.case((scaled.is_(None), value))),
        ]
    else:
        columns += [nothing, nothing, nothing]
    columns += [sa.func.min(value), sa.func.max(value)]
    return [column.label(f"{name}_{place}") for name, column in zip(_PART, columns, strict=True)]


def _read(rows: Any, aggregation: Aggregation) -> tuple[list[Group], bool]:
    """The first groups of *rows*, each a part of one, and whether there are more."""
    keys = len(aggregation.group_by)
    measured = [
        _Columns(prop, keys + 1 + place * len(_PART)) for place, prop in enumerate(aggregation.measured)
    ]
    groups: dict[tuple[Any, ...], Group] = {}
    for row in rows:
        key = tuple(_key(prop, value) for prop, value in zip(aggregation.group_by, row[:keys], strict=True))
        group = groups.get(key)
        if group is None:
            if len(groups) == GROUPS_MAX:
                return [*groups.values()], True
            group = groups[key] = Group(key)
        group.add(row[keys], {columns.prop.slug: columns.part(row) for columns in measured})
    return [*groups.values()], False


def _key(prop: Property, value: Any) -> Any:
    return value if value is None or prop.type != "boolean" else bool(value)
