"""Transactions of PostgreSQL: each begins with a look whether this process still has the data."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from time import sleep
from typing import Final, TypeVar, cast

import psycopg
import sqlalchemy as sa
from psycopg import pq
from sqlalchemy.exc import DBAPIError

from svc.storage.commit.database import OutcomeUnknown, StatementFailed
from svc.storage.postgresql import faults
from svc.storage.postgresql.faults import DataLost
from svc.storage.postgresql.pipeline import PipelinedConnection, raw
from svc.storage.postgresql.prepared import command
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

_BEGIN: Final = command("BEGIN")
_SNAPSHOT: Final = command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
_COMMIT: Final = command("COMMIT")


class NotCommitted(Exception):
    """Raised where the database has rolled back what it was to commit."""


class _Transaction:
    """A transaction of a writer."""

    __slots__ = ("_commit", "_connection", "number")

    def __init__(self, connection: PipelinedConnection, commit: "Callable[[_Transaction], None]") -> None:
        self._connection = connection
        self._commit = commit
        self.number = ""
        """That which the server gave it, once it has answered."""

    def numbered(self, number: str) -> None:
        self.number = number

    def execute(self, text: str) -> None:
        self._connection.command(command(text))

    def settle(self) -> None:
        self._connection.settle()

    def commit(self) -> None:
        self._commit(self)

    @property
    def is_open(self) -> bool:
        with suppress(psycopg.Error, DBAPIError, DataLost):  # asked after a failure, which comes first
            self._connection.settle()
        return self._connection.pgconn.transaction_status in _OPEN

    @property
    def is_whole(self) -> bool:
        connection = self._connection
        return connection.has_pending or connection.pgconn.transaction_status == pq.TransactionStatus.INTRANS


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
        begun: list[_Transaction] = []

        def begin(connection: PipelinedConnection) -> None:
            transaction = _Transaction(connection, lambda one: self._commit(conn, session, one))
            begun.append(transaction)
            if session.tenure is not None and session.lane is not None:
                session.tenure.begin(connection, session.lane, transaction.numbered)
            else:
                connection.command(_BEGIN)

        _begin(conn, begin)
        with _ended(conn):
            yield begun[-1]

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
        connection = raw(tx.conn)
        name = f"probe_{connection.pgconn.backend_pid}"
        connection.execute_now(
            f"SAVEPOINT probe; CREATE TABLE {name} (filler text);"  # noqa: S608  # a number is all that is put in
            f" INSERT INTO {name} SELECT repeat('x', 1000) FROM generate_series(1, {PROBE_ROWS});"
            " ROLLBACK TO probe; RELEASE probe",
        )

    def fault(self, error: BaseException) -> str | None:
        """By SQLSTATE; None for what is the unit's own."""
        return faults.fault(error)

    def _commit(self, conn: sa.Connection, session: Session, transaction: _Transaction) -> None:
        """Commit, with what is pending.

        Raises:
            StatementFailed, NotCommitted: nothing was kept; so with the driver's own errors.
            OutcomeUnknown: nobody knows whether it was.
        """
        connection = raw(conn)
        try:
            if session.tenure is not None:
                if not transaction.number:  # without it, it could not be asked what became of the COMMIT
                    connection.settle()
                session.tenure.check()
        except DBAPIError as error:
            if is_lost(conn):
                raise
            raise StatementFailed from error
        try:
            result = connection.command_now(_COMMIT)
        except (psycopg.Error, DBAPIError) as error:
            if is_lost(conn):
                if not self._was_committed(conn, session, transaction.number, error):
                    raise
                return
            if isinstance(error, DBAPIError):
                raise StatementFailed from error
            raise
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
                    connection = cast(PipelinedConnection, made.dbapi_connection)
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


def _state(connection: PipelinedConnection, session: Session, number: str) -> bytes | None:
    """The state of transaction *number* once it has ended. Raises `DataLost` and psycopg's errors."""
    if session.tenure is None:
        raise DataLost("the connection was lost during a COMMIT")
    session.tenure.recognize(connection)
    # The server may not know yet that nobody sends it a COMMIT any more. It has ended when its lock is free.
    connection.execute_now(
        f"BEGIN; SET LOCAL lock_timeout = '{RESOLVE_SECONDS}s';"  # noqa: S608  # numbers are all that is put in
        f" SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = '{number}'::xid8::xid;"
        f" SELECT 1 FROM {TABLE} WHERE lane = {session.lane} FOR UPDATE",
    )
    return connection.execute_now(f"SELECT pg_xact_status('{number}'::xid8)").get_value(0, 0)


def _begin(conn: sa.Connection, begin: Callable[[PipelinedConnection], None]) -> None:
    """Have *begin* begin a transaction, with its first statement.

    Where the server has said something meanwhile, which may be that the connection is lost, it is asked at
    once: nothing is done before, so another connection can be made.
    """
    connection = usable(conn)
    begin(connection)
    if connection.is_quiet:
        return
    try:
        connection.settle()
    except psycopg.Error:
        if not is_lost(conn):
            raise
        begin(usable(conn))
    except DataLost:
        connection.execute_now("ROLLBACK")
        raise


@contextmanager
def _ended(conn: sa.Connection) -> Iterator[None]:
    """Roll back at the end what was not committed. A connection that was lost is given up."""
    outer = conn.begin()  # the BEGIN is executed already, or goes along with the first statement
    try:
        yield
    finally:
        if not is_lost(conn):
            connection = raw(conn)
            connection.discard()
            if connection.pgconn.transaction_status != pq.TransactionStatus.IDLE:
                with suppress(psycopg.Error):
                    connection.execute_now("ROLLBACK")
        if is_lost(conn):
            conn.invalidate()
        outer.rollback()


def begin_snapshot(connection: PipelinedConnection) -> None:
    """Begin a transaction that sees one snapshot, and writes nothing, with the next statement."""
    connection.command(_SNAPSHOT)


def read_snapshot(conn: sa.Connection, fn: Callable[[sa.Connection], R]) -> R:
    """Run *fn* in a read transaction, which sees one snapshot."""
    _begin(conn, begin_snapshot)
    with _ended(conn):
        return fn(conn)
