"""What is recorded of each event, to the byte: receivers keep it and compare it."""

import re
from pathlib import Path
from typing import Any, Final, get_args

import trio

from svc.domain.events import EventType
from tests import tables
from tests.agents import BEGINS, agent_town
from tests.approvals import a_card
from tests.channels import channel_town
from tests.tooling import ToolTown, tool_town
from tests.town import Town
from tests.workflows import contact, enabled

EXPECTED: Final = Path(__file__).with_name("event_bytes.txt").read_text("utf-8").splitlines()
"""A line an event: the scenario that records it, its type and its data."""

_ID: Final = re.compile(r"\b([a-z]{3})_[0-9A-HJKMNP-TV-Z]{26}\b")
_TIME: Final = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def expected(scenario: str) -> list[str]:
    """The lines of a *scenario*, without its name."""
    return [line.partition(" ")[2] for line in EXPECTED if line.startswith(f"{scenario} ")]


async def recorded(here: Town) -> list[str]:
    """Type and data of all events so far; ids are numbered by kind, in the order in which they come."""
    known: dict[str, list[str]] = {}

    def numbered(found: re.Match[str]) -> str:
        ids = known.setdefault(found[1], [])
        if found[0] not in ids:
            ids.append(found[0])
        return f"{found[1]}_{ids.index(found[0]) + 1}"

    return [
        f"{row.type} {_TIME.sub('TIME', _ID.sub(numbered, row.data))}"
        for row in await here.rows(tables.events)
    ]


async def change_records(here: ToolTown) -> None:
    csrf = await here.sign_in()
    ada, twin = [await contact(here, name=name) for name in ("Ada", "Zoë")]
    await here.answer("record.update", {"id": ada, "properties": {"city": "Bonn", "name": None}})
    await here.answer_to_person("record.delete", {"id": ada}, csrf=csrf)
    await here.answer("record.restore", {"id": ada})
    await here.answer_to_person("record.merge", {"id": ada, "mergedId": twin}, csrf=csrf)


async def submit_forms(here: ToolTown) -> None:
    form = await here.answer(
        "form.create", {"name": "Contact", "dealTitle": "For {{name}}", "honeypot": "fax"}
    )
    for values in (
        {"name": "Ada", "email": "ada@example.com", "age": 36, "news": True},
        {"email": "bot@example.com", "fax": "1"},
        {"email": "ada@example.com", "phone": "+4930123456"},
    ):
        await here.client.post("/api/f/s", json={"f": form["formKey"], "v": values})
    await trio.sleep(5)


async def run_workflows(here: ToolTown) -> None:
    await enabled(
        here,
        {"key": "lead", "type": "update_record", "properties": {"job_title": "Lead"}},
        {
            "key": "deal",
            "type": "update_record",
            "record": "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
            "properties": {"city": "x"},
        },
    )
    await contact(here, name="Ada")
    await trio.sleep(10)


async def ask_for_approvals(here: ToolTown) -> None:
    await here.store.write(a_card, here.organization.id, "record.delete", {"id": await contact(here)})
    await enabled(here, {"key": "ask", "type": "approval", "reason": "May I?", "then": []})
    await contact(here)
    await trio.sleep(10)


async def report(here: Any) -> None:
    message = {
        "conversationId": "chat-1",
        "messageId": "m-1",
        "direction": "in",
        "sender": {"name": "Ada", "phone": "+4930123456"},
        "attachments": [
            {"kind": "location", "data": {"latitude": 1.5}},
            {"kind": "image", "url": "https://a.b", "name": "a.png", "mimeType": "image/png", "size": 3},
            {"kind": "file", "name": "a.txt", "mimeType": "text/plain", "data": "YQ=="},
        ],
    }
    await here.answer("channel.message.receive", message)
    await here.answer(
        "channel.message.receive", {**message, "messageId": "m-2", "text": "Hi", "attachments": []}
    )
    for said in (
        {"status": "sent"},
        {"status": "failed", "error": {"code": "404", "message": "gone"}},
        {"status": "failed", "error": {"message": "gone"}},
        {"status": "failed", "error": {}},
    ):
        await here.write_reply()
        [reply] = await here.pull()
        await here.answer("channel.message.status", {"replyId": reply["replyId"]} | said)
    for state in ({"state": "online"}, {"state": "offline", "reason": "network", "detail": "no route"}):
        await here.answer("channel.connection.report", state)


async def test_records_events(autojump_clock):
    """Created, changed, deleted, restored and merged."""
    async with tool_town() as here:
        await change_records(here)

        assert expected("records") == await recorded(here)


async def test_forms_events(autojump_clock):
    """A submission that is filed with a deal, one that is held, and one that adds to a contact."""
    async with tool_town() as here:
        await submit_forms(here)

        assert expected("forms") == await recorded(here)


async def test_workflows_events(autojump_clock):
    """What a run writes, and that it failed."""
    async with tool_town() as here:
        await run_workflows(here)

        assert expected("workflows") == await recorded(here)


async def test_approvals_events(autojump_clock):
    """An agent asks for one, and a step of a workflow does."""
    async with tool_town() as here:
        await ask_for_approvals(here)

        assert expected("approvals") == await recorded(here)


async def test_channels_events(autojump_clock):
    """Conversations, messages with attachments, what becomes of replies, and a connection's states."""
    async with channel_town() as here:
        await report(here)

        assert expected("channels") == await recorded(here)


async def test_an_agents_events(autojump_clock):
    """It hands a conversation over."""
    async with agent_town([("handover", {"reason": "wants a discount"})]) as town:
        await town.say("a discount!")
        await trio.sleep(BEGINS)

        assert expected("agent") == await recorded(town.here)


def test_every_type_is_looked_at() -> None:
    """None is left out above."""
    assert {*get_args(EventType)} == {line.split(" ")[1] for line in EXPECTED}
