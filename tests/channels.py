"""Channels for tests: a town with a connection, its bridge's door, and replies that are written to it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec
import trio

from svc.actors.outbound_http import NotSent, OutboundHttp, PostResult
from svc.actors.system import System
from svc.domain.channels.connections import Account, Connection
from svc.domain.channels.messages import Author, InboundMessage
from svc.http.app import public_app
from svc.storage.channels import connections, conversations, messages, replying
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.connections import NewConnection
from svc.storage.channels.messages import Message
from svc.storage.channels.replying import NewReply
from svc.storage.store import Tx
from tests.http.asking import client_of
from tests.town import START, Town, town

ADA = Author(kind="member", name="Ada")


def a_connection(tx: Tx, /, organization_id: str, **changes: Any) -> Connection:
    """A connection of the whole organization whose bridge pulls."""
    return _connect(tx, organization_id, changes)[0]


def _connect(tx: Tx, organization_id: str, changes: dict[str, Any]) -> tuple[Connection, str | None]:
    asked: dict[str, Any] = {
        "name": "Shop",
        "account": Account("organization"),
        "messenger": "telegram",
        "delivery": "pull",
    }
    return connections.create(tx, organization_id, NewConnection(**(asked | changes)))


def a_reply(tx: Tx, /, connection: Connection, conversation: str = "chat-1", text: str = "Hello") -> Message:
    """A reply in the conversation that the bridge calls so."""
    opened = conversations.get_or_create(tx, connection.organization_id, connection.id, conversation)
    return replying.write(tx, connection, opened, NewReply(text=text), author=ADA)


def a_message(tx: Tx, /, connection: Connection, **told: Any) -> Any:
    """A message that came in."""
    said = {"conversation_id": "chat-1", "message_id": "m-1", "direction": "in", "text": "Hi"}
    return messages.receive(tx, connection.organization_id, connection.id, InboundMessage(**(said | told)))


class ChannelTown(Town):
    """A town with a pull connection, and its bridge."""

    live: System
    client: httpx.AsyncClient
    connection: Connection
    key: str
    secret: str | None
    """What pushes are signed with."""

    async def ask(
        self, door: str, body: Any = None, *, key: str | None = None, **headers: str
    ) -> httpx.Response:
        """Ask at a door with the bridge's key, unless another is given."""
        given = {"authorization": f"Bearer {key or self.key}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return await self.client.post(f"/api/channels/v1/{door}", json=body or {}, headers=given)

    async def told(self, door: str, body: Any = None, **headers: str) -> Any:
        """What a door answers to what is good."""
        answer = await self.ask(door, body, **headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def pull(self, **asked: Any) -> list[Any]:
        """The replies of a pull."""
        replies: list[Any] = (await self.told("channel.outbox.pull", asked))["replies"]
        return replies

    async def report(self, reply: Any, status: str, **more: Any) -> Any:
        """What is answered to the report of a status."""
        asked = {"replyId": reply["replyId"], "status": status} | more
        return await self.told("channel.message.status", asked)

    async def write_reply(self, conversation: str = "chat-1", text: str = "Hello") -> Message:
        return await self.store.write(a_reply, self.connection, conversation, text)

    async def mint(self) -> str:
        """A new channel key."""
        minted = await self.store.write(channel_keys.mint, self.organization.id, self.connection.id)
        return minted.key


class Receiver(OutboundHttp):
    """The world that is pushed to: it answers as it is told to, and keeps what it got."""

    def __init__(self, *answers: PostResult | NotSent) -> None:
        super().__init__()
        self.answers = list(answers)
        """What it answers next; 200 when there is nothing left."""
        self.takes_seconds: float = 0
        self.got: list[tuple[int, str, bytes, dict[str, str]]] = []
        """When, where, what, and with which headers."""
        self.at_once_max = 0
        self._at_once = 0

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, seconds: float, now: int
    ) -> PostResult:
        self.got.append((now, url, body, dict(headers)))
        self._at_once += 1
        self.at_once_max = max(self.at_once_max, self._at_once)
        try:
            await trio.sleep(self.takes_seconds)
        finally:
            self._at_once -= 1
        answer = self.answers.pop(0) if self.answers else PostResult(200)
        if isinstance(answer, NotSent):
            raise answer
        return answer

    @property
    def bodies(self) -> list[Any]:
        return [msgspec.json.decode(body) for _, _, body, _ in self.got]

    @property
    def seconds(self) -> list[float]:
        """When something came, in seconds since the first."""
        return [(at - self.got[0][0]) / 1_000 for at, *_ in self.got]


@asynccontextmanager
async def push_town(*answers: PostResult | NotSent) -> AsyncIterator[tuple[ChannelTown, Receiver]]:
    """A town whose connection's replies are pushed to a receiver that answers so."""
    receiver = Receiver(*answers)
    async with channel_town(receiver, delivery="push", url="https://bridge.example/hook") as here:
        yield here, receiver


@asynccontextmanager
async def channel_town(
    receiver: OutboundHttp | None = None, *, start: int = START, **asked: Any
) -> AsyncIterator[ChannelTown]:
    """A town with a connection as *asked*, a live system, and the door open."""
    async with town(start) as here:
        here.outgoing = receiver
        async with here.system() as system, _doors_open(here, system, asked) as made:
            yield made


@asynccontextmanager
async def _doors_open(here: Town, system: System, asked: dict[str, Any]) -> AsyncIterator[ChannelTown]:
    made = ChannelTown(here.store, here.clock, here.organization)
    made.outgoing = here.outgoing
    made.live = system
    made.connection, made.secret = await here.store.write(_connect, here.organization.id, asked)
    made.key = await made.mint()
    async with client_of(public_app(system)) as made.client:
        yield made
