"""Locks of contents, by name: what decides about one content has it alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio


class ContentLocks:
    """A lock for each name, known only while it is held or waited for."""

    def __init__(self) -> None:
        self._locks: dict[str, trio.Lock] = {}
        self._interested: dict[str, int] = {}

    @asynccontextmanager
    async def of(self, name: str) -> AsyncIterator[None]:
        """Hold the lock of *name*; first come, first served."""
        lock = self._locks.setdefault(name, trio.Lock())
        self._interested[name] = self._interested.get(name, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._interested[name] -= 1
            if not self._interested[name]:
                del self._interested[name], self._locks[name]
