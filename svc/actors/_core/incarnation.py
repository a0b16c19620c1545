"""An incarnation of an actor, from load to passivation or crash: state, turns, timers, tasks."""

from collections.abc import Awaitable, Callable, Collection
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeVar

import outcome
import structlog
import trio

from svc.actors._core import turn_spans
from svc.actors._core.actor import Turn
from svc.actors._core.errors import CutOff, OutsideTurn, RestartByOperator, TurnTimedOut, fault_in, refusal_in
from svc.actors._core.guarded_wait import GuardedWait
from svc.actors._core.mailbox import Message
from svc.actors._core.membership import beside_turns_of, in_turn_of
from svc.actors._core.recorder import OK
from svc.actors._core.stacks import stack_in
from svc.actors._core.statistics import Phase, place_of
from svc.actors._core.tasks import ActorTask
from svc.actors._core.turn_time import TurnTime
from svc.request_id import set_request_id
from svc.telemetry.spans import current_span, set_current_span
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
        "_scope",
        "_state",
        "_stood",
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
        self._tasks: frozenset[ActorTask] = _NONE
        self._guards: frozenset[GuardedWait] = _NONE
        """The guarded waits of turns and tasks."""
        self._time = TurnTime()
        self._over = False
        self._stood: list[str] = []
        """Where the turn stood whose time was up."""
        self._task_error: Exception | None = None
        self._scope: trio.CancelScope | None = None
        """The scope in which turns, `load` or `flush` run."""
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
            sent_in = current_span() if seconds == 0 else None  # what is for later is a trace of its own
            due_at = trio.current_time() + seconds
            self.timers[armed] = Message(armed, args, kwargs, due_at, sent_in=sent_in)

    def start_task(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        if self._activation.quiesced:
            return False
        task = ActorTask(fn)
        self._tasks |= {task}
        self._activation.spawn(self._run_task, task, args, kwargs)
        return True

    async def _run_task(self, task: ActorTask, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        beside_turns_of(self._activation)
        set_request_id(task.request_id)
        set_current_span(task.started_in)
        task.task = trio.lowlevel.current_task()
        try:
            with task.scope:
                await trio.lowlevel.checkpoint_if_cancelled()  # the incarnation may have ended already
                await task.fn(*args, **kwargs)
        except BaseException as error:
            # Even a refusal: there is no asker to receive it.
            fault = fault_in(error)
            if fault is None:
                raise
            system_ends = trio.current_effective_deadline() == -inf
            if self._task_error is None and not task.scope.cancel_called and not system_ends:
                self._task_error = fault
            else:
                log.warning("task failed after its actor", actor=repr(self._activation.actor), exc_info=fault)
        finally:
            self._tasks -= {task}
            self._idle_since = trio.current_time()
            self.wake()

    @property
    def tasks(self) -> Collection[ActorTask]:
        """The running tasks."""
        return self._tasks

    def oldest_task(self) -> ActorTask | None:
        return min(self._tasks, key=lambda task: task.began_at, default=None)

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
            with turn_spans.loading(self._activation.actor, self._activation.mailbox.sent_in()):
                self._state = await self._bounded(self._activation.actor.load)
        except Exception as error:
            refusal = refusal_in(error)
            if refusal is None:
                raise
            return refusal
        self.phase = "waiting"
        self._idle_since = trio.current_time()
        while True:
            with trio.CancelScope() as self._scope:
                await self._take_turns(self._scope)
            if self.turn is not None:
                raise self._cut_off(self.turn.turn.name)
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
        set_request_id(message.request_id)
        tracer = self._activation.tracer
        if tracer is not None:
            turn_spans.begin(tracer, message)
        actor = self._activation.actor
        answer: outcome.Outcome[Any]
        how = OK
        try:
            answer = outcome.Value(await message.turn.fn(actor, *message.args, **message.kwargs))
        except trio.Cancelled as cancelled:
            self._stood = stack_in(cancelled.__traceback__)
            raise
        except Exception as error:
            refusal = refusal_in(error)
            if refusal is None:
                raise
            if message.asker is None:
                why = place_of(refusal)
                log.info("turn refused unheard", actor=repr(actor), turn=message.turn.name, why=why)
            # Not wrapped, and without the runtime's frames, as if the asker had raised it.
            answer = outcome.Error(refusal.with_traceback(None))
            how = type(refusal).__name__
        self.turn = None
        self._time.end()
        self._idle_since = self._activation.answer(message, answer, how)

    def _may_leave(self) -> bool:
        """Whether the actor has been idle for long enough to be passivated."""
        if self._activation.mailbox or self.timers or self._goes_on() or self._task_error is not None:
            return False
        idle_until = self._idle_since + self._activation.policy.idle_seconds
        return self._activation.draining or trio.current_time() >= idle_until

    def leave_early(self) -> str | None:
        """Be passivated now, as if idle for long enough; returns why not, if it has something to do.

        A message that arrives before its `flush` is over keeps it active, as at any passivation.
        """
        if self.phase != "waiting" or self._activation.mailbox:
            return f"it is {self.phase}"
        if self._goes_on():
            return "a task of it is running"
        if self.timers:
            return "a timer of it is armed"
        self._idle_since = -inf
        self.wake()
        return None

    def restart(self) -> str | None:
        """Crash now, be it in the middle of a turn; returns why not, if it is about to end anyway.

        What runs is cancelled as when its time is up: a guarded wait ends first, and what it stored stays.
        """
        if self._over or self.phase == "passivating" or self._scope is None:
            return f"it is {self.phase}"
        if self._task_error is not None:
            return "it is about to restart"
        self._task_error = RestartByOperator(f"{self._activation.actor!r} was restarted by an operator")
        if self.phase in {"running", "loading"}:
            self._scope.cancel()
        self.wake()
        return None

    def _wait_until(self) -> float:
        """Trio's time at which the next timer is due, or the actor is idle for long enough."""
        if self.timers:
            return self._next_timer().posted_at
        return inf if self._goes_on() else self._idle_since + self._activation.policy.idle_seconds

    async def _bounded(self, fn: Callable[[], Awaitable[R]]) -> R:
        with trio.CancelScope() as self._scope:
            self._time.begin(self._scope, trio.current_time() + self._activation.policy.turn_seconds)
            try:
                return await fn()
            except trio.Cancelled as cancelled:
                self._stood = stack_in(cancelled.__traceback__)
                raise
            finally:
                self._time.end()
        raise self._cut_off(fn.__name__)

    def _cut_off(self, what: str) -> CutOff:
        """Why *what* was cancelled: its time is up, or an operator has restarted the actor."""
        seconds = self._activation.policy.turn_seconds
        stood, self._stood = self._stood, []
        if isinstance(self._task_error, RestartByOperator):
            self._task_error.stood = stood
            return self._task_error
        return TurnTimedOut(f"{self._activation.actor!r}.{what} took over {seconds} s", stood)

    def end(self) -> None:
        """Drop the state and the timers, and cancel the tasks."""
        self._over = True
        self.phase = "stopping"
        self._state = None
        self._task_error = None
        self.timers.clear()
        for task in self._tasks:
            task.scope.cancel()

    async def wait_ended(self) -> None:
        """Wait until no task and no guarded wait is left."""
        while self._goes_on():
            self._parked = trio.lowlevel.current_task()
            await trio.lowlevel.wait_task_rescheduled(self._stop_waiting)

    def _goes_on(self) -> bool:
        """Whether tasks or guarded waits are running."""
        return bool(self._tasks or self._guards)
