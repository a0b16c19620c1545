"""Group commit: the units that wait when the writer is free share one transaction and one wait for the disk.

There is no writer task that could be cancelled or crash: the end of one batch starts the next.
"""

from collections import deque
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

import structlog
import trio
from msgspec.structs import replace
from outcome import Error, Outcome
from sqlalchemy import Connection

from svc.clock import Clock
from svc.domain.changes import Change
from svc.domain.sealing import Sealer
from svc.storage._aiosqlite_trio import Slot
from svc.storage._sqlite.transaction import Batch, Unit, read_snapshot
from svc.storage.store import Store, StoreClosed, StoreFull, StoreStatistics, Tx

P = ParamSpec("P")
R = TypeVar("R")

BATCH_UNITS_MAX: Final = 256
QUEUE_UNITS_MAX: Final = 4_096
"""Units that may wait for the writer: about a second of work."""
BEHIND_UNITS_MAX: Final = 2
"""Units of `write_behind` that go along with a commit that somebody waits for: a few milliseconds of work.

What they find to do grows while they wait, so fewer and larger ones cost less.
"""
BEHIND_ALONE_MAX: Final = 16
"""Units of `write_behind` in a commit of their own."""
READS_WAITING_MAX: Final = 1_024
"""Reads that may wait for one reader."""

log = structlog.get_logger("svc.storage")


class Lane(Protocol):
    """A connection, and the place where work over it is done, one job after the other."""

    def submit(self, work: Callable[[Connection], R], tell: Callable[[Outcome[R]], None]) -> None:
        """Have *work* done over the connection, and its outcome told on the Trio thread."""
        ...


class GroupCommitStore(Store):
    """A store with one writer, one quick reader, and one for long reads."""

    def __init__(
        self,
        clock: Clock,
        *,
        writer: Lane,
        reader: Lane,
        long_reader: Lane,
        resources: AsyncExitStack,
        batch_max: int = BATCH_UNITS_MAX,
        queue_max: int = QUEUE_UNITS_MAX,
        sealer: Sealer | None = None,
    ) -> None:
        self._clock = clock
        self._sealer = sealer
        self._writer = writer
        self._reader = _Reader(reader)
        self._long_reader = _Reader(long_reader)
        self._resources = resources
        self._batch_max = batch_max
        self._queue_max = queue_max
        self._token = trio.lowlevel.current_trio_token()
        self._listeners: list[Callable[[Change], None]] = []
        self._queue = deque[Unit[Any]]()
        self._behind = deque[Unit[Any]]()
        self._writing = False
        self._idle = trio.lowlevel.ParkingLot()
        self._closing = False
        self._closed = trio.Event()
        self._statistics = StoreStatistics()

    async def read(self, fn: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        await self._enter()
        return await self._reader.read(lambda conn: fn(conn, *args, **kwargs))

    async def read_long(
        self, fn: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        await self._enter()
        return await self._long_reader.read(lambda conn: fn(conn, *args, **kwargs))

    async def write(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._accept(self._queue, lambda tx: fn(tx, *args, **kwargs))

    async def write_behind(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._accept(self._behind, lambda tx: fn(tx, *args, **kwargs))

    async def _accept(self, queue: deque[Unit[Any]], work: Callable[[Tx], R]) -> R:
        await self._enter()
        if len(queue) >= self._queue_max:
            raise StoreFull(f"{self._queue_max} units wait for the disk already")
        unit = Unit(work, self._clock.now())
        queue.append(unit)
        if not self._writing:
            self._writing = True
            # Not at once: the tasks that run in this same tick get into the batch as well.
            self._token.run_sync_soon(self._write_batch)
        return await unit.caller.wait(guarded=True)

    def listen(self, listener: Callable[[Change], None]) -> None:
        self._listeners.append(listener)

    def statistics(self) -> StoreStatistics:
        return replace(
            self._statistics,
            queue_depth=len(self._queue) + len(self._behind),
            reads_waiting=self._reader.waiting + self._long_reader.waiting,
        )

    async def aclose(self) -> None:
        if self._closing:
            await self._closed.wait()
            return
        self._closing = True
        with trio.CancelScope(shield=True):
            while self._writing:
                await self._idle.park()
            try:
                await self._resources.aclose()
            finally:
                self._closed.set()

    async def _enter(self) -> None:
        """The one place where a cancelled caller turns back; what follows it accepts without waiting."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._closing:
            raise StoreClosed("the store is closing")

    def _write_batch(self) -> None:
        behind_max = BEHIND_UNITS_MAX if self._queue else BEHIND_ALONE_MAX
        behind = min(len(self._behind), behind_max, self._batch_max)
        size = min(len(self._queue), self._batch_max - behind)
        units = [self._queue.popleft() for _ in range(size)]
        batch = Batch([*units, *(self._behind.popleft() for _ in range(behind))], self._sealer)
        self._writer.submit(batch.commit, partial(self._batch_done, batch))

    def _batch_done(self, batch: Batch, finished: Outcome[None]) -> None:
        finished.unwrap()
        for change in batch.changes:
            self._tell(change)
        for unit, outcome in zip(batch.units, batch.outcomes, strict=True):
            if unit.caller.abandoned and isinstance(outcome, Error):
                log.warning("abandoned_unit_failed", error=type(outcome.error).__name__)
            unit.caller.set(outcome)
        self._count(batch)
        if self._queue or self._behind:
            self._write_batch()
        else:
            self._writing = False
            self._idle.unpark_all()

    def _tell(self, change: Change) -> None:
        for listener in self._listeners:
            try:
                listener(change)
            except Exception:  # the commit stands, and the other listeners must hear of it
                log.exception("listener_failed", change=type(change).__name__)

    def _count(self, batch: Batch) -> None:
        before = self._statistics
        size = len(batch.units)
        failed = sum(isinstance(outcome, Error) for outcome in batch.outcomes)
        if batch.failure is not None:
            log.error("batch_failed", units=size, error=repr(batch.failure.__cause__ or batch.failure))
        self._statistics = replace(
            before,
            batches=before.batches + (batch.failure is None),
            batches_failed=before.batches_failed + (batch.failure is not None),
            units=before.units + size - failed,
            units_failed=before.units_failed + failed,
            batch_units_last=size,
            batch_units_max=max(before.batch_units_max, size),
            commit_seconds=before.commit_seconds + batch.commit_seconds,
            commit_seconds_max=max(before.commit_seconds_max, batch.commit_seconds),
        )


class _Reader:
    """One lane for reads, and how many wait for it."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self.waiting = 0

    async def read(self, fn: Callable[[Connection], R]) -> R:
        if self.waiting >= READS_WAITING_MAX:
            raise StoreFull(f"{READS_WAITING_MAX} reads wait already")
        caller: Slot[R] = Slot()

        def done(outcome: Outcome[R]) -> None:
            self.waiting -= 1
            caller.set(outcome)

        self.waiting += 1
        self._lane.submit(lambda conn: read_snapshot(conn, fn), done)
        return await caller
