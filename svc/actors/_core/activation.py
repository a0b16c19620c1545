"""An actor that is live: its mailbox and its place in the directory, kept over its crashes."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import outcome
import structlog
import trio

from svc.actors._core.actor import Actor
from svc.actors._core.errors import ActorCrashed, Draining, Quarantined, fault_in
from svc.actors._core.incarnation import Incarnation
from svc.actors._core.mailbox import Mailbox, Message
from svc.actors._core.membership import become
from svc.actors._core.statistics import ActorStatistics, Latencies, place_of
from svc.wait_guard import Abort

if TYPE_CHECKING:
    from svc.actors._core.supervisor import Supervisor

log = structlog.get_logger("svc.actors")


class Activation:
    """The one task of a live actor, which runs one incarnation after the other."""

    __slots__ = (
        "_crashes",
        "_last_error",
        "_latencies",
        "_supervisor",
        "_turns",
        "actor",
        "incarnation",
        "key",
        "mailbox",
        "policy",
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
        """Actors that the running turn has asked and not heard from: edges of the wait-for graph."""
        self._turns = 0
        self._crashes = 0
        self._last_error: str | None = None
        self._latencies = Latencies()

    @property
    def draining(self) -> bool:
        return self._supervisor.system.draining

    @property
    def quiesced(self) -> bool:
        return self._supervisor.system.quiesced

    @property
    def cut_off(self) -> bool:
        """Whether the system has ended around this actor."""
        return self._supervisor.ended

    def post(self, message: Message) -> None:
        """Put *message* into the mailbox and wake the actor if it waits. The caller saw to the limit."""
        self.mailbox.put(message)
        self.incarnation.wake()

    def quiesce(self) -> None:
        """Lose the timers: nothing is begun any more that nobody asked for."""
        self.incarnation.timers.clear()

    async def guard(self, abort: Abort) -> Any:
        """See `svc.wait_guard`: how the turns and tasks of this actor wait for what must be known."""
        return await self.incarnation.guard(abort)

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

    def spawn(self, fn: Callable[..., Awaitable[object]], *args: Any) -> None:
        self._supervisor.spawn(fn, *args)

    async def run(self) -> None:
        """Live until idle, refused by `load`, quarantined, or drained."""
        become(self)
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
                # Of two lives none overlap: what this one has begun may still decide what the next one loads.
                await self.incarnation.wait_ended()
                backoff_seconds = None if fault is None else self._plan_restart()
                if backoff_seconds is None:
                    return
                await self._supervisor.system.sleep_unless_draining(backoff_seconds)
                self.incarnation = Incarnation(self)
        finally:
            self._end(why or Draining(f"{self.actor!r} is shutting down"))

    def _crash(self, error: Exception) -> None:
        """Put the crash on record."""
        self._answer_for(error)
        self._crashes += 1
        self._last_error = place_of(error)
        if self.policy.escalate:
            why = self._last_error
            log.critical("infrastructure actor crashed; the system ends", actor=repr(self.actor), why=why)
            raise error
        log.error("actor crashed", actor=repr(self.actor), crashes=self._crashes, exc_info=error)

    def _plan_restart(self) -> float | None:
        """The seconds to wait before the restart, or None: there is none."""
        backoff_seconds = self._supervisor.note_crash(self.key, self._last_error or "")
        if backoff_seconds is None:
            seconds = self.policy.quarantine_seconds
            self._leave(Quarantined(f"{self.actor!r} is quarantined", retry_after_seconds=seconds))
            return None
        self.incarnation.phase = "backing_off"
        # Nothing is loaded again only to be told to leave.
        return None if self.draining and not self.mailbox else backoff_seconds

    def _answer_for(self, error: Exception) -> None:
        """Tell the asker of the turn that crashed with *error*, or the first of those who wait for a load."""
        crashed, self.incarnation.turn = self.incarnation.turn, None
        if self.incarnation.phase == "loading" and self.mailbox:
            # The message that asked for this life pays for it; the others wait for the next.
            crashed = self.mailbox.take()
        if crashed is not None:
            crash = ActorCrashed(f"{self.actor!r} crashed")
            crash.__cause__ = error
            self.answer(crashed, outcome.Error(crash))

    def answer(self, message: Message, answer: "outcome.Outcome[Any]") -> float:
        """Answer *message* and count its turn; Trio's time at which that was."""
        now = trio.current_time()
        took = now - message.posted_at
        self._turns += 1
        self._latencies.add(took)
        self._supervisor.note_turn(took)
        message.answer(answer)
        return now

    def _leave(self, why: Exception) -> None:
        """Leave the directory; whoever waits hears *why*."""
        self._supervisor.forget(self)
        unheard = self.mailbox.refuse_all(why)
        if unheard:
            log.warning("messages lost", actor=repr(self.actor), messages=unheard, why=type(why).__name__)

    def _end(self, why: Exception) -> None:
        self._leave(why)
        self.incarnation.end()
        if self.incarnation.turn is not None:
            # The system ends in the middle of the turn; whether it had its effects is unknown.
            stopped = ActorCrashed(f"{self.actor!r} was stopped in a turn")
            self.incarnation.turn.answer(outcome.Error(stopped))
        # Without these cycles, all of it is freed at once.
        self.actor._activation = None
        del self.incarnation

    def statistics(self) -> ActorStatistics:
        now = trio.current_time()
        life = self.incarnation
        oldest = self.mailbox.oldest_posted_at()
        return ActorStatistics(
            kind=type(self.actor).__name__,
            key=self.key,
            phase=life.phase,
            turn=life.turn.turn.name if life.turn else None,
            turn_age_seconds=now - life.turn_started_at if life.turn else None,
            mailbox_depth=len(self.mailbox),
            mailbox_oldest_seconds=None if oldest is None else now - oldest,
            tasks=life.tasks,
            guarded_waits=life.guarded_waits,
            timers={timer.turn.name: timer.posted_at - now for timer in life.timers.values()},
            turns=self._turns,
            crashes=self._crashes,
            last_error=self._last_error,
            latency=self._latencies.buckets(),
        )
