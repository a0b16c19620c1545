"""Values in JSON columns, by the JSON functions of SQLite (https://www.sqlite.org/json1.html).

A column that is no JSON has no values, as such a row is left out elsewhere.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.time_zones import Offset
from svc.storage.sqlite.engine import raw

_FUNCTION: Final = "svc_matches"


def is_readable(column: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Whether *column* is JSON."""
    return sa.func.json_valid(column) == sa.literal_column("1")


def value(column: sa.ColumnElement[str], member: str) -> sa.ColumnElement[Any]:
    """The *member* of the object in *column*; NULL for none. True is 1, and an array is its JSON."""
    # Every function of a row shares one parsed text, so the check costs next to nothing.
    return sa.case(
        (is_readable(column), sa.func.json_extract(column, f"$.{member}", type_=sa.types.NullType()))
    )


def has_item(column: sa.ColumnElement[str], member: str, items: Sequence[str]) -> sa.ColumnElement[bool]:
    """Whether the array that is the *member* of the object in *column* has any of *items*."""
    each = sa.func.json_each(sa.case((is_readable(column), column)), f"$.{member}").table_valued("value")
    return sa.select(sa.literal_column("1")).select_from(each).where(each.c.value.in_(items)).exists()


def items(array: sa.ColumnElement[str]) -> sa.Select[Any]:
    """Selects the items of an *array*: a list of any length, in a statement that stays the same."""
    return sa.select(sa.func.json_each(array).table_valued("value").c.value)


def seconds(time: sa.ColumnElement[str]) -> sa.ColumnElement[int]:
    """The seconds since the epoch of a time as text."""
    return sa.cast(sa.func.strftime("%s", time), sa.Integer)


def local_day(at: sa.ColumnElement[int], offsets: Sequence[Offset]) -> sa.ColumnElement[str]:
    """The date of a time in seconds since the epoch, where clocks have the *offsets*, the latest first."""
    *later, first = offsets
    local = at + (
        sa.case(
            *((at >= _plain(offset.since), _plain(offset.seconds)) for offset in later),
            else_=_plain(first.seconds),
        )
        if later
        else _plain(first.seconds)
    )
    return sa.func.date(local, "unixepoch", type_=sa.Text())


def _plain(number: int) -> sa.ColumnElement[int]:
    """A number in the text of the statement: a time zone has many."""
    return sa.literal_column(str(number), sa.Integer)


@contextmanager
def function(conn: sa.Connection, test: Callable[..., bool], arguments: int) -> Iterator[Any]:
    """The SQL function that is *test* of so many arguments, for statements that are run in here."""
    connection = raw(conn)
    connection.create_function(_FUNCTION, arguments, test)
    try:
        yield getattr(sa.func, _FUNCTION)
    finally:
        connection.create_function(_FUNCTION, arguments, None)
