"""Channels for tests: a town with a connection, a client of the channel doors, and replies."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec
import trio

from svc.actors.outbound.client import OutboundHttp, PostResult
from svc.actors.outbound.errors import NotSent
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
PERSON = {"kind": "person", "id": "usr_1", "personId": "usr_1"}
"""The source of what a person does."""


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
    """A reply in the conversation with that id in the messenger."""
    opened = conversations.get_or_create(tx, connection.organization_id, connection.id, conversation)
    return replying.write(tx, connection, opened, NewReply(text=text), author=ADA)


def a_message(tx: Tx, /, connection: Connection, **members: Any) -> Any:
    """An inbound message."""
    defaults = {"conversation_id": "chat-1", "message_id": "m-1", "direction": "in", "text": "Hi"}
    return messages.receive(
        tx, connection.organization_id, connection.id, InboundMessage(**(defaults | members))
    )


class ChannelTown(Town):
    """A town with a pull connection, and its bridge."""

    system: System
    client: httpx.AsyncClient
    connection: Connection
    key: str
    secret: str | None
    """The signing secret of pushes."""

    async def ask(
        self, door: str, body: Any = None, *, key: str | None = None, **headers: str
    ) -> httpx.Response:
        """Call a channel door, with the connection's key by default."""
        all_headers = {"authorization": f"Bearer {key or self.key}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return await self.client.post(f"/api/channels/v1/{door}", json=body or {}, headers=all_headers)

    async def answer(self, door: str, body: Any = None, **headers: str) -> Any:
        """The answer of a door, to a call that has to succeed."""
        answer = await self.ask(door, body, **headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def pull(self, **asked: Any) -> list[Any]:
        """The replies of a pull."""
        replies: list[Any] = (await self.answer("channel.outbox.pull", asked))["replies"]
        return replies

    async def report(self, reply: Any, status: str, **more: Any) -> Any:
        """Report the status of a reply, and return the answer."""
        asked = {"replyId": reply["replyId"], "status": status} | more
        return await self.answer("channel.message.status", asked)

    async def write_reply(self, conversation: str = "chat-1", text: str = "Hello") -> Message:
        return await self.store.write(a_reply, self.connection, conversation, text)

    async def mint(self) -> str:
        """A new channel key."""
        minted = await self.store.write(channel_keys.mint, self.organization.id, self.connection.id)
        return minted.key


class Receiver(OutboundHttp):
    """A fake of the receivers of pushes, with prepared answers. It records the requests."""

    def __init__(self, *answers: PostResult | NotSent) -> None:
        super().__init__()
        self.answers = list(answers)
        """The next answers; then 200."""
        self.takes_seconds: float = 0
        self.got: list[tuple[int, str, bytes, dict[str, str]]] = []
        """Time, URL, body and headers of each request."""
        self.at_once_max = 0
        self._at_once = 0

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, owner: str, seconds: float, now: int
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
        """The time of each request, in seconds since the first."""
        return [(at - self.got[0][0]) / 1_000 for at, *_ in self.got]


@asynccontextmanager
async def push_town(*answers: PostResult | NotSent) -> AsyncIterator[tuple[ChannelTown, Receiver]]:
    """A town whose replies are pushed to a receiver with these answers."""
    receiver = Receiver(*answers)
    async with channel_town(receiver, delivery="push", url="https://bridge.example/hook") as here:
        yield here, receiver


@asynccontextmanager
async def channel_town(
    receiver: OutboundHttp | None = None, *, start: int = START, **asked: Any
) -> AsyncIterator[ChannelTown]:
    """A town with a connection as *asked*, a running system, and a client."""
    async with town(start) as here:
        here.outbound_http = receiver
        async with here.live_system() as system, _connected(here, system, asked) as made:
            yield made


@asynccontextmanager
async def _connected(here: Town, system: System, asked: dict[str, Any]) -> AsyncIterator[ChannelTown]:
    made = ChannelTown(here.store, here.clock, here.organization)
    made.outbound_http = here.outbound_http
    made.system = system
    made.connection, made.secret = await here.store.write(_connect, here.organization.id, asked)
    made.key = await made.mint()
    async with client_of(public_app(system)) as made.client:
        yield made
