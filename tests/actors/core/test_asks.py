"""Askers that wait, and askers that leave."""

import trio
from trio.testing import wait_all_tasks_blocked

from tests.actors.core.lab import Probe, living


async def test_every_asker_gets_the_answer_to_its_own_question():
    """A thousand asks at once are a thousand answers, each to its asker."""
    async with living() as lab:
        answers: dict[int, str] = {}

        async def ask(number: int) -> None:
            async def tell_number(me: Probe) -> str:
                await trio.lowlevel.checkpoint()
                return f"{me.key} {number}"

            answers[number] = await Probe(lab, str(number % 50)).do(tell_number)

        async with trio.open_nursery() as nursery:
            for number in range(1000):
                nursery.start_soon(ask, number)

        assert {number: f"{number % 50} {number}" for number in range(1000)} == answers


async def test_an_accepted_turn_finishes_without_its_asker(autojump_clock):
    """An asker that is cancelled returns at once, and the turn still runs to its end."""
    async with living() as lab:

        async def slow(me: Probe) -> None:
            await trio.sleep(5)
            me.state.total = 7

        with trio.move_on_after(1) as scope:
            await Probe(lab, "a").do(slow)
        left_at = trio.current_time()
        total = await Probe(lab, "a").add(0)

        assert (True, 1, 7, 5) == (scope.cancelled_caught, left_at, total, trio.current_time())


async def test_a_waiting_message_stays_without_its_asker(autojump_clock):
    """The message of an asker that is cancelled before its turn stays in the mailbox."""
    async with living() as lab:
        probe = Probe(lab, "a")
        gate = trio.Event()

        async def wait(me: Probe) -> None:
            await gate.wait()

        probe.do.tell(wait)
        with trio.move_on_after(1):
            await probe.add(7)
        gate.set()

        assert 7 == await probe.add(0)


async def test_a_cancelled_task_asks_nothing():
    """A task that is cancelled already posts no message."""
    async with living() as lab:
        with trio.CancelScope() as scope:
            scope.cancel()
            await Probe(lab, "a").add(1)
        await wait_all_tasks_blocked()

        assert (True, 0) == (scope.cancelled_caught, lab.loads)


async def test_an_ask_is_a_checkpoint():
    """An ask always lets others run, even when the actor is free."""
    async with living() as lab:
        with trio.testing.assert_checkpoints():
            await Probe(lab, "a").add(1)


async def test_an_asker_that_was_answered_before_it_was_cancelled_gets_the_answer():
    """An answer that was given is never taken back by a cancellation in the same instant."""
    async with living() as lab:
        probe = Probe(lab, "a")
        scope = trio.CancelScope()

        async def ask() -> None:
            with scope:
                lab.journal.append(await probe.add(1))

        async def cancel(me: Probe) -> None:
            scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await wait_all_tasks_blocked()
            lab.journal.clear()
            scope = trio.CancelScope()
            gate = trio.Event()

            async def wait(me: Probe) -> None:
                await gate.wait()

            probe.do.tell(wait)
            nursery.start_soon(ask)
            await wait_all_tasks_blocked()
            probe.do.tell(cancel)  # taken in the same breath as the ask before it
            gate.set()

        assert ([2], False) == (lab.journal, scope.cancelled_caught)


async def test_an_asker_that_was_cancelled_before_the_answer_gets_none():
    """A turn that makes its own asker leave ends in peace."""
    async with living() as lab:
        scope = trio.CancelScope()

        async def cancel(me: Probe) -> str:
            scope.cancel()
            return "unheard"

        with scope:
            await Probe(lab, "a").do(cancel)

        assert (True, 1) == (scope.cancelled_caught, await Probe(lab, "a").add(1))


async def test_a_tell_never_waits():
    """A tell returns before the actor has run."""
    async with living() as lab:
        Probe(lab, "a").note.tell("told")
        at_once = list(lab.journal)
        await wait_all_tasks_blocked()

        assert ([], ["told"]) == (at_once, lab.journal)


async def test_tell_if_active_reaches_active_actors_only():
    """`tell_if_active` posts to a live actor and activates none."""
    async with living() as lab:
        await Probe(lab, "live").add(0)
        told = [Probe(lab, key).note.tell_if_active(key) for key in ("live", "absent")]
        await wait_all_tasks_blocked()

        assert ([True, False], ["live"], 1) == (told, lab.journal, lab.loads)
