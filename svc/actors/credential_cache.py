"""Cache from a token's digest to what it authenticates.

Only hits are cached. An unknown, a revoked and an expired token cost the same index search each time, and a
flood of made-up tokens fills no memory.
"""

from collections.abc import Callable
from typing import Final, Generic, Protocol, Self, TypeVar

from sqlalchemy import Connection

from svc.clock import Clock
from svc.storage.store import Owner, Store

ENTRIES_MAX: Final = 10_000
"""Entries of one cache; beyond, the oldest is evicted."""


class Entry(Protocol):
    """What a token authenticates, until it expires."""

    def lives_at(self: Self, now: int) -> bool:
        """Whether it is still valid at *now*."""
        ...


T = TypeVar("T", bound=Entry)


class CredentialCache(Generic[T]):
    """Read-through cache of valid tokens. It authenticates only; admission is decided by the caller."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        search: Callable[[Connection, str, int], T | None],
        entries_max: int = ENTRIES_MAX,
    ) -> None:
        """*search* looks a digest up in the store, as of a time in ms since the epoch."""
        self._units = store.of(Owner.CREDENTIALS)
        self._clock = clock
        self._search = search
        self._entries_max = entries_max
        self._entries: dict[str, T] = {}
        self._evictions = 0

    def __len__(self) -> int:
        return len(self._entries)

    async def find(self, digest: str) -> T | None:
        """What the token with *digest* authenticates; None if it is unknown, revoked or expired."""
        now = self._clock.now()
        cached = self._entries.get(digest)
        if cached is not None:
            if cached.lives_at(now):
                return cached
            # Evicted, since an expired token would otherwise cost more time than an unknown one.
            del self._entries[digest]
        evictions = self._evictions
        entry = await self._units.read(self._search, digest, now)
        # Do not cache the result if anything was evicted meanwhile: it may be from before the change.
        if entry is not None and self._evictions == evictions:
            while len(self._entries) >= self._entries_max:
                del self._entries[next(iter(self._entries))]
            self._entries[digest] = entry
        return entry

    def clear(self) -> None:
        """Evict all entries: any of them may have changed."""
        self._evictions += 1
        self._entries.clear()

    def evict(self, *digests: str) -> None:
        """Evict the entries of these digests: they have changed."""
        self._evictions += 1
        for digest in digests:
            self._entries.pop(digest, None)
