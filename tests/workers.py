"""Tasks that take places of a limiter, and hold them until a test lets them go."""

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import trio
import trio.testing


class Limiter(Protocol):
    """What has places of keys."""

    def of(self, key: str, /) -> AbstractAsyncContextManager[Any]: ...


class Workers:
    """Tasks that each take a place, and keep it until they are released."""

    def __init__(self, limiter: Limiter, nursery: trio.Nursery) -> None:
        self._limiter = limiter
        self._nursery = nursery
        self._ends: dict[str, trio.CancelScope] = {}
        self.at_work: list[str] = []

    async def come(self, *names: str) -> None:
        """Workers, whose keys are the first letters of their names, come one after the other."""
        for name in names:
            self._nursery.start_soon(self._work, name)
            await trio.testing.wait_all_tasks_blocked()

    async def go(self, *names: str) -> None:
        """Whether they work or wait, they leave."""
        for name in names:
            self._ends[name].cancel()
            await trio.testing.wait_all_tasks_blocked()

    async def _work(self, name: str) -> None:
        with trio.CancelScope() as self._ends[name]:
            async with self._limiter.of(name[0]):
                self.at_work.append(name)
                try:
                    await trio.sleep_forever()
                finally:
                    self.at_work.remove(name)
