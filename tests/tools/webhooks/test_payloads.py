"""What events are said to be, and what is recorded of them."""

from collections.abc import Iterable
from typing import Any, get_args

import msgspec
import pytest
import trio

from svc.demo.shop import open_shop
from svc.domain.events import EVENT_TYPES, EventType, NewEvent
from svc.domain.locale.times import rfc3339
from svc.tools.webhooks import payloads
from svc.tools.webhooks.payloads import EVENTS, EXAMPLES, examples_of
from tests import tables
from tests.channels import channel_town
from tests.dispatching import dispatch
from tests.tooling import ToolTown, tool_town
from tests.town import Town, town
from tests.workflows import contact, enabled


def faults(payload: Any) -> str | None:
    """What is wrong with a *payload* by the struct of its type: a shape, or members that it does not know."""
    kind = type(EXAMPLES[payload["type"]])
    try:
        read = msgspec.json.encode(msgspec.convert(payload, kind))
    except msgspec.ValidationError as error:
        return f"{payload['type']}: {error}"
    return None if msgspec.json.decode(read) == payload else f"{payload['type']}: {payload} is not {read!r}"


async def recorded(here: Town) -> list[Any]:
    """The payloads of all events so far."""
    return [
        {
            "id": row.id,
            "type": row.type,
            "timestamp": rfc3339(row.at),
            "organizationId": row.organization_id,
            "data": msgspec.json.decode(row.data),
        }
        for row in await here.rows(tables.events)
    ]


def types(payloads: Iterable[Any]) -> set[str]:
    return {payload["type"] for payload in payloads}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_an_example_is_of_its_type(kind: str) -> None:
    """And survives being sent."""
    payload = msgspec.json.decode(msgspec.json.encode(EXAMPLES[kind]))

    assert faults(payload) is None
    assert faults(payload | {"more": 1}) is not None
    assert faults({**payload, "data": 1} if kind != "workflow.call" else payload | {"id": 1}) is not None


async def change_records(here: ToolTown) -> None:
    """Everything that a record goes through."""
    csrf = await here.sign_in()
    ada, twin = [
        (await here.answer("record.create", {"objectType": "contact", "properties": {"name": name}}))["id"]
        for name in ("Ada", "A. King")
    ]
    await here.answer("record.update", {"id": ada, "properties": {"city": "Bonn", "name": None}})
    await here.answer_to_person("record.delete", {"id": ada}, csrf=csrf)
    await here.answer("record.restore", {"id": ada})
    await here.answer_to_person("record.merge", {"id": ada, "mergedId": twin}, csrf=csrf)


async def submit_forms(here: ToolTown) -> None:
    """A submission that is filed with a deal, and one that is held."""
    form = await here.answer(
        "form.create", {"name": "Contact", "dealTitle": "For {{name}}", "honeypot": "fax"}
    )
    for values in (
        {"name": "Ada", "email": "ada@example.com", "age": 36, "news": True},
        {"email": "bot@example.com", "fax": "1"},
        {"email": "ada@example.com", "phone": "+4930123456"},
    ):
        answer = await here.client.post("/api/f/s", json={"f": form["formKey"], "v": values})
        assert 200 == answer.status_code


async def test_what_tools_and_forms_record_is_as_said(autojump_clock):
    """Of records through their life, and of submissions; by keys, people and forms."""
    async with tool_town() as here:
        await change_records(here)
        await submit_forms(here)
        here.clock.jump(1_000)
        await here.answer("record.list", {"objectType": "contact"})
        payloads = await recorded(here)
        await dispatch(here)
        listed = await here.answer("event.list")

        assert [] == [fault for fault in map(faults, payloads) if fault]
        assert {kind for kind in get_args(EventType) if kind.startswith(("record.", "submission."))} == types(
            payloads
        )
        assert payloads == listed["events"]


async def test_what_channels_record_is_as_said(autojump_clock):
    """Conversations, messages with attachments, replies that go out and fail, and a connection's states."""
    async with channel_town() as here:
        message = {
            "conversationId": "chat-1",
            "messageId": "m-1",
            "direction": "in",
            "sender": {"name": "Ada", "phone": "+4930123456"},
            "attachments": [
                {"kind": "location", "data": {"latitude": 1.5}},
                {"kind": "image", "url": "https://a.b"},
            ],
        }
        await here.answer("channel.message.receive", message)
        for report in ({"status": "sent"}, {"status": "failed", "error": {"code": "404", "message": "gone"}}):
            await here.write_reply()
            [reply] = await here.pull()
            await here.answer("channel.message.status", {"replyId": reply["replyId"]} | report)
        for state in ({"state": "online"}, {"state": "offline", "reason": "network", "detail": "no route"}):
            await here.answer("channel.connection.report", state)
        payloads = await recorded(here)

        assert [] == [fault for fault in map(faults, payloads) if fault]
        assert {
            "record.created",
            "conversation.created",
            "message.received",
            "message.status",
            "connection.state",
        } == types(payloads)


async def test_what_workflows_record_is_as_said(autojump_clock):
    """A run that wrote has its source; one that failed has an event of its own, with the step and why."""
    async with tool_town() as here:
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
        payloads = await recorded(here)

        assert [] == [fault for fault in map(faults, payloads) if fault]
        assert ["record.created", "record.updated", "workflow.run_failed"] == [
            one["type"] for one in payloads
        ]
        assert ["api", "workflow", "workflow"] == [one["data"]["source"]["kind"] for one in payloads]
        assert "deal" == payloads[2]["data"]["step"]


async def test_what_the_demos_shop_records_is_as_said(autojump_clock):
    """The data of weeks, with everything that the reference's examples need."""
    async with town() as here:
        await here.store.write(open_shop, "lamps.example", b"s" * 32, "hash")
        payloads = await recorded(here)

        assert [] == [fault for fault in map(faults, payloads) if fault]
        assert {"record.created", "submission.filed", "message.received"} <= types(payloads)


def test_an_event_without_an_example_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """So is a type without an event, and a struct that was forgotten: nothing starts without them."""
    with pytest.raises(TypeError, match=r"no struct or no example: record\.created$"):
        examples_of(EVENTS[1:])

    monkeypatch.setattr(payloads, "EVENT_TYPES", EVENT_TYPES[1:])
    with pytest.raises(TypeError, match=r"no example: RecordCreated$"):
        examples_of(EVENTS[1:])
    with pytest.raises(TypeError, match=r"does not name record\.created$"):
        examples_of(EVENTS)


def test_an_example_that_is_not_as_described_is_an_error() -> None:
    """An unknown kind of source is one."""
    wrong = msgspec.structs.replace(EVENTS[0], source={"kind": "moon"})

    with pytest.raises(msgspec.ValidationError, match="moon"):
        examples_of([wrong, *EVENTS[1:]])


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.type)
def test_an_event_is_encoded_with_its_source_at_the_end(event: NewEvent) -> None:
    """As it is sent, after what the type says of itself."""
    assert "source" == [*msgspec.json.decode(msgspec.json.encode(event))][-1]
