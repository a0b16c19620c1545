"""Tenure: the hold of one process on the data, by rows with an epoch that every transaction locks.

Each lane has a row, so that lanes do not lock the same one: several holders of one row's lock are kept in a
list that grows. A process takes over by counting all epochs up, which waits for the transactions under way.
A transaction that finds another epoch than its own has lost the data.

In addition, each connection of the process shares an advisory lock: a second process that is started by
mistake is refused, and takes over only from one that the server does not hear from any more.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import pq

from svc.domain.locale.times import SECOND_MS
from svc.storage.postgresql.engine import Address, process_called
from svc.storage.postgresql.faults import DataLost
from svc.storage.postgresql.pipeline import PipelinedConnection
from svc.storage.postgresql.prepared import command
from svc.storage.store import StoreError, StoreFailed, StoreInUse

TABLE: Final = "store_epochs"
LOCK: Final = 0x5356_43
"""The number of the advisory lock: "SVC" in ASCII."""
WAIT_SECONDS: Final = 5
"""For the end of a process that has just closed its connections."""

SHARE: Final = f"SELECT pg_try_advisory_lock_shared({LOCK})"
"""What each new connection executes. Whether it could, matters not: the epoch decides."""

_CREATE: Final = f"CREATE TABLE IF NOT EXISTS {TABLE} (lane smallint PRIMARY KEY, epoch bigint NOT NULL)"
_HOLDER: Final = """
    SELECT application_name FROM pg_stat_activity WHERE pid IN (
        SELECT pid FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND objid = %s AND pid <> pg_backend_pid()
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"""
_IDENTITY: Final = """
    SELECT system_identifier, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM pg_control_system()"""

_TAKEN_OVER: Final = "another process has taken the data over"


class Identity(NamedTuple):
    """Which data a server has: a copy that was promoted has another timeline, and may lack commits."""

    system: int
    timeline: str


def identity(connection: "psycopg.Connection[Any]") -> Identity:
    """That of the data that is connected to."""
    row = connection.execute(_IDENTITY).fetchone()
    assert row is not None  # noqa: S101  # the function returns one
    return Identity(*row)


class Tenure:
    """That of this process: its epoch, and the data that it is of."""

    def __init__(self, epoch: int, of: Identity, lose: Callable[[StoreError], None]) -> None:
        """*lose* is called once, in some thread, when the data is lost, with why."""
        self._epoch = str(epoch).encode()
        self._of = of
        self._lose = lose
        self._lost: str | None = None

    def begin(self, connection: PipelinedConnection, lane: int, numbered: Callable[[str], None]) -> None:
        """Begin a transaction of *lane*, with the next statement; *numbered* gets its number then.

        Raises `DataLost`, here or there. Such a transaction must be rolled back.
        """
        self.check()
        connection.command(command("BEGIN"))
        look = command(
            f"SELECT epoch, pg_current_xact_id() FROM {TABLE}"  # noqa: S608  # a number is all that is put in
            f" WHERE lane = {lane} FOR SHARE"
        )
        connection.command(look, lambda result: numbered(self._number(result)))

    def _number(self, result: pq.abc.PGresult) -> str:
        """The number of a transaction that has looked at the epoch. Raises `DataLost`."""
        if result.ntuples != 1 or result.get_value(0, 0) != self._epoch:
            self.end(StoreInUse(_TAKEN_OVER))
        number = result.get_value(0, 1)
        assert number is not None  # noqa: S101  # a function that always has a value
        return number.decode()

    def recognize(self, connection: "psycopg.Connection[Any]") -> None:
        """Look whether a new connection is to the same data, and this process still has it.

        Another takes over only when all connections were lost, so this is looked at before any read that
        comes after that. Raises `DataLost`.
        """
        self.check()
        if identity(connection) != self._of:
            self.end(StoreFailed("the server was replaced by another, which may lack what was written last"))
        row = connection.execute(f"SELECT max(epoch) FROM {TABLE}").fetchone()  # noqa: S608
        if row is None or str(row[0]).encode() != self._epoch:
            self.end(StoreInUse(_TAKEN_OVER))

    def check(self) -> None:
        """Raises `DataLost` once the data is lost."""
        if self._lost is not None:
            raise DataLost(self._lost)

    def end(self, why: StoreError) -> None:
        """Note that the data is lost. Raises `DataLost`."""
        if self._lost is None:
            self._lost = str(why)
            self._lose(why)
        raise DataLost(self._lost)


def hold(connection: "psycopg.Connection[Any]", address: Address, wait_seconds: float) -> None:
    """Take the advisory lock, until `share`. Raises `StoreInUse` if another process keeps it."""
    try:
        connection.execute(f"SET lock_timeout = {max(1, round(wait_seconds * SECOND_MS))}")
        connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
    except psycopg.errors.LockNotAvailable:
        name = holder(connection) or "another process"
        raise StoreInUse(f"{address} is in use by {name}: stop it first", process_called(name)) from None
    finally:
        connection.execute("RESET lock_timeout")


def holder(connection: "psycopg.Connection[Any]") -> str | None:
    """What the database calls the process that has the lock; None if no other has it."""
    row = connection.execute(_HOLDER, [LOCK]).fetchone()
    return None if row is None else str(row[0])


def share(connection: "psycopg.Connection[Any]") -> None:
    """Leave the lock to all connections of this process together; this one has its part already."""
    connection.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def take_over(connection: "psycopg.Connection[Any]", lanes: int) -> int:
    """Make another epoch for *lanes* lanes; its number. Transactions under way are waited for."""
    connection.execute(_CREATE)
    with connection.transaction():
        # It waits for all that have locked a row, and none locks one until this is committed.
        connection.execute(f"LOCK TABLE {TABLE} IN EXCLUSIVE MODE")
        row = connection.execute(f"SELECT coalesce(max(epoch), 0) + 1 FROM {TABLE}").fetchone()  # noqa: S608
        assert row is not None  # noqa: S101  # an aggregate has one
        epoch: int = row[0]
        connection.execute(
            f"INSERT INTO {TABLE} (lane, epoch) SELECT lane, %s FROM generate_series(0, %s) AS lane"  # noqa: S608
            " ON CONFLICT (lane) DO UPDATE SET epoch = EXCLUDED.epoch",
            [epoch, lanes - 1],
        )
        # Lanes of a version that had more of them are lost, too.
        connection.execute(f"UPDATE {TABLE} SET epoch = %s", [epoch])  # noqa: S608
    return epoch
