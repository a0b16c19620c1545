"""Workflows: steps the due runs of one organization, a few in each unit of work.

However many runs wait, they are rows. There is one timer, for the earliest of them if it is due soon; else
there is not even the actor.
"""

from collections.abc import Awaitable, Callable
from functools import partial

from svc.actors._core import turn
from svc.actors.batch_worker import BatchDone, BatchWorker, BatchWorkerState
from svc.domain.locale.times import MINUTE_MS
from svc.domain.workflows.limits import STEPS_BATCH_MAX
from svc.runs.workflows import stepping


class WorkflowsState(BatchWorkerState, kw_only=True):
    """The memory of an organization's workflows."""

    looked_at: int | None = None
    """When a unit of work has last looked for calls that had ended, in ms since the epoch."""


class Workflows(BatchWorker[WorkflowsState]):
    """Steps the runs of one organization."""

    async def load(self) -> WorkflowsState:
        """Step what an earlier activation left; the first unit of work finds it."""
        self.check.after(0)
        return WorkflowsState()

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        # Units run in another order than their times, by seconds at most.
        looked_at = self.state.looked_at
        return partial(self._step, None if looked_at is None else looked_at - MINUTE_MS)

    @turn
    async def looked(self, at: int) -> None:
        """A unit of work has looked for calls that had ended, at *at*."""
        self.state.looked_at = at

    async def _step(self, ended_since: int | None) -> BatchDone:
        """Step due runs in one unit of work. What it leaves due, it says by the time of the next run."""
        done = await self.units.write_behind(
            stepping.step_due, self.key, STEPS_BATCH_MAX, ended_since=ended_since
        )
        self.looked.tell(done.at)
        return BatchDone(next_at=done.next_at)
