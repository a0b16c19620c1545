"""Timers: turns that an actor posts to itself for later."""

import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import Policy
from tests.actors.core.lab import Lab, Probe, living


class Short(Probe):
    """Is idle after ten seconds."""

    policy = Policy(idle_seconds=10)


async def test_a_timer_runs_its_turn_when_it_is_due(autojump_clock):
    """An armed turn runs after so many seconds with its arguments, once."""
    async with living() as lab:

        async def arm(me: Probe) -> None:
            me.add.after(60, number=5)

        await Probe(lab, "a").do(arm)
        await trio.sleep(59.9)
        before = await Probe(lab, "a").add(0)
        await trio.sleep(0.1)
        at_once = await Probe(lab, "a").add(0)
        await trio.sleep(100)

        assert (0, 5, 5) == (before, at_once, await Probe(lab, "a").add(0))


async def test_arming_a_timer_again_moves_it(autojump_clock):
    """An actor has one timer a turn; the last word counts."""
    async with living() as lab:

        async def arm(me: Probe) -> None:
            me.note.after(60, "first")
            me.note.after(10, "second")

        await Probe(lab, "a").do(arm)
        await trio.sleep(11)
        at_eleven = list(lab.journal)
        await trio.sleep(100)

        assert (["second"], ["second"]) == (at_eleven, lab.journal)


async def test_a_timer_can_be_disarmed(autojump_clock):
    """A disarmed timer does not run, and disarming what is not armed is no error."""
    async with living() as lab:

        async def arm(me: Probe) -> None:
            me.note.after(10, "never")
            me.note.disarm()
            me.note.disarm()

        await Probe(lab, "a").do(arm)
        await trio.sleep(11)

        assert [] == lab.journal


async def test_timers_run_in_the_order_in_which_they_are_due(autojump_clock):
    """Of several timers that came due during a turn, the one due first runs first."""
    async with living() as lab:

        async def add_one(me: Probe) -> None:
            lab.journal.append("do")

        async def arm(me: Probe) -> None:
            me.do.after(2, add_one)
            me.note.after(1, "note")
            await trio.sleep(5)

        await Probe(lab, "a").do(arm)
        await wait_all_tasks_blocked()

        assert ["note", "do"] == lab.journal


async def test_messages_and_timers_take_turns_by_age(autojump_clock):
    """A timer runs before what was posted after it was due, and after what was posted before."""
    async with living() as lab:

        async def arm(me: Probe) -> None:
            me.note.after(2, "due at 2")
            await trio.sleep(5)

        probe = Probe(lab, "a")
        probe.do.tell(arm)
        await trio.sleep(1)
        probe.note.tell("posted at 1")
        await trio.sleep(2)
        probe.note.tell("posted at 3")
        await trio.sleep(10)

        assert ["posted at 1", "due at 2", "posted at 3"] == lab.journal


async def test_a_timer_due_at_once_does_not_starve_the_mailbox(autojump_clock):
    """An actor that always has a due timer still serves what others post."""
    async with living() as lab:

        async def again(me: Probe) -> None:
            await trio.sleep(1)
            me.do.after(0, again)

        probe = Probe(lab, "a")
        probe.do.tell(again)
        await trio.sleep(3.5)
        await probe.note("served")

        assert (["served"], 4) == (lab.journal, trio.current_time())


async def test_a_timer_can_be_armed_by_load(autojump_clock):
    """`load` may arm timers for the turns to come."""
    async with living() as lab:
        lab.on_load = _arm_note
        await Probe(lab, "a").add(1)
        await trio.sleep(11)

        assert ["due"] == lab.journal


async def test_a_timer_keeps_its_actor(autojump_clock):
    """An actor with an armed timer is not passivated, however long the timer."""
    async with living(Short) as lab:

        async def arm(me: Probe) -> None:
            me.add.after(1000, 5)

        await Short(lab, "a").do(arm)
        await trio.sleep(1000)
        total = await Short(lab, "a").add(0)
        await trio.sleep(11)

        assert (5, 1, []) == (total, lab.loads, lab.actors())


async def test_timers_end_with_a_crash(autojump_clock):
    """The next incarnation does not inherit timers."""
    async with living() as lab:

        async def arm_and_crash(me: Probe) -> None:
            me.note.after(10, "never")
            raise KeyError

        Probe(lab, "a").do.tell(arm_and_crash)
        await trio.sleep(20)

        assert ([], 2) == (lab.journal, lab.loads)


async def test_a_timers_turn_is_supervised(autojump_clock, logged):
    """A timer whose turn crashes crashes the actor; one that refuses is logged."""
    async with living() as lab:

        async def arm(me: Probe) -> None:
            me.fail.after(1, KeyError("x"))

        await Probe(lab, "a").do(arm)
        await trio.sleep(2)

        assert (1, ["actor crashed"]) == (_crashes(lab), [entry["event"] for entry in logged])


async def test_timers_are_lost_in_the_drain(autojump_clock):
    """The drain waits for no timer, and nothing is armed any more."""
    async with living() as lab:

        async def arm_again(me: Probe) -> None:
            await trio.sleep(1)
            me.note.after(0, "never")

        lab.on_load = _arm_note
        Probe(lab, "a").do.tell(arm_again)
        await wait_all_tasks_blocked()
        late = await lab.drain(5)

        assert ([], [], 1) == (late, lab.journal, trio.current_time())


async def _arm_note(me: Probe) -> None:
    me.note.after(10, "due")


def _crashes(lab: Lab) -> int:
    return sum(kind.crashes for kind in lab.statistics().kinds)
