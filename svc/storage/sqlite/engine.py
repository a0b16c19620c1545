"""Opening a SQLite database: the file, its settings, and the lock against other processes."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import sqlalchemy as sa

from svc.domain.records.sort_keys import fold
from svc.storage.private_files import errors_named
from svc.storage.store import StoreInUse

BUSY_SECONDS: Final = 5.0
"""How long a statement waits for a lock that another program holds, such as a backup or a shell."""

FOLD: Final = "svc_fold"
"""The SQL function that folds a text as `sort_keys.fold` does."""

_SETTINGS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",  # macOS: fsync alone does not reach the disk; no effect elsewhere
    "PRAGMA foreign_keys = ON",
    # What is deleted is overwritten. Some builds of SQLite have it by default, others do not.
    "PRAGMA secure_delete = ON",
)


def make_engine(path: Path | None) -> sa.Engine:
    """An engine over the file at *path*, or in memory without one; the caller executes every BEGIN."""
    if path is None:
        return _engine_in_memory()
    with suppress(sqlite3.OperationalError):  # who may only read the directory has SQLite's places
        keep_temporary_files_in(path.absolute().parent)
    return _make(str(path))


@cache
def keep_temporary_files_in(directory: Path) -> None:
    """Have SQLite write what a large sort or a VACUUM needs for a moment to *directory*, from now on.

    By itself it takes /var/tmp or /tmp, which may be small, in memory, or read-only. There is one setting for
    the process (https://www.sqlite.org/pragma.html#pragma_temp_store_directory), so it is made once, before
    other threads have connections. The files have no names, so a crash leaves none. Raises
    `sqlite3.OperationalError` for a directory that is missing or not writable.
    """
    with (
        suppress(sqlite3.OperationalError),
        closing(sqlite3.connect(":memory:")) as conn,
    ):  # it may be missing
        conn.execute("PRAGMA temp_store_directory = '{}'".format(str(directory).replace("'", "''")))


@cache
def _engine_in_memory() -> sa.Engine:
    """The engine of all databases in memory: each connection is a database of its own.

    One engine has one cache, so each statement is compiled once a process, for any number of databases.
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
    connection.create_function(FOLD, 1, fold, deterministic=True)


def raw(conn: sa.Connection) -> sqlite3.Connection:
    """The sqlite3 connection under *conn*."""
    return cast(sqlite3.Connection, conn.connection.dbapi_connection)


def make_file(path: Path) -> None:
    """Create the file at *path* and its directory, if missing, accessible to their owner only.

    SQLite creates its `-wal` and `-shm` files with the mode of the database.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


@contextmanager
def sole_use(path: Path) -> Iterator[None]:
    """Lock the database at *path* for this process. Raises `StoreInUse` if another process has locked it.

    The kernel releases the lock when its process ends, in whatever way, so a lock is never stale. The lock
    file is not removed: otherwise two processes could hold locks on two files of the same name.
    """
    place = _lock_of(path)
    lock = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = lock_holder(path)
            raise StoreInUse(
                f"{path} is in use by process {holder or 'unknown'}: stop it first", holder
            ) from None
        with errors_named(place):
            # Over what is there, which takes no room; a file that was cut first would need it again.
            os.ftruncate(lock, os.write(lock, str(os.getpid()).encode()))
        yield
    finally:
        os.close(lock)


def is_locked(path: Path) -> bool:
    """Whether a process has locked the database at *path*."""
    try:
        lock = os.open(_lock_of(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def lock_holder(path: Path) -> int | None:
    """The process that has locked the database at *path*, or the last that had; None if unknown."""
    try:
        text = _lock_of(path).read_text("ascii")
    except (OSError, ValueError):
        return None
    return int(text) if text.isdecimal() else None


def _lock_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")
