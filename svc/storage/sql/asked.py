"""Tests of rows that only Python can say, asked by the database where it can ask."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import sqlalchemy as sa

from svc.storage.sql import json_values
from svc.storage.sqlite.engine import raw

_FUNCTION: Final = "svc_matches"
_PART_ROWS: Final = 500
"""Rows that are held at a time where they are read to be asked about."""


@contextmanager
def asked(
    conn: sa.Connection,
    test: Callable[..., bool],
    row_id: sa.ColumnElement[str],
    columns: Sequence[sa.ColumnElement[Any]],
    within: Sequence[sa.ColumnElement[bool]],
) -> Iterator[sa.ColumnElement[bool]]:
    """Whether *test* holds for the *columns* of a row, for statements over rows *within* run in here.

    SQLite asks for each row that it comes to. Where a database has no Python, all rows *within* are read
    first, in parts, and their ids are kept for which it holds.
    """
    if conn.dialect.name != "sqlite":
        # An option of the statement: one of the connection would be of all that is executed after it.
        rows = conn.execute(
            sa.select(row_id, *columns).where(*within), execution_options={"yield_per": _PART_ROWS}
        )
        found = [found_id for found_id, *values in rows if test(*values)]
        yield json_values.is_item(row_id, json_values.array_of(found))
        return
    connection = raw(conn)
    connection.create_function(_FUNCTION, len(columns), test)
    try:
        yield getattr(sa.func, _FUNCTION)(*columns) == sa.literal_column("1", sa.Integer)
    finally:
        connection.create_function(_FUNCTION, len(columns), None)
