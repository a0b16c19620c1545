"""The inline store over PostgreSQL, on databases of a server of the tests' own, which are used again.

All jobs run on the Trio thread over one connection, as `svc.storage.sqlite.inline` does over SQLite.
"""

import atexit
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, aclosing, asynccontextmanager, contextmanager
from functools import cache, partial
from itertools import count
from typing import Any, Final, TypeVar

import sqlalchemy as sa
import trio
from outcome import Outcome, capture

from svc.clock import Clock
from svc.domain.crypto.sealing import Sealer
from svc.domain.randomness import SYSTEM, Randomness
from svc.storage.clock import future_times
from svc.storage.clock import marks as clock_marks
from svc.storage.commit.commit_queue import BATCH_UNITS_MAX, OWNER_UNITS_MAX, QUEUE_UNITS_MAX
from svc.storage.commit.group_commit import GroupCommitStore
from svc.storage.metadata import metadata
from svc.storage.postgresql import faults
from svc.storage.postgresql.engine import make_engine
from svc.storage.postgresql.functions import create_functions
from svc.storage.postgresql.pipeline import raw
from svc.storage.postgresql.transaction import PostgresDatabase, read_snapshot
from svc.storage.store import Sources, Store, Tx
from tests.postgresql_server import Server, running_server

R = TypeVar("R")

_NUMBERS: Final = count(1)
_TEMPLATE: Final = "template_town"
_EMPTY: Final = "; ".join(
    [
        # No foreign key is checked meanwhile, so the tables are emptied in any order.
        "SET session_replication_role = replica",
        *(f"DELETE FROM {table.name}" for table in metadata.sorted_tables),  # noqa: S608  # names of the schema
        "SET session_replication_role = DEFAULT",
    ]
)
"""Empties a database. DELETE takes 3 ms over all tables, TRUNCATE of those with rows ten times that."""
ROUND_TRIPS: Final[list[int]] = []
"""How often each job of the stores waited for the server, a read's or a batch's: tests clear it."""
_FREE: Final[list[sa.Connection]] = []
"""Connections to databases with all tables, which no test uses now."""


@cache
def _server() -> Server:
    """The server of this process, stopped at its end."""
    running = ExitStack()
    server = running.enter_context(running_server())
    atexit.register(running.close)
    server.create_database(_TEMPLATE)
    with make_engine(server.address(_TEMPLATE)).connect() as conn:
        create_functions(conn)
        metadata.create_all(conn)
        conn.commit()
    return server


def _new_database(template: str) -> sa.Connection:
    server, name = _server(), f"town_{next(_NUMBERS)}"
    server.create_database(name, f"TEMPLATE {template}")
    conn = make_engine(server.address(name)).connect()
    atexit.register(conn.close)
    return conn


@contextmanager
def database_with_tables() -> Iterator[sa.Connection]:
    """A connection to a database with all tables, which are empty."""
    conn = _FREE.pop() if _FREE else _new_database(_TEMPLATE)
    raw(conn).execute_now(_EMPTY)
    try:
        yield conn
    finally:
        conn.rollback()
        _FREE.append(conn)


@contextmanager
def empty_database() -> Iterator[sa.Connection]:
    """A connection to a new database without tables."""
    with _new_database("template0") as conn:
        yield conn


@asynccontextmanager
async def postgresql_inline_store(
    clock: Clock,
    *,
    prepare: Callable[[sa.Connection], None] | None = None,
    batch_max: int = BATCH_UNITS_MAX,
    queue_max: int = QUEUE_UNITS_MAX,
    owner_max: int = OWNER_UNITS_MAX,
    sealer: Sealer | None = None,
    random: Randomness = SYSTEM,
    mails: bool = False,
) -> AsyncIterator[Store]:
    """A store over a database with all tables, or over one that *prepare* makes tables in."""
    sources = Sources(random, sealer, mails=mails)
    async with AsyncExitStack() as opening:
        if prepare is None:
            conn = opening.enter_context(database_with_tables())
        else:
            conn = opening.enter_context(empty_database())
            prepare(conn)
            conn.commit()
        traces = read_snapshot(conn, clock_marks.traces)
        clock_marks.resume(clock, sources.ids, traces)
        lane = _InlineLane(conn)
        store = GroupCommitStore(
            clock,
            database=_Database(),
            writers=[lane],
            reader=lane,
            long_reader=lane,
            snapshots=_InlineSnapshots(conn),
            resources=opening.pop_all(),
            sources=sources,
            timer=trio.current_time,
            batch_max=batch_max,
            queue_max=queue_max,
            owner_max=owner_max,
        )
    try:
        if traces.latest and traces.latest > clock.now():
            await store.alone.write(future_times.put_right)
        yield store
    finally:
        await store.aclose()


class _Database(PostgresDatabase):
    """Without lanes and an epoch, on one connection."""

    def read(self, conn: sa.Connection, fn: Callable[[sa.Connection], R]) -> R:
        return read_snapshot(conn, fn)

    def probe(self, tx: Tx) -> None:
        tx.conn.exec_driver_sql("SELECT pg_current_xact_id()")

    def fault(self, error: BaseException) -> str | None:
        return faults.fault(error)


class _InlineLane:
    def __init__(self, conn: sa.Connection) -> None:
        self._conn = conn

    def submit(self, work: Callable[[sa.Connection], R], done: Callable[[Outcome[R]], None]) -> None:
        before = raw(self._conn).round_trips
        outcome = capture(work, self._conn)
        ROUND_TRIPS.append(raw(self._conn).round_trips - before)
        done(outcome)


class _InlineSnapshots:
    def __init__(self, conn: sa.Connection) -> None:
        self._conn = conn

    @asynccontextmanager
    async def __call__(self, fn: Callable[[sa.Connection], Iterator[R]]) -> AsyncIterator[AsyncIterator[R]]:
        async with aclosing(self._each(fn)) as items:
            yield items

    async def _each(self, fn: Callable[[sa.Connection], Iterator[R]]) -> AsyncGenerator[R, None]:
        for item in read_snapshot(self._conn, partial(_all, fn)):
            await trio.lowlevel.checkpoint()
            yield item


def _all(fn: Callable[[sa.Connection], Iterator[Any]], conn: sa.Connection) -> list[Any]:
    return list(fn(conn))
