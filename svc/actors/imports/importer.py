"""The Importer: reads the import of one organization, some lines in each unit of work.

How many lines a unit has, and how long it rests, follows from what others write meanwhile: alone it goes as
fast as it can, and beside others each of its units takes a few milliseconds of the writer's time.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from svc.actors.batch_worker import BatchDone, BatchWorker, BatchWorkerState
from svc.actors.records.indexer import Indexer
from svc.domain.limits import IMPORT_BATCH_LINES, IMPORT_BATCH_LINES_SHARED
from svc.storage.imports import steps
from svc.storage.imports.steps import StepDone
from svc.storage.store import Store

FAULTS_MAX: Final = 3
"""Batches in a row that may fail by a fault of the program, before the import ends."""
INDEX_WAIT_MS: Final = 500
"""How long to wait for the index of a name by which records are found."""
BURST_UNITS: Final = 16
"""Units of work of one batch; the writer and the event loop are free after each."""


class Importer(BatchWorker[BatchWorkerState]):
    """Reads the imports of one organization."""

    async def load(self) -> BatchWorkerState:
        """Go on with what an earlier activation began."""
        self.wake.after(0)
        return BatchWorkerState()

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        return self._give_up if self.state.faults >= FAULTS_MAX else self._read

    async def _read(self) -> BatchDone:
        """Read lines in several units of work, as long as the system is not to end."""
        pace = _Pace(self.system.store)
        for _ in range(BURST_UNITS):
            done = await pace.run(self._step)
            if not done.more or done.waits or self.system.quiesced:
                break
        if done.waits:
            self.system.wake(Indexer(self.system, self.key).wake)
            return BatchDone(more=True, rest_ms=INDEX_WAIT_MS)
        return BatchDone(more=done.more)

    async def _step(self, lines_max: int) -> StepDone:
        return await self.units.write_behind(steps.step, self.key, lines_max)

    async def _give_up(self) -> BatchDone:
        reason = "a fault of the service, which its log describes; the lines that were read stay"
        await self.units.write_behind(steps.fail, self.key, reason)
        return BatchDone()


class _Pace:
    """How many lines the next unit of work has, by what others do at the store meanwhile."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = self._work()

    async def run(self, step: Callable[[int], Awaitable[StepDone]]) -> StepDone:
        """Run a unit, and rest after it as long as it took, if there is other work."""
        is_shared = self._work() > self._seen
        began, before = trio.current_time(), self._work()
        done = await step(IMPORT_BATCH_LINES_SHARED if is_shared else IMPORT_BATCH_LINES)
        took = trio.current_time() - began
        self._seen = before + 1  # the unit itself; what else was done meanwhile is others' work
        if is_shared and done.more:
            await trio.sleep(took)
        return done

    def _work(self) -> int:
        """Units of work and reads that the store has done, and those that wait."""
        statistics = self._store.statistics()
        waiting = statistics.queue_depth + statistics.reads_waiting
        return statistics.units + statistics.reads + waiting
