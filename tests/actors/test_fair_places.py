"""Places that owners share: how many one may hold, whose turn it is, and that nothing is lost."""

from collections import Counter
from collections.abc import Sequence

import hypothesis.strategies as st
import pytest
import trio
from hypothesis import given

from svc.actors.fair_places import FairPlaces
from svc.domain.errors import Unavailable
from tests.workers import Workers


def fill(places: FairPlaces, owner: str) -> int:
    """How many places *owner* gets until it may have no more."""
    count = 0
    while places.try_acquire(owner):
        count += 1
    return count


def test_one_owner_gets_half_and_the_next_ones_half_of_what_is_left() -> None:
    """However greedy the first ones were, the next finds places."""
    places = FairPlaces(100)

    assert [50, 25, 13, 6, 3] == [fill(places, owner) for owner in "abcde"]
    assert (3, 97) == (places.free, places.taken)


def test_owners_that_are_all_greedy_come_to_hold_the_same() -> None:
    """As places come back, those that hold more than are free get none; as much stays free as each has."""
    places = FairPlaces(100)
    owners = "abc"
    for owner in owners:
        fill(places, owner)
    for _ in range(100):
        for owner in owners:
            places.release(owner)
            for other in reversed(owners):
                fill(places, other)

    held = sorted(places.held_by(owner) for owner in owners)
    assert held[-1] - held[0] <= 2
    assert places.free >= held[0]


def test_an_owner_has_no_more_than_the_most_of_each() -> None:
    """Where that is less than its share."""
    assert 3 == fill(FairPlaces(100, of_each_max=3), "a")


async def test_a_place_goes_to_each_waiting_owner_in_turn() -> None:
    """One that came with many does not come before another with one."""
    async with trio.open_nursery() as nursery:
        workers = Workers(FairPlaces(2, FairPlaces(100)), nursery)
        await workers.come("a1", "b1", "a2", "a3", "a4", "b2", "c1")
        assert ["a1", "b1"] == workers.at_work

        await workers.go("a1")
        assert ["b1", "a2"] == workers.at_work
        await workers.go("b1")
        assert ["a2", "b2"] == workers.at_work
        await workers.go("b2")
        assert ["a2", "c1"] == workers.at_work
        nursery.cancel_scope.cancel()


async def test_no_more_wait_than_there_is_room_for() -> None:
    """The next is refused at once; of the room, too, an owner has a share."""
    async with trio.open_nursery() as nursery:
        places = FairPlaces(1, FairPlaces(4))
        workers = Workers(places, nursery)
        await workers.come("a1", "a2", "a3")
        with pytest.raises(Unavailable):
            await places.acquire("a")
        await workers.come("b1")
        with pytest.raises(Unavailable):
            await places.acquire("b")
        nursery.cancel_scope.cancel()


async def test_a_place_that_was_given_is_not_lost_to_a_cancellation() -> None:
    """Also one that comes between the giving and the waiter's next step."""
    places = FairPlaces(1, FairPlaces(10))
    assert places.try_acquire("a")
    async with trio.open_nursery() as nursery:
        workers = Workers(places, nursery)
        await workers.come("b1")
        places.release("a")
        nursery.cancel_scope.cancel()

    assert (1, 0) == (places.free, places.held_by("b"))


STEPS = st.lists(
    st.tuples(st.sampled_from(["come", "come", "go"]), st.sampled_from("abcd"), st.integers(0, 9))
)


class Model:
    """The rule, in plain lists."""

    def __init__(self, limit: int, of_each_max: int) -> None:
        self.limit, self.of_each_max = limit, of_each_max
        self.at_work: list[str] = []
        self.waiting: list[str] = []
        self.turns: list[str] = []
        """Owners that wait, in the order of their turns."""

    def may_take(self, owner: str) -> bool:
        held = Counter(name[0] for name in self.at_work)[owner]
        return held < min(self.limit - len(self.at_work), self.of_each_max)

    def come(self, name: str) -> None:
        if name[0] not in self.turns and self.may_take(name[0]):
            self.at_work.append(name)
            return
        self.waiting.append(name)
        if name[0] not in self.turns:
            self.turns.append(name[0])

    def go(self, name: str) -> None:
        if name in self.waiting:
            self.waiting.remove(name)
            self.turns = [one for one in self.turns if any(other[0] == one for other in self.waiting)]
            return
        self.at_work.remove(name)
        while owner := next((one for one in self.turns if self.may_take(one)), None):
            first = next(other for other in self.waiting if other[0] == owner)
            self.waiting.remove(first)
            self.at_work.append(first)
            self.turns.remove(owner)
            if any(other[0] == owner for other in self.waiting):
                self.turns.append(owner)


@given(STEPS, st.integers(1, 6), st.integers(1, 6))
def test_whoever_comes_and_goes_places_are_shared_by_the_rule(
    steps: Sequence[tuple[str, str, int]], limit: int, of_each_max: int
) -> None:
    """None is lost or given twice, nobody waits who may have one, and waiting owners take turns."""

    async def run() -> None:
        places, model = (
            FairPlaces(limit, FairPlaces(1_000), of_each_max=of_each_max),
            Model(limit, of_each_max),
        )
        async with trio.open_nursery() as nursery:
            workers = Workers(places, nursery)
            for number, (what, owner, at) in enumerate(steps):
                there = model.at_work + model.waiting
                if what == "come":
                    name = f"{owner}{number}"
                    model.come(name)
                    await workers.come(name)
                elif there:
                    name = there[at % len(there)]
                    model.go(name)
                    await workers.go(name)
                assert model.at_work == workers.at_work
                assert limit - len(model.at_work) == places.free
                assert not any(model.may_take(one) for one in model.turns)
            nursery.cancel_scope.cancel()
        assert (limit, {}) == (places.free, places._held)

    trio.run(run)
