"""Calls of webhooks by runs: once each, waited for, and told."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from svc.actors.outbound.client import PostResult
from svc.actors.workflows.workflows import Workflows
from svc.storage.metadata import metadata
from svc.storage.store import Tx
from svc.storage.webhooks import webhooks
from tests.channels import Receiver
from tests.tooling import ToolTown, tool_town
from tests.webhooks import a_webhook
from tests.workflows import NOTE, contact, enabled, outputs, runs_of, states

DELIVERIES = metadata.tables["webhook_deliveries"]


@asynccontextmanager
async def call_town(*answers: PostResult, **step: object) -> AsyncIterator[tuple[ToolTown, Receiver, str]]:
    """A town with a workflow that calls a webhook, of a receiver with these answers, and writes a note."""
    async with tool_town() as here:
        here.system.outgoing.http = receiver = Receiver(*answers)
        webhook = await here.store.write(a_webhook, here.organization.id, events=("message.status",))
        call = {"key": "call", "type": "call_webhook", "webhookId": webhook.id} | step
        await enabled(here, call, NOTE)
        yield here, receiver, webhook.id


async def test_a_call_is_delivered_and_the_run_goes_on(autojump_clock):
    """The step's body is the `data` of the delivery; the step knows how it went."""
    async with call_town(PostResult(201), body={"who": "{{record.id}}"}) as (here, receiver, _):
        record = await contact(here)
        await trio.sleep(3)
        [run] = await runs_of(here)
        made = outputs(run)["call"]

        assert [("workflow.call", {"who": record})] == [
            (body["type"], body["data"]) for body in receiver.bodies
        ]
        assert ("done", {"call": "done", "note": "done"}) == (run["state"], states(run))
        assert ("delivered", 201) == (made["state"], made["statusCode"])
        assert made["deliveryId"] == receiver.bodies[0]["id"]


async def test_a_call_that_fails_is_sent_again_while_the_run_waits(autojump_clock):
    """As any delivery, with the same id."""
    async with call_town(PostResult(500), body=None) as (here, receiver, _):
        await contact(here)
        await trio.sleep(3)
        [waiting] = await runs_of(here)
        await trio.sleep(10)
        [run] = await runs_of(here)

        assert ("waiting", {"call": "waiting"}) == (waiting["state"], states(waiting))
        assert "done" == run["state"]
        assert 1 == len({body["id"] for body in receiver.bodies})
        assert 2 == len(receiver.bodies)


async def test_a_call_that_takes_too_long_is_given_up(autojump_clock):
    """The run fails, and the delivery is not sent any more."""
    async with call_town(*[PostResult(500)] * 9, seconds=60) as (here, receiver, _):
        await contact(here)
        await trio.sleep(600)
        [run] = await runs_of(here)
        [delivery] = await here.rows(DELIVERIES)

        assert ("failed", "refused", {"call": "failed"}) == (run["state"], run["reason"], states(run))
        assert ("waiting", 500) == (outputs(run)["call"]["state"], outputs(run)["call"]["statusCode"])
        assert "cancelled" == delivery.state
        assert 2 == len(receiver.bodies)


async def test_a_call_of_a_webhook_that_ends_fails_at_once(autojump_clock):
    """A receiver that is gone is not waited for; with `continue` the run goes on."""
    async with call_town(PostResult(410), onError="continue") as (here, _, webhook_id):
        await contact(here)
        await trio.sleep(3)
        await contact(here)
        await trio.sleep(3)
        first, second = await runs_of(here)

        assert ("done", {"call": "failed", "note": "done"}) == (first["state"], states(first))
        assert "dead" == outputs(first)["call"]["state"]
        # The second could not be queued: the subscription was disabled by then.
        assert {"call": "failed", "note": "done"} == states(second)
        assert (
            "gone" == (await here.store.read(webhooks.get, here.organization.id, webhook_id)).disabled_reason
        )


async def test_the_call_of_a_cancelled_run_is_not_sent_any_more(autojump_clock):
    """A delivery that waits is cancelled with it."""
    async with call_town(*[PostResult(500)] * 9) as (here, receiver, _):
        await contact(here)
        await trio.sleep(3)
        [run] = await runs_of(here)
        await here.answer("workflow.run_cancel", {"id": run["id"]})
        await trio.sleep(7_200)
        [delivery] = await here.rows(DELIVERIES)

        assert "cancelled" == delivery.state
        assert 1 == len(receiver.bodies)


async def test_an_end_that_nobody_told_of_is_found(autojump_clock):
    """By the next unit, whatever wakes it: the rows say it."""
    async with call_town(*[PostResult(500)] * 2) as (here, _, _):
        await contact(here)
        await trio.sleep(3)
        await here.store.write(_end_quietly)
        await Workflows(here.system, here.organization.id).wake()
        await trio.sleep(0.1)
        [run] = await runs_of(here)

        assert "done" == run["state"]


def _end_quietly(tx: Tx) -> None:
    tx.conn.execute(DELIVERIES.update().values(state="delivered", done_at=tx.now, next_attempt_at=None))
