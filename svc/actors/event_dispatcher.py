"""The EventDispatcher: dispatches the events of one organization to its webhooks, in sets."""

from typing import Final

import msgspec
import structlog

from svc.actors._core import Actor, Policy, turn
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.domain.times import MINUTE_MS, SECOND_MS
from svc.storage.dispatch import dispatch

log = structlog.get_logger("svc.actors.event_dispatcher")

REST_MS: Final = 200
"""Pause between two sets. Under load, events are therefore dispatched, and sent, several at a time, which
costs a fraction of single ones; after an idle time the first is dispatched at once."""

RETRY_MS: Final = 2 * SECOND_MS
"""How long to wait after the store rejected a set."""

FAULT_RETRY_MS_MAX: Final = 5 * MINUTE_MS
"""The longest backoff after a set that failed for another reason: `RETRY_MS`, doubled each time."""


class EventDispatcherState(msgspec.Struct, kw_only=True):
    """The memory of an EventDispatcher. Times are ms since the epoch."""

    due: bool = False
    """There may be events that no set has read yet."""
    dispatching: bool = False
    faults: int = 0
    """Sets in a row that failed for another reason than the store, shown to operators; each is logged."""
    rests_until: int = 0


class EventDispatcher(Actor[System, EventDispatcherState]):
    """Dispatches the events of one organization. Its key is the organization's id."""

    # It is woken for each event. A full mailbox loses nothing: the waiting messages wake it as well.
    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> EventDispatcherState:
        """Dispatch what an earlier activation left."""
        self.wake.after(0)
        return EventDispatcherState()

    @turn
    async def wake(self) -> None:
        """Dispatch the events that wait, now or after the pause."""
        self.state.due = True
        self._dispatch_if_due()

    @turn
    async def dispatched(self, *, more: bool, rest_ms: int) -> None:
        """A set has ended. Go on after *rest_ms* if there is *more*."""
        self.state.faults = 0
        self._end(more=more, rest_ms=rest_ms)

    @turn
    async def dispatch_failed(self) -> None:
        """A set failed for another reason than the store: retry it, with backoff."""
        rest_ms = min(RETRY_MS << min(self.state.faults, 16), FAULT_RETRY_MS_MAX)
        self.state.faults += 1
        self._end(more=True, rest_ms=rest_ms)

    def _end(self, *, more: bool, rest_ms: int) -> None:
        self.state.dispatching = False
        self.state.due |= more
        self.state.rests_until = self.system.clock.now() + rest_ms
        self._dispatch_if_due()

    def _dispatch_if_due(self) -> None:
        state = self.state
        if state.dispatching or not state.due:
            return
        rest_ms = state.rests_until - self.system.clock.now()
        if rest_ms > 0:
            self.wake.after(rest_ms / SECOND_MS)
            return
        self.wake.disarm()  # this set does what the timer was for
        state.dispatching = self.start_soon(self._dispatch)
        state.due = not state.dispatching

    async def _dispatch(self) -> None:
        """Dispatch a set, in a task, and tell the outcome to the actor."""
        try:
            set_ = await self.system.store.of(self.key).write_behind(dispatch, self.key)
        except Unavailable as error:
            log.warning("events have to wait", organization=self.key, why=repr(error))
            self.dispatched.tell(more=True, rest_ms=RETRY_MS)
        except Exception:
            log.exception("dispatch failed, and is tried again later", organization=self.key)
            self.dispatch_failed.tell()
        else:
            self.dispatched.tell(more=set_.more, rest_ms=0 if set_.more else REST_MS)
