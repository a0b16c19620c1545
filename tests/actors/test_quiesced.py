"""The end begins nothing: what is under way is finished and kept, and the rest waits for the next start."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors.channels.outbox import Outbox
from svc.actors.embeds.embed_cache import EmbedCache, current
from svc.actors.embeds.resources import EMBEDS_AT_ONCE
from svc.actors.forms.filer import Filer
from svc.actors.forms.form_window import FormWindow
from svc.actors.reconciler import Reconciler
from svc.actors.records.indexer import Indexer
from svc.cli.serving.live_system import quiesce
from svc.domain.channels.limits import PUSHES_AT_ONCE_MAX
from svc.domain.embeds.limits import EMBED_FRESH_MS
from svc.domain.forms.limits import PACE_FILINGS_MAX
from svc.domain.locale.times import SECOND_MS
from svc.storage.channels import deliveries, outboxes
from svc.storage.channels import tables as channel_tables
from svc.storage.forms import submissions
from tests.channels import push_town
from tests.disk import Disk
from tests.lamps import lamp_town
from tests.town import a_stored_one, submit, town

DUE = 50


async def test_no_push_begins_after_the_drain_has(autojump_clock):
    """Many are due and eight under way: those come to their end and are kept, and no other begins."""
    async with push_town() as (here, receiver):
        receiver.takes_seconds = 3
        for number in range(DUE):
            await here.write_reply(f"chat-{number}")
        await trio.sleep(1)
        begun = len(receiver.got)
        late = await here.system.drain(60)

        kept = await here.rows(channel_tables.deliveries, attempts=1)
        waiting = await here.rows(channel_tables.replies, state="waiting", attempts=0)
        assert (PUSHES_AT_ONCE_MAX, PUSHES_AT_ONCE_MAX, []) == (begun, len(receiver.got), late)
        assert (PUSHES_AT_ONCE_MAX, 3) == (len(kept), trio.current_time())
        assert DUE - PUSHES_AT_ONCE_MAX == len(waiting)


async def test_what_was_taken_to_be_pushed_and_was_not_is_given_back(autojump_clock):
    """The drain begins while the store takes pushes: they are pushed at the next start, as if never taken."""
    async with push_town() as (here, receiver):
        await here.write_reply("a")
        await trio.sleep(1)
        disk = Disk(here.store)
        disk.seconds = 2
        async with trio.open_nursery() as nursery:
            for conversation in ("b", "c"):
                nursery.start_soon(here.write_reply, conversation)
            nursery.start_soon(here.store.write, outboxes.send_test, here.organization.id, here.connection.id)
        await trio.sleep(1)
        disk.seconds = 0
        late = await here.system.drain(60)
        pushed = [body["data"]["conversationId"] for body in receiver.bodies]
        given_back = await here.rows(channel_tables.replies, state="waiting")
        async with here.live_system():
            await trio.sleep(1)

        assert (["a"], []) == (pushed, late)
        assert [(0, 0, None)] * 2 == [(row.attempts, row.lapses, row.lease_expires_at) for row in given_back]
        assert ["message.outbound"] * 3 + ["ping"] == sorted(body["type"] for body in receiver.bodies)
        test = await here.store.read(deliveries.last_test, here.connection.id)
        assert test is not None
        assert 1 == test.attempts


async def test_a_filing_under_way_is_finished_and_no_other_begins(autojump_clock):
    """What is due is filed by the next start."""
    async with town() as here:
        async with here.live_system() as system:
            form = await here.form()
            disk = Disk(here.store)
            await submit(system, form, 1)
            disk.seconds = 2
            await trio.sleep(1)
            disk.seconds = 0
            system.quiesce()
            before = await here.states()
            await here.store.write(submissions.create, a_stored_one(form, "b@example.com"))
            await trio.sleep(60)
            late = await system.drain(60)
            after = await here.states()
        async with here.live_system():
            await trio.sleep(1)

        assert ({"due": 1}, {"filed": 1, "due": 1}, []) == (before, after, late)
        assert {"filed": 2} == await here.states()


async def test_nothing_is_done_by_itself(autojump_clock):
    """A queue whose pass is due, a pile to delete, a round, uses of keys: all timers are over at once."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        for number in range(PACE_FILINGS_MAX + 10):
            await submit(system, form, number)
        await trio.sleep(10)
        system.quiesce()
        units = here.store.statistics().units
        await trio.sleep(3_600)

        assert units == here.store.statistics().units
        assert {"filed": PACE_FILINGS_MAX, "queued": 10} == await here.states()


@pytest.mark.parametrize("begun", ["file", "index", "push", "activate"])
async def test_a_notice_begins_no_work(begun, autojump_clock):
    """Work that an actor is notified of is a row, which the next start finds."""
    async with push_town() as (here, receiver):
        form = await here.form()
        await here.store.write(lambda tx: submissions.create(tx, a_stored_one(form, queued=True)))
        here.system.quiesce()
        await here.store.write(submissions.create, a_stored_one(form))
        await here.write_reply()
        await wait_all_tasks_blocked()
        units = here.store.statistics().units

        organization_id = here.organization.id
        tell: dict[str, Callable[[], Awaitable[None]]] = {
            "file": Filer(here.system, organization_id).wake,
            "index": partial(Indexer(here.system, organization_id).index, ("prp_any",)),
            "push": Outbox(here.system, here.connection.id).wake,
            "activate": FormWindow(here.system, form.form_key).activate,
        }
        await tell[begun]()
        await trio.sleep(3_600)

        assert ([], units) == (receiver.got, here.store.statistics().units)


async def test_a_round_that_is_under_way_wakes_no_actor(autojump_clock):
    """What is due waits for the next start, and no actor is loaded only to be unloaded."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        system.quiesce()
        await here.store.write(submissions.create, a_stored_one(form, queued=True))
        before = system.is_active(FormWindow, form.form_key)
        await Reconciler(system, "main").make_round()
        await wait_all_tasks_blocked()

        assert (False, False) == (before, system.is_active(FormWindow, form.form_key))


async def test_an_embed_is_not_refreshed_without_a_request(autojump_clock):
    """A refresh that waits for its place is given up; a request for a missing embed still has it rendered."""
    async with lamp_town() as here, here.live_system() as system:
        embed, other = await here.embed(), await here.embed()
        await current(system, embed.embed_key)
        await trio.sleep(EMBED_FRESH_MS / SECOND_MS)
        for _ in range(EMBEDS_AT_ONCE):
            await system.embeds.pace.acquire(here.organization.id)
        await current(system, embed.embed_key)
        await wait_all_tasks_blocked()
        waiting = system.seen("EmbedCache", embed.embed_key)
        system.quiesce()
        for _ in range(EMBEDS_AT_ONCE):
            system.embeds.pace.release(here.organization.id)
        state = await EmbedCache(system, embed.embed_key).snapshot()
        shown = await current(system, other.embed_key)

        assert waiting is not None
        assert ("refresh", 1) == (waiting.turn, state["made"])
        assert shown.rendering is not None


async def test_the_signal_to_stop_begins_the_end(autojump_clock):
    """Before the last requests are answered: they are still taken, and nothing else begins."""
    async with town() as here, here.live_system() as system:
        quiesce(system)
        form = await here.form()
        await submit(system, form, 1)

        assert (True, True, False) == (system.quiesced, system.wakeups.closed, system.draining)
        assert {"due": 1} == await here.states()
