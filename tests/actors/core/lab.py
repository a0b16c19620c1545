"""A system to experiment in, and an actor that does in its turns whatever a test hands it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec
import trio

from svc.actors._core import Actor, ActorSystem, Policy, turn
from svc.wait_guard import wait_guarded

R = TypeVar("R")


class Lab(ActorSystem):
    """Carries a journal that actors write into, and what they do when they are loaded and flushed."""

    def __init__(self, *kinds: type[Actor[Any, Any]]) -> None:
        super().__init__(kinds)
        self.journal: list[Any] = []
        self.loads = 0
        self.on_load: Callable[[Probe], Awaitable[object]] = nothing
        self.on_flush: Callable[[Probe], Awaitable[object]] = nothing


class Count(msgspec.Struct):
    total: int = 0


class Probe(Actor[Lab, Count]):
    async def load(self) -> Count:
        self.system.loads += 1
        await self.system.on_load(self)
        return Count()

    async def flush(self) -> None:
        await self.system.on_flush(self)

    @turn
    async def add(self, number: int = 1) -> int:
        """Add *number*, and return the total."""
        self.state.total += number
        return self.state.total

    @turn
    async def note(self, entry: object) -> None:
        """Write *entry* into the journal."""
        self.system.journal.append(entry)

    @turn
    async def fail(self, error: BaseException) -> None:
        raise error

    @turn
    async def do(self, act: Callable[["Probe"], Awaitable[R]]) -> R:
        """Run *act* inside this turn."""
        return await act(self)


class Other(Probe):
    """A second kind."""


class Small(Probe):
    """Holds two messages."""

    policy = Policy(mailbox_max=2)


class Elsewhere:
    """Work elsewhere that takes *seconds*, with or without a waiter."""

    def __init__(self, seconds: float) -> None:
        self._waiting: trio.lowlevel.Task | None = None
        trio.lowlevel.spawn_system_task(self._be_done, seconds)

    async def wait_guarded(self) -> None:
        """Wait until it is done, as the store does for what it has accepted."""
        self._waiting = trio.lowlevel.current_task()
        await wait_guarded(self._leave)

    def _leave(self, _raise_cancel: object) -> trio.lowlevel.Abort:
        if self._waiting is None:
            return trio.lowlevel.Abort.FAILED
        self._waiting = None
        return trio.lowlevel.Abort.SUCCEEDED

    async def _be_done(self, seconds: float) -> None:
        await trio.sleep(seconds)
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            trio.lowlevel.reschedule(waiting)


async def nothing(_actor: Probe) -> None:
    """Do nothing."""


@asynccontextmanager
async def living(*kinds: type[Actor[Any, Any]]) -> AsyncIterator[Lab]:
    """A live lab with these *kinds*; with `Probe` and `Other` when none is named."""
    lab = Lab(*(kinds or (Probe, Other)))
    async with lab.live():
        yield lab
