"""The store without threads, for tests of time: a mock clock would jump while a thread works.

The SQL, the transactions and the queue are those of the store over a file.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeVar

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
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.snapshots import InlineSnapshots
from svc.storage.sqlite.transaction import SQLITE, read_snapshot
from svc.storage.store import Sources, Store

R = TypeVar("R")


def create_tables(conn: sa.Connection, tables: sa.MetaData = metadata) -> None:
    """Create *tables* in an empty database: the schema that the migrations lead to, but faster."""
    with schema_change(conn):
        tables.create_all(conn)


@asynccontextmanager
async def inline_store(
    clock: Clock,
    path: Path | None = None,
    *,
    prepare: Callable[[sa.Connection], None] = create_tables,
    batch_max: int = BATCH_UNITS_MAX,
    queue_max: int = QUEUE_UNITS_MAX,
    owner_max: int = OWNER_UNITS_MAX,
    sealer: Sealer | None = None,
    random: Randomness = SYSTEM,
    mails: bool = False,
) -> AsyncIterator[Store]:
    """A store in memory, or over the file at *path*, that runs all jobs on the Trio thread.

    Its batches are timed by Trio's clock: under a mock clock, how long a machine takes changes nothing.
    """
    sources = Sources(random, sealer, mails=mails)
    async with AsyncExitStack() as opening:
        conn = opening.enter_context(make_engine(path).connect())
        prepare(conn)
        traces = read_snapshot(conn, clock_marks.traces)
        clock_marks.resume(clock, sources.ids, traces)
        store = GroupCommitStore(
            clock,
            database=SQLITE,
            writers=[_InlineLane(conn)],
            reader=_InlineLane(conn, read_only=True),
            long_reader=_InlineLane(conn, read_only=True),
            snapshots=InlineSnapshots(conn),
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


class _InlineLane:
    """Runs each job at once. All lanes share one connection, so each job sets whether it is read-only."""

    def __init__(self, conn: sa.Connection, *, read_only: bool = False) -> None:
        self._conn = conn
        self._mode = f"PRAGMA query_only = {read_only}"

    def submit(self, work: Callable[[sa.Connection], R], done: Callable[[Outcome[R]], None]) -> None:
        raw(self._conn).execute(self._mode)
        done(capture(work, self._conn))
