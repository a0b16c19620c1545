"""What an operator may do to an actor: passivate it, restart it, and end its quarantine."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import ActorCrashed, Policy, Quarantined
from tests.actors.core.lab import Elsewhere, Lab, Probe, living


class Fragile(Probe):
    policy = Policy(crashes_max=0)


async def _hang(_actor: Probe) -> None:
    await trio.sleep(1_000)


async def test_an_idle_actor_is_passivated_at_once(autojump_clock):
    """It flushes and leaves; the next message loads it again."""
    async with living() as lab:
        await Probe(lab, "a").add(2)

        async def flushed(_me: Probe) -> None:
            lab.journal.append("flush")

        lab.on_flush = flushed
        refused = lab.passivate("Probe", "a")
        await wait_all_tasks_blocked()

        assert (None, ["flush"], []) == (refused, lab.journal, lab.actors())
        assert 1 == await Probe(lab, "a").add(1)


async def test_a_message_that_arrives_with_it_is_answered(autojump_clock):
    """It keeps the actor and its state, as at any passivation."""
    async with living() as lab:
        await Probe(lab, "a").add(2)
        lab.passivate("Probe", "a")

        assert 3 == await Probe(lab, "a").add(1)
        assert 1 == lab.loads


async def test_a_message_during_the_flush_is_answered(autojump_clock):
    """The actor stays: nothing that was accepted is lost to an operator."""
    async with living() as lab:
        await Probe(lab, "a").add(2)
        lab.on_flush = _slow
        lab.passivate("Probe", "a")
        await trio.sleep(0.5)

        assert 3 == await Probe(lab, "a").add(1)
        assert 1 == lab.loads


async def _slow(_actor: Probe) -> None:
    await trio.sleep(1)


async def _with_task(me: Probe) -> None:
    me.start_soon(trio.sleep, 60)


async def _with_timer(me: Probe) -> None:
    me.add.after(60, 1)


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (_hang, "it is running"),
        (_with_task, "a task of it is running"),
        (_with_timer, "a timer of it is armed"),
    ],
)
async def test_an_actor_that_has_something_to_do_stays(autojump_clock, act, why):
    """Its turn, its tasks and its timers go on."""
    async with living() as lab:
        Probe(lab, "a").do.tell(act)
        await wait_all_tasks_blocked()

        assert why == lab.passivate("Probe", "a")
        await trio.sleep(1)
        assert ["a"] == [one.key for one in lab.actors()]


async def _quarantine(lab: Lab) -> None:
    with pytest.raises(ActorCrashed):
        await Fragile(lab, "a").fail(KeyError("x"))
    with pytest.raises(Quarantined):
        await Fragile(lab, "a").add()


async def test_a_released_key_is_activated_by_its_next_message(autojump_clock):
    """And is quarantined again by its next crash too many, with the whole time before it."""
    async with living(Fragile) as lab:
        await _quarantine(lab)

        assert lab.release("Fragile", "a") is None
        assert 1 == await Fragile(lab, "a").add()
        with pytest.raises(ActorCrashed):
            await Fragile(lab, "a").fail(KeyError("x"))
        await trio.sleep(Fragile.policy.quarantine_seconds - 1)
        assert ["quarantined"] == [one.phase for one in lab.actors()]


async def test_a_release_forgets_the_crashes_before_it(autojump_clock):
    """Else the first crash after it would be one too many."""
    async with living() as lab:
        for _ in range(Probe.policy.crashes_max + 1):
            with pytest.raises(ActorCrashed):
                await Probe(lab, "a").fail(KeyError("x"))
        lab.release("Probe", "a")
        with pytest.raises(ActorCrashed):
            await Probe(lab, "a").fail(KeyError("x"))
        await wait_all_tasks_blocked()

        assert ["backing_off"] == [one.phase for one in lab.actors()]


async def test_what_is_not_so_is_not_undone(autojump_clock):
    """Releasing what is not quarantined, passivating what is not active: both say so."""
    async with living() as lab:
        await Probe(lab, "a").add()

        assert "it is not quarantined" == lab.release("Probe", "a") == lab.release("Nothing", "a")
        assert "it is not active" == lab.passivate("Probe", "b") == lab.passivate("Nothing", "a")


async def test_an_actor_that_is_stuck_in_a_turn_is_restarted(autojump_clock):
    """The asker is told of the crash, the crash says where the turn stood, and what waits goes on anew."""
    async with living() as lab:
        answers: list[object] = []

        async def ask() -> None:
            with pytest.raises(ActorCrashed):
                await Probe(lab, "1").do(_sleep_for_ever)
            answers.append("told")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await wait_all_tasks_blocked()
            Probe(lab, "1").note.tell("after it")

            assert lab.restart("Probe", "1") is None
            assert "it is about to restart" == lab.restart("Probe", "1")
        await trio.sleep(1)
        inspection = lab.inspect("Probe", "1")

        assert (["told"], ["after it"], 2) == (answers, lab.journal, lab.loads)
        assert inspection is not None
        assert inspection.crash is not None
        assert ("do", 1) == (inspection.crash.turn, inspection.statistics.crashes)
        assert inspection.crash.error.startswith("RestartByOperator")
        assert any("in _sleep_for_ever" in line for line in inspection.crash.stack)


async def _sleep_for_ever(_actor: Probe) -> None:
    await trio.sleep(5)


async def test_a_task_that_hangs_ends_with_a_restart(autojump_clock):
    """An actor between its turns is restarted as well: its tasks are cancelled, its timers dropped."""
    async with living() as lab:

        async def start(actor: Probe) -> None:
            actor.start_soon(trio.sleep_forever)

        await Probe(lab, "1").do(start)
        await wait_all_tasks_blocked()

        assert lab.restart("Probe", "1") is None
        await trio.sleep(1)
        inspection = lab.inspect("Probe", "1")
        assert inspection is not None
        assert ([], "waiting") == (inspection.tasks, inspection.statistics.phase)


async def test_a_guarded_wait_ends_before_a_restart(autojump_clock):
    """What the store has accepted is never left in the middle: the turn is cut off after it."""
    async with living() as lab:
        elsewhere = Elsewhere(3)

        async def store(_actor: Probe) -> None:
            await elsewhere.wait_guarded()
            lab.journal.append(trio.current_time())
            await trio.sleep(5)
            lab.journal.append("never")

        began_at = trio.current_time()
        Probe(lab, "1").do.tell(store)
        await wait_all_tasks_blocked()
        lab.restart("Probe", "1")
        await trio.sleep(10)

        assert [began_at + 3] == lab.journal
        assert 2 == lab.loads


async def test_restarts_count_as_crashes(autojump_clock):
    """So the fourth within a minute quarantines the key, which an operator can end."""
    async with living() as lab:
        for _ in range(Probe.policy.crashes_max + 1):
            await Probe(lab, "1").note("alive")
            assert lab.restart("Probe", "1") is None
            await trio.sleep(5)

        assert "quarantined" == lab.actors("Probe")[0].phase
        assert "it is not active" == lab.restart("Probe", "1")
        assert lab.release("Probe", "1") is None


async def test_what_the_service_cannot_do_without_is_not_restarted(autojump_clock):
    """A crash of such an actor ends the whole service."""

    class Base(Probe):
        policy = Policy(escalate=True)

    async with living(Base) as lab:
        await Base(lab, "1").note("alive")

        assert "the whole service would end with it" == lab.restart("Base", "1")
