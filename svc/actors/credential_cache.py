"""A directory: what a secret leads to, by its digest.

What was found is kept at hand; what was not is looked for again every time. So an unknown secret, a revoked
one and an expired one all cost the same search of an index, and a flood of made-up ones fills no memory.
"""

from collections.abc import Callable
from typing import Final, Generic, Protocol, Self, TypeVar

from sqlalchemy import Connection

from svc.clock import Clock
from svc.storage.store import Owner, Store

KEPT_MAX: Final = 10_000
"""Entries of one directory that are kept at hand; beyond, the one that was kept longest is dropped."""


class Entry(Protocol):
    """What a secret may lead to: something that comes to an end."""

    def lives_at(self: Self, now: int) -> bool:
        """Whether it still counts at *now*."""
        ...


T = TypeVar("T", bound=Entry)


class CredentialCache(Generic[T]):
    """Finds what live secrets lead to. It only routes and remembers: who enters is decided elsewhere."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        search: Callable[[Connection, str, int], T | None],
        kept_max: int = KEPT_MAX,
    ) -> None:
        """*search* finds what a digest leads to at a time, and only what lives then."""
        self._units = store.of(Owner.CREDENTIALS)
        self._clock = clock
        self._search = search
        self._kept_max = kept_max
        self._kept: dict[str, T] = {}
        self._forgotten = 0

    def __len__(self) -> int:
        return len(self._kept)

    async def find(self, digest: str) -> T | None:
        """What the secret of that *digest* leads to; None where it is unknown, revoked or expired."""
        now = self._clock.now()
        kept = self._kept.get(digest)
        if kept is not None:
            if kept.lives_at(now):
                return kept
            del self._kept[
                digest
            ]  # else an expired secret would always cost a little more than an unknown one
        forgotten = self._forgotten
        found = await self._units.read(self._search, digest, now)
        # What was changed while the search was under way may be what it found.
        if found is not None and self._forgotten == forgotten:
            while len(self._kept) >= self._kept_max:
                del self._kept[next(iter(self._kept))]
            self._kept[digest] = found
        return found

    def forget_all(self) -> None:
        """Any of them may not be what it was."""
        self._forgotten += 1
        self._kept.clear()

    def forget(self, *digests: str) -> None:
        """These are no longer what they were."""
        self._forgotten += 1
        for digest in digests:
            self._kept.pop(digest, None)
