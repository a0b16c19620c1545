"""The life of the system: what it raises, and how it ends in good order."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import ActorCrashed, Draining, Policy
from tests.actors.core.lab import Lab, Other, Probe, living


class Quick(Probe):
    """Restarts a minute after its crash."""

    policy = Policy(backoff_seconds=60, backoff_seconds_max=60)


async def test_a_drain_refuses_what_comes_from_outside():
    """After it began, asks and tells that come from outside the actors are refused at once."""
    async with living() as lab:
        await Probe(lab, "a").add(1)
        await lab.drain(1)
        with pytest.raises(Draining) as refused:
            await Probe(lab, "a").add(1)
        with pytest.raises(Draining):
            Probe(lab, "b").add.tell(1)

        assert (1.0, True, True) == (
            refused.value.retry_after_seconds,
            lab.draining,
            lab.statistics().draining,
        )


async def test_a_drain_empties_the_mailboxes_and_flushes(autojump_clock):
    """Accepted messages are processed, then every actor is flushed and unloaded, and none is late."""
    async with living() as lab:

        async def slow(me: Probe) -> None:
            await trio.sleep(1)
            lab.journal.append("turn")

        async def flush(me: Probe) -> None:
            lab.journal.append("flush")

        lab.on_flush = flush
        for _ in range(3):
            Probe(lab, "a").do.tell(slow)
        late = await lab.drain(60)

        assert ([], ["turn"] * 3 + ["flush"], []) == (late, lab.journal, lab.actors())
        assert 3 == trio.current_time()


async def test_a_drain_is_over_as_soon_as_all_have_left(autojump_clock):
    """With idle actors only, a drain takes no time."""
    async with living() as lab:
        for number in range(100):
            await Probe(lab, str(number)).add(1)

        assert ([], 0) == (await lab.drain(60), trio.current_time())


async def test_actors_ask_one_another_while_they_drain(autojump_clock):
    """Inner asks and tells work, and activate actors that were not live, which then leave too."""
    async with living() as lab:

        async def ask_other(me: Probe) -> None:
            await trio.sleep(1)
            lab.journal.append(await Other(lab, "b").add(5))
            Other(lab, "c").note.tell("told")

        Probe(lab, "a").do.tell(ask_other)
        await wait_all_tasks_blocked()
        late = await lab.drain(60)

        assert ([], [5, "told"]) == (late, lab.journal)


async def test_a_drain_waits_for_tasks(autojump_clock):
    """A task beside the turns may finish, and tell the actor its result."""
    async with living() as lab:

        async def fetch(probe: Probe) -> None:
            await trio.sleep(3)
            await probe.note("fetched")

        async def start(me: Probe) -> None:
            me.start_soon(fetch, me)

        await Probe(lab, "a").do(start)
        late = await lab.drain(60)

        assert ([], ["fetched"], 3) == (late, lab.journal, trio.current_time())


async def test_a_task_can_wait_and_still_hear_of_the_drain(autojump_clock):
    """`sleep_unless_draining` ends when the drain begins."""
    async with living() as lab:

        async def poll() -> None:
            while not lab.draining:
                await lab.sleep_unless_draining(100)
                lab.journal.append(trio.current_time())

        async def start(me: Probe) -> None:
            me.start_soon(poll)

        await Probe(lab, "a").do(start)
        await trio.sleep(150)
        late = await lab.drain(60)

        assert ([], [100, 150]) == (late, lab.journal)


async def test_a_quiesced_system_begins_nothing(autojump_clock):
    """Timers are lost, and neither a turn nor a load arms one or starts a task; messages are still taken."""
    async with living() as lab:

        async def begin(me: Probe) -> bool:
            me.note.after(1, "timer")
            return me.start_soon(me.note, "task")

        await Probe(lab, "a").do(_arm)
        begun = [await Probe(lab, "b").do(begin)]
        await trio.sleep(2)
        lab.quiesce()
        lab.on_load = begin
        begun += [await Probe(lab, key).do(begin) for key in "bc"]
        await trio.sleep(100)

        assert ([True, False, False], ["task", "timer"]) == (begun, lab.journal)
        assert (True, False) == (lab.quiesced, lab.draining)


async def test_what_has_begun_goes_on_in_a_quiesced_system(autojump_clock):
    """A task that was started tells its result, and a drain waits for it."""
    async with living() as lab:

        async def fetch(probe: Probe) -> None:
            await trio.sleep(3)
            await probe.note("fetched")

        async def start(me: Probe) -> None:
            me.start_soon(fetch, me)

        await Probe(lab, "a").do(start)
        lab.quiesce()
        late = await lab.drain(60)

        assert ([], ["fetched"], 3) == (late, lab.journal, trio.current_time())


async def test_a_drain_begins_nothing_either(autojump_clock):
    """What a turn that was accepted before would start is not started, and the actor leaves."""
    async with living() as lab:

        async def begin_later(me: Probe) -> None:
            await trio.sleep(1)
            lab.journal.append(me.start_soon(trio.sleep_forever))

        Probe(lab, "a").do.tell(begin_later)
        late = await lab.drain(60)

        assert ([], [False], 1) == (late, lab.journal, trio.current_time())


async def test_a_drain_names_the_late(autojump_clock):
    """Actors that are not done in time are named, and cancelled when the system is left."""
    async with living() as lab:
        for key in "ba":
            Probe(lab, key).do.tell(_sleep_nine)
        Other(lab, "c").add.tell(1)
        late = await lab.drain(5)

        assert (["Probe('a')", "Probe('b')"], 5) == (late, trio.current_time())


async def test_two_drains_end_together(autojump_clock):
    """Both callers of a drain return at its end."""
    async with living() as lab:
        Probe(lab, "a").do.tell(_sleep_nine)
        Probe(lab, "b").add.tell(1)
        ended: list[float] = []

        async def drain() -> None:
            await lab.drain(60)
            ended.append(trio.current_time())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(drain)
            nursery.start_soon(drain)

        assert [9, 9] == ended


async def test_a_drain_does_not_wait_for_a_backoff(autojump_clock):
    """An actor that backs off with messages waiting restarts at once, serves them and leaves."""
    async with living(Quick) as lab:
        with pytest.raises(ActorCrashed):
            await Quick(lab, "a").fail(KeyError("x"))
        Quick(lab, "a").note.tell("served")
        late = await lab.drain(5)

        assert ([], ["served"], 0) == (late, lab.journal, trio.current_time())


async def test_a_crash_in_the_drain_with_nothing_left_to_do_is_the_end(autojump_clock):
    """An actor whose last turn crashes while the system drains is not loaded again."""
    async with living() as lab:

        async def crash(me: Probe) -> None:
            raise KeyError

        lab.on_flush = crash
        await Probe(lab, "a").add(1)
        Probe(lab, "b").fail.tell(KeyError("x"))
        late = await lab.drain(5)

        assert ([], 2, 2) == (late, lab.loads, lab.statistics().kinds[0].crashes)


async def test_a_crash_in_the_drain_keeps_the_mailbox(autojump_clock):
    """What waits behind a crash is served during a drain too."""
    async with living() as lab:
        Probe(lab, "a").fail.tell(KeyError("x"))
        Probe(lab, "a").note.tell("served")
        late = await lab.drain(5)

        assert ([], ["served"], 2) == (late, lab.journal, lab.loads)


async def test_a_flush_cannot_hold_up_the_drain_with_timers(autojump_clock):
    """An actor that arms a timer in its flush leaves all the same."""
    async with living() as lab:

        async def arm(me: Probe) -> None:
            me.add.after(0, 1)

        lab.on_flush = arm
        await Probe(lab, "a").add(1)

        assert [] == await lab.drain(5)


async def test_leaving_without_a_drain_cuts_off_what_runs():
    """Outside askers are answered at once: the running turn may have had effects, the others had none."""
    heard: dict[str, type[BaseException]] = {}
    lab = Lab(Probe)

    async def ask(name: str, probe: Probe) -> None:
        try:
            await probe.do(_hang)
        except (ActorCrashed, Draining) as error:
            heard[name] = type(error)

    async def hang_in_c(me: Probe) -> None:
        if me.key == "c":
            await _hang(me)

    lab.on_load = hang_in_c
    async with trio.open_nursery() as nursery, lab.live():
        for name, key in [("runs", "a"), ("waits", "a"), ("waits for a load", "c")]:
            nursery.start_soon(ask, name, Probe(lab, key))
            await wait_all_tasks_blocked()

    assert {"runs": ActorCrashed, "waits": Draining, "waits for a load": Draining} == heard
    assert [] == lab.actors()


async def test_leaving_cuts_off_an_actor_that_never_waits():
    """An actor that tells itself without end does not keep the system alive."""
    async with living() as lab:

        async def again(me: Probe) -> None:
            me.do.tell(again)

        Probe(lab, "a").do.tell(again)
        await trio.lowlevel.checkpoint()

    assert [] == lab.actors()


async def test_a_turn_that_fails_while_it_is_cut_off_does_not_disturb_the_end(logged):
    """An error in the clean-up of a turn is logged, from a nursery of its own too; `live` ends in peace."""
    async with living() as lab:

        async def fail_when_cancelled() -> None:
            try:
                await trio.sleep_forever()
            finally:
                raise ValueError

        async def fail_in_turn(me: Probe) -> None:
            await fail_when_cancelled()

        async def fail_in_nursery(me: Probe) -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(fail_when_cancelled)
                nursery.start_soon(trio.sleep_forever)

        Probe(lab, "a").do.tell(fail_in_turn)
        Probe(lab, "b").do.tell(fail_in_nursery)
        await wait_all_tasks_blocked()

    assert ["actor crashed"] * 2 == [entry["event"] for entry in logged]


async def test_the_system_raises_what_its_block_raises():
    """An error of the block comes out as it is, in no group; and a group with what was in it."""
    fault = KeyError("x")
    with pytest.raises(KeyError) as raised:
        async with living():
            raise fault
    with pytest.raises(ExceptionGroup, match="of the block") as raised_group:
        async with living():
            raise ExceptionGroup("of the block", [fault])

    assert (fault, (fault,)) == (raised.value, raised_group.value.exceptions)


async def test_the_system_can_be_cancelled():
    """A cancelled block ends the actors, and the cancellation reaches its own scope."""
    with trio.CancelScope() as scope:
        async with living() as lab:
            Probe(lab, "a").do.tell(_hang)
            await wait_all_tasks_blocked()
            scope.cancel()
            await trio.sleep_forever()

    assert (True, []) == (scope.cancelled_caught, lab.actors())


async def test_kinds_stop_in_reverse():
    """The kind that was named last is cut off first, while the earlier ones can still be asked."""
    async with living(Probe, Other) as lab:

        async def say_goodbye(me: Probe) -> None:
            try:
                await trio.sleep_forever()
            finally:
                with trio.CancelScope(shield=True):
                    total = await Probe(lab, "first").add(1) if isinstance(me, Other) else 0
                lab.journal.append((type(me).__name__, total))

        await Probe(lab, "first").add(5)
        Probe(lab, "a").do.tell(say_goodbye)
        Other(lab, "b").do.tell(say_goodbye)
        await wait_all_tasks_blocked()

    assert [("Other", 6), ("Probe", 0)] == lab.journal


async def _sleep_nine(_me: Probe) -> None:
    await trio.sleep(9)


async def _arm(me: Probe) -> None:
    me.note.after(50, "too late")


async def _hang(_me: Probe) -> None:
    await trio.sleep_forever()
