"""The base of actors that do an organization's stored work in batches, one unit of work after another.

The work is rows, so such an actor may crash at any point; the Reconciler wakes it if a wakeup was lost.
"""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import ClassVar, Final, TypeVar

import msgspec
import structlog

from svc.actors._core import Actor, Policy, turn
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.domain.locale.times import MINUTE_MS, SECOND_MS
from svc.domain.retries import doubled_ms
from svc.storage.store import Units

log = structlog.get_logger("svc.actors.batch_worker")

RETRY_MS: Final = 2 * SECOND_MS
"""How long to wait after the store rejected a unit of work."""

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
    """When to look for due work without a message; None during a batch, which reads it."""
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

    timer_ms_max: ClassVar[float] = TIMER_MS_MAX
    """The longest wait with a timer."""

    @abstractmethod
    def next_batch(self) -> Callable[[], Awaitable[BatchDone]] | None:
        """Return what does the next batch, in a task. It raises `Unavailable` if the store rejects it.

        None where nothing may begin now: the work stays due, for the next turn that looks.
        """

    @turn
    async def wake(self) -> None:
        """Do the work that is due, now or after the pause."""
        self.state.due = True
        self.work_if_due()

    @turn
    async def check(self) -> None:
        """Something is due by the clock: the timer of `check_by`."""
        self.state.due, self.state.next_at = True, None
        self.work_if_due()

    @turn
    async def batch_done(self, done: BatchDone) -> None:
        """A batch has ended."""
        self.state.faults = 0
        self.state.due |= done.more
        if done.next_at is not None:
            self.check_by(done.next_at)
        await self.end_batch(done.rest_ms)

    @turn
    async def batch_failed(self, *, fault: bool) -> None:
        """A batch was rejected by the store, or failed by another *fault*: retry it, with backoff."""
        state = self.state
        rest_ms = RETRY_MS
        if fault:
            rest_ms = doubled_ms(RETRY_MS, state.faults, FAULT_RETRY_MS_MAX)
            state.faults += 1
        state.due = True
        await self.end_batch(rest_ms)

    @property
    def units(self) -> Units:
        """The store for this organization's units of work."""
        return self.system.store.of(self.key)

    def check_by(self, at: int) -> None:
        """Have `check` run at *at* or earlier, in ms since the epoch. There is one timer."""
        state = self.state
        if state.next_at is None or at < state.next_at:
            state.next_at = at
            wait_ms = max(0, at - self.system.clock.now())
            if state.due or wait_ms <= self.timer_ms_max:
                self.check.after(wait_ms / SECOND_MS)

    async def end_batch(self, rest_ms: int) -> None:
        """Go on after a batch, once the pause is over."""
        self.state.working = False
        self.state.rests_until = self.system.clock.now() + rest_ms
        self.work_if_due()

    def work_if_due(self) -> None:
        """Start the next batch, or arm the timer for the end of the pause."""
        state = self.state
        if state.working or not state.due:
            return
        # The batch does what the timer was for, and says when something is due next.
        state.next_at = None
        if state.rests_until > self.system.clock.now():
            self.check_by(state.rests_until)
            return
        self.check.disarm()
        batch = self.next_batch()
        if batch is not None:
            state.working = self.start_soon(self._work, batch)
            state.due = not state.working

    async def _work(self, batch: Callable[[], Awaitable[BatchDone]]) -> None:
        """Do a batch, in a task, and tell the outcome to the actor."""
        try:
            done = await batch()
        except Unavailable as error:
            log.warning("work has to wait", actor=repr(self), why=error)
            self.batch_failed.tell(fault=False)
        except Exception:
            log.exception("work failed, and is tried again later", actor=repr(self))
            self.batch_failed.tell(fault=True)
        else:
            self.batch_done.tell(done)
