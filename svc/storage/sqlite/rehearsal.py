"""A rehearsal of a migration: the plan for a file, and the same migrations done to a copy of it."""

import shutil
import sqlite3
from pathlib import Path
from time import monotonic

import msgspec
from sqlalchemy.exc import DatabaseError

from svc.storage.migrations.plan import MigrationPlan, plan_of
from svc.storage.migrations.progress import Report
from svc.storage.sqlite.engine import make_engine, raw, sole_use
from svc.storage.sqlite.migration_process import migrate_apart
from svc.storage.sqlite.offline import copy
from svc.storage.sqlite.transaction import read_snapshot
from svc.storage.store import StoreFailed

_SUFFIXES = ("", "-wal")


class Rehearsal(msgspec.Struct, frozen=True):
    """What migrating a copy took, in time and in room on the disk beside the data."""

    seconds: float
    room_bytes: int


def plan_beside(path: Path) -> MigrationPlan:
    """The plan for the data at *path*, whether a service runs or not.

    Raises `SchemaTooNew` and `StoreFailed`.
    """
    try:
        with make_engine(path).connect() as conn:
            raw(conn).execute("PRAGMA query_only = ON")
            return read_snapshot(conn, plan_of)
    except (DatabaseError, sqlite3.DatabaseError) as error:
        raise StoreFailed(f"{path} cannot be read: {getattr(error, 'orig', error)}") from error


def copy_bytes(path: Path) -> int:
    """What a copy of the data at *path* takes."""
    return _size(path)


def rehearse(path: Path, directory: Path, report: Report) -> Rehearsal:
    """Copy the data at *path* into *directory*, migrate the copy, and remove *directory*.

    It is done by the same process as at a start. Writers of *path* do not wait. Raises `StoreInUse` where
    another rehearsal is under way there, and `StoreFailed` for what would fail at the start too.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    attempt = directory / path.name
    with sole_use(attempt):
        _remove(attempt)  # of a rehearsal that was killed
        try:
            copy(path, attempt)
            before = _size(attempt)
            with make_engine(attempt).connect() as conn:
                began = monotonic()
                migrate_apart(conn, report)
                seconds = monotonic() - began
                room = _size(attempt) - before
        finally:
            shutil.rmtree(directory, ignore_errors=True)
    return Rehearsal(seconds, room)


def _size(path: Path) -> int:
    """The bytes of a database, with those in its log."""
    files = (path.with_name(f"{path.name}{suffix}") for suffix in _SUFFIXES)
    return sum(file.stat().st_size for file in files if file.exists())


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
