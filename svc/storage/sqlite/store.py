"""The store over a SQLite file: three connections, each with a thread of its own."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa
import structlog
import trio
from outcome import Outcome
from sqlalchemy.exc import DatabaseError

from svc.clock import Clock
from svc.domain.crypto.sealing import Sealer
from svc.domain.randomness import SYSTEM, Randomness
from svc.storage.clock import future_times
from svc.storage.clock import marks as clock_marks
from svc.storage.clock.marks import Traces
from svc.storage.commit.commit_queue import BATCH_UNITS_MAX, OWNER_UNITS_MAX, QUEUE_UNITS_MAX
from svc.storage.commit.group_commit import GroupCommitStore
from svc.storage.migrations import migrate
from svc.storage.migrations.plan import plan_of
from svc.storage.migrations.progress import MigrationProgress, Report, looked_at, unheard
from svc.storage.sqlite import _aiosqlite_trio as aiosqlite_trio
from svc.storage.sqlite import baseline
from svc.storage.sqlite._aiosqlite_trio import ThreadLost
from svc.storage.sqlite.engine import make_engine, make_file, raw, sole_use
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.snapshots import ThreadSnapshots
from svc.storage.sqlite.transaction import SQLITE, read_snapshot
from svc.storage.store import Sources, Store, StoreFailed

R = TypeVar("R")

log = structlog.get_logger("svc.storage")


def migrate_to_head(
    conn: sa.Connection, versions: Path = migrate.VERSIONS, *, report: Report = unheard
) -> None:
    """Migrate the schema to the newest revision, and *report* how it goes on.

    The schema of an empty file is made without a word. Raises `SchemaTooNew` and `StoreFailed`, with the data
    as they were.
    """
    if versions == migrate.VERSIONS:
        baseline.make_in_empty(conn)
    if read_snapshot(conn, lambda conn: migrate.is_current(conn, versions)):
        return
    plan = read_snapshot(conn, lambda conn: plan_of(conn, versions))
    progress = MigrationProgress(plan, unheard if plan.before is None else report)
    progress.begin()
    with schema_change(conn), looked_at(conn, progress):
        migrate.upgrade(conn, versions, progress.applied)
    progress.end()


@asynccontextmanager
async def open_store(
    path: Path,
    clock: Clock,
    *,
    prepare: Callable[[sa.Connection], None] = migrate_to_head,
    batch_max: int = BATCH_UNITS_MAX,
    queue_max: int = QUEUE_UNITS_MAX,
    owner_max: int = OWNER_UNITS_MAX,
    sealer: Sealer | None = None,
    random: Randomness = SYSTEM,
    mails: bool = False,
) -> AsyncIterator[Store]:
    """Open the store over the file at *path*, created if missing; it is closed on exit.

    *prepare* runs with the writer's connection before anything else, outside of a transaction. *clock* and
    the store's ids continue after those that are stored. Ids, keys and tokens are made of *random*. *mails*
    says that a mail server is configured.

    Raises:
        StoreInUse: another process has the file open.
        SchemaTooNew: the data is of a newer version.
        StoreFailed: the file cannot be used, or a thread of the store has ended by itself, in which case the
            block is cancelled first.
    """
    sources = Sources(random, sealer, mails=mails)
    read_traces: list[Traces] = []
    inside = trio.CancelScope()
    lost: list[str] = []

    def prepare_and_read(conn: sa.Connection) -> None:
        prepare(conn)
        read_traces.append(read_snapshot(conn, clock_marks.traces))

    def lose(name: str) -> None:
        log.critical("a thread of the store has ended by itself; the store closes", thread=name)
        lost.append(name)
        inside.cancel()

    async with AsyncExitStack() as opening:
        try:
            make_file(path)
            engine = make_engine(path)
            opening.enter_context(sole_use(path))
            with trio.CancelScope(shield=True):
                writer = await opening.enter_async_context(
                    _thread_lane(engine, "writer", prepare_and_read, lose)
                )
                reader = await opening.enter_async_context(_thread_lane(engine, "reader", _read_only, lose))
                long_reader = await opening.enter_async_context(
                    _thread_lane(engine, "long reader", _read_only, lose)
                )
        except (DatabaseError, sqlite3.DatabaseError, OSError, ThreadLost) as error:
            raise StoreFailed(f"{path} cannot be opened: {_cause(error)}") from error
        [traces] = read_traces
        clock_marks.resume(clock, sources.ids, traces)
        store = GroupCommitStore(
            clock,
            database=SQLITE,
            writers=[writer],
            reader=reader,
            long_reader=long_reader,
            snapshots=ThreadSnapshots(engine),
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
        raise StoreFailed(f"the thread of the {lost[0]} of {path} has ended by itself")


def _cause(error: Exception) -> str:
    """Why the file cannot be opened, without the statement that SQLAlchemy adds; of a file, with its name."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(getattr(error, "orig", error))


class _ThreadLane:
    """A connection that aiosqlite owns, with the thread that runs all jobs on it."""

    def __init__(self, connection: aiosqlite_trio.Connection, conn: sa.Connection) -> None:
        self._connection = connection
        self._conn = conn

    def submit(self, work: Callable[[sa.Connection], R], done: Callable[[Outcome[R]], None]) -> None:
        self._connection.submit(partial(work, self._conn), done)


@asynccontextmanager
async def _thread_lane(
    engine: sa.Engine, name: str, prepare: Callable[[sa.Connection], None], lose: Callable[[str], None]
) -> AsyncIterator[_ThreadLane]:
    opened: list[sa.Connection] = []

    def connect() -> sqlite3.Connection:
        opened.append(engine.connect())
        return raw(opened[0])

    lost = partial(lose, name)
    async with aiosqlite_trio.Connection(connect, name=f"svc {name}", lost=lost) as connection:
        [conn] = opened
        try:
            await connection.run(partial(prepare, conn))
            yield _ThreadLane(connection, conn)
        finally:
            if connection.is_lost:
                conn.detach()  # only its own thread can close it, or the end of the process
            else:
                with trio.CancelScope(shield=True):
                    await connection.run(conn.close)


def _read_only(conn: sa.Connection) -> None:
    raw(conn).execute("PRAGMA query_only = ON")
