"""The life of one active actor: one task that loads, takes turns, crashes, restarts and leaves."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

import outcome
import structlog
import trio

from svc.actors._core.actor import Actor, Turn
from svc.actors._core.errors import ActorCrashed, ActorError, Draining, Quarantined, TurnTimedOut
from svc.actors._core.mailbox import Mailbox, Message
from svc.actors._core.statistics import ActorStatistics, Latencies, Phase
from svc.domain.errors import DomainError

if TYPE_CHECKING:
    from svc.actors._core.supervisor import Supervisor

log = structlog.get_logger("svc.actors")

current_activation: ContextVar["Activation | None"] = ContextVar("current_activation", default=None)
"""Whose turn the running task works for: set in an actor's own task and in what its turns open."""

member_of: ContextVar["Activation | None"] = ContextVar("member_of", default=None)
"""The actor that the running task belongs to, in a turn or in a task beside its turns."""

TURNS_BEFORE_YIELD: Final = 64
"""Turns that an actor takes in a row before other tasks get their chance."""


class Activation:
    """An actor that is live. It keeps its mailbox over crashes, and its state only between them."""

    def __init__(self, supervisor: "Supervisor", kind: type[Actor[Any, Any]], key: str) -> None:
        self._supervisor = supervisor
        self.actor = kind(supervisor.system, key)
        self.actor._activation = self
        self._policy = kind.policy
        self.key = key
        self.mailbox = Mailbox(self._policy.mailbox_max)
        self.state: Any = None
        self.waits_for: list[Activation] = []
        """Actors that the running turn has asked and not heard from: edges of the wait-for graph."""
        self.phase: Phase = "loading"
        self._turn: Message | None = None
        self._turn_started_at = 0.0
        self._timers: dict[Turn[Any, ..., Any], tuple[float, tuple[Any, ...], dict[str, Any]]] = {}
        self._tasks: set[trio.CancelScope] = set()
        self._task_error: Exception | None = None
        self._parked: trio.lowlevel.Task | None = None
        self._turns = 0
        self._crashes = 0
        self._last_error: str | None = None
        self._latencies = Latencies()

    # What others may do to it, without waiting.

    def post(self, message: Message) -> None:
        """Put *message* into the mailbox and wake the actor if it waits. The caller saw to the limit."""
        self.mailbox.put(message)
        self.wake()

    def wake(self) -> None:
        """Make a waiting actor look around again."""
        parked, self._parked = self._parked, None
        if parked is not None:
            trio.lowlevel.reschedule(parked)

    def is_current(self) -> bool:
        """Whether the running code is part of one of this actor's turns."""
        return current_activation.get() is self

    def reaches(self, other: "Activation") -> bool:
        """Whether *other* is at the end of a chain of waiting asks that starts here."""
        seen: set[int] = set()
        ahead = [self]
        while ahead:
            one = ahead.pop()
            if one is other:
                return True
            if id(one) not in seen:
                seen.add(id(one))
                ahead.extend(one.waits_for)
        return False

    # What its own turns may do.

    def arm(
        self, armed: Turn[Any, ..., Any], seconds: float, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self._timers[armed] = (trio.current_time() + seconds, args, kwargs)

    def disarm(self, armed: Turn[Any, ..., Any]) -> None:
        self._timers.pop(armed, None)

    def start_task(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        scope = trio.CancelScope()
        self._tasks.add(scope)
        self._supervisor.spawn(self._run_task, scope, fn, args, kwargs)

    async def _run_task(
        self, scope: trio.CancelScope, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        member_of.set(self)
        try:
            with scope:
                await fn(*args, **kwargs)
        except Exception as error:  # noqa: BLE001  # whatever it is, it crashes the actor and not the house
            if scope in self._tasks:
                self._task_error = error
        finally:
            self._tasks.discard(scope)
            self.wake()

    # Its life.

    async def run(self) -> None:
        """Live until idle, refused by `load`, quarantined, or drained."""
        current_activation.set(self)
        member_of.set(self)
        try:
            while True:
                try:
                    await self._load_and_serve()
                except Exception as error:  # noqa: BLE001  # supervision: every fault ends here
                    if not await self._survive(error):
                        return
                else:
                    return
        finally:
            self._supervisor.forget(self)
            self.mailbox.refuse_all(Draining(f"{self.actor!r} is shutting down"))

    async def _load_and_serve(self) -> None:
        """One incarnation: from a fresh state to passivation. Raises what crashed it."""
        self.phase = "loading"
        try:
            self.state = await self._bounded(self.actor.load, (), {})
        except DomainError as refusal:
            # There is no such actor, or it cannot be told now: an answer, not a crash.
            self._supervisor.forget(self)
            self.mailbox.refuse_all(refusal)
            return
        except Exception as error:
            # The message that asked for this life pays for it; the others wait for the next.
            if self.mailbox:
                self._answer(self.mailbox.take(), outcome.Error(self._crashed(error)))
            raise
        taken = 0
        while True:
            if self._task_error is not None:
                task_error, self._task_error = self._task_error, None
                raise task_error
            message = self._next_message()
            if message is not None:
                await self._take_turn(message)
                taken += 1
                if taken % TURNS_BEFORE_YIELD == 0:
                    await trio.lowlevel.cancel_shielded_checkpoint()
            elif not await self._wait_for_work():
                self.phase = "passivating"
                await self._bounded(self.actor.flush, (), {})
                # No await from here on: what came during the flush is seen, or finds nobody here.
                if not self.mailbox and not self._timers and not self._tasks:
                    self._supervisor.forget(self)
                    return

    def _next_message(self) -> Message | None:
        if self._timers and self._next_due() <= trio.current_time():
            armed = min(self._timers, key=lambda one: self._timers[one][0])
            due, args, kwargs = self._timers.pop(armed)
            return Message(armed, args, kwargs, due)
        return self.mailbox.take() if self.mailbox else None

    def _next_due(self) -> float:
        return min((due for due, _, _ in self._timers.values()), default=float("inf"))

    async def _take_turn(self, message: Message) -> None:
        self.phase = "running"
        self._turn = message
        self._turn_started_at = trio.current_time()
        try:
            result = await self._bounded(message.turn.fn, (self.actor, *message.args), message.kwargs)
        except (DomainError, ActorError) as refusal:
            # Not wrapped, and without our frames: the asker raises it as its own.
            if message.asker is None:
                log.info(
                    "turn refused unheard",
                    actor=repr(self.actor),
                    turn=message.turn.name,
                    why=_place_of(refusal),
                )
            self._answer(message, outcome.Error(refusal.with_traceback(None)))
        except Exception as error:
            self._answer(message, outcome.Error(self._crashed(error)))
            raise
        except BaseException:
            # The system ends in the middle of the turn; whether it had its effects is unknown.
            message.answer(outcome.Error(ActorCrashed(f"{self.actor!r} was stopped in a turn")))
            raise
        else:
            self._answer(message, outcome.Value(result))
        finally:
            self._turn = None

    async def _bounded(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with trio.move_on_after(self._policy.turn_seconds) as scope:
            return await fn(*args, **kwargs)
        if scope.cancelled_caught:
            raise TurnTimedOut(f"{self.actor!r}.{fn.__name__} took over {self._policy.turn_seconds} s")
        return None  # pragma: no cover  # a scope is left by a return, an error, or its deadline

    async def _wait_for_work(self) -> bool:
        """Wait for a message, a due timer or a finished task; False when it is time to leave."""
        if self._supervisor.system.draining and not self._tasks:
            # A timer may be lost, and this is when.
            self._timers.clear()
            return False
        self.phase = "waiting"
        deadline = self._next_due()
        if not self._timers and not self._tasks:
            deadline = trio.current_time() + self._policy.idle_seconds
        with trio.CancelScope(deadline=deadline) as scope:
            self._parked = trio.lowlevel.current_task()
            try:
                await trio.lowlevel.wait_task_rescheduled(lambda _: trio.lowlevel.Abort.SUCCEEDED)
            finally:
                self._parked = None
        return not scope.cancelled_caught or bool(self._timers)

    def _answer(self, message: Message, answer: "outcome.Outcome[Any]") -> None:
        took = trio.current_time() - message.posted_at
        self._turns += 1
        self._latencies.add(took)
        self._supervisor.note_turn(took)
        message.answer(answer)

    def _crashed(self, error: Exception) -> ActorCrashed:
        crash = ActorCrashed(f"{self.actor!r} crashed")
        crash.__cause__ = error
        return crash

    async def _survive(self, error: Exception) -> bool:
        """Put the crash on record and wait out the backoff; False when this key is quarantined."""
        self._crashes += 1
        self._last_error = _place_of(error)
        self._drop_incarnation()
        if self._policy.escalate:
            log.critical("infrastructure actor crashed; the system ends", actor=repr(self.actor))
            raise error
        log.error("actor crashed", actor=repr(self.actor), crashes=self._crashes, exc_info=error)
        backoff_seconds = self._supervisor.note_crash(self.key, self._last_error)
        if backoff_seconds is None:
            self._supervisor.forget(self)
            seconds = self._policy.quarantine_seconds
            self.mailbox.refuse_all(
                Quarantined(f"{self.actor!r} is quarantined", retry_after_seconds=seconds)
            )
            return False
        self.phase = "backing_off"
        await self._supervisor.system.sleep_unless_draining(backoff_seconds)
        return True

    def _drop_incarnation(self) -> None:
        self.state = None
        self._timers.clear()
        tasks, self._tasks = self._tasks, set()
        for scope in tasks:
            scope.cancel()
        self._task_error = None

    # What it tells about itself.

    def statistics(self) -> ActorStatistics:
        now = trio.current_time()
        oldest = self.mailbox.oldest_posted_at()
        return ActorStatistics(
            kind=type(self.actor).__name__,
            key=self.key,
            phase=self.phase,
            turn=self._turn.turn.name if self._turn else None,
            turn_age_seconds=now - self._turn_started_at if self._turn else None,
            mailbox_depth=len(self.mailbox),
            mailbox_oldest_seconds=None if oldest is None else now - oldest,
            tasks=len(self._tasks),
            timers={armed.name: entry[0] - now for armed, entry in self._timers.items()},
            turns=self._turns,
            crashes=self._crashes,
            last_error=self._last_error,
            latency=self._latencies.buckets(),
        )


def _place_of(error: BaseException) -> str:
    """`KeyError at form_window.py:120`: where *error* was raised, without what it says."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f" at {frame.tb_frame.f_code.co_filename.rpartition('/')[2]}:{frame.tb_lineno}" if frame else ""
    return type(error).__name__ + where
