"""Transactions of SQLite: one writer, readers with a snapshot each."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import sqlalchemy as sa

from svc.storage.sqlite.engine import raw
from svc.storage.store import Tx

R = TypeVar("R")

_MACHINES_CODES: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk fails",
    sqlite3.SQLITE_READONLY: "the disk is read-only",
    sqlite3.SQLITE_CANTOPEN: "a file cannot be opened",
    sqlite3.SQLITE_NOMEM: "there is no memory left",
    sqlite3.SQLITE_BUSY: "another program holds the data",
}
"""Faults of the machine, not of the unit, by SQLite's primary result codes
(https://www.sqlite.org/rescode.html)."""

PROBE_BYTES: Final = 64 * 1024
"""How much a probe grows the database: more than most units do."""


class _Transaction:
    """A transaction of the writer."""

    __slots__ = ("_sqlite", "execute")

    def __init__(self, sqlite: sqlite3.Connection) -> None:
        self._sqlite = sqlite
        self.execute: Callable[[str], object] = sqlite.execute

    def settle(self) -> None:
        """Each statement was waited for."""

    def commit(self) -> None:
        self._sqlite.execute("COMMIT")

    @property
    def is_open(self) -> bool:
        return self._sqlite.in_transaction

    @property
    def is_whole(self) -> bool:
        return self._sqlite.in_transaction


class SqliteDatabase:
    """What group commit needs of SQLite."""

    @contextmanager
    def transaction(self, conn: sa.Connection) -> Iterator[_Transaction]:
        """Begin a writing transaction. What is not committed inside is rolled back."""
        sqlite = raw(conn)
        if sqlite.in_transaction:  # a fault of the disk may have prevented the ROLLBACK, too
            sqlite.execute("ROLLBACK")
        with conn.begin():  # rolls back on an error; BEGIN and COMMIT are executed by hand
            sqlite.execute("BEGIN IMMEDIATE")
            yield _Transaction(sqlite)

    def read(self, conn: sa.Connection, fn: Callable[[sa.Connection], R]) -> R:
        """Run *fn* in a read transaction, which sees one snapshot."""
        return read_snapshot(conn, fn)

    def probe(self, tx: Tx) -> None:
        """Grow the database and roll back; then rewrite one page unchanged.

        A transaction without changes would not be written to the disk.
        """
        sqlite = raw(tx.conn)
        sqlite.execute("SAVEPOINT probe")
        sqlite.execute("CREATE TABLE probe (filler BLOB)")
        sqlite.execute("INSERT INTO probe VALUES (zeroblob(?))", (PROBE_BYTES,))
        sqlite.execute("ROLLBACK TO probe")
        sqlite.execute("RELEASE probe")
        [number] = sqlite.execute("PRAGMA user_version").fetchone()
        sqlite.execute(f"PRAGMA user_version = {number:d}")

    def fault(self, error: BaseException) -> str | None:
        """By SQLite's primary result code, the driver's or SQLAlchemy's around it; None without one."""
        code: int | None = getattr(getattr(error, "orig", error), "sqlite_errorcode", None)
        return None if code is None else _MACHINES_CODES.get(code & 0xFF)


SQLITE: Final = SqliteDatabase()


def read_snapshot(conn: sa.Connection, fn: Callable[[sa.Connection], R]) -> R:
    """Run *fn* in a read transaction, which sees one snapshot."""
    with conn.begin():
        raw(conn).execute("BEGIN")
        return fn(conn)
