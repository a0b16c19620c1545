"""Crashes are answered by a restart, too many of them by a quarantine, and some end the system."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import ActorCrashed, Draining, Policy, Quarantined
from tests.actors.core.lab import Lab, Other, Probe, living


class Stubborn(Probe):
    """May crash often, and waits up to four seconds."""

    policy = Policy(crashes_max=100, backoff_seconds=1, backoff_seconds_max=4)


class Brittle(Probe):
    """May crash twice a minute."""

    policy = Policy(crashes_max=2)


class Vital(Probe):
    """Infrastructure: without it there is no system."""

    policy = Policy(escalate=True)


async def test_the_backoff_doubles_with_each_crash(autojump_clock):
    """The first restart waits half a second, the next twice as long."""
    async with living() as lab:
        waits = [await _restart_after_crash(Probe(lab, "a")) for _ in range(3)]

        assert [0.5, 1, 2] == waits


async def test_the_backoff_has_a_limit(autojump_clock):
    """However often an actor crashed, it waits no longer than its policy says."""
    async with living(Stubborn) as lab:
        waits = [await _restart_after_crash(Stubborn(lab, "a")) for _ in range(5)]

        assert [1, 2, 4, 4, 4] == waits


async def test_old_crashes_do_not_count(autojump_clock):
    """A crash that is older than the window is forgotten."""
    async with living() as lab:
        waits = []
        for _ in range(6):
            waits.append(await _restart_after_crash(Probe(lab, "a")))
            await trio.sleep(Probe.policy.crash_window_seconds)

        assert [0.5] * 6 == waits


@pytest.mark.parametrize(("apart_seconds", "phase"), [(59.999, "quarantined"), (60, "backing_off")])
async def test_a_crash_counts_until_it_is_as_old_as_the_window(apart_seconds, phase, autojump_clock):
    """To the millisecond."""
    async with living(Brittle) as lab:
        for at in (0, 30, apart_seconds):
            await trio.sleep_until(at)
            with pytest.raises(ActorCrashed):
                await Brittle(lab, "a").fail(KeyError("x"))
        await wait_all_tasks_blocked()

        assert [phase] == [seen.phase for seen in lab.actors()]


async def test_crashes_far_enough_apart_never_quarantine(autojump_clock):
    """With no more than three crashes within any minute, an actor is restarted for ever."""
    async with living() as lab:
        waits = []
        for _ in range(8):
            began = trio.current_time()
            waits.append(await _restart_after_crash(Probe(lab, "a")))
            await trio.sleep_until(began + 25)

        assert [0.5, 1, 2, 2, 2, 2, 2, 2] == waits


async def test_messages_wait_for_the_restart(autojump_clock):
    """While an actor backs off it takes messages, and the next incarnation serves them."""
    async with living() as lab:
        probe = Probe(lab, "a")
        with pytest.raises(ActorCrashed):
            await probe.fail(KeyError("x"))
        probe.note.tell("told")
        await probe.note("asked")

        assert (["told", "asked"], 0.5) == (lab.journal, trio.current_time())


async def test_one_crash_too_many_quarantines_the_key(autojump_clock):
    """The fourth crash within a minute ends the actor: asks and tells are refused at once."""
    async with living() as lab:
        probe = Probe(lab, "a")
        await _quarantine(probe)
        loads = lab.loads
        await trio.sleep(100)
        with pytest.raises(Quarantined) as refused:
            await probe.add(1)
        with pytest.raises(Quarantined):
            probe.add.tell(1)

        assert (200, loads) == (refused.value.retry_after_seconds, lab.loads)
        assert not probe.add.tell_if_active(1)


async def test_a_quarantine_disturbs_no_other_key(autojump_clock):
    """One poisoned key never stops the others of its kind."""
    async with living() as lab:
        await Probe(lab, "b").add(5)
        await _quarantine(Probe(lab, "a"))

        assert 5 == await Probe(lab, "b").add(0)


async def test_a_quarantine_answers_the_waiting_askers(autojump_clock):
    """Askers behind the last crash hear of the quarantine, each by an error of their own."""
    async with living() as lab:
        probe = Probe(lab, "a")
        for _ in range(3):
            await _restart_after_crash(probe)
        heard: list[Quarantined] = []

        async def crash_slowly(me: Probe) -> None:
            await trio.sleep(1)
            raise KeyError

        async def ask() -> None:
            with pytest.raises(Quarantined) as refused:
                await probe.add(1)
            heard.append(refused.value)

        probe.do.tell(crash_slowly)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            nursery.start_soon(ask)

        assert [300, 300] == [error.retry_after_seconds for error in heard]
        assert heard[0] is not heard[1]


async def test_a_quarantine_ends_with_a_clean_slate(autojump_clock):
    """After its time the key is activated again, and has all its restarts again."""
    async with living() as lab:
        probe = Probe(lab, "a")
        await _quarantine(probe)
        await trio.sleep(Probe.policy.quarantine_seconds - 0.001)
        with pytest.raises(Quarantined):
            await probe.add(1)
        await trio.sleep(0.001)
        served = await probe.add(1)
        waits = [await _restart_after_crash(probe) for _ in range(3)]

        assert (1, [0.5, 1, 2]) == (served, waits)


async def test_a_load_that_always_crashes_is_quarantined(autojump_clock):
    """A restart whose load crashes counts as a crash, with and without waiting askers."""
    async with living() as lab:

        async def crash(me: Probe) -> None:
            raise KeyError

        lab.on_load = crash
        with pytest.raises(ActorCrashed):
            await Probe(lab, "a").add(1)
        await trio.sleep(10)
        with pytest.raises(Quarantined):
            await Probe(lab, "a").add(1)

        assert 4 == lab.loads


async def test_past_crashes_cost_nothing(autojump_clock):
    """What crashed once is forgotten by the supervisor when it counts no more."""
    async with living() as lab:
        for number in range(20):
            with pytest.raises(ActorCrashed):
                await Probe(lab, str(number)).fail(KeyError("x"))
        await _quarantine(Probe(lab, "a"))
        await trio.sleep(1000)
        kind = lab.statistics().kinds[0]
        [supervisor, _] = lab._supervisors.values()

        assert (24, 0) == (kind.crashes, kind.quarantined)
        assert ({}, {}, {}) == (supervisor._crashed_at, supervisor._quarantines, supervisor.live)


async def test_a_crash_of_infrastructure_ends_the_system(logged):
    """An escalating actor's error is raised by `live` as it is, after one clear line in the log."""
    fault, lab = KeyError("x"), Lab(Vital, Other)
    with pytest.raises(KeyError) as raised:
        await _live_and_escalate(lab, fault)

    assert fault is raised.value
    [entry] = logged
    assert ("critical", "Vital('a')") == (entry["log_level"], entry["actor"])
    assert "infrastructure actor crashed; the system ends" == entry["event"]
    assert "KeyError at lab.py:" in entry["why"]
    assert [] == lab.actors()


async def test_an_ended_system_takes_nothing():
    """After its end, by escalation too, a system refuses as it does when it drains."""
    lab = Lab(Vital, Other)
    with pytest.raises(KeyError):
        await _live_and_escalate(lab, KeyError("x"))
    with pytest.raises(Draining):
        await Other(lab, "b").add(1)
    with pytest.raises(Draining):
        Vital(lab, "a").add.tell(1)

    assert [] == lab.actors()


async def test_actors_cut_off_by_an_escalation_are_not_crashes():
    """What the end of the system cuts off leaves quietly."""
    lab = Lab(Other, Vital)
    with pytest.raises(KeyError):
        await _live_and_escalate(lab, KeyError("x"))

    assert [0, 0] == [kind.crashes for kind in lab.statistics().kinds]


async def _live_and_escalate(lab: Lab, fault: Exception) -> None:
    """Live until a vital actor crashes with *fault* while another one is in a turn."""

    async def hang(me: Probe) -> None:
        await trio.sleep_forever()

    async with lab.live():
        Other(lab, "b").do.tell(hang)
        await wait_all_tasks_blocked()
        Vital(lab, "a").fail.tell(fault)
        await trio.sleep_forever()


async def _restart_after_crash(probe: Probe) -> float:
    """Crash *probe*; the seconds until it serves again."""
    with pytest.raises(ActorCrashed):
        await probe.fail(KeyError("x"))
    crashed_at = trio.current_time()
    await probe.add(1)
    return trio.current_time() - crashed_at


async def _quarantine(probe: Probe) -> None:
    for _ in range(3):
        await _restart_after_crash(probe)
    with pytest.raises(ActorCrashed):
        await probe.fail(KeyError("x"))
