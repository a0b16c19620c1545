"""What templates were filled in with: shown nowhere to callers who may not see it."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec
import trio

from svc.actors.outbound.client import PostResult
from svc.domain.events import EVENT_TYPES
from svc.domain.identity.roles import PERMISSIONS
from svc.storage.identity import roles
from svc.storage.metadata import metadata
from svc.tools.catalogue import REGISTRY
from tests.channels import Receiver, a_connection, a_message
from tests.people import call_of
from tests.tooling import ToolTown, tool_town
from tests.webhooks import a_webhook
from tests.workflows import contact, enabled

MARKER: Final = "Quillfeather"
FILLED: Final = "Of {{record.name}}"
CALLS_A_KEY: Final = 500

EVERY_STEP: Final[tuple[dict[str, Any], ...]] = (
    {"key": "made", "type": "create_record", "objectType": "company", "properties": {"name": FILLED}},
    {"key": "changed", "type": "update_record", "properties": {"city": FILLED}},
    {"key": "noted", "type": "add_note", "title": FILLED, "body": FILLED},
    {"key": "deal", "type": "create_deal", "name": FILLED},
    {"key": "refused", "type": "update_record", "properties": {"email": FILLED}, "onError": "continue"},
    {
        "key": "unheld",
        "type": "assign",
        "property": "keeper",
        "memberId": "{{record.name}}",
        "onError": "continue",
    },
    {"key": "pause", "type": "wait", "seconds": 1},
    {
        "key": "event",
        "type": "wait",
        "event": "record.updated",
        "where": [{"property": "name", "op": "eq", "value": "{{record.name}}"}],
        "seconds": 2,
    },
    {
        "key": "fork",
        "type": "branch",
        "conditions": [{"property": "name", "op": "eq", "value": "{{steps.deal.recordId}}{{record.name}}"}],
        "then": [],
        "else": [],
    },
    {"key": "ask", "type": "approval", "reason": FILLED, "seconds": 60, "then": []},
)
"""Every kind of step but `call_webhook`, `reply` and `stop`, with the record's name wherever it takes one."""


class Echo(Receiver):
    """A receiver that answers with what it was sent."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], **how: Any) -> PostResult:
        await super().post(url, body, headers, **how)
        return PostResult(200, answer=body.decode())


@asynccontextmanager
async def marked_town() -> AsyncIterator[ToolTown]:
    """A town where runs in every state were filled in with the name of a contact."""
    async with tool_town() as here:
        here.system.outgoing.http = Echo()
        keeper = {"objectType": "contact", "slug": "keeper", "label": "Keeper", "type": "member"}
        await here.answer("property.create", keeper)
        hook = await here.store.write(a_webhook, here.organization.id, events=EVENT_TYPES)
        call = {"key": "call", "type": "call_webhook", "webhookId": hook.id, "body": {"who": FILLED}}
        await enabled(here, *EVERY_STEP, call, {"key": "end", "type": "stop", "reason": FILLED})
        await enabled(here, {"key": "end", "type": "stop", "reason": FILLED})
        await enabled(here, {"key": "fails", "type": "update_record", "properties": {"email": FILLED}})
        await contact(here, name=MARKER)
        await trio.sleep(100)  # the first card has expired, and its run has ended
        await contact(here, name=MARKER)
        await trio.sleep(10)  # the card of the second one waits
        yield here


async def without(here: ToolTown, *missing: str) -> list[str]:
    """Keys of a role that has all but the permissions *missing*, enough for all that is asked."""
    role = await here.store.write(
        roles.create, call_of(here.owner), f"Without {missing}", sorted(PERMISSIONS - set(missing))
    )
    person = await here.member(f"without-{'-'.join(missing)}@example.com", role.id)
    return [await here.mint(person) for _ in range(4)]


async def ids_by_prefix(here: ToolTown) -> dict[str, list[str]]:
    """Every id in the database, by its prefix."""
    found: dict[str, list[str]] = defaultdict(list)
    for table in metadata.sorted_tables:
        if "id" in table.c:
            for row in await here.rows(table):
                if isinstance(row.id, str):
                    found[row.id.partition("_")[0]].append(row.id)
    return found


def questions(ids: Mapping[str, list[str]]) -> Iterator[tuple[str, Any]]:
    """Every tool that reads, with nothing and with its example, in which an id is each that there is."""
    for tool in REGISTRY.values():
        if tool.effect != "reads" or tool.deprecated is not None:
            continue
        yield tool.name, {}
        example = msgspec.json.decode(msgspec.json.encode(tool.example))
        wanted = [name for name, value in example.items() if str(value)[3:4] == "_"]
        for name in wanted or [""]:
            for id_ in ids.get(str(example.get(name))[:3], [""]):
                yield tool.name, {name: id_} if name else example


async def shown(here: ToolTown, keys: list[str], marker: str = MARKER) -> set[str]:
    """The tools that show *marker* to callers with *keys*."""
    found = set()
    asked = list(questions(await ids_by_prefix(here)))
    for number, (tool, body) in enumerate(asked):
        answer = await here.call(tool, body, key=keys[number // CALLS_A_KEY])
        assert answer.status_code != 429
        if marker in answer.text:
            found.add(tool)
    return found


SHOWN_TO_ALL: Final = {
    "approval.get",
    "approval.list",
    "note.list",
    "record.get",
    "webhook.delivery_list",
    "workflow.run_get",
    "workflow.run_list",
}


async def test_what_a_template_named_is_not_shown_without_the_right_to_records(autojump_clock):
    """By no tool that reads, whatever it is asked for: runs, steps, cards, events, answers of receivers."""
    async with marked_town() as here:
        seen_by_all = await shown(here, await without(here))
        seen = await shown(here, await without(here, "records.read"))

        assert set() == SHOWN_TO_ALL - seen_by_all
        assert set() == seen


async def test_an_awaited_message_is_not_shown_without_the_right_to_conversations(autojump_clock):
    """Though the run was started by a record: what came meanwhile counts as well."""
    said = "{{steps.told.event.data.text}}"
    wait = {"key": "told", "type": "wait", "event": "message.received", "where": [], "seconds": 600}
    async with tool_town() as here:
        connection = await here.store.write(a_connection, here.organization.id)
        await enabled(here, wait, {"key": "end", "type": "stop", "reason": said})
        await enabled(
            here,
            {"key": "fails", "type": "assign", "memberId": "{{message.text}}"},
            trigger={"type": "message.received"},
        )
        await contact(here)
        await trio.sleep(3)
        await here.store.write(a_message, connection, text=MARKER)
        await trio.sleep(3)
        seen_by_all = await shown(here, await without(here))
        seen = await shown(here, await without(here, "conversations"))
        [run] = (await here.answer("workflow.run_list", {"state": "done"}))["runs"]

        assert MARKER == run["reason"]
        assert {
            "conversation.get",
            "conversation.list",
            "event.list",
            "message.list",
            "workflow.run_get",
            "workflow.run_list",
        } == seen_by_all
        assert set() == seen


async def test_the_event_of_a_failed_run_has_the_code_alone(autojump_clock):
    """All subscriptions are sent the same, and the words of a refusal may repeat what was filled in."""
    async with tool_town() as here:
        await enabled(here, {"key": "fails", "type": "update_record", "properties": {"email": FILLED}})
        await contact(here, name=MARKER)
        await trio.sleep(3)
        [event] = (await here.answer("event.list", {"types": ["workflow.run_failed"]}))["events"]
        [run] = (await here.answer("workflow.run_list"))["runs"]
        [step] = (await here.answer("workflow.run_get", {"id": run["id"]}))["steps"]

        assert ("fails", {"code": "validation_failed"}) == (event["data"]["step"], event["data"]["error"])
        assert {"code", "detail", "errors"} == step["error"].keys()


async def test_a_refusal_that_is_no_data_stays(autojump_clock):
    """Why a run failed is a word of ours, and shown to all who see runs; so is how a delivery went."""
    async with marked_town() as here:
        [key, *_] = await without(here, "records.read")
        runs = (await here.answer("workflow.run_list", {"state": "failed"}, key=key))["runs"]
        [webhook] = (await here.answer("webhook.list", key=key))["webhooks"]
        sent = (await here.answer("webhook.delivery_list", {"webhookId": webhook["id"]}, key=key))[
            "deliveries"
        ]

        assert {"refused"} == {run["reason"] for run in runs}
        assert {(200, None)} == {
            (one["statusCode"], one["answer"])
            for delivery in sent
            for one in delivery["history"]
            if delivery["event"] in {"record.created", "workflow.call"}
        }
