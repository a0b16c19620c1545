"""Mailboxes are bounded: sending never waits, a full one refuses."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import MailboxFull, Overcrowded, Policy
from svc.domain.errors import DomainError, Unavailable
from tests.actors.core.lab import Lab, Probe, Small, living


class Few(Probe):
    """May have two live actors."""

    policy = Policy(active_max=2, idle_seconds=60)


async def test_a_full_mailbox_refuses_at_once():
    """With as many messages waiting as it may hold, an ask and a tell are refused without waiting."""
    async with living(Small) as lab:
        small, gate = await _busy(lab)
        small.note.tell(1)
        small.note.tell(2)
        with pytest.raises(MailboxFull):
            small.note.tell(3)
        with pytest.raises(MailboxFull):
            await small.note(4)
        gate.set()
        await wait_all_tasks_blocked()
        await small.note(5)

        assert [1, 2, 5] == lab.journal


async def test_a_refusal_for_lack_of_room_says_when_to_try_again():
    """What the runtime refuses for now is an `Unavailable` with seconds to wait."""
    async with living(Small) as lab:
        small, gate = await _busy(lab)
        small.note.tell(1)
        small.note.tell(2)
        with pytest.raises(MailboxFull) as refused:
            small.note.tell(3)
        gate.set()

        assert isinstance(refused.value, Unavailable)
        assert isinstance(refused.value, DomainError)
        assert (1.0, 1) == (refused.value.retry_after_seconds, lab.statistics().kinds[0].refused)


async def test_messages_wait_for_a_load_within_the_limit():
    """While an actor loads its mailbox fills, up to its limit and in order."""
    async with living(Small) as lab:
        gate = trio.Event()

        async def wait(me: Probe) -> None:
            await gate.wait()

        lab.on_load = wait
        small = Small(lab, "a")
        small.note.tell(1)
        await wait_all_tasks_blocked()
        small.note.tell(2)
        with pytest.raises(MailboxFull):
            small.note.tell(3)
        gate.set()
        await wait_all_tasks_blocked()

        assert [1, 2] == lab.journal


async def test_an_actor_finds_room_for_what_it_tells_itself():
    """Messages of an actor to itself, from its turns and its tasks, are bounded by what it does."""
    async with living(Small) as lab:
        small, filled, told = Small(lab, "a"), trio.Event(), trio.Event()

        async def tell_from_task() -> None:
            small.note.tell("own, from a task")
            told.set()

        async def tell_itself(me: Probe) -> None:
            await filled.wait()
            small.note.tell("own, from a turn")
            me.start_soon(tell_from_task)
            await told.wait()

        small.do.tell(tell_itself)
        await wait_all_tasks_blocked()
        small.note.tell(1)
        small.note.tell(2)
        filled.set()
        await wait_all_tasks_blocked()

        assert [1, 2, "own, from a turn", "own, from a task"] == lab.journal


async def test_an_inner_refusal_passes_upward():
    """A turn that meets a full mailbox hands the refusal to its own asker and lives on."""
    async with living(Probe, Small) as lab:
        small, gate = await _busy(lab)
        small.note.tell(1)
        small.note.tell(2)
        await Probe(lab, "a").add(5)

        async def ask_small(me: Probe) -> None:
            await small.add(1)

        with pytest.raises(MailboxFull, match="Small"):
            await Probe(lab, "a").do(ask_small)
        gate.set()

        assert 5 == await Probe(lab, "a").add(0)


async def test_news_is_never_refused(autojump_clock):
    """What an actor has to hear, lest it go on with what is no longer so, finds room in a full mailbox."""
    async with living(Small) as lab:
        small, gate = await _busy(lab)
        small.note.tell(1)
        small.note.tell(2)

        told = small.note.tell_if_active("news")
        gate.set()
        await wait_all_tasks_blocked()

        assert told
        assert [1, 2, "news"] == lab.journal


async def test_a_kind_has_a_limit_of_live_actors(autojump_clock):
    """An address beyond the limit is refused until another actor has left."""
    async with living(Few) as lab:
        await Few(lab, "a").add(1)
        await Few(lab, "b").add(1)
        with pytest.raises(Overcrowded):
            await Few(lab, "c").add(1)
        still_served = await Few(lab, "a").add(1)
        await trio.sleep(61)

        assert (2, 1) == (still_served, await Few(lab, "c").add(1))


async def _busy(lab: Lab) -> tuple[Small, trio.Event]:
    """A `Small` in the middle of a turn with an empty mailbox, and what lets it go on."""
    small, gate = Small(lab, "a"), trio.Event()

    async def wait(me: Probe) -> None:
        await gate.wait()

    small.do.tell(wait)
    await wait_all_tasks_blocked()
    return small, gate
