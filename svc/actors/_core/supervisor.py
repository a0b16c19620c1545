"""The supervisor of a kind: the directory of active actors, their crashes, and the quarantines."""

from collections.abc import Awaitable, Callable, Iterator
from contextvars import Context
from typing import TYPE_CHECKING, Any, NamedTuple

import trio

from svc.actors._core.activation import Activation
from svc.actors._core.actor import Actor
from svc.actors._core.errors import Draining, MailboxFull, Overcrowded, Quarantined
from svc.actors._core.inspection import ActorInspection, Crash
from svc.actors._core.last_minute import LastMinute
from svc.actors._core.statistics import ActorStatistics, KindStatistics, Latencies
from svc.actors._core.survey import Waiting, waiting_in

if TYPE_CHECKING:
    from svc.actors._core.system import ActorSystem


class Quarantine(NamedTuple):
    """A key that is quarantined until Trio's time *until*, and its last crash."""

    until: float
    crash: Crash | None


class Supervisor:
    """Supervises the actors of one kind, one for one: a crash affects no other key."""

    def __init__(
        self, system: "ActorSystem", kind: type[Actor[Any, Any]], nursery: trio.Nursery, context: Context
    ) -> None:
        self.system = system
        self._kind = kind
        self.name = kind.__name__
        self._policy = kind.policy
        self._nursery = nursery
        self._context = context
        self.live: dict[str, Activation] = {}
        # Both are in the order in which they expire, the next one first.
        self._crashed_at: dict[str, list[float]] = {}
        self._quarantines: dict[str, Quarantine] = {}
        self._activations = 0
        self._turns = 0
        self._crashes = 0
        self._refused = 0
        self._latencies = Latencies()
        self._runs = Latencies()
        self._last_minute = LastMinute(trio.current_time())

    def admit(self, key: str, *, own: bool) -> Activation:
        """The activation of *key*, new if necessary, whose mailbox has room for one more message.

        A message of an actor to itself (*own*) is always accepted, since its own code bounds their number.
        """
        activation = self.live.get(key)
        if activation is None:
            activation = self._activate(key)
        elif activation.mailbox.is_full() and not own:
            self._note_refusal()
            raise MailboxFull(f"the mailbox of {self.name}({key!r}) is full")
        return activation

    def _activate(self, key: str) -> Activation:
        if self.ended:
            raise Draining("the system has ended")
        if self._quarantines:
            self._refuse_quarantined(key)
        if len(self.live) >= self._policy.active_max:
            self._note_refusal()
            raise Overcrowded(f"{self._policy.active_max} actors of {self.name} are live")
        activation = self.live[key] = Activation(self, self._kind, key)
        self._activations += 1
        self.spawn(activation.run)
        return activation

    def _refuse_quarantined(self, key: str) -> None:
        self._forget_the_past()
        quarantine = self._quarantines.get(key)
        if quarantine is not None:
            self._note_refusal()
            left = quarantine.until - trio.current_time()
            raise Quarantined(f"{self.name}({key!r}) is quarantined", retry_after_seconds=left)

    def spawn(self, fn: Callable[..., Awaitable[object]], *args: Any) -> None:
        """Start a task in the system's context: the context of a request must not stay in an actor."""
        name = self.name
        self._context.copy().run(lambda: self._nursery.start_soon(fn, *args, name=name))

    def end(self) -> None:
        """Cancel all actors, including guarded waits, since the system ends."""
        self._nursery.cancel_scope.cancel()
        for activation in self.live.values():
            activation.incarnation.abandon_waits()

    @property
    def ended(self) -> bool:
        return self._nursery.cancel_scope.cancel_called

    def forget(self, activation: Activation) -> None:
        """Remove *activation* from the directory; the next message to its key creates a new one."""
        if self.live.get(activation.key) is activation:
            del self.live[activation.key]
            self.system.note_departure()

    def _note_refusal(self) -> None:
        self._refused += 1
        self._last_minute.note_refusal(trio.current_time())

    def note_turn(self, seconds: float, now: float, run_seconds: float) -> None:
        """Count a turn that was answered *now*, after *seconds*, of which it ran *run_seconds*."""
        self._turns += 1
        self._latencies.add(seconds)
        self._runs.add(run_seconds)
        self._last_minute.note_turn(now, run_seconds)

    def note_crash(self, key: str, crash: Crash | None) -> float | None:
        """The backoff before the restart, in seconds; None if the key is now quarantined."""
        self._crashes += 1
        self._forget_the_past()
        now = trio.current_time()
        self._last_minute.note_crash(now)
        window_began = now - self._policy.crash_window_seconds
        crashed_at = [at for at in self._crashed_at.pop(key, ()) if at > window_began]
        if len(crashed_at) >= self._policy.crashes_max:
            self._quarantines[key] = Quarantine(now + self._policy.quarantine_seconds, crash)
            return None
        self._crashed_at[key] = [*crashed_at, now]
        backoff_seconds = self._policy.backoff_seconds * 2.0 ** len(crashed_at)
        return min(backoff_seconds, self._policy.backoff_seconds_max)

    def release(self, key: str) -> str | None:
        """End the quarantine of *key* and forget its crashes; returns why not, if it is not quarantined."""
        self._forget_the_past()
        if self._quarantines.pop(key, None) is None:
            return "it is not quarantined"
        self._crashed_at.pop(key, None)
        return None

    def _forget_the_past(self) -> None:
        """Drop expired crashes and quarantines, so that they take no memory."""
        now = trio.current_time()
        window_began = now - self._policy.crash_window_seconds
        while self._crashed_at and next(iter(self._crashed_at.values()))[-1] <= window_began:
            del self._crashed_at[next(iter(self._crashed_at))]
        while self._quarantines and next(iter(self._quarantines.values())).until <= now:
            del self._quarantines[next(iter(self._quarantines))]

    def statistics(self, waiting: Waiting | None = None) -> KindStatistics:
        """The kind, with what waits in its mailboxes; of all actors at once unless it is given."""
        self._forget_the_past()
        depth, oldest_seconds = waiting or waiting_in(self.live.values())
        return KindStatistics(
            kind=self.name,
            active=len(self.live),
            quarantined=len(self._quarantines),
            mailbox_depth=depth,
            mailbox_oldest_seconds=oldest_seconds,
            activations=self._activations,
            turns=self._turns,
            crashes=self._crashes,
            refused=self._refused,
            latency_seconds=self._latencies.seconds,
            latency=self._latencies.buckets(),
            run_seconds=self._runs.seconds,
            runs=self._runs.buckets(),
            last_minute=self._last_minute.window(trio.current_time()),
        )

    def actors(self) -> list[ActorStatistics]:
        """All active actors, and all quarantined keys as actors in that phase."""
        return [one.statistics() for one in self.live.values()] + list(self.quarantined())

    def quarantined(self) -> Iterator[ActorStatistics]:
        """The quarantined keys, as actors in that phase."""
        self._forget_the_past()
        return (self._quarantined(key, one) for key, one in self._quarantines.items())

    def seen(self, key: str) -> ActorStatistics | None:
        """As `actors`, for *key* only."""
        self._forget_the_past()
        if key in self.live:
            return self.live[key].statistics()
        quarantine = self._quarantines.get(key)
        return quarantine and self._quarantined(key, quarantine)

    def inspect(self, key: str) -> ActorInspection | None:
        """All that is known of *key*; None if it is neither active nor quarantined."""
        self._forget_the_past()
        if key in self.live:
            return self.live[key].inspect()
        quarantine = self._quarantines.get(key)
        return quarantine and ActorInspection(
            statistics=self._quarantined(key, quarantine),
            stack=[],
            request_id=None,
            waits_for=[],
            waiting={},
            tasks=[],
            turns=quarantine.crash.turns if quarantine.crash else [],
            crash=quarantine.crash,
        )

    def _quarantined(self, key: str, quarantine: Quarantine) -> ActorStatistics:
        return ActorStatistics(
            kind=self.name,
            key=key,
            phase="quarantined",
            turn=None,
            turn_age_seconds=None,
            mailbox_depth=0,
            mailbox_oldest_seconds=None,
            tasks=0,
            task=None,
            task_age_seconds=None,
            guarded_waits=0,
            timers={},
            turns=0,
            crashes=self._policy.crashes_max + 1,
            last_error=quarantine.crash.error if quarantine.crash else None,
            latency=[],
        )
