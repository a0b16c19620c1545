"""Places that owners, such as organizations, share fairly: of requests, of threads, of runs.

An owner may take another place while it holds fewer than are free. So one that is greedy gets half, two get a
third each, and as much stays free for whoever comes next: however many places hang, another owner finds one.
Switches share their buffers among queues by this rule (dynamic thresholds: Choudhury and Hahne, 1998).
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from svc.domain.errors import Unavailable


class FairPlaces:
    """A number of places. Waiters are served in turn by owner; those of one owner, first in, first out.

    Nobody waits who might have a place: that is looked at whenever one is released. An owner is known only
    while it holds or waits.
    """

    __slots__ = ("_held", "_of_each_max", "_waiting", "_waiting_room", "free", "limit")

    def __init__(
        self, limit: int, waiting_room: "FairPlaces | None" = None, *, of_each_max: int | None = None
    ) -> None:
        """*waiting_room*: the places of those that wait, which several may share; None where nothing waits.

        *of_each_max*: of one owner, if that is fewer than its share.
        """
        self.limit = limit
        self.free = limit
        self._of_each_max = limit if of_each_max is None else of_each_max
        self._waiting_room = waiting_room
        self._held: dict[str, int] = {}
        self._waiting: dict[str, dict[trio.lowlevel.Task, None]] = {}  # in the order of their turns

    @property
    def taken(self) -> int:
        return self.limit - self.free

    def held_by(self, owner: str) -> int:
        """How many places *owner* holds."""
        return self._held.get(owner, 0)

    def has_room(self, owner: str) -> bool:
        """Whether *owner* would get a place now."""
        return owner not in self._waiting and self._may_take(owner)

    def try_acquire(self, owner: str) -> bool:
        """Acquire a place if *owner* may have one now. Returns whether it did. It overtakes no waiter."""
        # As `has_room` and `_take`, of which the calls would be a hundredth of sending a small request.
        held = self._held.get(owner, 0)
        if held >= self.free or held >= self._of_each_max or owner in self._waiting:
            return False
        self.free -= 1
        self._held[owner] = held + 1
        return True

    async def acquire(self, owner: str) -> None:
        """Acquire a place, at once if *owner* may have one. Raises `Unavailable` if too many wait already."""
        if self.try_acquire(owner):
            return
        room = self._waiting_room
        if room is None or not room.try_acquire(owner):
            raise Unavailable("too many wait for the same already")
        try:
            await self._wait(owner)
        finally:
            room.release(owner)

    def release(self, owner: str) -> None:
        """Release a place of *owner*: the owners that wait are looked at in turn."""
        held = self._held.pop(owner) - 1
        if held:
            self._held[owner] = held
        self.free += 1
        while (following := self._next()) is not None:
            self._admit(following)

    @asynccontextmanager
    async def of(self, owner: str) -> AsyncIterator[None]:
        """Hold a place of *owner* for the block. Raises `Unavailable` if too many wait already."""
        await self.acquire(owner)
        try:
            yield
        finally:
            self.release(owner)

    def _may_take(self, owner: str) -> bool:
        held = self._held.get(owner, 0)
        return held < self.free and held < self._of_each_max

    def _take(self, owner: str) -> None:
        self.free -= 1
        self._held[owner] = self._held.get(owner, 0) + 1

    def _next(self) -> str | None:
        """The owner whose turn it is among those that wait and may take a place."""
        if self.free:
            for owner in self._waiting:
                if self._may_take(owner):
                    return owner
        return None

    def _admit(self, owner: str) -> None:
        """Give a place to the longest waiter of *owner*, whose next turn comes after all others'."""
        tasks = self._waiting.pop(owner)
        task = next(iter(tasks))
        del tasks[task]
        if tasks:
            self._waiting[owner] = tasks
        self._take(owner)
        trio.lowlevel.reschedule(task)

    async def _wait(self, owner: str) -> None:
        """Wait for a place. One that was given is not lost to a cancellation: that is seen later."""
        task = trio.lowlevel.current_task()
        self._waiting.setdefault(owner, {})[task] = None

        def leave(_: object) -> trio.lowlevel.Abort:
            tasks = self._waiting[owner]
            del tasks[task]
            if not tasks:
                del self._waiting[owner]
            return trio.lowlevel.Abort.SUCCEEDED

        await trio.lowlevel.wait_task_rescheduled(leave)
