"""Transactions of PostgreSQL: each begins with a look whether this process still has the data."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from time import sleep
from typing import Any, Final, TypeVar, cast

import psycopg
import sqlalchemy as sa
from psycopg import pq
from sqlalchemy.exc import DBAPIError

from svc.storage.commit.database import OutcomeUnknown
from svc.storage.postgresql import faults
from svc.storage.postgresql.engine import execute, raw
from svc.storage.postgresql.faults import DataLost
from svc.storage.postgresql.reconnecting import PAUSE_SECONDS, PAUSE_SECONDS_MAX
from svc.storage.postgresql.session import Session, is_lost, session_of, usable
from svc.storage.postgresql.tenure import TABLE
from svc.storage.store import StoreUnreachable, Tx

R = TypeVar("R")

PROBE_ROWS: Final = 64
"""How many rows of a kilobyte a probe writes: more than most units do."""
RESOLVE_ATTEMPTS: Final = 12
"""How often a connection is tried to be made that can tell what became of a COMMIT: some 30 seconds."""
RESOLVE_SECONDS: Final = 20
"""How long that connection waits for the end of the transaction."""
RETRY_SECONDS: Final = 5.0

_SNAPSHOT: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class NotCommitted(Exception):
    """Raised where the database has rolled back what it was to commit."""


class _Transaction:
    """A transaction of a writer."""

    __slots__ = ("_commit", "_pgconn")

    def __init__(self, pgconn: pq.abc.PGconn, commit: Callable[[], None]) -> None:
        self._pgconn = pgconn
        self._commit = commit

    def execute(self, command: str) -> object:
        return execute(self._pgconn, command)

    def commit(self) -> None:
        self._commit()

    @property
    def is_open(self) -> bool:
        return self._pgconn.transaction_status in _OPEN

    @property
    def is_whole(self) -> bool:
        return self._pgconn.transaction_status == pq.TransactionStatus.INTRANS


_OPEN: Final = frozenset({pq.TransactionStatus.INTRANS, pq.TransactionStatus.INERROR})


class PostgresDatabase:
    """What group commit needs of PostgreSQL."""

    def __init__(self, pause: Callable[[float], None] = sleep) -> None:
        """*pause* waits for seconds, in a lane's thread, until the server is asked again about a COMMIT."""
        self._pause = pause

    @contextmanager
    def transaction(self, conn: sa.Connection) -> Iterator[_Transaction]:
        """Begin a writing transaction. What is not committed inside is rolled back.

        Raises `DataLost`, `OutcomeUnknown` of a COMMIT, and errors of psycopg and SQLAlchemy.
        """
        session = session_of(conn)
        number = _begun(conn, lambda pgconn: _begin(pgconn, session))
        pgconn = raw(conn).pgconn
        with _ended(conn):
            yield _Transaction(pgconn, lambda: self._commit(conn, session, number))

    def read(self, conn: sa.Connection, fn: Callable[[sa.Connection], R]) -> R:
        """Run *fn* in a read transaction, which sees one snapshot. Raises `StoreUnreachable`."""
        try:
            return read_snapshot(conn, fn)
        except (psycopg.Error, DBAPIError, DataLost) as error:
            why = faults.fault(error)
            if why is None:
                raise
            raise StoreUnreachable(
                f"the data cannot be read: {why}", retry_after_seconds=RETRY_SECONDS
            ) from error

    def probe(self, tx: Tx) -> None:
        """Write rows into a table of its own, and roll back. The COMMIT after it writes to the disk, too."""
        pgconn = raw(tx.conn).pgconn
        name = f"probe_{pgconn.backend_pid}"
        execute(
            pgconn,
            f"SAVEPOINT probe; CREATE TABLE {name} (filler text);"  # noqa: S608  # a number is all that is put in
            f" INSERT INTO {name} SELECT repeat('x', 1000) FROM generate_series(1, {PROBE_ROWS});"
            " ROLLBACK TO probe; RELEASE probe",
        )

    def fault(self, error: BaseException) -> str | None:
        """By SQLSTATE; None for what is the unit's own."""
        return faults.fault(error)

    def _commit(self, conn: sa.Connection, session: Session, number: str) -> None:
        """Raises psycopg's errors and `NotCommitted`, with nothing kept, and `OutcomeUnknown`."""
        try:
            result = execute(raw(conn).pgconn, "COMMIT")
        except psycopg.Error as error:
            if not is_lost(conn):
                raise
            if not self._was_committed(conn, session, number, error):
                raise
            return
        if result.command_status != b"COMMIT":  # it says ROLLBACK where a statement had failed
            raise NotCommitted("a statement had failed before")

    def _was_committed(self, conn: sa.Connection, session: Session, number: str, lost: Exception) -> bool:
        """Whether the COMMIT of transaction *number* was done, during which its connection was *lost*.

        Raises `OutcomeUnknown`.
        """
        conn.invalidate()
        cause = lost
        for attempt in range(RESOLVE_ATTEMPTS):
            try:
                with closing(conn.engine.raw_connection()) as made:
                    connection = cast("psycopg.Connection[Any]", made.dbapi_connection)
                    return _state(connection, session, number) == b"committed"
            except psycopg.Error as error:
                if faults.fault(error) not in _AWAY:
                    raise OutcomeUnknown("it cannot be asked what became of a COMMIT") from error
                cause = error
                self._pause(min(PAUSE_SECONDS * 2.0**attempt, PAUSE_SECONDS_MAX))
            except DataLost as error:
                raise OutcomeUnknown(str(error)) from error
        raise OutcomeUnknown("the database is away, and it is unknown what became of a COMMIT") from cause


_AWAY: Final = frozenset({faults.UNREACHABLE, faults.SHUTTING_DOWN})


def _state(connection: "psycopg.Connection[Any]", session: Session, number: str) -> bytes | None:
    """The state of transaction *number* once it has ended. Raises `DataLost` and psycopg's errors."""
    if session.tenure is None:
        raise DataLost("the connection was lost during a COMMIT")
    session.tenure.recognize(connection)
    # The server may not know yet that nobody sends it a COMMIT any more. It has ended when its lock is free.
    execute(
        connection.pgconn,
        f"BEGIN; SET LOCAL lock_timeout = '{RESOLVE_SECONDS}s';"  # noqa: S608  # numbers are all that is put in
        f" SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = '{number}'::xid8::xid;"
        f" SELECT 1 FROM {TABLE} WHERE lane = {session.lane} FOR UPDATE",
    )
    return execute(connection.pgconn, f"SELECT pg_xact_status('{number}'::xid8)").get_value(0, 0)


def _begin(pgconn: pq.abc.PGconn, session: Session) -> str:
    """Begin a transaction; its number, if it may be asked for."""
    if session.tenure is not None and session.lane is not None:
        return session.tenure.begin(pgconn, session.lane)
    execute(pgconn, "BEGIN")
    return ""


def _begun(conn: sa.Connection, begin: Callable[[pq.abc.PGconn], R]) -> R:
    """What *begin* returns. Nothing is done before it, so it may find the connection lost and get another."""
    try:
        return begin(usable(conn))
    except psycopg.Error:
        if not is_lost(conn):
            raise
        return begin(usable(conn))


@contextmanager
def _ended(conn: sa.Connection) -> Iterator[None]:
    """Roll back at the end what was not committed. A connection that was lost is given up."""
    outer = conn.begin()  # the BEGIN was executed already
    try:
        yield
    finally:
        if not is_lost(conn) and raw(conn).pgconn.transaction_status != pq.TransactionStatus.IDLE:
            with suppress(psycopg.Error):
                execute(raw(conn).pgconn, "ROLLBACK")
        if is_lost(conn):
            conn.invalidate()
        outer.rollback()


def begin_snapshot(pgconn: pq.abc.PGconn) -> None:
    """Begin a transaction that sees one snapshot, and writes nothing."""
    execute(pgconn, _SNAPSHOT)


def read_snapshot(conn: sa.Connection, fn: Callable[[sa.Connection], R]) -> R:
    """Run *fn* in a read transaction, which sees one snapshot."""
    _begun(conn, begin_snapshot)
    with _ended(conn):
        return fn(conn)
