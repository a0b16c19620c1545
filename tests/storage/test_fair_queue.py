"""The fair queue beside a plain model: each owner's items in order, and the owners in turn."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from svc.storage.commit.fair_queue import FairQueue

OWNERS = st.sampled_from("abcd")
ITEMS_MAX = 12
SHARE_MAX = 5


def filled(items: str) -> FairQueue[str]:
    """A queue of items that are named by their owner and their place, such as `a1`."""
    queue: FairQueue[str] = FairQueue(1_000, 1_000)
    places = Counter[str]()
    for owner in items:
        places[owner] += 1
        assert queue.put(owner, f"{owner}{places[owner]}")
    return queue


def test_owners_take_turns():
    """However many items of one wait, another's first is second."""
    queue = filled("aaaab")

    assert ["a1", "b1", "a2", "a3", "a4"] == [queue.take() for _ in range(5)]


def test_an_owner_that_comes_back_waits_for_its_turn():
    """An owner that was served stands behind those that were not."""
    queue = filled("abc")

    assert "a1" == queue.take()
    queue.put("a", "a2")
    assert ["b1", "c1", "a2"] == [queue.take() for _ in range(3)]


def test_a_round_has_how_evenly_it_is_shared():
    """First one of each owner; then all have as many, until one has no more; then the rest."""
    taken = filled("aaaaabbbcc").take_round(100)

    assert ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "a4", "a5"] == taken.items
    assert (3, 6, {"a", "b", "c"}) == (taken.first, taken.even, taken.owners)


def test_a_round_of_one_owner_is_even():
    """A single owner's round is even."""
    queue = filled("aaaaa")

    taken = queue.take_round(3)
    assert (["a1", "a2", "a3"], 1, 3) == (taken.items, taken.first, taken.even)
    rest = queue.take_round(3)
    assert (["a4", "a5"], 1, 2) == (rest.items, rest.first, rest.even)
    assert 0 == len(queue)


def test_a_round_has_a_limit():
    """With more owners than places, each place is another's, and the rest come first in the next."""
    queue = filled("aabbccdd")

    taken = queue.take_round(3)
    assert (["a1", "b1", "c1"], 3, 3) == (taken.items, taken.first, taken.even)
    assert ["d1", "a2", "b2", "c2", "d2"] == queue.take_round(8).items


def test_an_empty_round_is_empty():
    """Nothing is taken where nothing waits, or where nothing may be taken."""
    assert ([], 0) == filled("").take_round(3)[:2]
    assert ([], 0) == filled("ab").take_round(0)[:2]
    with pytest.raises(IndexError):
        filled("").take()


def test_a_share_is_bounded_and_so_is_the_whole():
    """One owner that has its share is refused while others are not; a full queue refuses everybody."""
    queue: FairQueue[int] = FairQueue(items_max=4, share_max=2)

    assert [True, True, False] == [queue.put("a", item) for item in range(3)]
    assert [True, True] == [queue.put(owner, 0) for owner in "bc"]
    assert [False, False] == [queue.put(owner, 0) for owner in "bd"]


@given(st.lists(OWNERS, max_size=30), st.integers(1, 12))
def test_a_round_is_first_then_even_then_the_rest(owners: list[str], size: int):
    """What it says of itself is so, for any queue."""
    queue = filled("".join(owners))
    waiting = Counter(owners)

    taken = queue.take_round(size)

    assert min(size, len(owners)) == len(taken.items)
    firsts = [item for item in taken.items if item[1:] == "1"]
    assert firsts == taken.items[: taken.first]
    even = Counter(item[0] for item in taken.items[: taken.even])
    assert len(waiting) > size or max(even.values(), default=0) - min(even.values(), default=0) <= 1
    assert taken.even == len(taken.items) or any(even[owner] == waiting[owner] for owner in waiting)


class FairQueueMachine(RuleBasedStateMachine):
    """Puts, takes and puts back at random, beside a list for each owner."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: FairQueue[int] = FairQueue(ITEMS_MAX, SHARE_MAX)
        self.model: dict[str, list[int]] = {}
        self.served: list[str] = []
        """Owners in the order in which they were served or, where they were not yet, came."""
        self.taken: list[tuple[str, int]] = []
        self.items = 0

    @rule(owner=OWNERS)
    def put(self, owner: str) -> None:
        of_owner = self.model.get(owner, [])
        room = sum(map(len, self.model.values())) < ITEMS_MAX and len(of_owner) < SHARE_MAX
        self.items += 1
        assert room == self.queue.put(owner, self.items)
        if room:
            if owner not in self.model:
                self.served.append(owner)
            self.model[owner] = [*of_owner, self.items]

    def _serve(self) -> int:
        owner = self.served.pop(0)
        item, *rest = self.model.pop(owner)
        if rest:
            self.model[owner] = rest
            self.served.append(owner)
        self.taken = [*self.taken, (owner, item)]
        return item

    @precondition(lambda self: self.model)
    @rule()
    def take(self) -> None:
        self.taken = []
        assert self._serve() == self.queue.take()

    @rule(size=st.integers(0, ITEMS_MAX))
    def take_round(self, size: int) -> None:
        self.taken = []
        waiting = sum(map(len, self.model.values()))
        assert [self._serve() for _ in range(min(size, waiting))] == self.queue.take_round(size).items

    @rule(unused=st.integers(0, ITEMS_MAX))
    def put_back(self, unused: int) -> None:
        """Some of what was taken last, from its end, whatever was put meanwhile."""
        back = self.taken[len(self.taken) - min(unused, len(self.taken)) :]
        self.taken = []
        self.queue.put_back(back)
        for owner, _ in back:
            if owner not in self.model:
                self.model[owner] = []
                self.served.append(owner)
        for owner, item in reversed(back):
            self.model[owner].insert(0, item)

    @invariant()
    def knows_what_waits(self) -> None:
        """Its size is that of the items, and it knows the owners that have some and no others."""
        assert sum(map(len, self.model.values())) == len(self.queue)
        assert len(self.model) == self.queue.owners


TestFairQueueMachine = FairQueueMachine.TestCase
