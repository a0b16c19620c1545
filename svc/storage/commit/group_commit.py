"""The store of group commit: one lane or several that write, one for quick reads, and one for long reads."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from time import perf_counter
from typing import Concatenate, Final, ParamSpec, TypeVar

import sqlalchemy as sa
import structlog
import trio
from msgspec.structs import replace

from svc.clock import Clock
from svc.domain.changes import Change
from svc.storage.commit.batch import Unit
from svc.storage.commit.commit_queue import (
    BATCH_UNITS_MAX,
    OWNER_UNITS_MAX,
    QUEUE_UNITS_MAX,
    CommitQueue,
    Limits,
)
from svc.storage.commit.database import Database
from svc.storage.commit.health import Health
from svc.storage.commit.lane import Lane
from svc.storage.commit.reader import Reader
from svc.storage.commit.snapshots import Snapshots
from svc.storage.commit.totals import total
from svc.storage.commit.turns import Turns
from svc.storage.commit.unit_spans import UnitSpan
from svc.storage.store import Owner, Sources, Store, StoreClosed, StoreStatistics, Tx, Units
from svc.telemetry.spans import current_span
from svc.wait_guard import is_requested

P = ParamSpec("P")
R = TypeVar("R")

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
        store.requested += is_requested()
        parent = current_span()
        span = None if parent is None else UnitSpan(parent, "read", fn)
        return await store.reader.read(self._owner, lambda conn: fn(conn, *args, **kwargs), span)

    async def read_long(
        self, fn: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        store = self._store
        await store.enter()
        parent = current_span()
        span = None if parent is None else UnitSpan(parent, "read_long", fn)
        return await store.long_reader.read(self._owner, lambda conn: fn(conn, *args, **kwargs), span)

    async def write(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._store.accept(self._owner, fn, lambda tx: fn(tx, *args, **kwargs))

    async def write_behind(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._store.accept(self._owner, fn, lambda tx: fn(tx, *args, **kwargs), behind=True)


def _first(_owner: str) -> int:
    """The place of the only lane there is."""
    return 0


class GroupCommitStore(_OwnerUnits, Store):
    """A store whose writers commit in groups."""

    def __init__(
        self,
        clock: Clock,
        *,
        database: Database,
        writers: Sequence[Lane],
        reader: Lane,
        long_reader: Lane,
        snapshots: Snapshots,
        resources: AsyncExitStack,
        sources: Sources,
        alone: Lane | None = None,
        lane_of: Callable[[str], int] = _first,
        timer: Callable[[], float] = perf_counter,
        batch_max: int = BATCH_UNITS_MAX,
        queue_max: int = QUEUE_UNITS_MAX,
        owner_max: int = OWNER_UNITS_MAX,
    ) -> None:
        """*lane_of* is the place among *writers* of an owner's lane, always the same.

        Units of `Owner.SYSTEM` run in the lane *alone* while no writer runs. Without such a lane there is one
        writer, which runs all units one after the other. *timer* counts the seconds that a batch may take.
        """
        super().__init__(self, Owner.SYSTEM)
        self._clock = clock
        self._lane_of = lane_of
        self.reader: Final = Reader(reader, database)
        self.long_reader: Final = Reader(long_reader, database)
        self._snapshots = snapshots
        self._resources = resources
        self._listeners: list[Callable[[Change], None]] = []
        self._health = Health(clock)
        self._turns = Turns()

        def queue_of(lane: Lane) -> CommitQueue:
            return CommitQueue(
                lane,
                database=database,
                sources=sources,
                limits=Limits(batch_max, queue_max, owner_max),
                turns=self._turns,
                health=self._health,
                timer=timer,
                notify=self._notify,
            )

        self.queues: Final = [queue_of(lane) for lane in writers]
        """One for each writer, and then the one of what runs alone, where there is one."""
        self._alone = self.queues[0]
        if alone is not None:
            self._alone = queue_of(alone)
            self.queues.append(self._alone)
            self._turns.give_alone(self._alone)
        self.foreground = 0
        """Writes and quick reads that were accepted."""
        self.requested = 0
        """Of these, those that requests wait for, or have waited for."""
        self._closing = False
        self._closed = trio.Event()

    @property
    def alone(self) -> Units:
        """The units of `Owner.SYSTEM`: none overlaps another unit."""
        return self

    def of(self, owner: str) -> Units:
        return _OwnerUnits(self, owner)

    async def enter(self) -> None:
        """Checkpoint for cancellation before a unit is accepted. Raises `StoreClosed`."""
        await trio.lowlevel.checkpoint_if_cancelled()
        if self._closing:
            raise StoreClosed("the store is closing")

    async def accept(
        self, owner: str, fn: Callable[..., object], work: Callable[[Tx], R], *, behind: bool = False
    ) -> R:
        """Queue a unit of *owner* for its writer, and wait for its outcome. Raises `StoreFull`.

        *work* calls *fn*, after which the unit is named where it is traced.
        """
        await self.enter()
        unit = Unit(owner, work, self._clock.now())
        parent = current_span()
        if parent is not None:
            unit.span = UnitSpan(parent, "write_behind" if behind else "write", fn)
        self.foreground += not behind
        self.requested += not behind and is_requested()
        queue = self._alone if owner == Owner.SYSTEM else self.queues[self._lane_of(owner)]
        queue.put(unit, behind=behind)
        return await unit.caller.wait(guarded=True)

    def snapshot(
        self, fn: Callable[[sa.Connection], Iterator[R]]
    ) -> AbstractAsyncContextManager[AsyncIterator[R]]:
        return self._snapshots(fn)

    def listen(self, listener: Callable[[Change], None]) -> None:
        self._listeners.append(listener)

    def statistics(self) -> StoreStatistics:
        return replace(
            total([queue.statistics() for queue in self.queues]),
            failure=self._health.failure,
            failing_seconds=self._health.failing_seconds,
            foreground=self.foreground,
            requested=self.requested,
            reads_waiting=self.reader.waiting + self.long_reader.waiting,
        )

    async def aclose(self) -> None:
        if self._closing:
            await self._closed.wait()
            return
        self._closing = True
        with trio.CancelScope(shield=True):
            for queue in self.queues:
                await queue.wait_idle()
            try:
                await self._resources.aclose()
            finally:
                self._closed.set()

    def _notify(self, change: Change) -> None:
        for listener in self._listeners:
            try:
                listener(change)
            except BaseException:  # the commit is done, and the other listeners must be notified
                log.exception("listener_failed", change=type(change).__name__)
