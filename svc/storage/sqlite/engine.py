"""Opening a SQLite database: the file, its settings, and the lock that keeps other processes out."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import sqlalchemy as sa

from svc.storage.store import StoreInUse

BUSY_SECONDS: Final = 5.0
"""How long a statement waits for a lock of another program, such as a backup or a person's shell."""

_SETTINGS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",  # on macOS fsync alone does not reach the platter; elsewhere this does nothing
    "PRAGMA foreign_keys = ON",
)


def make_engine(path: Path | None) -> sa.Engine:
    """An engine whose connections are set up and leave every BEGIN to us; in memory without *path*."""
    return _engine_in_memory() if path is None else _make(str(path))


@cache
def _engine_in_memory() -> sa.Engine:
    """One is enough, since each of its connections is a database of its own.

    So each statement is compiled once in the life of a process, however many databases it makes.
    """
    return _make(None, query_cache_size=5_000)


def _make(database: str | None, **options: Any) -> sa.Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=database),
        poolclass=sa.NullPool,
        connect_args={
            "isolation_level": None,
            "timeout": BUSY_SECONDS,
            "check_same_thread": True,
            "cached_statements": 512,
        },
        hide_parameters=True,
        **options,
    )
    sa.event.listen(engine, "connect", _set_up)
    return engine


def _set_up(connection: sqlite3.Connection, _record: Any) -> None:
    for setting in _SETTINGS:
        connection.execute(setting)


def raw(conn: sa.Connection) -> sqlite3.Connection:
    """The sqlite3 connection under *conn*."""
    return cast(sqlite3.Connection, conn.connection.dbapi_connection)


def make_file(path: Path) -> None:
    """Create the file at *path*, and its directory, readable by their owner alone, unless they are there.

    SQLite gives its `-wal` and `-shm` files the mode of the database.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


@contextmanager
def sole_use(path: Path) -> Iterator[None]:
    """Hold the database at *path* for this process alone; raises `StoreInUse` when another holds it.

    The kernel drops the lock with its holder, however that dies, so a lock is never stale. The file stays:
    removing it would let two processes hold two locks of one name.
    """
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            text = os.read(lock, 32).decode()
            holder = int(text) if text.isdecimal() else None
            raise StoreInUse(
                f"{path} is in use by process {holder or 'unknown'}: stop it first", holder
            ) from None
        os.ftruncate(lock, 0)
        os.write(lock, str(os.getpid()).encode())
        yield
    finally:
        os.close(lock)
