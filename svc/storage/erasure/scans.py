"""Scans: all rows of a table that an organization has, a page at a time, each over a snapshot of its own.

A snapshot that is held for long would keep the database's log from being cut, so none is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, Protocol, TypeVar, assert_never

import sqlalchemy as sa

from svc.storage.erasure.treatments import Treatment
from svc.storage.identity import tables as identity_tables
from svc.storage.sql.expressions import Utf8

P = ParamSpec("P")
R = TypeVar("R")
H = TypeVar("H")

PAGE_ROWS: Final = 5_000
_FETCHED_ROWS: Final = 100


class Reads(Protocol):
    """Runs a function over one snapshot of the data."""

    def __call__(
        self, fn: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """The result of `fn(connection, *args)`."""
        ...


class _Page(NamedTuple):
    """What was found in a page, and the key of its last row; None at the end of the table."""

    found: list[Any]
    last: tuple[Any, ...] | None


def key_of(table: sa.Table) -> "list[sa.Column[Any]]":
    """The columns that tell a row."""
    return list(table.primary_key.columns)


def scan(
    read: Reads,
    treatment: Treatment,
    organization_id: str,
    columns: Sequence[str],
    examine: Callable[[tuple[Any, ...], sa.Row[Any]], H | None],
) -> Iterator[H]:
    """What *examine* returns of each row that is not None; it is given the row's key and the row.

    Rows come in the order of their keys. Texts among *columns* are bytes, since one may be no UTF-8.
    """
    keys = key_of(treatment.table)
    select = _select(treatment, organization_id, keys, columns)
    after: tuple[Any, ...] | None = None
    while True:
        page = read(_page, select, keys, after, examine)
        yield from page.found
        if page.last is None:
            return
        after = page.last


def _page(
    conn: sa.Connection,
    select: sa.Select[Any],
    keys: "list[sa.Column[Any]]",
    after: tuple[Any, ...] | None,
    examine: Callable[[tuple[Any, ...], sa.Row[Any]], Any],
) -> _Page:
    if after is not None:
        place = sa.tuple_(*keys) > sa.tuple_(*(sa.literal(part) for part in after))
        select = select.where(keys[0] > after[0] if len(keys) == 1 else place)
    found: list[Any] = []
    last: tuple[Any, ...] | None = None
    rows = 0
    for row in conn.execute(select.limit(PAGE_ROWS).execution_options(yield_per=_FETCHED_ROWS)):
        rows += 1
        last = tuple(row[: len(keys)])
        if (hit := examine(last, row)) is not None:
            found.append(hit)
    return _Page(found, last if rows == PAGE_ROWS else None)


def _select(
    treatment: Treatment, organization_id: str, keys: "list[sa.Column[Any]]", columns: Sequence[str]
) -> sa.Select[Any]:
    table = treatment.table
    select = sa.select(
        *(key.label(f"key_{key.name}") for key in keys),
        *(_as_stored(_column(table, name)) for name in columns),
    ).order_by(*keys)
    if treatment.through is not None:
        [foreign] = treatment.through.foreign_keys
        parent = foreign.column.table
        return select.join(parent, foreign.column == treatment.through).where(
            parent.c.organization_id == organization_id
        )
    match treatment.of:
        case "itself":
            return select.where(table.c.id == organization_id)
        case "member":
            members = identity_tables.members.c
            ids = sa.select(members.person_id).where(members.organization_id == organization_id)
            return select.where(sa.or_(table.c.id.in_(ids), table.c.home_organization_id == organization_id))
        case "organization":
            return select.where(table.c.organization_id == organization_id)
        case _:
            assert_never(treatment.of)


def _column(table: sa.Table, name: str) -> "sa.Column[Any]":
    """The column by its name in the database, which may be another than its key."""
    return next(column for column in table.columns if column.name == name)


def _as_stored(column: "sa.Column[Any]") -> sa.ColumnElement[Any]:
    if isinstance(column.type, sa.Text):
        return Utf8(column).label(column.name)
    return column.label(column.name)


def batches(items: Iterable[H], size: int) -> Iterator[list[H]]:
    """The *items* in lists of *size*; the last one may be shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
