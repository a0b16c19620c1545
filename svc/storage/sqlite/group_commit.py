"""Group commit: all units that wait when the writer is free are committed in one transaction, with one fsync.

There is no writer task that could be cancelled or crash: the end of a batch starts the next.
"""

from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from time import perf_counter
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import sqlalchemy as sa
import structlog
import trio
from msgspec.structs import replace
from outcome import Error, Outcome, Value

from svc.clock import Clock
from svc.domain.changes import Change
from svc.domain.times import SECOND_MS
from svc.storage.sqlite.fair_queue import FairQueue
from svc.storage.sqlite.lane import Lane
from svc.storage.sqlite.reader import Reader
from svc.storage.sqlite.transaction import Batch, Fairness, Unit, reason
from svc.storage.store import (
    Owner,
    Sources,
    Store,
    StoreClosed,
    StoreFailed,
    StoreFull,
    StoreStatistics,
    Tx,
    Units,
)
from svc.throttled_log import ThrottledLog

P = ParamSpec("P")
R = TypeVar("R")

BATCH_UNITS_MAX: Final = 256
QUEUE_UNITS_MAX: Final = 16_384
"""Units that may wait for the writer."""
OWNER_UNITS_MAX: Final = 4_096
"""Units of one owner that may wait: about a second of work, and a quarter of the queue."""
SHARED_BATCH_SECONDS: Final = 0.001
"""How long a batch continues with further units of some owners while another owner waits for its end."""
JOINING_UNITS_MAX: Final = 16
"""Units that may join a batch while it runs, each the first of its owner."""
BEHIND_UNITS_MAX: Final = 2
"""Units of `write_behind` that are added to a batch of other units: a few milliseconds of work.

Background work accumulates while it waits, so fewer and larger units cost less.
"""
BEHIND_ALONE_MAX: Final = 16
"""Units of `write_behind` in a batch of their own."""

log = structlog.get_logger("svc.storage")


class _OwnerUnits(Units):
    """Submits the units of one owner to the queues of a store."""

    def __init__(self, store: "GroupCommitStore", owner: str) -> None:
        self._store = store
        self._owner = owner

    async def read(
        self, fn: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        store = self._store
        await store.enter()
        store.foreground += 1
        return await store.reader.read(self._owner, lambda conn: fn(conn, *args, **kwargs))

    async def read_long(
        self, fn: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        store = self._store
        await store.enter()
        return await store.long_reader.read(self._owner, lambda conn: fn(conn, *args, **kwargs))

    async def write(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        store = self._store
        return await store.accept(store.queue, self._owner, lambda tx: fn(tx, *args, **kwargs))

    async def write_behind(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        store = self._store
        return await store.accept(store.behind, self._owner, lambda tx: fn(tx, *args, **kwargs))


class GroupCommitStore(_OwnerUnits, Store):
    """A store with one writer, one reader for quick reads, and one for long reads."""

    def __init__(
        self,
        clock: Clock,
        *,
        writer: Lane,
        reader: Lane,
        long_reader: Lane,
        resources: AsyncExitStack,
        sources: Sources,
        timer: Callable[[], float] = perf_counter,
        batch_max: int = BATCH_UNITS_MAX,
        queue_max: int = QUEUE_UNITS_MAX,
        owner_max: int = OWNER_UNITS_MAX,
    ) -> None:
        """*timer* counts the seconds that a batch may take, in the writer's lane."""
        super().__init__(self, Owner.SYSTEM)
        self._clock = clock
        self._sources = sources
        self._timer = timer
        self._writer = writer
        self.reader: Final = Reader(reader)
        self.long_reader: Final = Reader(long_reader)
        self._resources = resources
        self._batch_max = batch_max
        self._token = trio.lowlevel.current_trio_token()
        self._listeners: list[Callable[[Change], None]] = []
        self.queue: Final = FairQueue[Unit[Any]](queue_max, owner_max)
        self.behind: Final = FairQueue[Unit[Any]](queue_max, owner_max)
        self.foreground = 0
        """Writes and quick reads that were accepted."""
        self._writing = False
        self._batch: Batch | None = None
        """The batch that the writer is running."""
        self._idle = trio.lowlevel.ParkingLot()
        self._closing = False
        self._closed = trio.Event()
        self._statistics = StoreStatistics()
        self._failure: str | None = None
        self._failing_since: int | None = None
        self._faults = ThrottledLog(log, "batch_failed", level="error", over="batches_succeed_again")

    def of(self, owner: str) -> Units:
        return _OwnerUnits(self, owner)

    async def enter(self) -> None:
        """Checkpoint for cancellation before a unit is accepted. Raises `StoreClosed`."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._closing:
            raise StoreClosed("the store is closing")

    async def accept(self, queue: FairQueue[Unit[Any]], owner: str, work: Callable[[Tx], R]) -> R:
        """Queue a unit of *owner* for the writer, and wait for its outcome. Raises `StoreFull`."""
        await self.enter()
        unit = Unit(owner, work, self._clock.now())
        is_foreground = queue is self.queue
        self.foreground += is_foreground
        joins = is_foreground and self._batch is not None and self._batch.join(unit)
        if not joins and not queue.put(owner, unit):
            raise StoreFull("too many units wait for the disk already")
        if not self._writing:
            self._writing = True
            # Not at once, so that units of tasks that run in this tick join the batch.
            self._token.run_sync_soon(self._write_batch)
        return await unit.caller.wait(guarded=True)

    def listen(self, listener: Callable[[Change], None]) -> None:
        self._listeners.append(listener)

    def statistics(self) -> StoreStatistics:
        return replace(
            self._statistics,
            failure=self._failure,
            failing_seconds=None
            if self._failing_since is None
            else (self._clock.now() - self._failing_since) / SECOND_MS,
            queue_depth=len(self.queue) + len(self.behind),
            foreground=self.foreground,
            reads_waiting=self.reader.waiting + self.long_reader.waiting,
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

    def _write_batch(self) -> None:
        behind = self._take_behind() if self.behind else []
        taken = self.queue.take_round(self._batch_max - len(behind))
        # Units of `write_behind` are among the units that always run: otherwise they could starve.
        units = [*taken.items[: taken.first], *behind, *taken.items[taken.first :]] if behind else taken.items
        fairness = Fairness(
            taken.first,
            min(len(behind), BEHIND_UNITS_MAX),
            taken.even + len(behind),
            SHARED_BATCH_SECONDS,
            min(JOINING_UNITS_MAX, self._batch_max - len(units)),
        )
        probes = self._failing_since is not None
        self._batch = batch = Batch(
            units, taken.owners, fairness, self._sources, timer=self._timer, probes=probes
        )
        self._submit(batch)

    def _submit(self, batch: Batch) -> None:
        done = partial(self._batch_done, batch)
        try:
            self._writer.submit(batch.commit, done)
        except Exception as error:  # noqa: BLE001  # the thread has ended, and the callers still wait
            batch.lose(error)
            self._token.run_sync_soon(done, Value(None))

    def _take_behind(self) -> list[Unit[Any]]:
        behind_max = BEHIND_UNITS_MAX if self.queue else BEHIND_ALONE_MAX
        return self.behind.take_round(min(behind_max, self._batch_max)).items

    def _batch_done(self, batch: Batch, finished: Outcome[None]) -> None:
        """Settle *batch* and start the next, even if settling fails: nothing else would start it."""
        try:
            if isinstance(finished, Error):
                batch.lose(finished.error, known=False)
            self._settle(batch)
        finally:
            self._batch = None
            if batch.left or batch.joining:
                self._take_back(batch)
            if self.queue or self.behind:
                self._write_batch()
            else:
                self._writing = False
                self._idle.unpark_all()

    def _settle(self, batch: Batch) -> None:
        """Dispatch changes and outcomes. An error in a listener or caller is logged, and affects no other."""
        for change in batch.changes:
            self._notify(change)
        for unit, outcome in zip(batch.units, batch.outcomes, strict=True):
            try:
                self._answer(unit, outcome)
            except BaseException:
                log.exception("caller_not_answered")
        try:
            self._count(batch)
            self._note_health(batch)
        except BaseException:
            log.exception("batch_not_counted")

    def _take_back(self, batch: Batch) -> None:
        """Requeue the units that the batch did not run."""
        self.queue.put_back([(unit.owner, unit) for unit in batch.joining])
        queue = self.queue if batch.fairness.first else self.behind
        queue.put_back([(unit.owner, unit) for unit in batch.left])

    def _notify(self, change: Change) -> None:
        for listener in self._listeners:
            try:
                listener(change)
            except BaseException:  # the commit is done, and the other listeners must be notified
                log.exception("listener_failed", change=type(change).__name__)

    def _answer(self, unit: Unit[Any], outcome: Outcome[Any]) -> None:
        if (
            unit.caller.abandoned
            and isinstance(outcome, Error)
            and not isinstance(outcome.error, StoreFailed)
        ):
            log.warning("abandoned_unit_failed", error=type(outcome.error).__name__)
        unit.caller.set(outcome)

    def _note_health(self, batch: Batch) -> None:
        """Record whether writing works: from a fault on it does not, until a batch with a probe succeeds."""
        if batch.fault is not None:
            self._failure = reason(batch.fault)
            if self._failing_since is None:
                self._failing_since = self._clock.now()
            self._faults.note(repr(batch.fault.__cause__ or batch.fault), units=len(batch.units))
        elif batch.probes:
            self._failure = self._failing_since = None
            self._faults.end()

    def _count(self, batch: Batch) -> None:
        before = self._statistics
        size = len(batch.units)
        failed = sum(isinstance(outcome, Error) for outcome in batch.outcomes)
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
