"""`python -m svc.storage.sqlite.migration_process FILE`: migrate a database in a process of its own.

What migrating imports is a tenth of a service's memory and is needed once, so a service has another process
do it and never imports it.
"""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from svc.storage.migrations import migrate
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.transaction import read_snapshot
from svc.storage.store import StoreError, StoreFailed

_STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def migrate_apart(conn: sa.Connection) -> None:
    """Migrate the schema to the newest revision, in a process of its own if there is anything to migrate.

    Called in the writer's thread, with the database locked for this process and no transaction under way.
    Raises `SchemaTooNew` and `StoreFailed`.
    """
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
    with child:
        assert child.stdout is not None  # noqa: S101  # it is a pipe
        said = child.stdout.read().strip()
    if child.returncode:
        raise StoreFailed(said or f"the process that migrates the data ended with {child.returncode}")


def main(path: Path) -> int:
    """Migrate the file at *path*; a failure is printed in one line. The exit code is 0 or 1."""
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        with make_engine(path).connect() as conn, schema_change(conn):
            migrate.upgrade(conn)
    except StoreError as error:
        failure = str(error)
    except (DatabaseError, sqlite3.DatabaseError) as error:
        failure = f"{path} cannot be migrated: {getattr(error, 'orig', error)}"
    else:
        return 0
    sys.stdout.write(failure)
    return 1


def _end_with_parent() -> None:
    """End this process at the end of the other, which keeps the standard input open and sends nothing.

    The transaction is then rolled back, so that another start does not find a database that is written to.
    """
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
