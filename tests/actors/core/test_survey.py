"""Listing actors in slices: what comes first, the last minute, and that others go on meanwhile."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import ActorCrashed, MailboxFull, Policy, Selection
from svc.actors._core.last_minute import LastMinute, Window
from svc.actors._core.survey import SLICE, TROUBLE_SECONDS_MIN
from tests.actors.core.lab import Lab, Other, Probe, Small, living

MANY = 8 * SLICE


class Fragile(Probe):
    policy = Policy(crashes_max=0)


async def _hang(_actor: Probe) -> None:
    await trio.sleep(1_000)


async def _rest(_actor: Probe) -> None:
    await trio.sleep(2)


async def _listed(lab: Lab, **selection: object) -> list[str]:
    survey = await lab.survey(Selection(**selection))  # type: ignore[arg-type]
    return [one.key for one in survey.actors]


async def test_a_survey_says_what_all_statistics_say(autojump_clock):
    """Over several slices: the kinds' figures, and the same actors as a list of all."""
    async with living(Probe, Other) as lab:
        for number in range(SLICE + 1):
            Probe(lab, str(number)).add.tell(1)
        Other(lab, "a").do.tell(_hang)
        await trio.sleep(2)
        Other(lab, "a").add.tell(1)
        await trio.sleep(3)

        survey = await lab.survey(Selection(kind="Other"))

        assert lab.statistics().kinds == survey.kinds
        assert (1, lab.actors("Other")) == (survey.total, survey.actors)
        assert (1, 3) == (survey.kinds[1].mailbox_depth, survey.kinds[1].mailbox_oldest_seconds)


async def test_other_tasks_run_during_a_survey(autojump_clock):
    """There is a checkpoint after each slice, however many actors there are."""
    async with living() as lab, trio.open_nursery() as nursery:
        for number in range(MANY):
            Probe(lab, str(number)).add.tell(1)
        await wait_all_tasks_blocked()
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await trio.lowlevel.checkpoint()

        nursery.start_soon(others)
        await lab.survey(Selection())
        nursery.cancel_scope.cancel()

        assert turns >= MANY // SLICE - 1


async def test_actors_may_come_and_go_during_a_survey(autojump_clock):
    """Those that have left when their slice comes are not counted, and nothing fails."""
    async with living() as lab, trio.open_nursery() as nursery:
        for number in range(MANY):
            Probe(lab, str(number)).add.tell(1)
        await wait_all_tasks_blocked()

        nursery.start_soon(lab.drain, 1)
        survey = await lab.survey(Selection(limit=MANY))

        assert [] == lab.actors()
        assert survey.total <= MANY


@pytest.mark.parametrize(
    ("sort", "first"),
    [("mailbox", "full"), ("age", "stuck"), ("turns", "busy"), ("crashes", "dead"), ("trouble", "dead")],
)
async def test_the_highest_come_first(autojump_clock, sort, first):
    """Each order has another first; those that rank the same stay in the order of their activation."""
    async with living(Probe, Fragile) as lab:
        await Probe(lab, "idle").add()
        await Probe(lab, "idle 2").add()
        for _ in range(3):
            await Probe(lab, "busy").add()
        Probe(lab, "stuck").do.tell(_hang)
        with pytest.raises(ActorCrashed):
            await Fragile(lab, "dead").fail(KeyError("x"))
        await trio.sleep(1)
        for _ in range(3):
            Probe(lab, "full").do.tell(_hang)
        await trio.sleep(1)

        keys = await _listed(lab, sort=sort)

        assert first == keys[0]
        assert keys.index("idle") < keys.index("idle 2")
        assert keys[:2] == await _listed(lab, sort=sort, limit=2)


async def test_what_has_crashed_is_not_lost_among_the_busy(autojump_clock):
    """Work of less than a second is no trouble; what takes longer comes before crashes that are over."""
    async with living() as lab:
        with pytest.raises(ActorCrashed):
            await Probe(lab, "crashed").fail(KeyError("x"))
        await Probe(lab, "crashed").add()
        Probe(lab, "busy").do.tell(_hang)
        await trio.sleep(TROUBLE_SECONDS_MIN / 2)
        assert ["crashed", "busy"] == await _listed(lab, sort="trouble")
        await trio.sleep(TROUBLE_SECONDS_MIN)

        assert ["busy", "crashed"] == await _listed(lab, sort="trouble")


async def test_actors_are_found_by_their_key_and_phase(autojump_clock):
    """A part of the key is enough; quarantined keys are found as well."""
    async with living(Probe, Fragile) as lab:
        await Probe(lab, "red apple").add()
        Probe(lab, "green apple").do.tell(_hang)
        await Probe(lab, "pear").add()
        with pytest.raises(ActorCrashed):
            await Fragile(lab, "apple").fail(KeyError("x"))

        assert {"red apple", "green apple", "apple"} == set(await _listed(lab, key="apple"))
        assert ["green apple"] == await _listed(lab, key="apple", phase="running")
        assert ["apple"] == await _listed(lab, phase="quarantined")


async def test_a_kind_tells_its_last_minute(autojump_clock):
    """Turns, how long they ran, crashes and refusals; a minute later nothing of it is left."""
    async with living(Small) as lab:
        await Small(lab, "a").do(_rest)
        with pytest.raises(ActorCrashed):
            await Small(lab, "b").fail(KeyError("x"))
        Small(lab, "c").do.tell(_rest)
        await wait_all_tasks_blocked()
        for _ in range(2):
            Small(lab, "c").add.tell(1)
        with pytest.raises(MailboxFull):
            Small(lab, "c").add.tell(1)
        await trio.sleep(3)
        during = lab.statistics().kinds[0].last_minute
        await trio.sleep(60)
        after = lab.statistics().kinds[0].last_minute

        assert (5, 1, 1, 4.0) == (during.turns, during.crashes, during.refused, round(during.run_seconds, 6))
        assert 5 == during.seconds
        assert (0, 0, 0, 0.0) == (after.turns, after.crashes, after.refused, after.run_seconds)
        assert 5 == lab.statistics().kinds[0].turns


@pytest.mark.parametrize("start", [0.0, 3.0, 123_456.7])
def test_the_ring_counts_each_turn_for_a_minute_at_most(start):
    """One turn a second: from the second minute on, 55 to 60 of them, and the seconds that they took."""
    minute = LastMinute(start)

    for second in range(300):
        now = start + second
        minute.note_turn(now, 0.5)
        window = minute.window(now)

        expected = second + 1 if second < 55 else window.turns
        assert expected == window.turns
        assert second < 55 or 55 <= window.turns <= 60
        assert window.turns * 0.5 == window.run_seconds
        assert window.seconds <= 60
        assert abs(window.turns - window.seconds) <= 1


def test_an_hour_of_silence_is_no_turn():
    """What stands in the ring from long ago is not counted as if it were new."""
    minute = LastMinute(0)
    for second in range(120):
        minute.note_turn(float(second), 1.0)

    assert Window(seconds=55.0) == minute.window(3_600.0)
