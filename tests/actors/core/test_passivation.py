"""Idle actors leave, and nothing that comes while they do is lost."""

import gc
import weakref
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import Actor, Policy
from tests.actors.core.lab import Lab, Probe, living


class Short(Probe):
    """Is idle after ten seconds."""

    policy = Policy(idle_seconds=10)


class Own:
    """Something that a state holds."""


async def test_an_idle_actor_leaves(autojump_clock):
    """After its idle time an actor is flushed and gone; the next message loads it again."""
    async with living(Short) as lab:

        async def flush(me: Probe) -> None:
            lab.journal.append((me.state.total, trio.current_time()))

        lab.on_flush = flush
        await Short(lab, "a").add(5)
        await trio.sleep(9.9)
        before = len(lab.actors())
        await trio.sleep(0.2)
        after = len(lab.actors())

        assert (1, 0, [(5, 10)]) == (before, after, lab.journal)
        assert (1, 2) == (await Short(lab, "a").add(1), lab.loads)


async def test_a_message_postpones_the_passivation(autojump_clock):
    """The idle time is counted from the end of the last turn."""
    async with living(Short) as lab:

        async def slow(me: Probe) -> None:
            await trio.sleep(5)

        await Short(lab, "a").add(1)
        await trio.sleep(9)
        await Short(lab, "a").do(slow)
        await trio.sleep(9.9)

        assert (2, 1) == (await Short(lab, "a").add(1), lab.loads)


async def test_a_message_during_the_flush_is_served_by_the_same_incarnation(autojump_clock):
    """What arrives while an actor flushes keeps it, with its state."""
    async with living(Short) as lab:

        async def flush_slowly(me: Probe) -> None:
            await trio.sleep(3)

        lab.on_flush = flush_slowly
        await Short(lab, "a").add(1)
        await trio.sleep(11)
        phase = lab.actors()[0].phase
        total = await Short(lab, "a").add(1)

        assert ("passivating", 2, 1, 13) == (phase, total, lab.loads, trio.current_time())


async def test_a_message_in_the_very_instant_of_leaving_is_not_lost(autojump_clock):
    """A message that is posted when the idle time is over, before or after the actor sees it, is served."""
    async with living(Short) as lab:
        probes = [Short(lab, str(number)) for number in range(50)]
        for probe in probes:
            await probe.add(1)
        served = 0

        async def ask(probe: Short) -> None:
            nonlocal served
            await trio.sleep_until(10)
            await probe.add(1)
            served += 1

        async with trio.open_nursery() as nursery:
            for probe in probes:
                nursery.start_soon(ask, probe)

        assert (50, 10) == (served, trio.current_time())


async def test_a_flush_may_go_on_with_a_turn(autojump_clock):
    """An actor that tells itself something in its flush takes that turn before it leaves."""
    async with living(Short) as lab:

        async def tell_once(me: Probe) -> None:
            if not lab.journal:
                me.note.tell("from the flush")

        lab.on_flush = tell_once
        await Short(lab, "a").add(1)
        await trio.sleep(21)

        assert (["from the flush"], []) == (lab.journal, lab.actors())


async def test_a_crashing_flush_is_a_crash(autojump_clock, logged):
    """A flush that fails is on record, and what came meanwhile is served by the next incarnation."""
    async with living(Short) as lab:

        async def crash(me: Probe) -> None:
            await trio.sleep(1)
            raise KeyError

        lab.on_flush = crash
        await Short(lab, "a").add(5)
        await trio.sleep(10.5)

        assert (1, 2) == (await Short(lab, "a").add(1), lab.loads)
        assert ["actor crashed"] == [entry["event"] for entry in logged]


async def test_what_a_passivated_actor_held_is_freed_at_once(autojump_clock):
    """No cycle of references keeps a state after its actor has left."""
    async with living(Short) as lab:
        held: list[weakref.ref[Own]] = []

        async def hold(me: Probe) -> None:
            own = Own()
            held.append(weakref.ref(own))
            me.note.after(5, own)

        gc.collect()
        gc.disable()
        try:
            await Short(lab, "a").do(hold)
            alive = held[0]() is not None
            await trio.sleep(6)
            lab.journal.clear()
            actor = weakref.ref(_actor_of(lab))
            await trio.sleep(11)
        finally:
            gc.enable()

        assert (True, None, None) == (alive, held[0](), actor())


async def test_idle_actors_leave_together(autojump_clock):
    """A thousand idle actors leave in one instant, and the system is empty after them."""
    async with living(Short) as lab:
        for number in range(1000):
            Short(lab, str(number)).add.tell(1)
        await wait_all_tasks_blocked()
        active = lab.statistics().kinds[0].active
        await trio.sleep(11)

        assert (1000, 0) == (active, lab.statistics().kinds[0].active)


@pytest.mark.parametrize("idle_seconds", [0, float("inf")])
async def test_idle_times_may_be_extreme(autojump_clock, idle_seconds):
    """With no idle time an actor leaves after each burst of messages; with an endless one it never does."""

    class Extreme(Probe):
        policy = Policy(idle_seconds=idle_seconds)

    async with living(Extreme) as lab:
        await Extreme(lab, "a").add(1)
        await trio.sleep(10_000)

        assert (idle_seconds != 0) == bool(lab.actors())


def _actor_of(lab: Lab) -> Actor[Any, Any]:
    [supervisor] = lab._supervisors.values()
    [activation] = supervisor.live.values()
    return activation.actor
