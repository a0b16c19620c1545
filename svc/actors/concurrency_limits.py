"""Limits on how many work for the same key at once."""

from types import TracebackType
from typing import Final, Self

import trio

from svc.domain.errors import Unavailable

SHARED_SECONDS: Final = 60.0
"""How long a key that was seen counts as there."""


class Company:
    """Whether several keys are in use. One that is alone need not be held back for anybody."""

    __slots__ = ("_latest", "_until")

    def __init__(self) -> None:
        self._latest: str | None = None
        self._until = 0.0

    def note(self, key: str) -> None:
        """*key* is in use."""
        if key != self._latest:
            if self._latest is not None:
                self._until = trio.current_time() + SHARED_SECONDS
            self._latest = key

    @property
    def several(self) -> bool:
        """Whether more than one key was in use within the last minute."""
        return trio.current_time() < self._until


class KeyedLimiter:
    """At most *at_once* places of one key are taken; who wants another waits, first come, first served.

    Keys do not wait for each other. A key is known only while a place of it is taken.
    """

    def __init__(self, at_once: int, waiting_max: int, company: Company | None = None) -> None:
        """At most *waiting_max* may wait for one key.

        With *company* the limit holds only while that has several keys: it would slow a lone one for nothing.
        """
        self._at_once = at_once
        self._waiting_max = waiting_max
        self._company = company
        self._taken: dict[str, int] = {}
        self._waiting: dict[str, trio.lowlevel.ParkingLot] = {}

    def __len__(self) -> int:
        """How many keys have places taken."""
        return len(self._taken)

    def of(self, key: str) -> "_Place":
        """A place of *key*, for `async with`. Entering raises `Unavailable` when too many wait already."""
        return _Place(self, key)

    async def acquire(self, key: str) -> None:
        """Take a place, at once where one is free."""
        company = self._company
        if company is not None:
            company.note(key)
        taken = self._taken.get(key, 0)
        if taken < self._at_once or self._is_unlimited(key):
            self._taken[key] = taken + 1
        else:
            await self._wait(key)

    def release(self, key: str) -> None:
        """Hand the place to who has waited longest, or give it up."""
        taken = self._taken[key]
        lot = self._waiting.get(key)
        if lot and taken <= self._at_once:  # all who waited may have been cancelled, and not have run yet
            lot.unpark()
            self._forget(key, lot)
        elif taken > 1:
            self._taken[key] = taken - 1
        else:
            del self._taken[key]

    def _is_unlimited(self, key: str) -> bool:
        """Whether nobody else is there to be spared; but nobody gets ahead of those who wait already."""
        return self._company is not None and key not in self._waiting and not self._company.several

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


class _Place:
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
