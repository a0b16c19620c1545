"""Reading the data while another process may have it open: for lists, checks and backups."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from svc.storage.migrations import migrate
from svc.storage.private_files import create_private
from svc.storage.sqlite.engine import BUSY_SECONDS, keep_temporary_files_in, make_engine, raw, sole_use
from svc.storage.sqlite.transaction import read_snapshot
from svc.storage.store import StoreFailed

__all__ = [
    "compact",
    "copy",
    "cut_log",
    "foreign_key_faults",
    "integrity_faults",
    "organization_ids",
    "read_beside",
    "sole_use",
    "verify",
]

P = ParamSpec("P")
R = TypeVar("R")

COPIED_PAGES: Final = 1_024
"""Pages that are copied in one step: 4 MiB."""
STEPS_BETWEEN_LOOKS: Final = 1_000_000
"""Steps of SQLite's machine between two looks at whether a check is to stop."""
FAULT_CHARS_MAX: Final = 200
"""SQLite reports faults in many lines."""
_OK: Final = "ok"


def _nothing() -> None:
    """For copies that nothing follows."""


def read_beside(
    path: Path, fn: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """Run `fn(connection, *args)` over one snapshot of the data at *path*.

    Raises what *fn* raises, `SchemaTooNew`, and `StoreFailed` for data that is missing or not migrated yet.
    """

    def read(conn: sa.Connection) -> R:
        if not migrate.is_current(conn):
            raise StoreFailed(f"{path} is of an earlier version: start the service once, which migrates it")
        return fn(conn, *args, **kwargs)

    if not path.exists():
        raise StoreFailed(f"there is no data at {path}")
    try:
        with make_engine(path).connect() as conn:
            raw(conn).execute("PRAGMA query_only = ON")
            return read_snapshot(conn, read)
    except (DatabaseError, sqlite3.DatabaseError) as error:
        raise StoreFailed(f"{path} cannot be read: {_cause(error)}") from error


def organization_ids(path: Path) -> list[str]:
    """The ids of the organizations in the data at *path*, of any schema version, without changing a byte.

    So it does not use an ordinary connection, which would recover the files of a crashed process, nor the
    tables of this program, which describe migrated data. It takes no lock, so it may read inconsistent data
    while another process writes. Raises `StoreFailed` for a file that is not a database of this program.
    """
    place = f"{path.resolve().as_uri()}?mode=ro&vfs=unix-none"
    try:
        with closing(sqlite3.connect(place, uri=True, isolation_level=None)) as conn:
            conn.execute("PRAGMA locking_mode = EXCLUSIVE")  # keeps the index of the -wal file in memory
            tables = {name for (name,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            if tables and "alembic_version" not in tables:
                raise StoreFailed(f"{path} is none of this program's databases")
            rows = conn.execute("SELECT id FROM organizations") if "organizations" in tables else ()
            return [organization_id for (organization_id,) in rows]
    except sqlite3.DatabaseError as error:
        raise StoreFailed(f"{path} cannot be read: {error}") from error


def copy(path: Path, to: Path, on_step: Callable[[], None] = _nothing) -> None:
    """Copy a snapshot of the data at *path* to a new file, complete in itself. Writers do not wait.

    It is copied in steps, over one read transaction, so that no write begins it anew; each step is synced
    before the next, since a commit would wait for all that the disk has still to write. *on_step* is called
    after each, and ends the copy by raising.

    Raises `StoreFailed`; *to* may then exist in part.
    """
    if not path.exists():
        raise StoreFailed(f"there is no data at {path}")
    create_private(to, b"")  # SQLite would create it by the umask, and keeps the mode of what is there
    try:
        with (
            closing(sqlite3.connect(path, isolation_level=None)) as source,
            closing(sqlite3.connect(to)) as target,
        ):
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # begins the snapshot

            def step(_status: int, _remaining: int, _total: int) -> None:
                on_step()
                _sync(to)

            source.backup(target, pages=COPIED_PAGES, progress=step)
            target.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.DatabaseError as error:
        raise StoreFailed(f"{path} cannot be copied to {to}: {error}") from error


def _sync(copied: Path) -> None:
    """Sync a copy that is being written: its locks, which this drops, protect it from nobody."""
    handle = os.open(copied, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def verify(path: Path, stopped: Callable[[], bool] = lambda: False) -> None:
    """Check that a copy is intact, and of a version that this program can use.

    Raises `StoreFailed` or `SchemaTooNew`. It ends soon, with `StoreFailed`, once *stopped* says so.
    """
    try:
        with make_engine(path).connect() as conn:
            raw(conn).set_progress_handler(lambda: int(stopped()), STEPS_BETWEEN_LOOKS)
            if migrate.revision_of(conn) is None:
                raise StoreFailed(f"{path} is none of this program's databases")
            migrate.is_current(conn)
            if faults := integrity_faults(conn):
                raise StoreFailed(f"{path} is damaged: {' '.join(faults[0].split())[:FAULT_CHARS_MAX]}")
    except (DatabaseError, sqlite3.DatabaseError) as error:
        raise StoreFailed(f"{path} cannot be read: {_cause(error)}") from error


def _cause(error: DatabaseError | sqlite3.DatabaseError) -> object:
    """The error of SQLite, without the statement that SQLAlchemy adds."""
    return error.orig if isinstance(error, DatabaseError) else error


def integrity_faults(conn: sa.Connection) -> list[str]:
    """Faults of the file that SQLite finds: pages, indexes, constraints."""
    faults = [row[0] for row in raw(conn).execute("PRAGMA integrity_check")]
    return [] if faults == [_OK] else faults


def foreign_key_faults(conn: sa.Connection) -> list[str]:
    """Rows that refer to a row that does not exist."""
    return [
        f"{table} row {row} refers to {parent}"
        for table, row, parent, _ in raw(conn).execute("PRAGMA foreign_key_check")
    ]


def compact(path: Path) -> None:
    """Rewrite the database so that nothing of what was deleted is left in its free space.

    It takes as much space again while it works. Raises `StoreInUse`, and `StoreFailed`.
    """
    with sole_use(path):
        try:
            keep_temporary_files_in(path.absolute().parent)
            with closing(sqlite3.connect(path, isolation_level=None)) as conn:
                conn.execute("VACUUM")
                conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.DatabaseError as error:
            raise StoreFailed(f"{path} cannot be compacted: {error}") from error


def cut_log(path: Path) -> bool:
    """Empty the write-ahead log beside a running service; whether it could be, within `BUSY_SECONDS`."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)) as conn:
            [busy, _, _] = conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.DatabaseError as error:
        raise StoreFailed(f"the log of {path} cannot be emptied: {error}") from error
    return not busy
