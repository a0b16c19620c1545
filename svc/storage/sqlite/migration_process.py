"""`python -m svc.storage.sqlite.migration_process FILE`: migrate a database in a process of its own.

What migrating imports is a tenth of a service's memory and is needed once, so a service has another process
do it and never imports it. It prints a line of JSON for each thing to log, and in the end why it failed.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, Final

import msgspec
import sqlalchemy as sa
import structlog
from sqlalchemy.exc import DatabaseError

from svc.storage.migrations import migrate
from svc.storage.migrations.progress import Report
from svc.storage.sqlite import baseline
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.sqlite.transaction import read_snapshot
from svc.storage.store import StoreError, StoreFailed

log = structlog.get_logger("svc.storage")

_EVENT: Final = "event"
_FAILURE: Final = "failure"
_STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def _log(event: str, **about: Any) -> None:
    log.info(event, **about)


def migrate_apart(conn: sa.Connection, report: Report = _log) -> None:
    """Migrate the schema to the newest revision, in a process of its own if there is anything to migrate.

    How it goes on is reported, by default to the log. Called in the writer's thread, with the database locked
    for this process and no transaction under way. Raises `SchemaTooNew` and `StoreFailed`.
    """
    baseline.make_in_empty(conn)
    if read_snapshot(conn, migrate.is_current):
        return
    # The child is born with them blocked: a stop ends this process, and only that ends the child.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    try:
        child = subprocess.Popen(  # noqa: S603  # this very interpreter
            [sys.executable, "-P", "-m", __name__, str(conn.engine.url.database)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    failure = None
    with child:
        assert child.stdout is not None  # noqa: S101  # it is a pipe
        for line in child.stdout:
            failure = _report(line, report) or failure
    if child.returncode:
        raise StoreFailed(failure or f"the process that migrates the data ended with {child.returncode}")


def _report(line: str, report: Report) -> str | None:
    """Report what a line of the child says; the failure, if it is one."""
    try:
        said = msgspec.json.decode(line, type=dict[str, Any])
    except msgspec.DecodeError:  # cut off by a kill
        return None
    failure: str | None = said.pop(_FAILURE, None)
    if failure is None:
        report(said.pop(_EVENT), **said)
    return failure


def main(path: Path) -> int:
    """Migrate the file at *path*; a failure is printed in one line. The exit code is 0 or 1."""
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        with make_engine(path).connect() as conn:
            migrate_to_head(conn, report=_print)
    except StoreError as error:
        failure = str(error)
    except (DatabaseError, sqlite3.DatabaseError) as error:
        failure = f"{path} cannot be migrated: {getattr(error, 'orig', error)}"
    else:
        return 0
    _print(None, **{_FAILURE: failure})
    return 1


def _print(event: str | None, **about: Any) -> None:
    """Print a line of JSON for the parent. Once nothing reads it any more, this process ends anyway."""
    with suppress(OSError):
        sys.stdout.write(msgspec.json.encode({_EVENT: event, **about}).decode() + "\n")
        sys.stdout.flush()


def _end_with_parent() -> None:
    """End this process at the end of the other, which keeps the standard input open and sends nothing.

    The transaction is then rolled back, so that another start does not find a database that is written to.
    """
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
