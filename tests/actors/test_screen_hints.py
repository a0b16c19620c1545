"""What is announced for screens: every way in which something that they show changes."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trio

from svc.actors.outbound.client import PostResult
from svc.actors.screen_hints import HintStream
from svc.actors.system import System
from svc.domain.channels.messages import HealthReport, Identification, StatusReport
from svc.domain.crypto.keys import digest
from svc.domain.events import EVENT_TYPES
from svc.domain.hints import HintLog
from svc.domain.identity.callers import Call, operator_call
from svc.services.screens.streams import readers_of
from svc.storage import audit
from svc.storage.channels import connections, conversations, messages, tables
from svc.storage.identity import invitations
from svc.storage.store import Tx
from svc.tools.catalogue import REGISTRY
from svc.tools.webhooks.payloads import EVENTS
from tests.agents import agent_town
from tests.channels import Receiver, a_connection, a_message, a_reply
from tests.people import a_member, call_of
from tests.town import Town, submit, town
from tests.webhooks import a_webhook, happen
from tests.workflows import a_document, a_workflow


class Watched:
    """The hints of a town, as an open stream takes them."""

    def __init__(self, stream: HintStream) -> None:
        self._stream = stream

    def told(self) -> set[tuple[str, str | None]]:
        """What has changed since the last look."""
        hints = self._stream.take()
        assert hints is not None
        return {(hint.noun, hint.id) for hint in hints}


@contextmanager
def watched(here: Town, system: System) -> Iterator[Watched]:
    with system.screen_hints.open(here.organization.id, "usr_1", "digest", None) as stream:
        yield Watched(stream)


def test_every_tool_that_writes_is_heard_of():
    """What it changes is of a noun that a tool reads, so that some page may ask again."""
    readers = readers_of(REGISTRY.values())
    for tool in REGISTRY.values():
        if tool.effect == "writes":
            log = HintLog(0)
            log.note(tool.noun, None)
            assert {hint.noun for hint in log.since(0) or ()} <= readers.keys(), tool.name


def test_every_event_is_heard_of():
    """Of a noun that a tool reads."""
    readers = readers_of(REGISTRY.values())
    assert {*EVENT_TYPES} == {event.type for event in EVENTS}
    for event in EVENTS:
        assert event.resource[0] in readers


async def test_what_is_audited_is_told(autojump_clock):
    """Each write of a tool is, and what the command line and invitations do; a refusal changes nothing."""
    async with town() as here, here.live_system() as system:
        with watched(here, system) as seen:
            call = operator_call(here.organization.id)
            await here.store.write(audit.note, call, "apikey.revoke", "key_1")
            await here.store.write(audit.note_refusal, call, "form.update", "forbidden", "frm_1")

            assert {("apikey", "key_1")} == seen.told()


async def test_submissions_are_told_from_their_arrival(autojump_clock):
    """Stored, filed with the contact that it makes, queued, and released from the queue."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        with watched(here, system) as seen:
            await submit(system, form, 1)
            stored = seen.told()
            await trio.sleep(5)
            filed = seen.told()
            for number in range(2, 70):
                await submit(system, form, number)
            await trio.sleep(1)
            seen.told()
            await trio.sleep(600)
            released = seen.told()

    assert {"submission"} <= {noun for noun, _ in stored}
    assert {"submission", "record"} == {noun for noun, _ in filed}
    assert {"submission", "record"} == {noun for noun, _ in released}


async def test_conversations_are_told(autojump_clock):
    """Of messages in both directions, of evidence, and of each state of a reply; of a bridge's health."""
    async with town() as here, here.live_system() as system:
        connection = await here.store.write(a_connection, here.organization.id)
        with watched(here, system) as seen:
            received = await here.store.write(a_message, connection)
            conversation = ("conversation", received.conversation)
            told = [seen.told()]
            await here.store.write(a_message, connection, message_id="m-2", direction="out")
            told.append(seen.told())
            evidence = Identification(conversation_id="chat-1", name="Ada", evidence=())
            await here.store.write(conversations.identify, here.organization.id, connection.id, evidence)
            told.append(seen.told())
            reply = await here.store.write(a_reply, connection)
            told.append(seen.told())
            [row] = await here.rows(tables.replies)
            await here.store.write(
                messages.note_status, connection.id, StatusReport(reply_id=row.id, status="sent")
            )
            told.append(seen.told())
            await here.store.write(
                connections.note_health, here.organization.id, connection.id, HealthReport(state="offline")
            )
            health = seen.told()

    assert reply.id
    assert all(conversation in one for one in told)
    assert ("connection", connection.id) in health


async def test_runs_and_deliveries_are_told(autojump_clock):
    """Of their workflow and of their webhook: begun, going on, and ended."""
    async with town() as here:
        here.outbound_http = Receiver(PostResult(500))
        async with here.live_system() as system:
            owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
            workflow = await here.store.write(a_workflow, call_of(owner), a_document())
            webhook = await here.store.write(a_webhook, here.organization.id)
            with watched(here, system) as seen:
                await here.store.write(happen, here.organization.id, "rec_1")
                await trio.sleep(0.1)
                queued = seen.told()
                await trio.sleep(60)
                sent = seen.told()
                await submit(system, await here.form(), 1)
                await trio.sleep(30)
                run = seen.told()

    assert {("record", "rec_1"), ("webhook", webhook.id)} <= queued
    assert ("webhook", webhook.id) in sent
    assert ("workflow", workflow.id) in run
    assert "note" in {noun for noun, _ in run}


async def test_runs_of_agents_are_told(autojump_clock):
    """When they wait, begin, go on and end; and the conversation with what they say."""
    async with agent_town() as agents:
        with watched(agents.here, agents.here.system) as seen:
            await agents.say("Hi")
            waiting = seen.told()
            await trio.sleep(30)
            ended = seen.told()
        run = await agents.run()

    assert "replied" == run["state"]
    assert ("agent", run["id"]) in waiting
    assert {("agent", run["id"]), ("conversation", run["conversationId"])} <= ended


async def test_an_accepted_invitation_is_told(autojump_clock):
    """No tool does it."""
    async with town() as here, here.live_system() as system:
        made = await here.store.write(
            invitations.invite, operator_call(here.organization.id), "new@example.com", "viewer"
        )
        with watched(here, system) as seen:
            await here.store.write(invitations.accept_as_new, digest(made.token), "Ned", "hash")

            assert "member" in {noun for noun, _ in seen.told()}


async def test_a_failed_unit_tells_nothing(autojump_clock):
    """What is not kept has not changed."""

    def fail(tx: Tx, call: Call) -> None:
        audit.note(tx, call, "form.update", "frm_1")
        raise ValueError("not kept")

    async with town() as here, here.live_system() as system:
        with watched(here, system) as seen:
            with pytest.raises(ValueError, match="not kept"):
                await here.store.write(fail, operator_call(here.organization.id))

            assert set() == seen.told()


async def _sendings(after: list[float]) -> list[tuple[float, int]]:
    """When a stream sends, and how many hints, where things change so many seconds after each other."""
    sent: list[tuple[float, int]] = []
    async with town() as here, here.live_system() as system:
        hints = system.screen_hints

        async def change() -> None:
            for number, seconds in enumerate(after):
                await trio.sleep(seconds)
                hints.note(here.organization.id, "record", f"rec_{number}")

        with hints.open(here.organization.id, "usr_1", "digest", None) as stream:
            began = trio.current_time()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(change)
                while sum(many for _, many in sent) < len(after):
                    await stream.wait()
                    sent.append((trio.current_time() - began, len(stream.take() or ())))
    return sent


async def test_the_first_change_after_a_pause_is_told_at_once(autojump_clock):
    """Together with those that come with it, and again after the next pause."""
    [(first, together), (second, alone)] = await _sendings([1, 0.01, 3])

    assert (2, 1) == (together, alone)
    assert 1.05 <= first <= 1.2
    assert 4.05 <= second <= 4.22


async def test_changes_of_a_burst_are_joined(autojump_clock):
    """However fast they come, a stream sends every 0.2 to 0.5 seconds, and no later."""
    sent = await _sendings([1, *[0.02] * 200])

    gaps = [later - earlier for (earlier, _), (later, _) in itertools.pairwise(sent)]
    assert all(0.2 - 1e-9 <= gap <= 0.53 for gap in gaps)
    assert sent[0][0] <= 1.2
