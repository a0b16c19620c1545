"""Asks in a circle would wait for each other for ever; they are refused before they are posted."""

from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import AskCycle, Policy
from tests.actors.core.lab import Lab, Other, Probe, living


class Patient(Probe):
    """May take any time, and has room for all that is asked."""

    policy = Policy(turn_seconds=float("inf"))


async def test_an_actor_cannot_ask_itself():
    """A turn that asks its own actor would never be answered."""
    async with living() as lab:

        async def ask_itself(me: Probe) -> None:
            await Probe(lab, "a").add(1)

        with pytest.raises(AskCycle):
            await Probe(lab, "a").do(ask_itself)

        assert 0 == await Probe(lab, "a").add(0)


async def test_two_actors_cannot_ask_each_other():
    """The refusal passes upward through all turns in the circle, and crashes none."""
    async with living() as lab:

        async def ask_back(me: Probe) -> None:
            await Probe(lab, "a").add(1)

        async def ask(me: Probe) -> None:
            await Other(lab, "b").do(ask_back)

        with pytest.raises(AskCycle, match=r"Probe\('a'\)"):
            await Probe(lab, "a").do(ask)

        assert [0, 0] == [kind.crashes for kind in lab.statistics().kinds]


async def test_a_long_circle_is_found():
    """The chain of waiting actors may have any length."""
    async with living() as lab:

        async def ask_on(me: Probe) -> int:
            number = int(me.key)
            if number == 20:
                return await Probe(lab, "1").add(1)
            return await Probe(lab, str(number + 1)).do(ask_on)

        with pytest.raises(AskCycle):
            await Probe(lab, "1").do(ask_on)


async def test_a_circle_through_a_queue_is_found(autojump_clock):
    """A message that waits behind another turn of an actor waits for that actor too."""
    async with living() as lab:

        async def ask_later(me: Probe) -> str:
            await trio.sleep(2)
            try:
                await Probe(lab, "a").add(1)
            except AskCycle:
                return "refused"
            return "answered"

        async def ask(me: Probe) -> None:
            await Other(lab, "b").add(1)

        Other(lab, "b").do.tell(ask_later)
        await trio.sleep(1)
        asked = trio.Event()

        async def ask_and_tell(me: Probe) -> None:
            asked.set()
            await ask(me)

        with trio.fail_after(5):
            await Probe(lab, "a").do(ask_and_tell)

        assert 2 == trio.current_time()


async def test_a_circle_through_load_is_found():
    """`load` waits as a turn does."""
    async with living() as lab:

        async def ask_other(me: Probe) -> None:
            if isinstance(me, Other):
                await Probe(lab, "a").add(1)
            else:
                await Other(lab, "b").add(1)

        lab.on_load = ask_other
        with pytest.raises(AskCycle):
            await Probe(lab, "a").add(1)


@pytest.mark.parametrize("back", [0, 1, 2])
async def test_a_circle_through_any_of_several_asks_is_found(back):
    """A turn that waits for three actors at once waits for each of them, the last as well as the first."""
    async with living() as lab:
        asked: list[str] = []

        async def ask_back(me: Probe) -> None:
            await Probe(lab, "a").add(1)

        async def ask_all(me: Probe) -> None:
            async with trio.open_nursery() as nursery:
                for number in range(3):
                    asked.append(str(number))
                    nursery.start_soon(Other(lab, str(number)).do, ask_back if number == back else _hang)
                    await wait_all_tasks_blocked()

        with trio.fail_after(5), pytest.raises(AskCycle):
            await Probe(lab, "a").do(ask_all)

        assert [str(number) for number in range(back + 1)] == asked[: back + 1]


KEYS = "abcde"
Step = tuple[str, str, int]
STEPS = st.lists(
    st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS), st.integers(0, 9)), min_size=10, max_size=30
)
"""Who asks whom, and which of those whom it waits for it gives up then, if it has so many."""


@given(STEPS)
def test_an_ask_is_refused_exactly_when_it_would_close_a_circle(steps: list[Step]) -> None:
    """Against the plainest model: turns that wait for several others at once, give up, and ask again."""

    async def live() -> None:
        async with living(Patient) as lab:
            turns = {key: LongTurn(lab, key) for key in KEYS}
            for one in turns.values():
                one.begin()
            for asking, asked, given_up in steps:
                must_refuse = _reaches(turns, asked, asking)

                assert must_refuse is await turns[asking].ask(asked)
                await turns[asking].give_up(given_up)

    trio.run(live, clock=trio.testing.MockClock(autojump_threshold=0))


class LongTurn:
    """A turn of one actor that never ends, and asks the actors that it is given."""

    def __init__(self, lab: Lab, key: str) -> None:
        self._lab = lab
        self._key = key
        self._told = trio.open_memory_channel[tuple[str, trio.CancelScope]](0)
        self._refused = False
        self.waits_for: list[tuple[str, trio.CancelScope]] = []

    def begin(self) -> None:
        Patient(self._lab, self._key).do.tell(self._take)

    async def ask(self, key: str) -> bool:
        """Ask the actor of *key* from within the turn; whether that was refused."""
        asked = key, trio.CancelScope()
        self._refused = False
        await self._told[0].send(asked)
        await wait_all_tasks_blocked()
        if not self._refused:
            self.waits_for.append(asked)
        return self._refused

    async def give_up(self, place: int) -> None:
        """Stop waiting for whom it asked in that *place*, if there is one."""
        if place < len(self.waits_for):
            self.waits_for.pop(place)[1].cancel()
            await wait_all_tasks_blocked()

    async def _take(self, _me: Probe) -> None:
        async with trio.open_nursery() as nursery:
            async for key, scope in self._told[1]:
                nursery.start_soon(self._ask, key, scope)

    async def _ask(self, key: str, scope: trio.CancelScope) -> None:
        with scope:
            try:
                await Patient(self._lab, key).add(1)
            except AskCycle:
                self._refused = True


def _reaches(turns: dict[str, LongTurn], start: str, end: str) -> bool:
    """Whether a path of waits leads from *start* to *end*, by exhaustive search."""
    reached = {start}
    for _ in KEYS:
        reached |= {key for one in reached for key, _ in turns[one].waits_for}
    return end in reached


async def test_two_ways_to_one_actor_are_no_circle():
    """A turn may ask two actors at once that ask the same third one."""
    async with living() as lab:

        async def ask_third(me: Probe) -> int:
            return await Other(lab, "third").add(1)

        async def ask_both(me: Probe) -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(Other(lab, "left").do, ask_third)
                nursery.start_soon(Other(lab, "right").do, ask_third)

        await Probe(lab, "a").do(ask_both)

        assert 2 == await Other(lab, "third").add(0)


async def test_an_asker_that_left_waits_no_more(autojump_clock):
    """An asker that gave up is no part of a circle any more."""
    async with living() as lab:
        answered: list[int] = []

        async def ask_back_later(me: Probe) -> None:
            await trio.sleep(2)
            answered.append(await Probe(lab, "a").add(1))

        async def ask_impatiently(me: Probe) -> None:
            with trio.move_on_after(1):
                await Other(lab, "b").do(ask_back_later)
            await trio.sleep(2)

        await Probe(lab, "a").do(ask_impatiently)
        await wait_all_tasks_blocked()

        assert ([1], []) == (answered, _waiting(lab))


async def test_tells_and_tasks_make_no_circle():
    """A tell waits for nothing, and a task beside the turns holds no turn up."""
    async with living() as lab:

        async def tell_back(me: Probe) -> None:
            Probe(lab, "a").note.tell("told back")

        async def ask_back(me: Probe) -> None:
            await Probe(lab, "a").note("asked back")

        async def ask_from_task() -> None:
            await Other(lab, "b").do(ask_back)
            await Probe(lab, "a").note("asked from a task of its own")

        async def both(me: Probe) -> None:
            await Other(lab, "b").do(tell_back)
            me.start_soon(ask_from_task)

        await Probe(lab, "a").do(both)
        await wait_all_tasks_blocked()

        assert ["told back", "asked back", "asked from a task of its own"] == lab.journal


async def _hang(_me: Probe) -> None:
    await trio.sleep_forever()


def _waiting(lab: Lab) -> list[Any]:
    return [
        activation.waits_for
        for supervisor in lab._supervisors.values()
        for activation in supervisor.live.values()
        if activation.waits_for
    ]
