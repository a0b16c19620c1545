"""Asks in a circle would wait for each other for ever; they are refused before they are posted."""

from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import AskCycle
from tests.actors.core.lab import Lab, Other, Probe, living


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
    """The chain of those who wait may have any length."""
    async with living() as lab:

        async def ask_on(me: Probe) -> int:
            number = int(me.key)
            if number == 20:
                return await Probe(lab, "1").add(1)
            return await Probe(lab, str(number + 1)).do(ask_on)

        with pytest.raises(AskCycle):
            await Probe(lab, "1").do(ask_on)


async def test_a_circle_through_a_queue_is_found(autojump_clock):
    """Who waits behind another turn of an actor waits for that actor too."""
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


async def test_who_has_left_waits_no_more(autojump_clock):
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


def _waiting(lab: Lab) -> list[Any]:
    return [
        activation.waits_for
        for supervisor in lab._supervisors.values()
        for activation in supervisor.live.values()
        if activation.waits_for
    ]
