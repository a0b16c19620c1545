"""The activation of an actor: its mailbox and its entry in the directory, which survive crashes."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import outcome
import structlog
import trio

from svc.actors._core import turn_spans
from svc.actors._core.actor import Actor
from svc.actors._core.errors import ActorCrashed, CutOff, Draining, Quarantined, fault_in
from svc.actors._core.incarnation import Incarnation
from svc.actors._core.inspection import ActorInspection, Crash
from svc.actors._core.mailbox import Mailbox, Message
from svc.actors._core.membership import become, in_turn_of
from svc.actors._core.recorder import Recorder
from svc.actors._core.stacks import stack_in, stack_of
from svc.actors._core.statistics import ActorStatistics, Latencies, place_of
from svc.telemetry.spans import Tracer
from svc.wait_guard import Abort

if TYPE_CHECKING:
    from svc.actors._core.supervisor import Supervisor

log = structlog.get_logger("svc.actors")


class Activation:
    """The single task of an active actor, which runs its incarnations one after the other."""

    __slots__ = (
        "_crash_record",
        "_latencies",
        "_recorder",
        "_supervisor",
        "_task",
        "actor",
        "crashes",
        "incarnation",
        "key",
        "mailbox",
        "policy",
        "turns",
        "waits_for",
    )

    def __init__(self, supervisor: "Supervisor", kind: type[Actor[Any, Any]], key: str) -> None:
        self._supervisor = supervisor
        self.policy = kind.policy
        self.key = key
        self.actor = kind(supervisor.system, key)
        self.actor._activation = self
        self.mailbox = Mailbox(self.policy.mailbox_max)
        self.incarnation = Incarnation(self)
        self.waits_for: list[Activation] = []
        """Actors whose answers the running turn waits for: edges of the wait-for graph."""
        self.turns = 0
        self.crashes = 0
        self._crash_record: Crash | None = None
        self._latencies = Latencies()
        self._recorder = Recorder(supervisor.system.recorded_words)
        self._task: trio.lowlevel.Task | None = None

    @property
    def draining(self) -> bool:
        return self._supervisor.system.draining

    @property
    def quiesced(self) -> bool:
        return self._supervisor.system.quiesced

    @property
    def tracer(self) -> Tracer | None:
        """What records the spans of turns, where traces are exported."""
        return self._supervisor.system.tracer

    @property
    def cut_off(self) -> bool:
        """Whether the system has ended while this actor was active."""
        return self._supervisor.ended

    def post(self, message: Message) -> None:
        """Enqueue *message*, and wake the actor if it waits. The caller has checked the limit."""
        self.mailbox.put(message)
        self.incarnation.wake()

    def quiesce(self) -> None:
        """Drop the timers, so that no unrequested work starts."""
        self.incarnation.timers.clear()

    async def guard(self, abort: Abort) -> Any:
        """The `WaitGuard` for the turns and tasks of this actor; see `svc.wait_guard`."""
        return await self.incarnation.guard(abort)

    def is_requested(self) -> bool:
        """Whether the current task runs a turn that a request waits for; see `svc.wait_guard`."""
        message = self.incarnation.turn
        return message is not None and message.requested and in_turn_of() is self

    def reaches(self, other: "Activation") -> bool:
        """Whether a chain of waiting asks leads from this actor to *other*."""
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

    def spawn(self, fn: Callable[..., Awaitable[object]], *args: Any) -> None:
        self._supervisor.spawn(fn, *args)

    async def run(self) -> None:
        """Run until passivated, refused by `load`, quarantined or drained."""
        become(self)
        self._task = trio.lowlevel.current_task()
        why: Exception | None = None
        try:
            while True:
                fault: Exception | None = None
                try:
                    why = await self.incarnation.live()
                except BaseException as error:  # supervision: every fault ends here
                    fault = fault_in(error)
                    if fault is None:
                        raise
                    self._crash(fault)
                self.incarnation.end()
                # Incarnations never overlap: writes of this one may change what the next one loads.
                await self.incarnation.wait_ended()
                backoff_seconds = None if fault is None else self._plan_restart()
                if backoff_seconds is None:
                    return
                await self._supervisor.system.sleep_unless_draining(backoff_seconds)
                self.incarnation = Incarnation(self)
        finally:
            self._end(why or Draining(f"{self.actor!r} is shutting down"))

    def _crash(self, error: Exception) -> None:
        """Record and log the crash."""
        why = place_of(error)
        turn = self.incarnation.turn
        self._answer_for(error, why)
        self.crashes += 1
        self._crash_record = Crash(
            at=trio.current_time(),
            error=why,
            turn=turn.turn.name if turn else None,
            stack=error.stood if isinstance(error, CutOff) else stack_in(error.__traceback__),
            turns=self._recorder.turns(),
        )
        if self.policy.escalate:
            log.critical("infrastructure actor crashed; the system ends", actor=repr(self.actor), why=why)
            raise error
        log.error(
            "actor crashed",
            actor=repr(self.actor),
            crashes=self.crashes,
            stood=self._crash_record.stack if isinstance(error, CutOff) else None,
            exc_info=error,
        )

    def _plan_restart(self) -> float | None:
        """The backoff before the restart, in seconds; None if there is no restart."""
        backoff_seconds = self._supervisor.note_crash(self.key, self._crash_record)
        if backoff_seconds is None:
            seconds = self.policy.quarantine_seconds
            self._leave(Quarantined(f"{self.actor!r} is quarantined", retry_after_seconds=seconds))
            return None
        self.incarnation.phase = "backing_off"
        # Do not load again only to stop at once.
        return None if self.draining and not self.mailbox else backoff_seconds

    def _answer_for(self, error: Exception, why: str) -> None:
        """Answer the asker of the turn that crashed with *error*, or the first that waits for `load`."""
        crashed, self.incarnation.turn = self.incarnation.turn, None
        if self.incarnation.phase == "loading" and self.mailbox:
            # Only the first message fails; the others wait for the next incarnation.
            crashed = self.mailbox.take()
        if crashed is not None:
            crash = ActorCrashed(f"{self.actor!r} crashed")
            crash.__cause__ = error
            self.answer(crashed, outcome.Error(crash), why)

    def answer(self, message: Message, answer: "outcome.Outcome[Any]", how: str) -> float:
        """Answer *message*, and count and record its turn with its outcome in a word (*how*).

        Returns Trio's time of the answer.
        """
        now = trio.current_time()
        took = now - message.posted_at
        self.turns += 1
        self._latencies.add(took)
        # A message that a failed `load` is answered for had no turn.
        started_at = max(self.incarnation.turn_started_at, message.posted_at)
        self._supervisor.note_turn(took, now, now - started_at)
        self._recorder.note(message, how, started_at, now)
        traces = self._supervisor.system.traces
        if traces:
            traces.note(self.actor, message, how, started_at, now)
        if message.span is not None:
            turn_spans.end(message, type(self.actor).__name__, answer, how, started_at)
        message.answer(answer)
        return now

    def _leave(self, why: Exception) -> None:
        """Leave the directory, and answer all waiting askers with *why*."""
        self._supervisor.forget(self)
        unheard = self.mailbox.refuse_all(why)
        if unheard:
            log.warning("messages lost", actor=repr(self.actor), messages=unheard, why=type(why).__name__)

    def _end(self, why: Exception) -> None:
        self._leave(why)
        self.incarnation.end()
        if self.incarnation.turn is not None:
            # The system ends during the turn: whether it had its effects is unknown.
            stopped = ActorCrashed(f"{self.actor!r} was stopped in a turn")
            self.incarnation.turn.answer(outcome.Error(stopped))
        # Break reference cycles, so that everything is freed at once.
        self.actor._activation = None
        self._task = None
        del self.incarnation

    def statistics(self) -> ActorStatistics:
        now = trio.current_time()
        life = self.incarnation
        oldest = self.mailbox.oldest_posted_at()
        task = life.oldest_task()
        return ActorStatistics(
            kind=type(self.actor).__name__,
            key=self.key,
            phase=life.phase,
            turn=life.turn.turn.name if life.turn else None,
            turn_age_seconds=now - life.turn_started_at if life.turn else None,
            mailbox_depth=len(self.mailbox),
            mailbox_oldest_seconds=None if oldest is None else now - oldest,
            tasks=len(life.tasks),
            task=None if task is None else task.name,
            task_age_seconds=None if task is None else now - task.began_at,
            guarded_waits=life.guarded_waits,
            timers={timer.turn.name: timer.posted_at - now for timer in life.timers.values()},
            turns=self.turns,
            crashes=self.crashes,
            last_error=self._crash_record.error if self._crash_record else None,
            latency=self._latencies.buckets(),
        )

    def inspect(self) -> ActorInspection:
        """All that is known of this actor, without a message to it."""
        turn = self.incarnation.turn
        request_id = turn.request_id if turn else None
        runs = self.incarnation.phase in {"running", "loading", "passivating"}
        return ActorInspection(
            statistics=self.statistics(),
            stack=stack_of(self._task) if runs and self._task is not None else [],
            request_id=None if request_id is None else request_id.decode("ascii"),
            waits_for=[repr(other.actor) for other in self.waits_for],
            waiting=self.mailbox.waiting(),
            tasks=[task.record() for task in self.incarnation.tasks],
            turns=self._recorder.turns(),
            crash=self._crash_record,
        )
