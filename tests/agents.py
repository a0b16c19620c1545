"""Agents for tests: a town with a connection whose agent asks a fake model."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import trio

from svc.actors.ai.upstreams import BuiltInAnswer, Response, Upstreams, _BuiltInResponse
from svc.domain.ai.models import Candidate, ModelCatalogue, ServiceModel, ServiceProvider
from svc.domain.ai.money import MICRO, Prices
from svc.domain.channels.connections import Connection
from svc.storage.ai import ledger
from svc.storage.channels import keys as channel_keys
from tests.channels import a_connection
from tests.tooling import ToolTown, tool_town

MODEL: Final = "fake"
PROVIDER: Final = "fake"
USAGE: Final = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
COST: Final = 120
BEGINS: Final = 3.0
"""Seconds after which a message is answered, if no other comes."""

Said = str | bytes | list[tuple[str, Any]]
"""A text; a body; or calls of tools, each with its arguments."""
Says = Said | Callable[[dict[str, Any]], Said]

CATALOGUE: Final = ModelCatalogue(
    [
        ServiceModel(
            id=MODEL,
            providers=(PROVIDER,),
            upstream=MODEL,
            prices=Prices(input=MICRO, cached_input=MICRO // 2, output=2 * MICRO),
            context_tokens=128_000,
            output_tokens_max=4_096,
        )
    ],
    [ServiceProvider(name=PROVIDER, base_url="built-in", key="")],
)


class Model(Upstreams):
    """A fake model, which says what it was told to, and then `Echo: ` and what was said last."""

    def __init__(self, *says: Says) -> None:
        super().__init__()
        self.says = list(says)
        self.asked: list[dict[str, Any]] = []
        """The requests that came."""
        self.thinks: Callable[[], Awaitable[object]] = trio.lowlevel.checkpoint
        """Awaited before each answer."""

    @asynccontextmanager
    async def open(
        self, candidate: Candidate, key: str, body: bytes, on_connected: Callable[[], None], *, owner: str
    ) -> AsyncIterator[Response]:
        asked = json.loads(body)
        self.asked.append(asked)
        on_connected()
        await self.thinks()
        yield _BuiltInResponse(BuiltInAnswer("application/json", [self._answer(asked)]))

    def _answer(self, asked: dict[str, Any]) -> bytes:
        says = self.says.pop(0) if self.says else echo
        said = says(asked) if callable(says) else says
        if isinstance(said, bytes):
            return said
        return completion({"content": said} if isinstance(said, str) else {"tool_calls": calls(said)})

    @property
    def seen(self) -> str:
        """All that it was ever shown."""
        return json.dumps(self.asked)


def echo(asked: dict[str, Any]) -> str:
    users = [message["content"] for message in asked["messages"] if message["role"] == "user"]
    return f"Echo: {users[-1] if users else 'nothing'}"


def calls(said: list[tuple[str, Any]]) -> list[dict[str, Any]]:
    """The calls of tools, as a model writes them."""
    return [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
            },
        }
        for place, (name, arguments) in enumerate(said)
    ]


def completion(message: dict[str, Any], finish: str = "stop") -> bytes:
    """A provider's answer."""
    choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": finish}
    return json.dumps({"id": "c", "object": "chat.completion", "choices": [choice], "usage": USAGE}).encode()


class AgentTown:
    """A town with a connection whose agent is on, and a signed-in Owner."""

    def __init__(
        self, here: ToolTown, model: Model, connection: Connection, channel_key: str, csrf: str
    ) -> None:
        self.here = here
        self.model = model
        self.connection = connection
        self.csrf = csrf
        self._channel_key = channel_key
        self._messages = 0

    async def set(self, **asked: Any) -> Any:
        """Set the agent; the answer of `agent.set`."""
        default = {"connectionId": self.connection.id, "enabled": True, "model": MODEL, "role": "admin"}
        return await self.person("agent.set", default | asked)

    async def person(self, tool: str, body: Any = None) -> Any:
        """The answer of a tool to the Owner."""
        return await self.here.answer_to_person(tool, body, csrf=self.csrf)

    async def bridge(self, door: str, body: Any) -> Any:
        """The answer of a channel door."""
        headers = {"authorization": f"Bearer {self._channel_key}"}
        answer = await self.here.client.post(f"/api/channels/v1/{door}", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def say(self, text: str = "Hi", chat: str = "chat-1", **more: Any) -> Any:
        """A message of a stranger."""
        self._messages += 1
        message = {
            "conversationId": chat,
            "messageId": f"m-{self._messages}",
            "direction": "in",
            "text": text,
        }
        return await self.bridge("channel.message.receive", message | more)

    async def runs(self) -> list[Any]:
        """The runs with their steps, the oldest first."""
        page = await self.here.answer("agent.run_list", {"limit": 200})
        ids = [run["id"] for run in reversed(page["runs"])]
        return [await self.here.answer("agent.run_get", {"id": id_}) for id_ in ids]

    async def run(self) -> Any:
        """The last run."""
        return (await self.runs())[-1]

    async def conversation(self) -> Any:
        """The conversation with the latest message."""
        return (await self.here.answer("conversation.list"))["conversations"][0]

    async def said(self, conversation_id: str | None = None) -> list[tuple[str, str]]:
        """What was said: the author of each message, or `in`, and its text; the oldest first."""
        id_ = conversation_id or (await self.conversation())["id"]
        listed = (await self.here.answer("message.list", {"conversationId": id_, "limit": 200}))["messages"]
        return [
            (one["author"]["kind"] if one["author"] else one["direction"], one["text"])
            for one in reversed(listed)
        ]

    async def pull(self) -> list[Any]:
        """The replies that the bridge gets."""
        replies: list[Any] = (await self.bridge("channel.outbox.pull", {}))["replies"]
        return replies


def kinds(run: Any) -> list[tuple[str, str]]:
    """Kind and state of each step of a run; of a tool's call its name."""
    return [(step["tool"] or step["kind"], step["state"]) for step in run["steps"]]


@asynccontextmanager
async def agent_town(*says: Says, granted: int = 10 * MICRO, **asked: Any) -> AsyncIterator[AgentTown]:
    """A town whose agent is set as *asked*; its model says *says*."""
    model = Model(*says)
    async with tool_town(models=CATALOGUE, upstreams=model) as here:
        yield await answering(here, model, granted=granted, **asked)


async def answering(here: ToolTown, model: Model, *, granted: int = 10 * MICRO, **asked: Any) -> AgentTown:
    """An agent in a town that there is."""
    if granted:
        await here.store.write(ledger.grant, here.organization.id, granted, "for tests")
    connection = await here.store.write(a_connection, here.organization.id)
    key = (await here.store.write(channel_keys.mint, here.organization.id, connection.id)).key
    made = AgentTown(here, model, connection, key, await here.sign_in())
    await made.set(**asked)
    return made
