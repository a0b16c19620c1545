"""Bells: how those who wait for something hear that it may be there. They look for themselves."""

from collections.abc import Iterator
from contextlib import contextmanager

import trio


class Bell:
    """What one waits by. A ring that comes before the wait is not lost: the wait ends at once."""

    __slots__ = ("_rung",)

    def __init__(self) -> None:
        self._rung = trio.Event()

    def ring(self) -> None:
        """Wake who waits."""
        self._rung.set()

    async def wait(self, seconds: float) -> None:
        """Wait for the next ring, at most so long."""
        with trio.move_on_after(seconds):
            await self._rung.wait()
        self._rung = trio.Event()


class Bells:
    """A bell for everyone who waits, by what they wait for."""

    def __init__(self) -> None:
        self._bells: dict[str, list[Bell]] = {}
        self.silenced = False
        """Whether nobody waits any more, as the service ends."""

    def waiting(self, key: str) -> int:
        """How many wait for *key*."""
        return len(self._bells.get(key, ()))

    @contextmanager
    def hung(self, key: str) -> Iterator[Bell]:
        """A bell that rings for *key*."""
        bell = Bell()
        self._bells.setdefault(key, []).append(bell)
        try:
            yield bell
        finally:
            hung = self._bells[key]
            hung.remove(bell)
            if not hung:
                del self._bells[key]

    def ring(self, key: str) -> None:
        """Wake all who wait for *key*."""
        for bell in self._bells.get(key, ()):
            bell.ring()

    def silence(self) -> None:
        """Wake everybody, for the last time: the service ends."""
        self.silenced = True
        for key in self._bells:
            self.ring(key)
