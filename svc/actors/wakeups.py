"""Wakeups for long polls, by key. A waiter re-checks the store; a wakeup carries no data."""

from collections.abc import Iterator
from contextlib import contextmanager

import trio


class Wakeup:
    """An auto-reset event: a notification that comes before the wait ends the wait at once."""

    __slots__ = ("_notified",)

    def __init__(self) -> None:
        self._notified = trio.Event()

    def notify(self) -> None:
        """End the wait that is under way, or else the next one."""
        self._notified.set()

    async def wait(self, seconds: float) -> None:
        """Wait for the next notification, for at most *seconds*."""
        with trio.move_on_after(seconds):
            await self._notified.wait()
        self._notified = trio.Event()


class Wakeups:
    """The wakeups that are registered, by key."""

    def __init__(self) -> None:
        self._registered: dict[str, list[Wakeup]] = {}
        self.closed = False
        """Whether the service is shutting down, so that no long poll may wait."""

    def waiting(self, key: str) -> int:
        """The number of wakeups that are registered for *key*."""
        return len(self._registered.get(key, ()))

    @contextmanager
    def register(self, key: str) -> Iterator[Wakeup]:
        """A wakeup for *key*, registered until the block ends."""
        wakeup = Wakeup()
        self._registered.setdefault(key, []).append(wakeup)
        try:
            yield wakeup
        finally:
            left = self._registered[key]
            left.remove(wakeup)
            if not left:
                del self._registered[key]

    def notify(self, key: str) -> None:
        """End the waits for *key*."""
        for wakeup in self._registered.get(key, ()):
            wakeup.notify()

    def close(self) -> None:
        """End all waits for good, for the shutdown."""
        self.closed = True
        for key in self._registered:
            self.notify(key)
