"""Negative cache of public keys, so that repeated requests for a key that does not exist cost no look-up.

Form keys, embed keys and hosts of page views come from strangers, without a secret and at any rate.
Activating an actor only to find that its key does not exist would be the dearest part of such a request.
"""

from collections.abc import Callable

from sqlalchemy import Connection

from svc.clock import Clock
from svc.domain.errors import NotFound
from svc.domain.limits import UNKNOWN_KEYS_MAX, UNKNOWN_KEYS_MS
from svc.storage.store import Units


class UnknownKeys:
    """Keys of one kind that do not exist. `ChangeDispatcher` evicts a key when it may have been created."""

    def __init__(
        self,
        units: Units,
        clock: Clock,
        search: Callable[[Connection, str], object],
        entries_max: int = UNKNOWN_KEYS_MAX,
    ) -> None:
        """*search* raises `NotFound` for a key that does not exist."""
        self._units = units
        self._clock = clock
        self._search = search
        self._entries_max = entries_max
        self._expires_at: dict[str, int] = {}
        self._evictions = 0

    def __len__(self) -> int:
        return len(self._expires_at)

    async def check(self, key: str) -> None:
        """Raise `NotFound` if *key* does not exist: from the cache, or after a look-up, which is cached."""
        now = self._clock.now()
        expires_at = self._expires_at.get(key)
        if expires_at is not None:
            if now < expires_at:
                raise NotFound("known to be nobody's")
            del self._expires_at[key]
        evictions = self._evictions
        try:
            await self._units.read(self._search, key)
        except NotFound:
            # Do not cache the result if anything was evicted meanwhile: the key may exist by now.
            if self._evictions == evictions:
                self._add(key, now + UNKNOWN_KEYS_MS)
            raise

    def evict(self, *keys: str) -> None:
        """Evict *keys*: they may exist now."""
        self._evictions += 1
        for key in keys:
            self._expires_at.pop(key, None)

    def clear(self) -> None:
        """Evict all keys: any of them may exist now."""
        self._evictions += 1
        self._expires_at.clear()

    def _add(self, key: str, expires_at: int) -> None:
        while len(self._expires_at) >= self._entries_max:
            del self._expires_at[next(iter(self._expires_at))]
        self._expires_at[key] = expires_at
