"""What a turn may raise: a refusal is an answer, everything else is a crash."""

import traceback
from collections.abc import Awaitable, Callable

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import ActorCrashed, Policy, TurnTimedOut
from svc.domain.errors import Conflict, DomainError, NotFound, Unavailable
from tests.actors.core.lab import Other, Probe, living, nothing


class Hasty(Probe):
    """Has two seconds for a turn."""

    policy = Policy(turn_seconds=2)


class Odd(DomainError):
    """Cannot be made again from its `args`."""

    def __init__(self, *, number: int) -> None:
        super().__init__(f"odd {number}")
        self.number = number


async def test_a_refusal_goes_to_the_asker_and_the_actor_lives():
    """A `DomainError` of a turn is raised to its asker as it is, and the state stays."""
    async with living() as lab:
        probe, error = Probe(lab, "a"), NotFound("no such thing")
        await probe.add(5)
        with pytest.raises(NotFound) as refused:
            await probe.fail(error)

        assert error is refused.value
        assert (5, 1) == (await probe.add(0), lab.loads)


async def test_a_refusal_shows_the_askers_frames_only():
    """A refusal that passed through actors does not drag their frames along."""
    async with living() as lab:

        async def ask_other(me: Probe) -> None:
            await Other(lab, "b").fail(NotFound("no such thing"))

        with pytest.raises(NotFound) as refused:
            await Probe(lab, "a").do(ask_other)

        names = [frame.name for frame in traceback.extract_tb(refused.value.__traceback__)]
        assert not {"fail", "ask_other"} & set(names)


async def test_an_unheard_refusal_is_logged(logged):
    """The refusal of a told turn is logged, without its message."""
    async with living() as lab:
        Probe(lab, "a").fail.tell(NotFound("private"))
        await wait_all_tasks_blocked()

        [entry] = logged
        assert ("turn refused unheard", "fail") == (entry["event"], entry["turn"])
        assert "NotFound at lab.py:" in entry["why"]
        assert "private" not in str(entry)


async def test_a_group_of_nothing_but_refusals_is_a_refusal():
    """A turn that asks from a nursery refuses with the first refusal of its tasks."""
    async with living() as lab:

        async def ask_from_nursery(me: Probe) -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(Other(lab, "b").fail, NotFound("no such thing"))
                nursery.start_soon(Other(lab, "c").add)

        probe = Probe(lab, "a")
        await probe.add(5)
        with pytest.raises(NotFound, match="no such thing"):
            await probe.do(ask_from_nursery)
        with pytest.raises(Conflict):
            await probe.fail(
                ExceptionGroup("outer", [ExceptionGroup("inner", [Conflict("x")]), NotFound("y")])
            )

        assert 5 == await probe.add(0)


async def test_a_group_with_a_fault_in_it_is_a_crash(autojump_clock):
    """One fault among refusals crashes the actor."""
    async with living() as lab:
        probe = Probe(lab, "a")
        await probe.add(5)
        with pytest.raises(ActorCrashed):
            await probe.fail(ExceptionGroup("mixed", [NotFound("x"), KeyError("y")]))

        assert 0 == await probe.add(0)


async def test_a_crash_drops_the_state_and_loads_again(autojump_clock):
    """Any other error crashes the actor: its asker learns it with the cause, the state starts anew."""
    async with living() as lab:
        probe, fault = Probe(lab, "a"), KeyError("x")
        await probe.add(5)
        with pytest.raises(ActorCrashed, match=r"Probe\('a'\) crashed") as crashed:
            await probe.fail(fault)

        assert fault is crashed.value.__cause__
        assert (1, 2) == (await probe.add(1), lab.loads)


async def test_the_mailbox_survives_a_crash(autojump_clock):
    """What waited behind a crash is served by the next incarnation; the crashing message is not retried."""
    async with living() as lab:
        probe = Probe(lab, "a")

        async def note_and_fail(me: Probe) -> None:
            lab.journal.append("crash")
            raise KeyError

        probe.do.tell(note_and_fail)
        probe.note.tell("waited")
        await probe.note("asked")

        assert ["crash", "waited", "asked"] == lab.journal


async def test_a_crash_disturbs_no_other_key():
    """The other actors of a kind do not notice."""
    async with living() as lab:
        await Probe(lab, "b").add(5)
        with pytest.raises(ActorCrashed):
            await Probe(lab, "a").fail(KeyError("x"))

        assert 5 == await Probe(lab, "b").add(0)


async def test_the_crash_of_an_asked_actor_does_not_crash_the_asker():
    """A runtime failure of an inner ask passes upward as a refusal."""
    async with living() as lab:
        await Probe(lab, "a").add(5)

        async def ask_other(me: Probe) -> None:
            await Other(lab, "b").fail(KeyError("x"))

        with pytest.raises(ActorCrashed, match="Other"):
            await Probe(lab, "a").do(ask_other)

        assert 5 == await Probe(lab, "a").add(0)


async def test_a_crash_without_an_asker_is_logged(autojump_clock, logged):
    """A told turn that crashes is in the log with its error."""
    async with living() as lab:
        fault = KeyError("x")
        Probe(lab, "a").fail.tell(fault)
        await wait_all_tasks_blocked()

        [entry] = logged
        assert ("actor crashed", "error", fault) == (entry["event"], entry["log_level"], entry["exc_info"])


async def test_a_refused_load_answers_all_waiting_askers():
    """A `DomainError` of `load` goes to every waiting asker, each with its own copy, and the actor ends."""
    async with living() as lab:
        lab.on_load = _raising(Unavailable("not now", retry_after_seconds=7))
        heard: list[Unavailable] = []

        async def ask() -> None:
            with pytest.raises(Unavailable) as refused:
                await Probe(lab, "a").add(1)
            heard.append(refused.value)

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(ask)

        assert [("not now", 7)] * 3 == [(str(error), error.retry_after_seconds) for error in heard]
        assert 3 == len({id(error) for error in heard})
        assert ([], 1) == (lab.actors(), lab.loads)


async def test_a_refusal_that_cannot_be_made_again_is_still_copied():
    """A copy needs no arguments that the error did not keep."""
    async with living() as lab:
        lab.on_load = _raising(Odd(number=3))
        with pytest.raises(Odd) as refused:
            await Probe(lab, "a").add(1)

        assert ("odd 3", 3) == (str(refused.value), refused.value.number)


async def test_a_refused_load_is_tried_again_by_the_next_message(logged):
    """The refusal is not remembered, and messages that were told meanwhile count as lost."""
    async with living() as lab:
        lab.on_load = _raising(NotFound("not yet"))
        Probe(lab, "a").add.tell(1)
        Probe(lab, "a").add.tell(1)
        await wait_all_tasks_blocked()
        lab.on_load = nothing

        assert 1 == await Probe(lab, "a").add(1)
        assert [("messages lost", 2)] == [(entry["event"], entry["messages"]) for entry in logged]


async def test_the_crash_of_an_actor_asked_by_load_is_a_refusal():
    """A runtime failure of an ask that `load` makes does not crash the loading actor."""
    async with living() as lab:

        async def ask_other(me: Probe) -> None:
            if isinstance(me, Other):
                return
            await Other(lab, "b").fail(KeyError("x"))

        lab.on_load = ask_other
        with pytest.raises(ActorCrashed, match="Other"):
            await Probe(lab, "a").add(1)

        assert [0, 1] == [kind.crashes for kind in lab.statistics().kinds]


async def test_the_first_message_pays_for_a_crashing_load(autojump_clock):
    """When `load` crashes, one asker hears of it, and the others wait for the next try."""
    async with living() as lab:

        async def crash_once(me: Probe) -> None:
            if lab.loads == 1:
                raise KeyError

        async def ask(name: str) -> None:
            try:
                await Probe(lab, "a").note(name)
            except ActorCrashed:
                lab.journal.append(f"{name} crashed")

        lab.on_load = crash_once
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, "first")
            await wait_all_tasks_blocked()
            nursery.start_soon(ask, "second")

        assert (["first crashed", "second"], 2) == (lab.journal, lab.loads)


async def test_a_turn_has_limited_time(autojump_clock):
    """A turn is cancelled at its limit, and counts as a crash."""
    async with living(Hasty) as lab:

        async def sleep(me: Probe) -> None:
            await trio.sleep(5)

        with pytest.raises(ActorCrashed) as crashed:
            await Hasty(lab, "a").do(sleep)

        assert 2 == trio.current_time()
        assert isinstance(crashed.value.__cause__, TurnTimedOut)
        assert "Hasty('a').do took over 2 s" == str(crashed.value.__cause__)


async def test_each_turn_has_its_own_time(autojump_clock):
    """Turns that follow one another have the whole limit each."""
    async with living(Hasty) as lab:

        async def sleep(me: Probe) -> None:
            await trio.sleep(1.5)

        for _ in range(4):
            await Hasty(lab, "a").do(sleep)

        assert (6, 1) == (trio.current_time(), lab.loads)


async def test_a_turn_that_ends_late_in_spite_of_its_limit_is_answered(autojump_clock):
    """A turn that could not be cancelled gives its answer, and the next is not cut short for it."""
    async with living(Hasty) as lab:
        hasty = Hasty(lab, "a")

        async def shielded(me: Probe) -> str:
            with trio.CancelScope(shield=True):
                await trio.sleep(5)
            return "late"

        async def sleep(me: Probe) -> str:
            await trio.sleep(1)
            return "in time"

        answers: list[str] = []

        async def ask() -> None:
            answers.append(await hasty.do(shielded))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await wait_all_tasks_blocked()
            answers.append(await hasty.do(sleep))

        assert (["late", "in time"], 6, 1) == (answers, trio.current_time(), lab.loads)


async def test_load_and_flush_have_limited_time(autojump_clock, logged):
    """A load that hangs is a crash, and so is a flush."""
    async with living(Hasty) as lab:

        async def hang(me: Probe) -> None:
            await trio.sleep_forever()

        lab.on_load = hang
        with pytest.raises(ActorCrashed) as crashed:
            await Hasty(lab, "a").add(1)
        lab.on_load, lab.on_flush = nothing, hang
        await trio.sleep(Hasty.policy.idle_seconds + 10)

        assert "Hasty('a').load took over 2 s" == str(crashed.value.__cause__)
        assert "Hasty('a').flush took over 2 s" == str(logged[-1]["exc_info"])


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
async def test_what_means_to_end_the_program_does(error):
    """An interrupt inside a turn is no crash: it propagates through the system unchanged."""

    async def live_and_fail() -> None:
        async with living() as lab:
            Probe(lab, "a").fail.tell(error)
            await trio.sleep_forever()

    with pytest.raises(type(error)) as raised:
        await live_and_fail()

    assert error is raised.value


def _raising(error: Exception) -> Callable[[Probe], Awaitable[None]]:
    async def fail(_actor: Probe) -> None:
        raise error

    return fail
