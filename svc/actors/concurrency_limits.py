"""Concurrency limits, and a pace, for each key, such as an organization."""

from types import TracebackType
from typing import Final, Self

import trio

from svc.domain.errors import Unavailable

PACED_KEYS_MAX: Final = 1_000
"""How many keys a pace remembers before it forgets those whose turn is over."""

ACTIVE_SECONDS: Final = 60.0
"""How long a key counts as active after its last use."""


class ActiveKeys:
    """Whether more than one key is active. A limit need not hold for a key that competes with no other."""

    __slots__ = ("_contended_until", "_latest")

    def __init__(self) -> None:
        self._latest: str | None = None
        self._contended_until = 0.0

    def note(self, key: str) -> None:
        """Record a use of *key*."""
        if key != self._latest:
            if self._latest is not None:
                self._contended_until = trio.current_time() + ACTIVE_SECONDS
            self._latest = key

    @property
    def several(self) -> bool:
        """Whether more than one key was used within the last minute."""
        return trio.current_time() < self._contended_until


class KeyedLimiter:
    """A limit of *at_once* concurrent holders for each key; further ones wait, first in, first out.

    Keys do not wait for each other. A key is known only while it has holders.
    """

    def __init__(self, at_once: int, waiting_max: int, active_keys: ActiveKeys | None = None) -> None:
        """At most *waiting_max* tasks wait for one key.

        With *active_keys*, the limit holds only while several keys are active: it would slow down a single
        one without sparing another.
        """
        self._at_once = at_once
        self._waiting_max = waiting_max
        self._active_keys = active_keys
        self._holders: dict[str, int] = {}
        self._waiting: dict[str, trio.lowlevel.ParkingLot] = {}

    def __len__(self) -> int:
        """The number of keys that have holders."""
        return len(self._holders)

    def of(self, key: str) -> "_Slot":
        """A slot of *key*, for `async with`. Entering raises `Unavailable` if too many wait already."""
        return _Slot(self, key)

    async def acquire(self, key: str) -> None:
        """Acquire a slot of *key*, at once if one is free. Raises `Unavailable` if too many wait already."""
        if not self.try_acquire(key):
            await self._wait(key)

    def try_acquire(self, key: str) -> bool:
        """Acquire a slot of *key* if one is free. Returns whether it was."""
        active_keys = self._active_keys
        if active_keys is not None:
            active_keys.note(key)
        holders = self._holders.get(key, 0)
        if holders < self._at_once or self._is_unlimited(key):
            self._holders[key] = holders + 1
            return True
        return False

    def release(self, key: str) -> None:
        """Release a slot of *key*: the task that has waited longest gets it."""
        holders = self._holders[key]
        lot = self._waiting.get(key)
        # The lot may be empty: its tasks may have been cancelled and not have run yet.
        if lot and holders <= self._at_once:
            lot.unpark()
            self._forget(key, lot)
        elif holders > 1:
            self._holders[key] = holders - 1
        else:
            del self._holders[key]

    def _is_unlimited(self, key: str) -> bool:
        """Whether *key* is the only active one. A task never overtakes those that wait already."""
        return self._active_keys is not None and key not in self._waiting and not self._active_keys.several

    async def _wait(self, key: str) -> None:
        lot = self._waiting.get(key)
        if lot is None:
            lot = self._waiting[key] = trio.lowlevel.ParkingLot()
        if len(lot) >= self._waiting_max:
            raise Unavailable("too many wait for the same already")
        try:
            await lot.park()
        finally:
            self._forget(key, lot)

    def _forget(self, key: str, lot: trio.lowlevel.ParkingLot) -> None:
        if not lot and self._waiting.get(key) is lot:
            del self._waiting[key]


class _Slot:
    __slots__ = ("_key", "_limiter")

    def __init__(self, limiter: KeyedLimiter, key: str) -> None:
        self._limiter = limiter
        self._key = key

    async def __aenter__(self) -> Self:
        await self._limiter.acquire(self._key)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._limiter.release(self._key)


class KeyedPace:
    """Spaces out what begins for one key, so that many that are due at once do not take the processor."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next: dict[str, float] = {}

    async def wait(self, key: str) -> None:
        """Wait for the turn of *key*, which comes so many seconds after the one before; the first at once."""
        now = trio.current_time()
        at = max(now, self._next.get(key, now))
        if len(self._next) >= PACED_KEYS_MAX:
            self._next = {other: next_at for other, next_at in self._next.items() if next_at > now}
        self._next[key] = at + self._seconds
        await trio.sleep_until(at)
