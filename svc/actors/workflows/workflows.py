"""Workflows: steps the due runs of one organization, a few in each unit of work.

However many runs wait, they are rows. There is one timer, for the earliest of them if it is due soon; else
there is not even the actor.
"""

from typing import Final

import msgspec
import structlog

from svc.actors._core import Actor, Policy, turn
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.domain.limits import STEPS_BATCH_MAX
from svc.domain.times import MINUTE_MS, SECOND_MS
from svc.tools.workflows import stepping

log = structlog.get_logger("svc.actors.workflows.workflows")

RETRY_MS: Final = 2 * SECOND_MS
"""How long to wait after the store rejected a unit. No run counts it as an attempt."""

TIMER_MS_MAX: Final = 2 * MINUTE_MS
"""The longest wait with a timer, which keeps the actor in memory. For a later run the Reconciler wakes it."""

FAULT_RETRY_MS_MAX: Final = 5 * MINUTE_MS
"""The longest backoff after a unit that failed for another reason: `RETRY_MS`, doubled each time."""


class WorkflowsState(msgspec.Struct, kw_only=True):
    """The memory of an organization's workflows. Times are ms since the epoch."""

    due: bool = False
    """There may be due runs that no unit has read yet."""
    stepping: bool = False
    next_at: int | None = None
    """When the next run is due, as the last unit has read it."""
    looked_at: int | None = None
    """When a unit has last looked for calls that had ended."""
    faults: int = 0
    """Units in a row that failed for another reason than the store, shown to operators; each is logged."""
    rests_until: int = 0


class Workflows(Actor[System, WorkflowsState]):
    """Steps the runs of one organization. Its key is the organization's id."""

    # It is woken whenever runs start. A full mailbox loses nothing: the waiting messages wake it as well.
    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> WorkflowsState:
        """Step what an earlier activation left; the first unit of work finds it."""
        self.wake.after(0)
        return WorkflowsState()

    @turn
    async def wake(self) -> None:
        """Step the runs that are due, now or after the pause."""
        self.state.due = True
        self._step_if_due()

    @turn
    async def stepped(self, at: int, next_at: int | None) -> None:
        """A unit was done at *at*; the next run is due at *next_at*."""
        state = self.state
        state.faults = 0
        state.looked_at, state.next_at = at, next_at
        self._end_stepping(rest_ms=0)

    @turn
    async def failed(self, *, fault: bool) -> None:
        """A unit has failed, by the store or by another *fault*: try again later."""
        state = self.state
        rest_ms = RETRY_MS
        if fault:
            rest_ms = min(RETRY_MS << min(state.faults, 16), FAULT_RETRY_MS_MAX)
            state.faults += 1
        state.due = True
        self._end_stepping(rest_ms=rest_ms)

    def _end_stepping(self, *, rest_ms: int) -> None:
        self.state.stepping = False
        self.state.rests_until = self.system.clock.now() + rest_ms
        self._step_if_due()

    def _step_if_due(self) -> None:
        state, now = self.state, self.system.clock.now()
        if state.stepping:
            return
        due_at = now if state.due else state.next_at
        if due_at is None:
            return
        rest_ms = max(due_at, state.rests_until) - now
        if rest_ms > 0:
            if state.due or rest_ms <= TIMER_MS_MAX:
                self.wake.after(rest_ms / SECOND_MS)
            return
        self.wake.disarm()  # this unit does what the timer was for
        # Units run in another order than their times, by seconds at most.
        ended_since = None if state.looked_at is None else state.looked_at - MINUTE_MS
        state.stepping = self.start_soon(self._step, ended_since)
        state.due = not state.stepping

    async def _step(self, ended_since: int | None) -> None:
        """Step due runs in one unit of work, in a task, and tell the outcome to the actor."""
        units = self.system.store.of(self.key)
        try:
            done = await units.write_behind(
                stepping.step_due, self.key, STEPS_BATCH_MAX, ended_since=ended_since
            )
        except Unavailable as error:
            log.warning("runs have to wait", organization=self.key, why=repr(error))
            self.failed.tell(fault=False)
        except Exception:
            log.exception("stepping runs failed, and is tried again later", organization=self.key)
            self.failed.tell(fault=True)
        else:
            self.stepped.tell(done.at, done.next_at)
