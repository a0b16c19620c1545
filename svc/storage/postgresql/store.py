"""The store over PostgreSQL: sixteen lanes that write, one for what runs alone, and two that read."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Final, NamedTuple, TypeVar
from zlib import crc32

import psycopg
import sqlalchemy as sa
import structlog
import trio
from outcome import Outcome
from sqlalchemy.exc import DBAPIError

from svc.clock import Clock
from svc.domain.crypto.sealing import Sealer
from svc.domain.randomness import SYSTEM, Randomness
from svc.storage.clock import future_times
from svc.storage.clock import marks as clock_marks
from svc.storage.clock.marks import Traces
from svc.storage.commit.commit_queue import BATCH_UNITS_MAX, OWNER_UNITS_MAX, QUEUE_UNITS_MAX
from svc.storage.commit.group_commit import GroupCommitStore
from svc.storage.commit.slot import Slot
from svc.storage.postgresql import tenure as tenures
from svc.storage.postgresql.engine import Address, check, make_engine, one_line
from svc.storage.postgresql.pipeline import raw
from svc.storage.postgresql.reconnecting import Reconnecting
from svc.storage.postgresql.schema import migrate_to_head
from svc.storage.postgresql.session import READING, READING_LONG, WRITING, Session, bound, usable
from svc.storage.postgresql.snapshots import ThreadSnapshots
from svc.storage.postgresql.tenure import WAIT_SECONDS, Tenure
from svc.storage.postgresql.transaction import PostgresDatabase, read_snapshot
from svc.storage.postgresql.worker_thread import ThreadLost, WorkerThread
from svc.storage.store import Sources, Store, StoreError, StoreFailed

R = TypeVar("R")

LANES: Final = 16
ALONE: Final = LANES
"""The number of the lane of what runs alone."""

log = structlog.get_logger("svc.storage")


def lane_of(owner: str) -> int:
    """The lane of an owner's units, the same in every process: people have one, as any organization."""
    return crc32(owner.encode()) % LANES


@asynccontextmanager
async def open_store(
    url: str,
    clock: Clock,
    *,
    prepare: Callable[[sa.Connection], None] = migrate_to_head,
    batch_max: int = BATCH_UNITS_MAX,
    queue_max: int = QUEUE_UNITS_MAX,
    owner_max: int = OWNER_UNITS_MAX,
    sealer: Sealer | None = None,
    random: Randomness = SYSTEM,
    mails: bool = False,
    database: PostgresDatabase | None = None,
    reconnecting: Reconnecting | None = None,
    lanes: int = LANES,
    wait_seconds: float = WAIT_SECONDS,
) -> AsyncIterator[Store]:
    """Open the store over the database at *url*; it is closed on exit.

    *prepare* runs before anything else, in a transaction. *clock* and the store's ids continue after those
    that are stored. Ids, keys and tokens are made of *random*. *mails* says that a mail server is configured.
    *database* and *reconnecting* say how it waits for a server that is away, *wait_seconds* how long for a
    process that is closing its connections. *lanes* may be fewer where few units are written.

    Raises:
        StoreInUse: another process has the data, or has taken it over, in which case the block is cancelled.
        SchemaTooNew: the data is of a newer version.
        StoreFailed: the database cannot be used, or is no longer the same, or a thread of the store has ended
            by itself; in the last two cases the block is cancelled first.
    """
    address = Address(url)
    sources = Sources(random, sealer, mails=mails)
    database = database or PostgresDatabase()
    inside = trio.CancelScope()
    token = trio.lowlevel.current_trio_token()
    lost: list[StoreError] = []

    def lose(error: StoreError) -> None:
        log.critical("the store closes", why=str(error))
        lost.append(error)
        inside.cancel()

    def lose_soon(error: StoreError) -> None:
        with suppress(trio.RunFinishedError):
            token.run_sync_soon(lose, error)

    async with AsyncExitStack() as opening:
        opened = _Opening(address, make_engine(address), opening, lose, reconnecting or Reconnecting())
        try:
            with trio.CancelScope(shield=True):
                alone, tenure, traces = await opened.first(prepare, lose_soon, wait_seconds)
                rest = await opened.others(tenure, lanes)
        except (psycopg.Error, DBAPIError, ThreadLost) as error:
            raise StoreFailed(f"{address} cannot be opened: {one_line(error)}") from error
        clock_marks.resume(clock, sources.ids, traces)
        store = GroupCommitStore(
            clock,
            database=database,
            writers=rest.writers,
            alone=alone,
            lane_of=lambda owner: lane_of(owner) % lanes,
            reader=rest.reader,
            long_reader=rest.long_reader,
            snapshots=ThreadSnapshots(opened.engine),
            resources=opening.pop_all(),
            sources=sources,
            batch_max=batch_max,
            queue_max=queue_max,
            owner_max=owner_max,
        )
    with inside:
        try:
            if traces.latest and traces.latest > clock.now():
                await store.alone.write(future_times.put_right)
            yield store
        finally:
            await store.aclose()
    if lost:
        raise lost[0]


class _Lane:
    """A connection, with the thread that runs all jobs on it."""

    def __init__(self, thread: WorkerThread) -> None:
        self.thread = thread
        self.conn: sa.Connection | None = None

    def submit(self, work: Callable[[sa.Connection], R], done: Callable[[Outcome[R]], None]) -> None:
        assert self.conn is not None  # noqa: S101  # it is opened before it is used
        self.thread.submit(partial(work, self.conn), done)

    def open(self, engine: sa.Engine, session: Session) -> None:
        """Connect, in the thread."""
        self.conn = bound(engine.connect(), session)
        usable(self.conn)

    async def aclose(self) -> None:
        if self.conn is not None and not self.thread.is_lost:
            with trio.CancelScope(shield=True):
                await self.thread.run(self.conn.close)
        await self.thread.aclose()


class _Lanes(NamedTuple):
    """The lanes that run beside one another."""

    writers: list[_Lane]
    reader: _Lane
    long_reader: _Lane


class _Opening:
    """Opens the lanes of a store; the last of them are closed first."""

    def __init__(
        self,
        address: Address,
        engine: sa.Engine,
        stack: AsyncExitStack,
        lose: Callable[[StoreError], None],
        reconnecting: Reconnecting,
    ) -> None:
        self._address = address
        self.engine = engine
        self._stack = stack
        self._lose = lose
        self._reconnecting = reconnecting

    async def first(
        self,
        prepare: Callable[[sa.Connection], None],
        lose: Callable[[StoreError], None],
        wait_seconds: float,
    ) -> tuple[_Lane, Tenure, Traces]:
        """Take the data over and prepare it, in the lane of what runs alone. A thread calls *lose*."""
        lane = self._lane("alone")

        def work() -> tuple[Tenure, Traces]:
            conn = self.engine.connect()
            connection = raw(conn)
            check(connection, self._address)
            tenures.hold(connection, self._address, wait_seconds)
            tenure = Tenure(
                tenures.take_over(connection, LANES + 1),
                tenures.identity(connection),
                lose,
            )
            lane.conn = bound(conn, self._session(WRITING, tenure, ALONE))
            _prepare(lane.conn, prepare)
            tenures.share(connection)
            return tenure, read_snapshot(lane.conn, clock_marks.traces)

        tenure, traces = await lane.thread.run(work)
        return lane, tenure, traces

    async def others(self, tenure: Tenure, lanes: int) -> _Lanes:
        """All other lanes; they connect at the same time."""
        sessions = {
            **{f"lane {number}": self._session(WRITING, tenure, number) for number in range(lanes)},
            "reader": self._session(READING, tenure),
            "long reader": self._session(READING_LONG, tenure),
        }
        made = [self._lane(name) for name in sessions]
        connected: list[Slot[None]] = []
        for lane, session in zip(made, sessions.values(), strict=True):
            connected.append(Slot())
            lane.thread.submit(partial(lane.open, self.engine, session), connected[-1].set)
        for slot in connected:
            await slot
        *writers, reader, long_reader = made
        return _Lanes(writers, reader, long_reader)

    def _session(self, settings: str, tenure: Tenure, number: int | None = None) -> Session:
        return Session(settings, number, tenure, self._reconnecting)

    def _lane(self, name: str) -> _Lane:
        def lost() -> None:
            self._lose(StoreFailed(f"the thread of the {name} of {self._address} has ended by itself"))

        lane = _Lane(WorkerThread(f"svc {name}", lost))
        self._stack.push_async_callback(lane.aclose)
        return lane


def _prepare(conn: sa.Connection, prepare: Callable[[sa.Connection], None]) -> None:
    """Have *prepare* run in a transaction of its own, however long it takes."""
    with PostgresDatabase().transaction(conn) as transaction:
        raw(conn).execute_now("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
        prepare(conn)
        transaction.commit()
