"""A queue of units and the lane that commits them, in batches: all that wait when it is free, with one fsync.

There is no writer task that could be cancelled or crash: the end of a batch starts the next.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import structlog
import trio
from msgspec.structs import replace
from outcome import Error, Outcome, Value

from svc.domain.changes import Change
from svc.histogram import Histogram
from svc.request_id import working_for
from svc.storage.commit.batch import Batch, Fairness, Unit
from svc.storage.commit.database import Database
from svc.storage.commit.fair_queue import FairQueue
from svc.storage.commit.health import Health
from svc.storage.commit.lane import Lane
from svc.storage.commit.turns import Turns
from svc.storage.store import (
    BATCH_BOUNDS_UNITS,
    COMMIT_BOUNDS_SECONDS,
    Sources,
    StoreFailed,
    StoreFull,
    StoreStatistics,
)
from svc.telemetry.spans import within

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


class Limits(NamedTuple):
    """How much a queue takes."""

    batch_max: int = BATCH_UNITS_MAX
    """Units of one batch."""
    queue_max: int = QUEUE_UNITS_MAX
    """Units that may wait; of `write_behind` as many again."""
    owner_max: int = OWNER_UNITS_MAX
    """Units of one owner that may wait."""


class CommitQueue:
    """The units of some owners, and the lane that writes them."""

    def __init__(
        self,
        lane: Lane,
        *,
        database: Database,
        sources: Sources,
        limits: Limits,
        turns: Turns,
        health: Health,
        timer: Callable[[], float],
        notify: Callable[[Change], None],
    ) -> None:
        """*timer* counts the seconds that a batch may take; *notify* hears of each committed change."""
        self.lane = lane
        self._database = database
        self._sources = sources
        self._limits = limits
        self._turns = turns
        self._health = health
        self._timer = timer
        self._notify = notify
        self._token = trio.lowlevel.current_trio_token()
        self.queue: Final = FairQueue[Unit[Any]](limits.queue_max, limits.owner_max)
        self.behind: Final = FairQueue[Unit[Any]](limits.queue_max, limits.owner_max)
        self._writing = False
        self._batch: Batch | None = None
        """The batch that the lane is running."""
        self._idle = trio.lowlevel.ParkingLot()
        self._statistics = StoreStatistics()
        self._commits = Histogram(COMMIT_BOUNDS_SECONDS)
        self._batches_by_units = Histogram(BATCH_BOUNDS_UNITS)

    def put(self, unit: Unit[Any], *, behind: bool = False) -> None:
        """Queue *unit*; its slot gets the outcome. Raises `StoreFull`."""
        joins = not behind and self._batch is not None and self._batch.join(unit)
        if not joins and not (self.behind if behind else self.queue).put(unit.owner, unit):
            full = StoreFull("too many units wait for the disk already")
            if unit.span is not None:
                unit.span.end(Error(full))
            raise full
        if not self._writing:
            self._writing = True
            # Not at once, so that units of tasks that run in this tick join the batch.
            self._token.run_sync_soon(self._turns.ask, self)

    async def wait_idle(self) -> None:
        """Wait until all units are answered."""
        while self._writing:
            await self._idle.park()

    def statistics(self) -> StoreStatistics:
        """What this queue and its lane have done; the rest of the counters is not theirs."""
        return replace(
            self._statistics,
            queue_depth=len(self.queue) + len(self.behind),
            commits=tuple(self._commits.buckets()),
            batches_by_units=tuple(self._batches_by_units.buckets()),
        )

    def begin(self) -> None:
        """Begin a batch of what waits; `Turns` says when."""
        batch_max = self._limits.batch_max
        behind = self._take_behind() if self.behind else []
        taken = self.queue.take_round(batch_max - len(behind))
        # Units of `write_behind` are among the units that always run: otherwise they could starve.
        units = [*taken.items[: taken.first], *behind, *taken.items[taken.first :]] if behind else taken.items
        fairness = Fairness(
            taken.first,
            min(len(behind), BEHIND_UNITS_MAX),
            taken.even + len(behind),
            SHARED_BATCH_SECONDS,
            min(JOINING_UNITS_MAX, batch_max - len(units)),
        )
        probes = self._health.is_failing
        self._batch = batch = Batch(
            units, taken.owners, fairness, self._sources, self._database, timer=self._timer, probes=probes
        )
        self._submit(batch)

    def _submit(self, batch: Batch) -> None:
        done = partial(self._batch_done, batch)
        try:
            self.lane.submit(batch.commit, done)
        except Exception as error:  # noqa: BLE001  # the thread has ended, and the callers still wait
            batch.lose(error)
            self._token.run_sync_soon(done, Value(None))

    def _take_behind(self) -> list[Unit[Any]]:
        behind_max = BEHIND_UNITS_MAX if self.queue else BEHIND_ALONE_MAX
        return self.behind.take_round(min(behind_max, self._limits.batch_max)).items

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
            self._turns.ended(self)
            if self.queue or self.behind:
                self._turns.ask(self)
            else:
                self._writing = False
                self._idle.unpark_all()

    def _settle(self, batch: Batch) -> None:
        """Dispatch changes and outcomes. An error in a listener or caller is logged, and affects no other."""
        for change, unit in zip(batch.changes, batch.announcers, strict=True):
            with working_for(unit.request_id):
                if unit.span is None:
                    self._notify(change)
                else:
                    with within(unit.span.span):
                        self._notify(change)
        for unit, outcome in zip(batch.units, batch.outcomes, strict=True):
            with working_for(unit.request_id):
                try:
                    self._answer(unit, outcome)
                except BaseException:
                    log.exception("caller_not_answered")
        try:
            self._count(batch)
            self._health.note(batch)
        except BaseException:
            log.exception("batch_not_counted")

    def _take_back(self, batch: Batch) -> None:
        """Requeue the units that the batch did not run."""
        self.queue.put_back([(unit.owner, unit) for unit in batch.joining])
        queue = self.queue if batch.fairness.first else self.behind
        queue.put_back([(unit.owner, unit) for unit in batch.left])

    def _answer(self, unit: Unit[Any], outcome: Outcome[Any]) -> None:
        if (
            unit.caller.abandoned
            and isinstance(outcome, Error)
            and not isinstance(outcome.error, StoreFailed)
        ):
            log.warning("abandoned_unit_failed", error=type(outcome.error).__name__)
        if unit.span is not None:
            unit.span.end(outcome)
        unit.caller.set(outcome)

    def _count(self, batch: Batch) -> None:
        before = self._statistics
        size = len(batch.units)
        self._commits.add(batch.commit_seconds)
        self._batches_by_units.add(size)
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
