"""The Importer: reads the import of one organization, some lines in each unit of work.

How many lines a unit has, and how long it rests, follows from what requests ask meanwhile: alone it goes as
fast as it can, and beside others each of its units takes a millisecond or two of the writer's time. What the
service does by itself, such as to deliver the events of the import, is no reason to rest.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import trio

from svc.actors._core import Private
from svc.actors.batch_worker import BatchDone, BatchWorker, BatchWorkerState
from svc.actors.records.indexer import Indexer
from svc.actors.request_pace import SHARED_REST, RequestPace
from svc.domain.imports.limits import IMPORT_BATCH_LINES, IMPORT_BATCH_LINES_SHARED
from svc.storage.imports import steps
from svc.storage.imports.steps import StepDone

FAULTS_MAX: Final = 3
"""Batches in a row that may fail by a fault of the program, before the import ends."""
INDEX_WAIT_MS: Final = 500
"""How long to wait for the index of a name by which records are found."""
BURST_UNITS: Final = 16
"""Units of work of one batch; the writer and the event loop are free after each."""


class Pace:
    """How many lines the next unit of work has, by what requests ask of the store meanwhile."""

    def __init__(self, requests: RequestPace) -> None:
        self._requests = requests

    async def run(self, step: Callable[[int], Awaitable[StepDone]]) -> StepDone:
        """Run a unit, and rest after it, if others are served meanwhile."""
        is_shared = self._requests.is_shared()
        began = trio.current_time()
        done = await step(IMPORT_BATCH_LINES_SHARED if is_shared else IMPORT_BATCH_LINES)
        if is_shared and done.more:
            await trio.sleep(SHARED_REST * (trio.current_time() - began))
        return done


class ImporterState(BatchWorkerState, kw_only=True):
    """The memory of an Importer. The progress of an import is stored with it."""

    pace: Private[Pace]


class Importer(BatchWorker[ImporterState]):
    """Reads the imports of one organization."""

    async def load(self) -> ImporterState:
        """Go on with what an earlier activation began."""
        self.check.after(0)
        return ImporterState(pace=Private(Pace(self.system.request_pace)))

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        if self.state.faults >= FAULTS_MAX:
            return self._give_up
        return partial(self._read, self.state.pace.value)

    async def _read(self, pace: Pace) -> BatchDone:
        """Read lines in several units of work, as long as the system is not to end."""
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
