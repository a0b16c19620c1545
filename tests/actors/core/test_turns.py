"""What a turn is: one at a time, first in first out, and the only place where an actor has a state."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import OutsideTurn
from svc.actors._core.incarnation import TURNS_BEFORE_YIELD
from tests.actors.core.lab import Other, Probe, living


async def test_an_ask_returns_what_the_turn_returns():
    """An ask waits for its turn and gives back its result."""
    async with living() as lab:
        total = await Probe(lab, "a").add(3)

        assert 3 == total


async def test_the_first_message_activates_the_actor():
    """An address costs nothing; the first message loads its actor, once."""
    async with living() as lab:
        probe = Probe(lab, "a")
        before = lab.loads
        await probe.add(1)
        await Probe(lab, "a").add(1)

        assert (0, 1) == (before, lab.loads)


async def test_the_state_lasts_from_turn_to_turn():
    """Every address of one class and key reaches the same state."""
    async with living() as lab:
        await Probe(lab, "a").add(1)
        total = await Probe(lab, "a").add(number=2)

        assert 3 == total


async def test_keys_and_kinds_have_their_own_state():
    """An actor is a class and a key; either one makes another actor."""
    async with living() as lab:
        await Probe(lab, "a").add(1)

        assert (10, 100) == (await Probe(lab, "b").add(10), await Other(lab, "a").add(100))


async def test_turns_of_one_actor_never_overlap(autojump_clock):
    """A turn that waits holds the others of its actor back."""
    async with living() as lab:

        async def note_twice(me: Probe) -> None:
            lab.journal.append("begin")
            await trio.sleep(1)
            lab.journal.append("end")

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(Probe(lab, "a").do, note_twice)

        assert ["begin", "end"] * 3 == lab.journal


async def test_turns_of_two_actors_run_beside_each_other(autojump_clock):
    """A turn that waits does not delay the turns of other actors."""
    async with living() as lab:

        async def slow(me: Probe) -> None:
            await trio.sleep(1)

        async with trio.open_nursery() as nursery:
            for key in "abc":
                nursery.start_soon(Probe(lab, key).do, slow)

        assert 1 == trio.current_time()


async def test_messages_are_taken_in_the_order_of_their_posting():
    """Asks and tells of all senders stand in one queue."""
    async with living() as lab:
        probe = Probe(lab, "a")
        probe.note.tell(1)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(probe.note, 2)
            await wait_all_tasks_blocked()
            probe.note.tell(3)
            probe.note.tell(4)
            await probe.note(5)

        assert [1, 2, 3, 4, 5] == lab.journal


async def test_a_busy_actor_lets_others_run():
    """An actor with a long mailbox yields after so many turns."""
    async with living() as lab:
        probe = Probe(lab, "a")

        async def tell_itself(me: Probe) -> None:
            me.note.tell("turn")
            if len(lab.journal) < 10 * TURNS_BEFORE_YIELD:
                me.do.tell(tell_itself)

        async def look() -> None:
            await trio.lowlevel.checkpoint()
            lab.journal.append("other")

        await probe.do(tell_itself)
        await look()
        await wait_all_tasks_blocked()

        assert lab.journal.index("other") <= 2 * TURNS_BEFORE_YIELD


async def test_the_state_exists_only_inside_turns():
    """Outside, an actor object is an address without state, timers or tasks."""
    async with living() as lab:
        probe = Probe(lab, "a")
        await probe.add(1)

        with pytest.raises(OutsideTurn):
            _ = probe.state
        with pytest.raises(OutsideTurn):
            probe.add.after(1)
        with pytest.raises(OutsideTurn):
            probe.add.disarm()
        with pytest.raises(OutsideTurn):
            probe.start_soon(trio.sleep, 1)


async def test_a_turn_reaches_no_state_but_its_own():
    """In a turn, other actors are addresses, and so is another object for the same actor."""
    async with living() as lab:

        async def look(me: Probe) -> list[str]:
            return [_sight(Probe(lab, "b")), _sight(Probe(lab, "a")), _sight(me)]

        await Probe(lab, "b").add(1)

        assert ["outside", "outside", "inside"] == await Probe(lab, "a").do(look)


async def test_load_has_no_state_yet():
    """Touching the state before `load` has made it is a programming error with a name."""
    async with living() as lab:

        async def look(me: Probe) -> None:
            lab.journal.append(_sight(me))

        lab.on_load = look
        await Probe(lab, "a").add(1)

        assert ["outside"] == lab.journal


async def test_tasks_that_a_turn_opens_belong_to_it():
    """A turn may open a nursery, and its tasks see the state."""
    async with living() as lab:

        async def add_up(me: Probe) -> int:
            async def one() -> None:
                me.state.total += 1

            async with trio.open_nursery() as nursery:
                for _ in range(5):
                    nursery.start_soon(one)
            return me.state.total

        assert 5 == await Probe(lab, "a").do(add_up)


async def test_an_address_says_whose_it_is():
    """An actor's representation is its class and key."""
    async with living() as lab:
        assert "Probe('a')" == repr(Probe(lab, "a"))


def _sight(probe: Probe) -> str:
    try:
        _ = probe.state
    except OutsideTurn:
        return "outside"
    return "inside"
