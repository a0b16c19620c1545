"""The base of actors that do an organization's stored work in batches, one unit of work after another.

The work is rows, so such an actor may crash at any point; the Reconciler wakes it if a wakeup was lost.
"""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import msgspec
import structlog

from svc.actors._core import Actor, Policy, turn
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.domain.times import MINUTE_MS, SECOND_MS
from svc.storage.store import Units

log = structlog.get_logger("svc.actors.batch_worker")

RETRY_MS: Final = 2 * SECOND_MS
"""How long to wait after the store rejected a batch."""

FAULT_RETRY_MS_MAX: Final = 5 * MINUTE_MS
"""The longest backoff after a batch that failed for another reason: `RETRY_MS`, doubled each time."""

TIMER_MS_MAX: Final = 2 * MINUTE_MS
"""The longest wait with a timer, which keeps the actor in memory. For later work the Reconciler wakes it."""


class BatchWorkerState(msgspec.Struct, kw_only=True):
    """The memory of a BatchWorker. Times are ms since the epoch."""

    due: bool = False
    """There may be due work that no batch has read yet."""
    working: bool = False
    next_at: int | None = None
    """When the next work is due, as the last batch has read it."""
    faults: int = 0
    """Batches in a row that failed for another reason than the store, shown to operators; each is logged."""
    rests_until: int = 0


class BatchDone(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch leaves."""

    more: bool = False
    """Whether there may be more due work."""
    next_at: int | None = None
    """When the next work is due that is not due yet, in ms since the epoch."""
    rest_ms: int = 0
    """The least pause before the next batch."""


S = TypeVar("S", bound=BatchWorkerState)


class BatchWorker(Actor[System, S]):
    """Does stored work of one organization, in batches. Its key is the organization's id."""

    # It is woken for each piece of work. A full mailbox loses nothing: the waiting messages wake it as well.
    policy = Policy(mailbox_max=512, idle_seconds=300)

    @abstractmethod
    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        """Return what does the next batch, in a task. It raises `Unavailable` if the store rejects it."""

    @turn
    async def wake(self) -> None:
        """Do the work that is due, now or after the pause."""
        self.state.due = True
        self.work_if_due()

    @turn
    async def batch_done(self, done: BatchDone) -> None:
        """A batch has ended."""
        self.state.faults = 0
        self.state.due |= done.more
        self.state.next_at = done.next_at
        self._end_batch(done.rest_ms)

    @turn
    async def batch_failed(self, *, fault: bool) -> None:
        """A batch was rejected by the store, or failed by another *fault*: retry it, with backoff."""
        state = self.state
        rest_ms = RETRY_MS
        if fault:
            rest_ms = min(RETRY_MS << min(state.faults, 16), FAULT_RETRY_MS_MAX)
            state.faults += 1
        state.due = True
        self._end_batch(rest_ms)

    @property
    def units(self) -> Units:
        """The store for this organization's units of work."""
        return self.system.store.of(self.key)

    def _end_batch(self, rest_ms: int) -> None:
        self.state.working = False
        self.state.rests_until = self.system.clock.now() + rest_ms
        self.work_if_due()

    def work_if_due(self) -> None:
        """Start the next batch, or arm the timer for it."""
        state, now = self.state, self.system.clock.now()
        due_at = now if state.due else state.next_at
        if state.working or due_at is None:
            return
        wait_ms = max(due_at, state.rests_until) - now
        if wait_ms > 0:
            if state.due or wait_ms <= TIMER_MS_MAX:
                self.wake.after(wait_ms / SECOND_MS)
            return
        self.wake.disarm()  # this batch does what the timer was for
        state.working = self.start_soon(self._work, self.next_batch())
        state.due = not state.working

    async def _work(self, batch: Callable[[], Awaitable[BatchDone]]) -> None:
        """Do a batch, in a task, and tell the outcome to the actor."""
        try:
            done = await batch()
        except Unavailable as error:
            log.warning("work has to wait", actor=repr(self), why=repr(error))
            self.batch_failed.tell(fault=False)
        except Exception:
            log.exception("work failed, and is tried again later", actor=repr(self))
            self.batch_failed.tell(fault=True)
        else:
            self.batch_done.tell(done)
