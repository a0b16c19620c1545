"""An incarnation of an actor, from load to passivation or crash: state, turns, timers, tasks."""

from collections.abc import Awaitable, Callable
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeVar

import outcome
import structlog
import trio

from svc.actors._core.actor import Turn
from svc.actors._core.errors import OutsideTurn, TurnTimedOut, fault_in, refusal_in
from svc.actors._core.guarded_wait import GuardedWait
from svc.actors._core.mailbox import Message
from svc.actors._core.membership import beside_turns_of, in_turn_of
from svc.actors._core.statistics import Phase, place_of
from svc.actors._core.turn_time import TurnTime
from svc.wait_guard import Abort

if TYPE_CHECKING:
    from svc.actors._core.activation import Activation

R = TypeVar("R")

log = structlog.get_logger("svc.actors")

TURNS_BEFORE_YIELD: Final = 64
"""Turns in a row before an actor yields to other tasks."""

_NONE: Final[frozenset[Any]] = frozenset()
"""Shared by idle actors, since an empty set takes 216 bytes."""


class Incarnation:
    """One incarnation. It is dropped as a whole when it ends."""

    __slots__ = (
        "_activation",
        "_guards",
        "_idle_since",
        "_over",
        "_parked",
        "_state",
        "_task_error",
        "_tasks",
        "_time",
        "phase",
        "timers",
        "turn",
        "turn_started_at",
    )

    def __init__(self, activation: "Activation") -> None:
        self._activation = activation
        self._state: Any = None
        self.phase: Phase = "loading"
        self.turn: Message | None = None
        """The message of the running turn. It stays here after a crash, until it is answered."""
        self.turn_started_at = 0.0
        self.timers: dict[Turn[Any, ..., Any], Message] = {}
        """Armed timers, one for each turn method: the message, as if sent when it is due."""
        self._tasks: frozenset[trio.CancelScope] = _NONE
        self._guards: frozenset[GuardedWait] = _NONE
        """The guarded waits of turns and tasks."""
        self._time = TurnTime()
        self._over = False
        self._task_error: Exception | None = None
        self._idle_since = 0.0
        self._parked: trio.lowlevel.Task | None = None

    # The interface for turns.

    @property
    def state(self) -> Any:
        if self.phase == "loading":
            raise OutsideTurn(f"{self._activation.actor!r} has no state before its load is done")
        return self._state

    def arm(
        self, armed: Turn[Any, ..., Any], seconds: float, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        if not self._activation.quiesced:
            self.timers[armed] = Message(armed, args, kwargs, trio.current_time() + seconds)

    def start_task(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        if self._activation.quiesced:
            return False
        scope = trio.CancelScope()
        self._tasks |= {scope}
        self._activation.spawn(self._run_task, scope, fn, args, kwargs)
        return True

    async def _run_task(
        self, scope: trio.CancelScope, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        beside_turns_of(self._activation)
        try:
            with scope:
                await trio.lowlevel.checkpoint_if_cancelled()  # the incarnation may have ended already
                await fn(*args, **kwargs)
        except BaseException as error:
            # Even a refusal: there is no asker to receive it.
            fault = fault_in(error)
            if fault is None:
                raise
            system_ends = trio.current_effective_deadline() == -inf
            if self._task_error is None and not scope.cancel_called and not system_ends:
                self._task_error = fault
            else:
                log.warning("task failed after its actor", actor=repr(self._activation.actor), exc_info=fault)
        finally:
            self._tasks -= {scope}
            self._idle_since = trio.current_time()
            self.wake()

    @property
    def tasks(self) -> int:
        """The number of running tasks."""
        return len(self._tasks)

    async def guard(self, abort: Abort) -> Any:
        """Wait until rescheduled. Only the end of the system cancels the wait.

        The time limit of the turn is suspended meanwhile. A task whose actor has crashed meanwhile is
        cancelled after the wait.
        """
        in_turn = in_turn_of() is self._activation
        wait = GuardedWait(abort, abandoned=self._activation.cut_off)
        self._guards |= {wait}
        stopped = self._time.stop() if in_turn else None
        try:
            return await trio.lowlevel.wait_task_rescheduled(wait.refuse)
        finally:
            self._guards -= {wait}
            self.wake()
            if stopped is not None:
                self._time.go_on(stopped)
            if self._over:
                await trio.lowlevel.checkpoint_if_cancelled()

    @property
    def guarded_waits(self) -> int:
        """The number of guarded waits."""
        return len(self._guards)

    def abandon_waits(self) -> None:
        """Allow the guarded waits to be cancelled, since the system ends."""
        for wait in self._guards:
            wait.abandon()

    # The life cycle.

    async def live(self) -> Exception | None:
        """Load, and take turns until passivation. Returns the refusal of `load`. Raises what crashed it."""
        try:
            self._state = await self._bounded(self._activation.actor.load)
        except Exception as error:
            refusal = refusal_in(error)
            if refusal is None:
                raise
            return refusal
        self.phase = "waiting"
        self._idle_since = trio.current_time()
        while True:
            with trio.CancelScope() as scope:
                await self._take_turns(scope)
            if self.turn is not None:
                raise self._timed_out(self.turn.turn.name)
            if self._may_leave():
                self.phase = "passivating"
                await self._bounded(self._activation.actor.flush)
                # No await from here on: a message either arrived during the flush, or activates anew.
                if self._may_leave():
                    return None

    async def _take_turns(self, scope: trio.CancelScope) -> None:
        """Take turns until idle for long enough, or until *scope* is cancelled.

        The deadline of *scope* is that of the running turn or of the wait for the next. Moving one
        deadline is cheaper than a scope for each turn and each wait.
        """
        turns_left = TURNS_BEFORE_YIELD
        while not scope.cancel_called:
            if self._task_error is not None:
                raise self._task_error
            message = self._next_message()
            if message is not None:
                self.turn_started_at = trio.current_time()
                self._time.begin(scope, self.turn_started_at + self._activation.policy.turn_seconds)
                await self._take_turn(message)
                turns_left -= 1
                if turns_left == 0:
                    turns_left = TURNS_BEFORE_YIELD
                    await trio.lowlevel.checkpoint()
            elif self._may_leave():
                return
            else:
                self.phase = "waiting"
                scope.deadline = self._wait_until()
                self._parked = trio.lowlevel.current_task()
                await trio.lowlevel.wait_task_rescheduled(self._stop_waiting)

    def _stop_waiting(self, _raise_cancel: object) -> trio.lowlevel.Abort:
        # From here Trio reschedules the task, and `wake` must not do so a second time.
        self._parked = None
        return trio.lowlevel.Abort.SUCCEEDED

    def wake(self) -> None:
        """Wake the actor if it waits for a message."""
        parked, self._parked = self._parked, None
        if parked is not None:
            trio.lowlevel.reschedule(parked)

    def _next_message(self) -> Message | None:
        """The next message: the oldest in the mailbox, or a timer that was due before it was sent."""
        mailbox = self._activation.mailbox
        if self.timers:
            timer = self._next_timer()
            oldest = mailbox.oldest_posted_at()
            if timer.posted_at <= (trio.current_time() if oldest is None else oldest):
                return self.timers.pop(timer.turn)
        return mailbox.take() if mailbox else None

    def _next_timer(self) -> Message:
        return min(self.timers.values(), key=lambda timer: timer.posted_at)

    async def _take_turn(self, message: Message) -> None:
        """Run one turn and answer its asker. Raises what crashed it; the asker is then not answered."""
        self.phase = "running"
        self.turn = message
        actor = self._activation.actor
        answer: outcome.Outcome[Any]
        try:
            answer = outcome.Value(await message.turn.fn(actor, *message.args, **message.kwargs))
        except Exception as error:
            refusal = refusal_in(error)
            if refusal is None:
                raise
            if message.asker is None:
                why = place_of(refusal)
                log.info("turn refused unheard", actor=repr(actor), turn=message.turn.name, why=why)
            # Not wrapped, and without the runtime's frames, as if the asker had raised it.
            answer = outcome.Error(refusal.with_traceback(None))
        self.turn = None
        self._time.end()
        self._idle_since = self._activation.answer(message, answer)

    def _may_leave(self) -> bool:
        """Whether the actor has been idle for long enough to be passivated."""
        if self._activation.mailbox or self.timers or self._goes_on() or self._task_error is not None:
            return False
        idle_until = self._idle_since + self._activation.policy.idle_seconds
        return self._activation.draining or trio.current_time() >= idle_until

    def _wait_until(self) -> float:
        """Trio's time at which the next timer is due, or the actor is idle for long enough."""
        if self.timers:
            return self._next_timer().posted_at
        return inf if self._goes_on() else self._idle_since + self._activation.policy.idle_seconds

    async def _bounded(self, fn: Callable[[], Awaitable[R]]) -> R:
        with trio.CancelScope() as scope:
            self._time.begin(scope, trio.current_time() + self._activation.policy.turn_seconds)
            try:
                return await fn()
            finally:
                self._time.end()
        raise self._timed_out(fn.__name__)

    def _timed_out(self, what: str) -> TurnTimedOut:
        seconds = self._activation.policy.turn_seconds
        return TurnTimedOut(f"{self._activation.actor!r}.{what} took over {seconds} s")

    def end(self) -> None:
        """Drop the state and the timers, and cancel the tasks."""
        self._over = True
        self.phase = "stopping"
        self._state = None
        self._task_error = None
        self.timers.clear()
        for scope in self._tasks:
            scope.cancel()

    async def wait_ended(self) -> None:
        """Wait until no task and no guarded wait is left."""
        while self._goes_on():
            self._parked = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(self._stop_waiting)

    def _goes_on(self) -> bool:
        """Whether tasks or guarded waits are running."""
        return bool(self._tasks or self._guards)
