"""Moving all rows from one database to another."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
import sqlalchemy as sa

from svc.storage import moving
from svc.storage.migrations import migrate
from svc.storage.moving import Row, move
from svc.storage.records import tables as records_tables
from svc.storage.sql import full_text
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.moving import SqliteRows
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.store import StoreFailed
from tests.storage.keeping import ROWS, fill


def unheard(_table: str, _rows: int) -> None:
    """For moves that nobody watches."""


@cache
def made(*, filled: bool) -> bytes:
    """A database of the newest revision, as bytes."""
    with make_engine(None).connect() as conn:
        with schema_change(conn):
            migrate.upgrade(conn)
            if filled:
                fill(conn)
        return raw(conn).serialize()


@contextmanager
def database(*, filled: bool = False) -> Iterator[sa.Connection]:
    with make_engine(None).connect() as conn:
        raw(conn).deserialize(made(filled=filled))
        yield conn


def all_rows(conn: sa.Connection) -> dict[str, list[Any]]:
    return {table.name: list(SqliteRows(conn).rows(table)) for table in moving.TABLES}


def test_every_row_of_every_table_is_moved() -> None:
    """With its values as they were; what hears of it is told each table at its end."""
    told: dict[str, int] = {}
    with database(filled=True) as before, database() as after:
        with schema_change(after):
            moved = move(SqliteRows(before), SqliteRows(after), told.__setitem__)

        assert all_rows(before) == all_rows(after)
    assert [table.name for table in moving.TABLES] == [one.table for one in moved]
    assert {one.table: one.rows for one in moved} == told
    assert all(count >= ROWS for count in told.values())
    assert 32 == len(moved[0].digest)


def test_texts_are_found_where_they_were_moved_to() -> None:
    """The index of them is no table, and is made anew."""
    with database(filled=True) as before, database() as after:
        with schema_change(after):
            move(SqliteRows(before), SqliteRows(after), unheard)
        _, _, words = next(SqliteRows(after).rows(records_tables.search_texts))

        found = full_text.newest(after, [words.split()[0]], prefix=False, limit=10)

    assert found


def test_nothing_is_moved_to_where_something_is() -> None:
    """Neither is lost, and the two are not mixed."""
    with database(filled=True) as before, database(filled=True) as after:
        kept = all_rows(after)
        with pytest.raises(StoreFailed, match="has rows already"), schema_change(after):
            move(SqliteRows(before), SqliteRows(after), unheard)

        assert kept == all_rows(after)


def test_both_have_to_be_of_one_revision() -> None:
    """A table of one would have columns that the other does not know."""
    with (
        database(filled=True) as before,
        make_engine(None).connect() as after,
        pytest.raises(StoreFailed, match="at none"),
    ):
        move(SqliteRows(before), SqliteRows(after), unheard)


class Losing(SqliteRows):
    """A target that has lost something of one table."""

    def __init__(self, conn: sa.Connection, loses: str, *, how: str) -> None:
        super().__init__(conn)
        self._loses = loses
        self._how = how

    def fill(self, table: sa.Table, rows: Iterable[Row]) -> None:
        if table.name != self._loses:
            return super().fill(table, rows)
        taken = list(rows)
        if self._how == "a row":
            return super().fill(table, taken[:-1])
        last = len(table.columns) - 1
        return super().fill(table, [(*row[:last], "other") for row in taken])


@pytest.mark.parametrize("how", ["a row", "a value"])
def test_what_has_not_come_is_noticed(how: str) -> None:
    """Each table is read back and compared; then nothing stays of the move."""
    with database(filled=True) as before, database() as after:
        with pytest.raises(StoreFailed, match="notes is not the same in both"), schema_change(after):
            move(SqliteRows(before), Losing(after, "notes", how=how), unheard)

        assert not any(all_rows(after).values())


def test_progress_is_told_within_a_large_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every so many rows."""
    monkeypatch.setattr(moving, "REPORTED_ROWS", 1)
    told: list[tuple[str, int]] = []
    with database(filled=True) as before, database() as after, schema_change(after):
        move(SqliteRows(before), SqliteRows(after), lambda table, rows: told.append((table, rows)))

    assert [1, 2, 2] == [rows for table, rows in told if table == "notes"]
