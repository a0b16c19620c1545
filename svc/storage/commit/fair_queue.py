"""A fair queue: owners are served round robin, so that a long queue of one delays no other."""

from collections import deque
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Round(NamedTuple, Generic[T]):
    """Items taken together, in turn by owner, and how evenly they are shared."""

    items: list[T]
    first: int
    """Of the items, those at the front that are the first of their owner."""
    even: int
    """Those at the front in which every owner has as many as any other."""
    owners: set[str]
    """The owners that had items waiting."""


class FairQueue(Generic[T]):
    """A first-in, first-out queue for each owner, served round robin; putting and taking are O(1).

    An owner is known only while it has items waiting. Putting never waits: what exceeds a bound is refused.
    """

    __slots__ = ("_queues", "_size", "_turns", "items_max", "share_max")

    def __init__(self, items_max: int, share_max: int) -> None:
        """At most *items_max* items are queued, and *share_max* of one owner."""
        self.items_max = items_max
        self.share_max = share_max
        self._queues: dict[str, deque[T]] = {}
        self._turns = deque[str]()
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def owners(self) -> int:
        """How many owners have items waiting."""
        return len(self._queues)

    def put(self, owner: str, item: T) -> bool:
        """Queue *item* behind its owner's others; False where there is no room for it."""
        if self._size >= self.items_max:
            return False
        queue = self._queues.get(owner)
        if queue is None:
            self._queues[owner] = deque((item,))
            self._turns.append(owner)
        elif len(queue) < self.share_max:
            queue.append(item)
        else:
            return False
        self._size += 1
        return True

    def take(self) -> T:
        """Take the oldest item of the next owner. Raises `IndexError` when the queue is empty."""
        owner = self._turns.popleft()
        queue = self._queues[owner]
        item = queue.popleft()
        if queue:
            self._turns.append(owner)
        else:
            del self._queues[owner]
        self._size -= 1
        return item

    def take_round(self, items_max: int) -> Round[T]:
        """Take at most *items_max* items: one of each owner, then another of each with more, and so on."""
        if len(self._turns) == 1 and self._size <= items_max:  # the usual case: all of it, at once
            owner = self._turns.popleft()
            items = list(self._queues.pop(owner))
            self._size = 0
            return Round(items, 1, len(items), {owner})
        owners = set(self._queues)
        size = min(items_max, self._size)
        if len(owners) == 1:
            even = size
        else:
            shortest = min(map(len, self._queues.values())) if len(owners) < size else 1
            even = min(size, len(owners) * shortest)
        items = [self.take() for _ in range(size)]
        return Round(items, min(size, len(owners)), even, owners)

    def put_back(self, taken: Sequence[tuple[str, T]]) -> None:
        """Queue taken items that were not used again, ahead of their owners' others. It never refuses."""
        for owner, _ in taken:
            if owner not in self._queues:
                self._queues[owner] = deque()
                self._turns.append(owner)
        for owner, item in reversed(taken):
            self._queues[owner].appendleft(item)
        self._size += len(taken)
