"""A gateway for tests: a town, models at a fake provider on loopback, and a gateway key."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import trio

from svc.actors.ai.upstreams import LIMITS, Upstreams
from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.outbound.streamed_response import StreamLimits
from svc.actors.system import System
from svc.domain.ai.models import ModelCatalogue, ServiceModel, ServiceProvider
from svc.domain.ai.money import MICRO, Prices
from svc.domain.identity.people import Person
from svc.http.app import public_app
from svc.storage.ai import ledger
from svc.storage.ai import tables as ai_tables
from svc.storage.identity import api_keys
from svc.storage.identity.api_keys import NewKey
from tests.http.serving import Client, Listening, Reply, listening
from tests.people import a_member, call_of
from tests.receivers import LOOPBACK, Connections, Serve, read_request, receiver
from tests.town import PASSWORDS, SECRETS, Town, town

PATH = "/api/ai/v1/chat/completions"
GRANTED = 10 * MICRO
PRICES = Prices(input=MICRO, cached_input=MICRO // 2, output=2 * MICRO)
"""A micro-credit for each token of the prompt, and two for each of the completion."""
PROMPT = "What is the secret of lamps?"
ANSWER = "Nobody but the keeper knows."
PROVIDER_KEY = "sk-provider-key-of-the-service"
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
COST = 120
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"
DONE = b"data: [DONE]\n\n"


def whole(**changes: Any) -> bytes:
    """A provider's answer that is not streamed."""
    message = {"role": "assistant", "content": ANSWER}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": USAGE,
    } | changes
    return json.dumps({name: value for name, value in body.items() if value is not None}).encode()


def responds(body: bytes, status: int = 200, *headers: str, media: str = "application/json") -> bytes:
    """A response of a provider."""
    lines = [f"HTTP/1.1 {status} Said", f"Content-Type: {media}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def event(content: str | None = ANSWER, finish: str | None = None, **more: Any) -> bytes:
    delta = {} if content is None else {"content": content}
    chunk = {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]} | more
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def usage_event(usage: Any = USAGE) -> bytes:
    return b"data: " + json.dumps({"id": "c", "choices": [], "usage": usage}).encode() + b"\n\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def events(*parts: bytes, last: bytes = LAST) -> bytes:
    """A streamed response of a provider, each part in a chunk of its own."""
    return HEAD + b"".join(map(chunk, parts)) + last


STREAMED = events(event(), event(None, "stop"), usage_event(), DONE)


class Gateway(Town):
    """A town whose gateway is served on loopback."""

    system: System
    server: Listening
    owner: Person
    key: str
    key_id: str

    async def mint(self, **asked: Any) -> Any:
        """A new gateway key, unless *asked* is another."""
        call = call_of(self.owner, self.organization.id, confirmed_at=self.clock.now())
        new = {"name": "Gateway", "limited_to": "ai.gateway"} | asked
        return await self.store.write(api_keys.mint, call, NewKey(**new))

    async def revoke(self, key_id: str | None = None) -> None:
        call = call_of(self.owner, self.organization.id, confirmed_at=self.clock.now())
        await self.store.write(api_keys.revoke, call, key_id or self.key_id)

    def request(self, body: Any = None, *, key: str | None = None, **members: Any) -> bytes:
        """The bytes of a call."""
        asked = {"model": "small", "messages": [{"role": "user", "content": PROMPT}]} | members
        data = body if isinstance(body, bytes) else json.dumps(asked).encode()
        return (
            f"POST {PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key or self.key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        ).encode() + data

    async def ask(self, body: Any = None, **members: Any) -> Reply:
        client = await self.server.dial()
        return await client.ask(self.request(body, **members))

    async def begin(self, **members: Any) -> Client:
        """A client that has sent a call."""
        client = await self.server.dial()
        await client.send(self.request(**members))
        return client

    async def balance(self) -> int:
        return await self.store.read(ledger.balance, self.organization.id)

    async def settled(self) -> list[Any]:
        """The calls, once none is open."""
        with trio.fail_after(5):
            while len(self.system.ai.open_calls) or self.system.ai.settlements.kept:  # noqa: ASYNC110
                await trio.sleep(0.005)
        rows = await self.rows(ai_tables.calls)
        assert all(row.ended_at is not None for row in rows)
        entries = await self.rows(ai_tables.ledger)
        assert sum(row.amount for row in entries) == await self.balance()
        assert GRANTED - sum(row.charged_micro_credits for row in rows) == await self.balance()
        return rows


class Upstream:
    """A fake provider, which serves its connections in turn with one of *serves*."""

    def __init__(self, *serves: bytes | Serve) -> None:
        self.seen: list[bytes] = []
        self.closed = trio.Event()
        self.asked = trio.Event()
        self.connections = Connections(*(self._as_serve(one) for one in serves))

    def _as_serve(self, said: bytes | Serve) -> Serve:
        async def serve(stream: trio.abc.Stream) -> None:
            while request := await read_request(stream):
                self.seen.append(request)
                self.asked.set()
                if isinstance(said, bytes):
                    await stream.send_all(said)
                    if b"Content-Length" not in said and not said.endswith(LAST):
                        return
                else:
                    await said(stream)
                    return

        return serve

    async def until_left(self, stream: trio.abc.Stream) -> None:
        """Wait until the gateway closes the connection."""
        try:
            while await stream.receive_some(1_000):
                pass
        except trio.BrokenResourceError:
            pass
        self.closed.set()

    def sends_then_waits(self, *said: bytes) -> Serve:
        """Send, and wait until the gateway leaves."""

        async def serve(stream: trio.abc.Stream) -> None:
            for part in said:
                await stream.send_all(part)
            await self.until_left(stream)

        return serve


def catalogue(urls: list[str], **changes: Any) -> ModelCatalogue:
    """One model, at the providers of *urls* in order."""
    if not urls:
        return ModelCatalogue()
    names = [f"p{number}" for number, _ in enumerate(urls)]
    model = ServiceModel(
        id="small",
        providers=tuple(names),
        upstream="small-upstream",
        prices=PRICES,
        context_tokens=10_000,
        output_tokens_max=1_000,
    )
    served = [
        ServiceProvider(name=name, base_url=url.removesuffix("/hook") + "/v1", key=PROVIDER_KEY)
        for name, url in zip(names, urls, strict=True)
    ]
    return ModelCatalogue([msgspec.structs.replace(model, **changes)], served)


@asynccontextmanager
async def gateway(
    *upstreams: Upstream,
    limits: StreamLimits = LIMITS,
    granted: int = GRANTED,
    stop_seconds: float = 1,
    **options: Any,
) -> AsyncIterator[Gateway]:
    """A gateway whose one model is served by *upstreams*, in order."""
    async with town() as here, _receivers(*upstreams) as urls:
        made = Gateway(here.store, here.clock, here.organization)
        clients = Upstreams(LOOPBACK, limits)
        system = System(
            KINDS,
            here.store,
            here.clock,
            SECRETS,
            PASSWORDS,
            models=catalogue(urls),
            upstreams=clients,
            ai_stop_seconds=stop_seconds,
        )
        here.store.listen(ChangeDispatcher(system))
        made.system = system
        made.owner = await here.store.write(a_member, here.organization.id, "owner@example.com", "owner")
        minted = await made.mint()
        made.key, made.key_id = minted.key, minted.id
        if granted:
            await here.store.write(ledger.grant, here.organization.id, granted)
        await system.ai.settlements.begin()
        async with (
            clients.live(),
            system.ai.settlements.live(),
            system.ai.open_calls.live(),
            system.live(),
            listening(public_app(system), **options) as made.server,
        ):
            yield made


@asynccontextmanager
async def _receivers(*upstreams: Upstream) -> AsyncIterator[list[str]]:
    if not upstreams:
        yield []
        return
    async with receiver(upstreams[0].connections) as url, _receivers(*upstreams[1:]) as others:
        yield [url, *others]


Scripted = Callable[[trio.abc.Stream], Any]
