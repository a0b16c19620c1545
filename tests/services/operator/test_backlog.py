"""What waits in the database, as operators are told: how much, since when, why, and for which actor."""

from typing import Any

import pytest
import trio

from svc.actors.outbound.client import PostResult
from svc.actors.system import System
from svc.services.operator.backlog import FRESH_SECONDS, Waiting, WaitingNoun, WaitingQueue
from svc.storage import provisioning
from svc.storage.backlog import backlog, sending, work
from svc.storage.backlog.queues import LISTED_MAX
from svc.storage.forms import submissions
from svc.storage.identity.organizations import NewOrganization
from svc.storage.statements import Statement
from svc.storage.store import Tx
from tests.approvals import a_card
from tests.channels import a_connection, a_reply, channel_town, push_town
from tests.mailing import live_post_town
from tests.town import START, a_stored_one, submit, town
from tests.webhooks import happen, hook_town


async def waiting(system: System) -> dict[str, WaitingNoun]:
    """What waits, read anew."""
    return {one.noun: one for one in await Waiting(system).read()}


async def queue_of(system: System, noun: str) -> WaitingQueue:
    """The only queue of *noun*."""
    (queue,) = (await waiting(system))[noun].queues
    return queue


async def test_nothing_waits_in_a_quiet_service(autojump_clock):
    """Every noun is told, with nothing."""
    async with town() as here, here.live_system() as system:
        await trio.sleep(1)
        nouns = await waiting(system)

        assert len(nouns) == 10
        assert all((one.count, one.organizations, one.oldest_since) == (0, 0, None) for one in nouns.values())


async def test_deliveries_wait_for_a_receiver_that_fails(autojump_clock):
    """The subscription's actor is named, with the failures, the status and when it is tried next."""
    async with hook_town(PostResult(500), PostResult(503), name="CRM") as (here, webhook, _):
        await here.store.write(happen, here.organization.id, "rec_1", "rec_1")
        await trio.sleep(8)
        queue = await queue_of(here.system, "deliveries")

        assert (2, f"Webhook/{webhook.id}") == (queue.count, queue.actor)
        assert queue.why.startswith("2 attempts failed, the last with status 503; the next is in ")
        assert START <= queue.oldest_since < START + 1_000


async def test_a_push_that_hangs_is_told_as_under_way(autojump_clock):
    """While the bridge does not answer; afterwards, as a push without an answer."""
    async with push_town() as (here, receiver):
        receiver.takes_seconds = 9
        reply = await here.write_reply()
        await trio.sleep(5)
        queue = await queue_of(here.system, "replies")

        assert (1, f"Outbox/{here.connection.id}") == (queue.count, queue.actor)
        assert queue.why.startswith("a push of it is under way; it is put back in ")
        assert reply.id


async def test_replies_wait_for_a_bridge_that_does_not_pull(autojump_clock):
    """Until it pulls; then for its report."""
    async with channel_town() as here:
        await here.write_reply()
        before = await queue_of(here.system, "replies")
        await here.pull()
        after = await queue_of(here.system, "replies")

        assert "its bridge has not pulled it" == before.why
        assert after.why.startswith("its bridge has pulled it and not reported; it is put back in ")


async def test_mails_wait_for_a_mail_server_that_is_down(autojump_clock):
    """The class of the failure is the reason for all of them."""
    async with live_post_town() as (here, system):
        here.mails.is_down = True
        await here.tell("one", "two")
        await trio.sleep(70)
        queue = await queue_of(system, "mails")

        assert (2, f"Mailer/{here.organization.id}") == (queue.count, queue.actor)
        assert "the mail server fails: connection" == queue.why
        assert queue.oldest_since == START


async def test_submissions_over_the_pace_wait_for_their_form(autojump_clock):
    """Those that its window has queued, told since they were queued."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        for number in range(62):
            await submit(system, form, number)
        await trio.sleep(1)
        queue = await queue_of(system, "submissions")

        assert (2, f"FormWindow/{form.form_key}") == (queue.count, queue.actor)
        assert "its form has more than it may file in a minute" == queue.why


async def test_submissions_that_are_not_filed_wait_for_the_filer(autojump_clock):
    """Such as those that a crash has left, before the next round of the Reconciler."""
    async with town() as here:
        form = await here.form()
        await here.store.write(submissions.create, a_stored_one(form))
        (queue,) = (await here.store.read(work.submissions, START)).queues

        assert (1, here.organization.id) == (queue.count, queue.worker)
        assert "the Filer has not come to it" == queue.why


async def test_approvals_wait_for_a_person(autojump_clock):
    """So no actor is named; it says when the card expires."""
    async with town() as here, here.live_system() as system:
        await here.store.write(a_card, here.organization.id, "record.delete", {"id": "rec_1"})
        queue = await queue_of(system, "approvals")

        assert (1, None) == (queue.count, queue.actor)
        assert queue.why.startswith("a member has not decided; what an agent asked for expires in ")


async def test_only_the_organizations_with_the_oldest_items_are_listed(autojump_clock):
    """The others are counted, so an answer is bounded however many organizations there are."""
    async with town() as here:

        def many(tx: Tx) -> list[str]:
            return [_with_a_reply(tx, number) for number in range(LISTED_MAX + 5)]

        organizations = await here.store.write(many)
        found = await here.store.read(sending.replies, START)

        assert (LISTED_MAX + 5, LISTED_MAX + 5) == (found.count, found.organizations)
        assert organizations[:LISTED_MAX] == [queue.organization_id for queue in found.queues]


def _with_a_reply(tx: Tx, number: int) -> str:
    """A new organization whose bridge has not pulled a reply."""
    asked = NewOrganization(name=f"Lamps {number}", country="DE", currency="EUR", locale="de_DE")
    organization = provisioning.create(tx, asked)
    a_reply(tx, a_connection(tx, organization.id))
    return organization.id


async def test_it_is_read_again_only_after_some_seconds(autojump_clock, monkeypatch):
    """However many look at it."""
    reads: list[int] = []
    read = backlog.read

    def counted(conn: Any, now: int) -> Any:
        reads.append(now)
        return read(conn, now)

    monkeypatch.setattr(backlog, "read", counted)
    async with town() as here, here.live_system() as system:
        seen = Waiting(system)
        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(seen.read)
        await trio.sleep(FRESH_SECONDS - 0.1)
        await seen.read()
        assert 1 == len(reads)
        await trio.sleep(0.2)
        await seen.read()

        assert 2 == len(reads)


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("statement", "index"),
    [
        pytest.param(work._QUEUED, "ix_submissions_queued", id="queued submissions"),
        pytest.param(work._DUE, "ix_submissions_due", id="due submissions"),
        pytest.param(work._UNDISPATCHED, "ix_events_undispatched", id="events"),
        pytest.param(work._DUE_RUNS, "ix_workflow_runs_wake_at", id="runs"),
        pytest.param(work._AGENT_RUNS, "ix_agent_runs_wake_at", id="runs of agents"),
        pytest.param(work._APPROVALS, "ix_approvals_waiting", id="approvals"),
        pytest.param(work._IMPORTS, "ix_imports_running", id="imports"),
        pytest.param(work._UNDOS, "ix_imports_undo_running", id="undos"),
        pytest.param(work._EXPORTS, "ix_exports_open", id="exports"),
        pytest.param(sending._BY_WEBHOOK, "ix_webhook_deliveries_waiting", id="deliveries"),
        pytest.param(sending._BY_CONNECTION, "ix_replies_open", id="replies"),
        pytest.param(sending._MAILS, "ix_mails_waiting", id="mails"),
    ],
)
async def test_what_waits_is_counted_in_an_index_of_nothing_else(
    autojump_clock, statement: Statement[Any], index: str
):
    """What is done costs nothing, however much of it there is."""
    async with town() as here:
        plan = await here.store.read(_plan_of, statement)

        assert any(index in step for step in plan), plan


def _plan_of(conn: Any, statement: Statement[Any]) -> list[str]:
    sql = statement._plan(conn.dialect).sql
    steps = conn.connection.cursor().execute(f"EXPLAIN QUERY PLAN {sql}", (1,) * sql.count("?"))
    return [step for *_, step in steps.fetchall()]
