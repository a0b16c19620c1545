"""Waits for an outcome that must be known: nothing but the end of the system cuts them short."""

from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import ActorCrashed, Policy
from svc.domain.errors import NotFound
from tests.actors.core.lab import Elsewhere, Lab, Other, Probe, living


class Hasty(Probe):
    """Has two seconds for each turn."""

    policy = Policy(turn_seconds=2, idle_seconds=10, backoff_seconds=1)


async def outcome(lab: Lab, seconds: float) -> str:
    """Something that is done elsewhere in so many *seconds*, and waited for guarded."""
    await Elsewhere(seconds).wait_guarded()
    lab.journal.append((trio.current_time(), "known"))
    return "done"


async def test_a_turn_is_not_cut_while_it_waits_guarded(autojump_clock):
    """Its asker hears what came of it, however late; the next turn has its own whole time."""
    async with living(Hasty) as lab:

        async def wait(me: Probe) -> str:
            me.state.total += 1
            return await outcome(lab, 12)

        async def sleep(me: Probe) -> int:
            await trio.sleep(1.9)
            return me.state.total

        answers = [await Hasty(lab, "a").do(wait), await Hasty(lab, "a").do(sleep)]

        assert (["done", 1], 1, 13.9) == (answers, lab.loads, trio.current_time())


async def test_the_time_of_a_turn_stands_still_meanwhile(autojump_clock):
    """What it had left it has afterwards, and not more."""
    async with living(Hasty) as lab:

        async def wait_in_between(me: Probe, then_seconds: float) -> None:
            await trio.sleep(1.5)
            await outcome(lab, 60)
            await trio.sleep(then_seconds)

        await Hasty(lab, "a").do(lambda me: wait_in_between(me, 0.4))
        with pytest.raises(ActorCrashed):
            await Hasty(lab, "a").do(lambda me: wait_in_between(me, 0.6))

        assert 61.9 + 62 == trio.current_time()


async def test_time_stands_still_while_any_task_of_the_turn_waits_guarded(autojump_clock):
    """Two waits that overlap stop it once, from the first to the last."""
    async with living(Hasty) as lab:

        async def wait_twice(me: Probe) -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(outcome, lab, 10)
                await trio.sleep(1)
                nursery.start_soon(outcome, lab, 20)
            await trio.sleep(1.9)

        await Hasty(lab, "a").do(wait_twice)

        assert (22.9, 1) == (trio.current_time(), lab.loads)


async def test_a_scope_of_the_turn_itself_does_not_cut_it_either(autojump_clock):
    """Not a limit that the turn set, nor the failure of another task of its nursery."""
    async with living(Hasty) as lab:

        async def limit(me: Probe) -> None:
            with trio.move_on_after(1):
                await outcome(lab, 5)

        async def fail() -> None:
            raise ValueError

        async def fail_beside(me: Probe) -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(outcome, lab, 5)
                await trio.sleep(1)
                nursery.start_soon(fail)

        await Hasty(lab, "a").do(limit)
        with pytest.raises(ActorCrashed):
            await Hasty(lab, "a").do(fail_beside)

        assert [(5, "known"), (10, "known")] == lab.journal


@pytest.mark.parametrize("when", ["on_load", "on_flush"])
async def test_load_and_flush_wait_as_turns_do(when, autojump_clock):
    """Neither is cut at its limit."""
    async with living(Hasty) as lab:

        async def wait(me: Probe) -> None:
            await outcome(lab, 12)

        setattr(lab, when, wait)
        await Hasty(lab, "a").add(1)
        await trio.sleep(30)

        assert (1, 0, []) == (len(lab.journal), lab.statistics().kinds[0].crashes, lab.actors())


async def test_what_a_crash_leaves_is_waited_for_before_the_next_load(autojump_clock):
    """A task that waits guarded ends before the next life reads what its outcome may change."""
    async with living(Hasty) as lab:

        async def load(me: Probe) -> None:
            lab.journal.append((trio.current_time(), "load"))

        async def task() -> None:
            await outcome(lab, 12)

        async def start(me: Probe) -> None:
            me.start_soon(task)

        lab.on_load = load
        await Hasty(lab, "a").do(start)
        with pytest.raises(ActorCrashed):
            await Hasty(lab, "a").fail(KeyError("x"))
        told_at = trio.current_time()
        [seen] = lab.actors()
        await Hasty(lab, "a").add(1)

        assert (0, "stopping", 1, 1) == (told_at, seen.phase, seen.tasks, seen.guarded_waits)
        assert [(0, "load"), (13, "load")] == lab.journal


async def test_a_task_of_a_crashed_life_goes_no_further_than_its_wait(autojump_clock):
    """Its message would concern a state that was dropped."""
    async with living(Hasty) as lab:

        async def task(hasty: Hasty) -> None:
            await Elsewhere(5).wait_guarded()
            hasty.note.tell("told by the former life")

        async def start_and_crash(me: Probe) -> None:
            me.start_soon(task, Hasty(lab, "a"))
            await trio.sleep(1)
            raise KeyError

        with pytest.raises(ActorCrashed):
            await Hasty(lab, "a").do(start_and_crash)
        await Hasty(lab, "a").note("next life")
        await trio.sleep(5)

        assert ["next life"] == lab.journal


async def test_a_refused_load_keeps_its_key_while_what_it_began_waits(autojump_clock):
    """Messages that arrive meanwhile get the same refusal, and the next activation loads after it."""
    async with living() as lab:

        async def start_and_refuse(me: Probe) -> None:
            if lab.loads == 1:
                me.start_soon(outcome, lab, 12)
                await trio.sleep(1)
                raise NotFound

        lab.on_load = start_and_refuse
        Probe(lab, "a").add.tell(1)
        await trio.sleep(5)
        with pytest.raises(NotFound):
            await Probe(lab, "a").add(1)
        refused_at = trio.current_time()

        assert (12, 1) == (refused_at, await Probe(lab, "a").add(1))


async def test_a_quarantine_begins_when_nothing_waits_any_more(autojump_clock):
    """A key is not free for another life while the last one waits."""
    async with living(Frail) as lab:

        async def task() -> None:
            await outcome(lab, 12)

        async def start_and_crash(me: Probe) -> None:
            me.start_soon(task)
            await trio.sleep(1)
            raise KeyError

        with pytest.raises(ActorCrashed):
            await Frail(lab, "a").do(start_and_crash)
        phases = [await _phase_at(lab, at) for at in (11, 13)]

        assert ["stopping", "quarantined"] == phases


class Frail(Probe):
    """Is quarantined at its first crash."""

    policy = Policy(crashes_max=0)


async def test_a_stuck_wait_can_be_seen(autojump_clock):
    """Which turn, for how long, and that it waits guarded."""
    async with living(Hasty) as lab:

        async def wait(me: Probe) -> None:
            await outcome(lab, 1_000)

        Hasty(lab, "a").do.tell(wait)
        await trio.sleep(100)
        [seen] = lab.actors()

        assert ("running", "do", 100, 1) == (
            seen.phase,
            seen.turn,
            seen.turn_age_seconds,
            seen.guarded_waits,
        )


async def test_a_drain_and_the_end_are_bounded_all_the_same(autojump_clock):
    """A drain names the waiting actors; leaving `live` cuts the wait, with an unknown outcome."""
    heard: list[Any] = []
    async with trio.open_nursery() as nursery:
        async with living(Hasty, Other) as lab:

            async def wait(me: Probe) -> None:
                await outcome(lab, 1_000)

            async def limited(me: Probe) -> None:
                with trio.move_on_after(1):
                    await outcome(lab, 1_000)

            async def start(me: Probe) -> None:
                me.start_soon(outcome, lab, 1_000)

            async def ask() -> None:
                with pytest.raises(ActorCrashed) as crashed:
                    await Hasty(lab, "a").do(wait)
                heard.append(str(crashed.value))

            nursery.start_soon(ask)
            Other(lab, "b").do.tell(limited)
            Other(lab, "c").do.tell(start)
            await trio.sleep(5)
            late = await lab.drain(5)

        assert (["Hasty('a')", "Other('b')", "Other('c')"], 10) == (late, trio.current_time())
    assert (["Hasty('a') was stopped in a turn"], []) == (heard, lab.journal)


async def test_a_wait_that_begins_as_the_system_ends_holds_nothing_up(autojump_clock):
    """Clean-up that waits guarded is cut as well."""
    async with living() as lab:

        async def clean_up(me: Probe) -> None:
            try:
                await trio.sleep_forever()
            finally:
                await outcome(lab, 1_000)

        Probe(lab, "a").do.tell(clean_up)
        await wait_all_tasks_blocked()

    assert (0, []) == (trio.current_time(), lab.journal)


async def test_outside_of_actors_a_wait_is_as_any(autojump_clock):
    """A request whose client has left goes: what it began goes on without it."""
    async with living() as lab:
        with trio.move_on_after(1):
            await outcome(lab, 5)

        assert (1, []) == (trio.current_time(), lab.journal)


async def test_a_wait_in_a_foreign_nursery_keeps_the_actor_and_no_time(autojump_clock):
    """It may outlive its turn: the actor stays for it, and later turns keep their own limits."""
    async with trio.open_nursery() as nursery, living(Hasty) as lab:

        async def start_elsewhere(me: Probe) -> None:
            nursery.start_soon(outcome, lab, 30)
            await trio.lowlevel.checkpoint()

        async def sleep(me: Probe) -> None:
            await trio.sleep(5)

        await Hasty(lab, "a").do(start_elsewhere)
        with pytest.raises(ActorCrashed):
            await Hasty(lab, "a").do(sleep)
        crashed_at = trio.current_time()
        await trio.sleep(20)
        before = [seen.phase for seen in lab.actors()]
        await trio.sleep(30)

        assert (2, ["stopping"], []) == (crashed_at, before, lab.actors())


@pytest.mark.parametrize("begins", ["in the turn", "between turns"])
async def test_a_wait_in_a_foreign_nursery_gives_no_later_turn_another_limit(begins, autojump_clock):
    """Neither while it waits nor when it ends, whether it began before that turn's end or behind it."""
    async with trio.open_nursery() as nursery, living(Hasty) as lab:

        async def start_elsewhere(me: Probe) -> None:
            nursery.start_soon(outcome, lab, 5)
            if begins == "in the turn":
                await wait_all_tasks_blocked()

        async def wait(me: Probe) -> None:
            await outcome(lab, 12)
            await trio.sleep(1.9)

        await Hasty(lab, "a").do(start_elsewhere)
        await wait_all_tasks_blocked()
        await Hasty(lab, "a").do(wait)

        assert (13.9, 1) == (trio.current_time(), lab.loads)


async def _phase_at(lab: Lab, at: float) -> str:
    await trio.sleep_until(at)
    [seen] = lab.actors()
    return seen.phase
