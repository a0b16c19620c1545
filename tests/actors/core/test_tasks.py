"""Tasks beside the turns: the place for slow I/O."""

from collections.abc import Awaitable, Callable

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import OutsideTurn, Policy
from svc.domain.errors import NotFound
from tests.actors.core.lab import Probe, living


class Short(Probe):
    """Is idle after ten seconds."""

    policy = Policy(idle_seconds=10)


async def test_a_task_does_not_hold_up_the_turns(autojump_clock):
    """Turns run while a task waits, and the task tells its result back."""
    async with living() as lab:

        async def fetch(probe: Probe, number: int) -> None:
            await trio.sleep(5)
            await probe.add(number)

        async def start(me: Probe) -> None:
            me.start_soon(fetch, me, number=7)

        await Probe(lab, "a").do(start)
        meanwhile = await Probe(lab, "a").add(1)
        at = trio.current_time()
        await trio.sleep(6)

        assert (1, 0, 8) == (meanwhile, at, await Probe(lab, "a").add(0))


async def test_a_task_sees_no_state():
    """What belongs to turns is out of a task's reach."""
    async with living() as lab:

        async def look(me: Probe) -> None:
            try:
                _ = me.state
            except OutsideTurn:
                lab.journal.append("outside")

        async def start(me: Probe) -> None:
            me.start_soon(look, me)

        await Probe(lab, "a").do(start)
        await wait_all_tasks_blocked()

        assert ["outside"] == lab.journal


async def test_a_crash_of_a_task_crashes_its_actor(autojump_clock, logged):
    """An exception that leaves a task, even a refusal, drops the state: no asker would receive it."""
    async with living() as lab:
        for fault in (KeyError("x"), NotFound("y")):
            await Probe(lab, "a").add(5)
            await Probe(lab, "a").do(_starting(_fail, fault))
            await wait_all_tasks_blocked()
            await trio.sleep(60)

        assert (0, 3) == (await Probe(lab, "a").add(0), lab.loads)
        assert ["actor crashed"] * 2 == [entry["event"] for entry in logged]


async def test_a_task_that_crashes_during_a_turn_waits_for_its_end(autojump_clock):
    """The turn is answered with the state that it had, and the next one starts anew."""
    async with living() as lab:

        async def start_and_wait(me: Probe) -> int:
            me.start_soon(_fail, KeyError("x"))
            await trio.sleep(1)
            me.state.total += 5
            return me.state.total

        assert (5, 0) == (await Probe(lab, "a").do(start_and_wait), await Probe(lab, "a").add(0))


async def test_a_task_started_by_load_may_crash_at_once(autojump_clock):
    """No message pays for the crash of a task."""
    async with living() as lab:

        async def start_once(me: Probe) -> None:
            if lab.loads == 1:
                me.start_soon(_fail, KeyError("x"))
                await trio.sleep(1)

        lab.on_load = start_once

        assert (1, 2) == (await Probe(lab, "a").add(1), lab.loads)


async def test_a_task_started_by_flush_may_crash_too(autojump_clock, logged):
    """An actor does not leave before it has acted on the crash of a task."""
    async with living(Short) as lab:

        async def start(me: Probe) -> None:
            me.start_soon(_fail, KeyError("x"))
            await trio.sleep(1)

        lab.on_flush = start
        await Short(lab, "a").add(1)
        await trio.sleep(11.2)

        assert (["actor crashed"], ["backing_off"]) == (
            [entry["event"] for entry in logged],
            [seen.phase for seen in lab.actors()],
        )


async def test_a_refused_load_cancels_its_tasks():
    """What `load` started ends with its refusal."""
    async with living() as lab:

        async def task() -> None:
            try:
                await trio.sleep_forever()
            finally:
                lab.journal.append("ended")

        async def start_and_refuse(me: Probe) -> None:
            me.start_soon(task)
            await wait_all_tasks_blocked()
            raise NotFound

        lab.on_load = start_and_refuse
        with pytest.raises(NotFound):
            await Probe(lab, "a").add(1)
        await wait_all_tasks_blocked()

        assert ["ended"] == lab.journal


async def test_a_crash_cancels_the_tasks(autojump_clock):
    """The tasks of a crashed incarnation end, those that had not begun without beginning."""
    async with living() as lab:

        async def task(name: str) -> None:
            lab.journal.append(f"{name} began")
            try:
                await trio.sleep_forever()
            finally:
                lab.journal.append(f"{name} ended")

        async def start(me: Probe) -> None:
            me.start_soon(task, "first")

        async def start_and_crash(me: Probe) -> None:
            me.start_soon(task, "second")
            raise KeyError

        await Probe(lab, "a").do(start)
        await wait_all_tasks_blocked()
        Probe(lab, "a").do.tell(start_and_crash)
        await wait_all_tasks_blocked()

        assert ["first began", "first ended"] == lab.journal


async def test_a_task_of_a_crashed_incarnation_does_not_crash_the_next(autojump_clock, logged):
    """An error in the clean-up of a cancelled task is logged, and that is all."""
    async with living() as lab:

        async def fail_when_cancelled() -> None:
            try:
                await trio.sleep_forever()
            finally:
                raise ValueError

        await Probe(lab, "a").do(_starting(fail_when_cancelled))
        await wait_all_tasks_blocked()
        Probe(lab, "a").fail.tell(KeyError("x"))
        await trio.sleep(5)

        assert (5, 2) == (await Probe(lab, "a").add(5), lab.loads)
        assert ["actor crashed", "task failed after its actor"] == [entry["event"] for entry in logged]


async def test_of_two_failing_tasks_one_crashes_the_actor(autojump_clock, logged):
    """The first error is the crash, the second is in the log."""
    async with living() as lab:

        async def start(me: Probe) -> None:
            me.start_soon(_fail, KeyError("x"))
            me.start_soon(_fail, KeyError("y"))
            await trio.sleep(1)

        await Probe(lab, "a").do(start)
        await trio.sleep(5)

        assert 1 == lab.actors()[0].crashes
        assert {"actor crashed", "task failed after its actor"} == {entry["event"] for entry in logged}


async def test_a_live_task_keeps_its_actor(autojump_clock):
    """An actor is idle from the end of its last task."""
    async with living(Short) as lab:
        await Short(lab, "a").do(_starting(trio.sleep, 100))
        await trio.sleep(109)
        before = len(lab.actors())
        await trio.sleep(2)

        assert (1, 0) == (before, len(lab.actors()))


async def test_a_task_may_outlive_many_turns_and_tell_each():
    """A task asks and tells its own actor as any other code does."""
    async with living() as lab:

        async def count(probe: Probe) -> None:
            for _ in range(100):
                await probe.add(1)
            probe.note.tell("done")

        async def start(me: Probe) -> None:
            me.start_soon(count, me)

        await Probe(lab, "a").do(start)
        await wait_all_tasks_blocked()

        assert (["done"], 100) == (lab.journal, await Probe(lab, "a").add(0))


async def test_the_end_of_the_system_cancels_the_tasks():
    """Leaving `live` without a drain cuts tasks off."""
    async with living() as lab:

        async def task() -> None:
            try:
                await trio.sleep_forever()
            finally:
                lab.journal.append("cut off")

        await Probe(lab, "a").do(_starting(task))
        await wait_all_tasks_blocked()

    assert ["cut off"] == lab.journal


async def test_a_task_that_fails_while_the_end_cuts_it_disturbs_nothing(logged):
    """An error in its clean-up is logged, from a nursery of its own too; `live` ends in peace."""
    async with living() as lab:

        async def fail_when_cancelled() -> None:
            try:
                await trio.sleep_forever()
            finally:
                raise ValueError

        async def fail_in_nursery() -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(fail_when_cancelled)
                nursery.start_soon(trio.sleep_forever)

        await Probe(lab, "a").do(_starting(fail_when_cancelled))
        await Probe(lab, "b").do(_starting(fail_in_nursery))
        await wait_all_tasks_blocked()

    assert ["task failed after its actor"] * 2 == [
        entry["event"] for entry in logged if "task" in entry["event"]
    ]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
async def test_what_means_to_end_the_program_does_from_a_task_too(error):
    """An interrupt inside a task is no crash: it propagates through the system unchanged."""

    async def live_and_fail() -> None:
        async with living() as lab:
            await Probe(lab, "a").do(_starting(_fail, error))
            await trio.sleep_forever()

    with pytest.raises(type(error)) as raised:
        await live_and_fail()

    assert error is raised.value


async def _fail(error: BaseException) -> None:
    raise error


def _starting(fn: Callable[..., Awaitable[object]], *args: object) -> Callable[[Probe], Awaitable[None]]:
    async def start(me: Probe) -> None:
        me.start_soon(fn, *args)

    return start
