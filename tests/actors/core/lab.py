"""A system to experiment in, and an actor that does in its turns whatever a test hands it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec

from svc.actors._core import Actor, ActorSystem, Policy, turn

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
        """Add *number*, and tell the total."""
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


async def nothing(_actor: Probe) -> None:
    """Do nothing."""


@asynccontextmanager
async def living(*kinds: type[Actor[Any, Any]]) -> AsyncIterator[Lab]:
    """A live lab with these *kinds*; with `Probe` and `Other` when none is named."""
    lab = Lab(*(kinds or (Probe, Other)))
    async with lab.live():
        yield lab
