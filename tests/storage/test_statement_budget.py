"""How many statements the hot flows run: each is time of the one writer, or of a reader, for everybody."""

from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
import trio

from svc.domain.forms.forms import SUBMIT_PATH, NewForm
from svc.http.embeds.door import PATH as EMBEDS_PATH
from svc.storage.forms import forms
from tests.channels import Receiver
from tests.lamps import LAMP, make_lamps
from tests.lanes import unwatch
from tests.statements import connection_of, listening
from tests.tooling import ToolTown, tool_town
from tests.tools.channels.connecting import PUSHED, SHOP, bridge, connect
from tests.webhooks import a_webhook

pytestmark = pytest.mark.sqlite

Steps = AsyncGenerator[None, None]
"""A flow, once to have everything awake; what comes after its `yield` counts."""
Flow = Callable[[ToolTown], Steps]

QUIET_SECONDS = 90
"""What is done once a minute, or a while after something else, is done by then."""
KEY_USES = ("UPDATE api_keys SET last_used_at", "SELECT channel_keys.id FROM channel_keys")
"""How the units begin that note once a minute that a key is used, whatever it is used for."""
SENDER = {"name": "Ada", "phone": "+44 20 7946 0123"}


def contact(number: int) -> dict[str, Any]:
    properties = {"name": "Ada", "email": f"ada{number}@example.com", "phone": f"+49301234{number}"}
    return {"objectType": "contact", "properties": properties}


async def create(here: ToolTown) -> Steps:
    """`record.create`, of a contact with an e-mail and a phone, and the dispatch of its event."""
    await here.answer("record.create", contact(1))
    await trio.sleep(QUIET_SECONDS)
    yield
    await here.answer("record.create", contact(2))
    await trio.sleep(1)


async def create_once(here: ToolTown) -> Steps:
    """The same under an idempotency key."""
    await here.call("record.create", contact(1), idempotency_key="key-1")
    await trio.sleep(QUIET_SECONDS)
    yield
    answer = await here.call("record.create", contact(2), idempotency_key="key-2")
    await trio.sleep(1)
    assert 200 == answer.status_code


async def deliver(here: ToolTown) -> Steps:
    """`record.create`, and its event: dispatched, loaded for its webhook, and how the attempt went."""
    here.system.outgoing.http = Receiver()
    await here.store.write(a_webhook, here.organization.id)
    await here.answer("record.create", contact(1))
    await trio.sleep(QUIET_SECONDS)
    yield
    await here.answer("record.create", contact(2))
    await trio.sleep(1)


async def get(here: ToolTown) -> Steps:
    """`record.get`."""
    made = await here.answer("record.create", contact(1))
    await here.answer("record.get", {"id": made["id"]})
    yield
    await here.answer("record.get", {"id": made["id"]})


async def list_newest(here: ToolTown) -> Steps:
    """`record.list`, the newest first."""
    await here.answer("record.create", contact(1))
    await here.answer("record.list", {"objectType": "contact"})
    yield
    await here.answer("record.list", {"objectType": "contact"})


async def list_expanded(here: ToolTown) -> Steps:
    """`record.list` with a relation expanded, texts and a total, which is known where all fits on a page."""
    company = await here.answer("record.create", {"objectType": "company", "properties": {"name": "Acme"}})
    await here.answer(
        "record.create", {"objectType": "contact", "properties": {"name": "Ada", "company": company["id"]}}
    )
    asked = {"objectType": "contact", "expand": ["company"], "texts": True, "total": True}
    await here.answer("record.list", asked)
    yield
    await here.answer("record.list", asked)


async def aggregate(here: ToolTown) -> Steps:
    """`record.aggregate`, whatever the number of groups and measures."""
    await here.answer("record.create", contact(1))
    asked = {"objectType": "contact", "groupBy": ["city"], "measures": [{"op": "count"}]}
    await here.answer("record.aggregate", asked)
    yield
    await here.answer("record.aggregate", asked)


async def update(here: ToolTown) -> Steps:
    """`record.update` of a text, by which the record is found."""
    made = await here.answer("record.create", contact(1))
    await here.answer("record.update", {"id": made["id"], "properties": {"city": "London"}})
    yield
    await here.answer("record.update", {"id": made["id"], "properties": {"city": "Hampton"}})


async def submit(here: ToolTown) -> Steps:
    """A submission of a new person is stored, then filed, then its events are dispatched."""
    form = await here.store.write(
        forms.create, here.organization, NewForm(name="Ask", field_map={"town": "city"})
    )

    async def post(name: str) -> None:
        body = {"f": form.form_key, "v": {"email": f"{name}@example.com", "name": name, "town": "Bath"}}
        answer = await here.client.post(SUBMIT_PATH, json=body)
        assert 200 == answer.status_code
        await trio.sleep(1)

    await post("ada")
    yield
    await post("mary")


async def make_embed(here: ToolTown) -> Steps:
    """What an embed of one list shows is made, of a cache that is awake."""
    await here.store.write(make_lamps, here.organization.id)
    lamp = {"objectType": LAMP, "properties": {"name": "Skerry", "price": 95}}
    await here.answer("record.create", lamp)
    block = {"type": "records", "objectType": LAMP, "fields": ["name", "price"]}
    made = await here.answer("embed.create", {"name": "Prices", "blocks": [block]})
    await here.client.get(EMBEDS_PATH + made["embedKey"])
    here.system.embeds.snapshots.evict(made["embedKey"])
    yield
    answer = await here.client.get(EMBEDS_PATH + made["embedKey"])
    assert 200 == answer.status_code


class Bridge:
    """A messenger's bridge, and the member that answers."""

    def __init__(self, here: ToolTown, key: str) -> None:
        self.here = here
        self.key = key

    async def say(self, door: str, body: object) -> Any:
        status, answer = await bridge(self.here, self.key, door, body)
        assert 200 == status, answer
        return answer

    async def receive(self, message: str) -> None:
        said = {"conversationId": "chat-1", "messageId": message, "direction": "in", "text": "Hi"}
        await self.say("channel.message.receive", said | {"sender": SENDER})

    async def pull(self) -> list[Any]:
        replies: list[Any] = (await self.say("channel.outbox.pull", {}))["replies"]
        return replies

    async def answer(self) -> None:
        """A member answers in the conversation."""
        [found] = (await self.here.answer("conversation.list"))["conversations"]
        await self.here.answer("message.reply", {"conversationId": found["id"], "text": "It is ready."})

    async def report(self, reply: Any, status: str = "sent") -> None:
        body = {"replyId": reply["replyId"], "status": status, "messengerMessageId": reply["leaseId"]}
        await self.say("channel.message.status", body)


async def shop(here: ToolTown, asked: object = SHOP) -> Bridge:
    """A bridge that brought a message, so that there is a conversation."""
    made = Bridge(here, (await connect(here, asked))["channelKey"])
    await made.receive("m-1")
    return made


async def receive(here: ToolTown) -> Steps:
    """A message comes in, of a conversation that is known."""
    there = await shop(here)
    yield
    await there.receive("m-2")


async def pull_nothing(here: ToolTown) -> Steps:
    """A pull when nothing waits, which the Outbox does not know yet."""
    there = await shop(here)
    await there.answer()
    [reply] = await there.pull()
    await there.report(reply)
    await trio.sleep(QUIET_SECONDS)
    yield
    assert [] == await there.pull()


async def pull_one(here: ToolTown) -> Steps:
    """A pull when one reply waits."""
    there = await shop(here)
    await there.pull()
    await there.answer()
    yield
    assert 1 == len(await there.pull())


async def pull_one_once(here: ToolTown) -> Steps:
    """The same under an idempotency key."""
    there = await shop(here)
    await there.pull()
    await there.answer()
    headers = {"authorization": f"Bearer {there.key}", "idempotency-key": "key-1"}
    yield
    answer = await here.client.post("/api/channels/v1/channel.outbox.pull", json={}, headers=headers)
    assert 1 == len(answer.json()["replies"])


async def report(here: ToolTown) -> Steps:
    """The bridge says that it sent a reply, and the messenger's id of it."""
    there = await shop(here)
    await there.answer()
    [reply] = await there.pull()
    await trio.sleep(QUIET_SECONDS / 2)
    yield
    await there.report(reply)


async def reply(here: ToolTown) -> Steps:
    """`message.reply`."""
    there = await shop(here)
    await there.answer()
    [found] = (await here.answer("conversation.list"))["conversations"]
    await trio.sleep(QUIET_SECONDS)
    yield
    await here.answer("message.reply", {"conversationId": found["id"], "text": "It is ready."})


async def push(here: ToolTown) -> Steps:
    """`message.reply` where replies are pushed, what the push takes along, and how it went."""
    here.system.outgoing.http = Receiver()
    there = await shop(here, PUSHED)
    await there.answer()
    [found] = (await here.answer("conversation.list"))["conversations"]
    await trio.sleep(QUIET_SECONDS)
    yield
    await here.answer("message.reply", {"conversationId": found["id"], "text": "It is ready."})
    await trio.sleep(1)


@pytest.mark.parametrize(
    ("flow", "expected"),
    [
        pytest.param(flow, expected, id=flow.__name__)
        for flow, expected in {
            create: [7, 7],
            create_once: [9, 7],
            deliver: [7, 9, 4, 9],
            get: [2],
            list_newest: [3],
            list_expanded: [6],
            aggregate: [5],
            update: [9, 7],
            submit: [1, 12, 9],
            make_embed: [5],
            receive: [5, 7],
            pull_nothing: [2],
            pull_one: [4],
            pull_one_once: [1, 6],
            report: [5, 7],
            reply: [8],
            push: [8, 6, 3, 3],
        }.items()
    ],
)
async def test_a_flow_runs_no_more_statements_than_it_did(autojump_clock, flow: Flow, expected: list[int]):
    """Those of each unit of work that it takes. A new one is seen in the list; is it needed?"""
    async with tool_town() as here:
        conn = await connection_of(here.store)
        unwatch(conn)
        steps = flow(here)
        await anext(steps)
        await trio.sleep(1)  # events of before are dispatched by then
        with listening(conn) as said:
            async for _ in steps:
                pass
            await trio.sleep(1)

        units = [unit for unit in said.units if not unit[0].startswith(KEY_USES)]
        assert expected == [len(unit) for unit in units], f"{flow.__doc__}\n{said}"
