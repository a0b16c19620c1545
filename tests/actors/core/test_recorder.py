"""The flight recorder: what an actor did last, where it stands, for which request, and traces of it."""

import sys

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import ActorCrashed, ActorInspection, Overcrowded, Policy
from svc.actors._core.recorder import REQUEST_ID_BYTES, TURNS_KEPT, Recorder, Words
from svc.actors._core.tracing import TRACES_MAX, TracedTurn
from svc.domain.errors import Conflict
from svc.request_id import request_id, set_request_id
from tests.actors.core.lab import Lab, Other, Probe, living


class Hasty(Probe):
    policy = Policy(turn_seconds=2)


def inspected(lab: Lab, kind: str = "Probe", key: str = "a") -> ActorInspection:
    inspection = lab.inspect(kind, key)
    assert inspection is not None
    return inspection


async def hang(me: Probe) -> None:
    await trio.sleep_forever()


async def test_the_last_turns_are_kept_with_their_times(autojump_clock):
    """Eight, the newest first: how long each waited and ran, and what came of it."""
    async with living() as lab:

        async def slow(me: Probe) -> None:
            await trio.sleep(0.25)

        for _ in range(TURNS_KEPT):
            await Probe(lab, "a").add(1)
        Probe(lab, "a").do.tell(slow)
        Probe(lab, "a").fail.tell(Conflict("it is taken"))
        await trio.sleep(1)
        turns = inspected(lab).turns

        assert ["fail", "do", *["add"] * (TURNS_KEPT - 2)] == [turn.turn for turn in turns]
        assert ["Conflict", "ok"] == [turn.outcome for turn in turns[:2]]
        assert [(0.25, 0), (0, 0.25)] == [(turn.wait_seconds, turn.run_seconds) for turn in turns[:2]]
        assert [0.75, 0.75, 1] == [trio.current_time() - turn.ended_at for turn in turns[:3]]


async def test_a_crash_keeps_the_turns_before_it_and_where_it_was_raised(autojump_clock):
    """It stays while the actor lives on, and through its quarantine; no message is in it."""
    async with living() as lab:
        await Probe(lab, "a").add(1)
        with pytest.raises(ActorCrashed):
            await Probe(lab, "a").fail(KeyError("private"))
        await trio.sleep(1)
        for _ in range(TURNS_KEPT):
            await Probe(lab, "a").add(1)
        alive = inspected(lab).crash
        for _ in range(3):
            with pytest.raises(ActorCrashed):
                await Probe(lab, "a").fail(KeyError("private"))
        quarantined = inspected(lab)

        assert alive is not None
        assert ("fail", ["fail", "add"]) == (alive.turn, [turn.turn for turn in alive.turns])
        assert alive.error == alive.turns[0].outcome
        assert "KeyError at lab.py:" in alive.error
        assert ["Probe.fail"] == [line.rpartition(" in ")[2] for line in alive.stack]
        assert "quarantined" == quarantined.statistics.phase
        assert ["fail"] * 3 == [turn.turn for turn in quarantined.turns[:3]]
        assert "private" not in repr((alive, quarantined))


async def test_a_load_that_crashes_is_recorded_for_the_message_that_it_failed(autojump_clock):
    """There was no turn, so none is named; the message waited, and nothing ran."""
    async with living() as lab:

        async def fail(me: Probe) -> None:
            raise ValueError

        lab.on_load = fail
        with pytest.raises(ActorCrashed):
            await Probe(lab, "a").add(1)
        seen = inspected(lab)

        assert seen.crash is not None
        assert (None, "add") == (seen.crash.turn, seen.turns[0].turn)
        assert "Probe.load" in seen.crash.stack[0]


async def test_where_a_stuck_turn_stands_is_seen(autojump_clock):
    """Its stack from the actor's own code on, the actors it waits for, and what waits for it, by name."""
    async with living() as lab:

        async def ask_other(me: Probe) -> None:
            await Other(lab, "b").do(hang)

        Probe(lab, "a").do.tell(ask_other)
        await wait_all_tasks_blocked()
        for number in (1, 2):
            Probe(lab, "a").add.tell(number)
        Probe(lab, "a").note.tell("x")
        asking, asked = inspected(lab), inspected(lab, "Other", "b")

        assert "Probe.do" in asking.stack[0]
        assert "ask_other" in asking.stack[1]
        assert ["Other('b')"] == asking.waits_for
        assert {"add": 2, "note": 1} == asking.waiting
        assert "in hang" in asked.stack[1]
        assert all(
            line.startswith(("tests/", "core/lab.py", "core/test", "trio/", "svc/")) for line in asked.stack
        )
        assert [] == asked.waits_for


async def test_where_a_turn_stood_whose_time_was_up_is_kept(autojump_clock):
    """The place at which it was cancelled, not that of the runtime which noticed."""
    async with living(Hasty) as lab:
        with pytest.raises(ActorCrashed):
            await Hasty(lab, "a").do(hang)
        crash = inspected(lab, "Hasty").crash

        assert crash is not None
        assert crash.error.startswith("TurnTimedOut")
        assert any("in hang" in line for line in crash.stack)


async def test_a_load_whose_time_was_up_tells_where_it_stood(autojump_clock):
    """As a turn does."""
    async with living(Hasty) as lab:
        lab.on_load = hang
        with pytest.raises(ActorCrashed):
            await Hasty(lab, "a").add(1)
        crash = inspected(lab, "Hasty").crash

        assert crash is not None
        assert any("in hang" in line for line in crash.stack)


async def test_tasks_are_seen_with_their_stacks(autojump_clock):
    """Work beside the turns hangs as well as they do."""
    async with living() as lab:

        async def push() -> None:
            await trio.sleep_forever()

        async def start(me: Probe) -> None:
            me.start_soon(push)

        set_request_id(b"r-1")
        await Probe(lab, "a").do(start)
        await trio.sleep(3)
        [task] = inspected(lab).tasks

        assert ("push", 3, "r-1") == (task.name, task.age_seconds, task.request_id)
        assert "push" in task.stack[0]


async def test_a_request_is_known_through_every_actor_that_works_for_it(autojump_clock):
    """What it asks, tells and starts has its id; what a timer does has none, and the next request its own."""
    async with living() as lab:
        seen: list[bytes | None] = []

        async def look(*_: object) -> None:
            seen.append(request_id())

        async def spread(me: Probe) -> None:
            await look()
            await Other(lab, "b").do(look)
            Other(lab, "c").do.tell(look)
            me.start_soon(look)
            me.do.after(1, look)

        set_request_id(b"r-1")
        await Probe(lab, "a").do(spread)
        await wait_all_tasks_blocked()
        assert [b"r-1"] * 4 == seen

        set_request_id(b"r-2")
        await Probe(lab, "a").do(look)
        await trio.sleep(2)
        assert [b"r-2", None] == seen[4:]
        assert [None, "r-2", "r-1"] == [turn.request_id for turn in inspected(lab).turns]


def test_a_ring_takes_less_than_a_kibibyte():
    """A hundred thousand actors may be awake."""
    words = Words()
    recorder = Recorder(words)

    assert words.number("pull") == words.number("pull") != words.number("push")
    assert [] == recorder.turns()
    ring = TURNS_KEPT * 56
    assert sys.getsizeof(recorder) + sys.getsizeof(bytearray(ring)) < 1024


async def test_of_a_callers_own_long_id_the_beginning_is_kept(autojump_clock):
    """36 characters: an id of ours, or a UUID, is whole."""
    async with living() as lab:
        set_request_id(b"x" * 128)
        await Probe(lab, "a").add(1)

        assert "x" * REQUEST_ID_BYTES == inspected(lab).turns[0].request_id


async def test_words_beyond_their_limit_are_not_told_apart(monkeypatch):
    """Their table cannot grow without an end."""
    monkeypatch.setattr("svc.actors._core.recorder.WORDS_MAX", 2)
    words = Words()
    numbers = [words.number(word) for word in ("a", "b", "c")]

    assert ["a", "…", "…"] == [words.word(number) for number in numbers]


async def test_a_trace_has_every_turn_from_then_on(autojump_clock):
    """Of an actor that is not active yet, too; with the types of arguments, and no value."""
    async with living() as lab:
        with lab.traces.open("Probe", "a", 3) as turns:
            await Probe(lab, "a").add(number=2)
            await Probe(lab, "b").add(5)
            await Probe(lab, "a").note("secret")
            with pytest.raises(Conflict):
                await Probe(lab, "a").fail(Conflict("secret"))
            await Probe(lab, "a").add(1)
            traced: list[TracedTurn] = [turn async for turn in turns]

        assert [
            ("add", ["number: int"], "ok"),
            ("note", ["str"], "ok"),
            ("fail", ["Conflict"], "Conflict"),
        ] == [(turn.turn, turn.arguments, turn.outcome) for turn in traced]
        assert "secret" not in repr(traced)
        assert not lab.traces


async def test_traces_are_few_at_a_time(autojump_clock):
    """What waits to be read has a bound over all actors; an ended trace makes room."""
    async with living() as lab:
        opened = [lab.traces.open("Probe", str(number), 5) for number in range(TRACES_MAX)]
        for trace in opened:
            trace.__enter__()
        with pytest.raises(Overcrowded), lab.traces.open("Probe", "a", 5):
            pass
        for trace in opened:
            trace.__exit__(None, None, None)
        with lab.traces.open("Probe", "a", 5) as turns:
            await Probe(lab, "a").add(1)

            assert "add" == (await anext(turns)).turn
