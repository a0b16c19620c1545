"""One supervisor a kind: who is live, who crashed how often, and who is left alone for a while."""

from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any

import trio

from svc.actors._core.activation import Activation
from svc.actors._core.actor import Actor
from svc.actors._core.errors import MailboxFull, Overcrowded, Quarantined
from svc.actors._core.statistics import ActorStatistics, KindStatistics, Latencies

if TYPE_CHECKING:
    from svc.actors._core.system import ActorSystem


class Supervisor:
    """Keeps the live actors of one kind, one for one: what befalls a key befalls no other."""

    def __init__(
        self, system: "ActorSystem", kind: type[Actor[Any, Any]], nursery: trio.Nursery, context: Context
    ) -> None:
        self.system = system
        self._kind = kind
        self._policy = kind.policy
        self._nursery = nursery
        self._context = context
        self.live: dict[str, Activation] = {}
        self._crashes: dict[str, deque[float]] = {}
        self._quarantined_until: dict[str, float] = {}
        self._last_errors: dict[str, str] = {}
        self._activations = 0
        self._turns = 0
        self._crash_count = 0
        self._refused = 0
        self._latencies = Latencies()

    def admit(self, key: str, *, own: bool) -> Activation:
        """The live actor of *key*, activated if need be, with room for one more message.

        A message of an actor to itself (*own*) finds room always: it bounds those by what it does.
        """
        activation = self.live.get(key)
        if activation is None:
            activation = self._activate(key)
        elif activation.mailbox.is_full() and not own:
            self._refused += 1
            raise MailboxFull(f"the mailbox of {self._kind.__name__}({key!r}) is full")
        return activation

    def _activate(self, key: str) -> Activation:
        if self._quarantined_until:
            self._refuse_quarantined(key)
        if len(self.live) >= self._policy.active_max:
            self._refused += 1
            raise Overcrowded(f"{self._policy.active_max} actors of {self._kind.__name__} are live")
        activation = self.live[key] = Activation(self, self._kind, key)
        self._activations += 1
        self.spawn(activation.run)
        return activation

    def _refuse_quarantined(self, key: str) -> None:
        left = self._quarantined_until.get(key, 0.0) - trio.current_time()
        if left > 0:
            self._refused += 1
            raise Quarantined(f"{self._kind.__name__}({key!r}) is quarantined", retry_after_seconds=left)
        self._quarantined_until.pop(key, None)
        self._last_errors.pop(key, None)

    def spawn(self, fn: Callable[..., Awaitable[object]], *args: Any) -> None:
        """Start a task in the system's own context: a request's context must not live on in an actor."""
        self._context.copy().run(self._nursery.start_soon, fn, *args)

    def forget(self, activation: Activation) -> None:
        """Take *activation* out of the directory; the next message to its key makes a new one."""
        if self.live.get(activation.key) is activation:
            del self.live[activation.key]
            self.system.note_departure()

    def note_turn(self, seconds: float) -> None:
        self._turns += 1
        self._latencies.add(seconds)

    def note_crash(self, key: str, last_error: str) -> float | None:
        """Seconds to wait before the restart, or None: the key is quarantined from now on."""
        now = trio.current_time()
        self._crash_count += 1
        self._forget_old_crashes(now)
        crashes = self._crashes.setdefault(key, deque())
        crashes.append(now)
        if len(crashes) > self._policy.crashes_max:
            del self._crashes[key]
            self._quarantined_until[key] = now + self._policy.quarantine_seconds
            self._last_errors[key] = last_error
            return None
        backoff_seconds = self._policy.backoff_seconds * 2.0 ** (len(crashes) - 1)
        return min(backoff_seconds, self._policy.backoff_seconds_max)

    def _forget_old_crashes(self, now: float) -> None:
        """Only what counts is kept, so that a key that once crashed costs nothing forever."""
        oldest = now - self._policy.crash_window_seconds
        for key, crashes in list(self._crashes.items()):
            while crashes and crashes[0] <= oldest:
                crashes.popleft()
            if not crashes:
                del self._crashes[key]
        for key, until in list(self._quarantined_until.items()):
            if until <= now:
                del self._quarantined_until[key]
                self._last_errors.pop(key, None)

    def statistics(self) -> KindStatistics:
        now = trio.current_time()
        return KindStatistics(
            kind=self._kind.__name__,
            active=len(self.live),
            quarantined=sum(until > now for until in self._quarantined_until.values()),
            mailbox_depth=sum(len(one.mailbox) for one in self.live.values()),
            activations=self._activations,
            turns=self._turns,
            crashes=self._crash_count,
            refused=self._refused,
            latency=self._latencies.buckets(),
        )

    def actors(self) -> list[ActorStatistics]:
        """Every live actor, and every quarantined key as an actor in that phase."""
        now = trio.current_time()
        return [one.statistics() for one in self.live.values()] + [
            self._quarantined(key) for key, until in self._quarantined_until.items() if until > now
        ]

    def _quarantined(self, key: str) -> ActorStatistics:
        return ActorStatistics(
            kind=self._kind.__name__,
            key=key,
            phase="quarantined",
            turn=None,
            turn_age_seconds=None,
            mailbox_depth=0,
            mailbox_oldest_seconds=None,
            tasks=0,
            timers={},
            turns=0,
            crashes=self._policy.crashes_max + 1,
            last_error=self._last_errors.get(key),
            latency=[],
        )
