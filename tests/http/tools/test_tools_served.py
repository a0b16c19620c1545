"""The doors of tools behind the real server: what is on the wire, to the byte, and how much of it is read."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Generic, TypeVar

import h2.events
import msgspec
import pytest
import trio

from svc.domain.identity.callers import operator_call
from svc.domain.limits import TOOL_BODY_BYTES_MAX
from svc.http.app import public_app
from svc.storage.identity import api_keys
from svc.storage.identity.api_keys import NewKey
from tests import tables
from tests.http.server.http2 import Http2Client
from tests.http.serving import Listening, Memory, in_memory, listening, post
from tests.people import a_member, call_of
from tests.town import Town, town

PATH = b"/api/v1/tools/record.create"
JSON = b"Content-Type: application/json"
MEBIBYTE = 1_024 * 1_024
ADA = json.dumps({"objectType": "contact", "properties": {"name": "Ada"}}).encode()

ServerT = TypeVar("ServerT", Listening, Memory)


class Served(msgspec.Struct, Generic[ServerT]):
    """A town, its key, and what serves it."""

    here: Town
    key: str
    server: ServerT

    @property
    def authorization(self) -> bytes:
        return b"Authorization: Bearer " + self.key.encode()

    async def records(self) -> int:
        return await self.here.count(tables.records)


@asynccontextmanager
async def served(
    serving: Callable[..., AbstractAsyncContextManager[ServerT]], **options: Any
) -> AsyncIterator[Served[ServerT]]:
    async with town() as here, here.live_system() as system:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        minted = await here.store.write(
            api_keys.mint, call_of(owner, confirmed_at=here.clock.now()), NewKey(name="A key")
        )
        async with serving(public_app(system), **options) as server:
            yield Served(here, minted.key, server)


def head(*lines: bytes) -> bytes:
    return b"\r\n".join([b"POST %b HTTP/1.1" % PATH, b"Host: a", JSON, *lines]) + b"\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


# Failed authentication.


async def raw(one: Served[Listening], *lines: bytes) -> list[bytes]:
    """The lines of an answer as they came, without the two that tell one answer from the next."""
    client = await one.server.dial()
    await client.send(post(ADA, JSON, b"Connection: close", *lines, path=PATH))
    own = (b"x-request-id:", b"date:")
    return [line for line in (await client.rest()).split(b"\r\n") if not line.lower().startswith(own)]


async def stopped_keys(here: Town) -> dict[str, bytes]:
    """Keys that were good once."""
    owner = await here.store.write(a_member, here.organization.id, "other@example.com")
    asker = call_of(owner, confirmed_at=here.clock.now())
    expired = await here.store.write(api_keys.mint, asker, NewKey(name="Short", expires_in="30d"))
    here.clock.jump(expired.expires_at - here.clock.now())
    revoked = await here.store.write(
        api_keys.mint, call_of(owner, confirmed_at=here.clock.now()), NewKey(name="R")
    )
    await here.store.write(api_keys.revoke, operator_call(here.organization.id), revoked.id)
    return {"expired": expired.key.encode(), "revoked": revoked.key.encode()}


async def test_every_failed_authentication_has_the_same_bytes():
    """Status line, headers and body: whatever is wrong with the key, and whether there is one at all."""
    bearer = b"Authorization: Bearer "
    async with served(listening) as one:
        stopped = await stopped_keys(one.here)
        causes = {name: (bearer + key,) for name, key in stopped.items()} | {
            "none": (),
            "unknown": (bearer + b"svck_" + b"a" * 38,),
            "another prefix": (bearer + b"sk_live_" + b"a" * 38,),
            "nothing": (bearer.rstrip(),),
            "spaces": (bearer + b"a b c",),
            "tab": (bearer + b"svck_\ta",),
            "high bytes": (bearer + bytes(range(0x80, 0x100)),),
            "10,000 characters": (bearer + b"k" * 10_000,),
            "another scheme": (b"Authorization: Basic " + one.key.encode(),),
            "no scheme": (b"Authorization: " + one.key.encode(),),
            "two": (bearer + one.key.encode(), bearer + one.key.encode()),
            "two, one of them good": (bearer + b"svck_unknown", bearer + one.key.encode()),
            "a list": (bearer + one.key.encode() + b", Bearer svck_unknown",),
            "half of it": (bearer + one.key.encode()[:-1],),
            "more of it": (bearer + one.key.encode() + b"a",),
        }
        answers = {cause: await raw(one, *lines) for cause, lines in causes.items()}

        expected = answers["unknown"]
        assert expected[0].startswith(b"HTTP/1.1 401 ")
        assert b"www-authenticate: Bearer" in expected
        assert dict.fromkeys(causes, expected) == answers
        assert 0 == await one.records()


@pytest.mark.parametrize("scheme", [b"Bearer", b"bearer", b"BEARER", b"bEARER"])
async def test_the_scheme_has_no_case(scheme: bytes):
    """RFC 9110 section 11.1."""
    async with served(listening) as one:
        lines = await raw(one, b"authorization: " + scheme + b" " + one.key.encode())

        assert lines[0].startswith(b"HTTP/1.1 200 ")
        assert 1 == await one.records()


# Bodies that are too large.


async def test_a_length_over_the_limit_is_rejected_at_once():
    """1 MiB and a byte, by its `Content-Length`, before any of it has come."""
    async with served(listening) as one:
        client = await one.server.dial()
        reply = await client.ask(head(one.authorization, b"Content-Length: %d" % (MEBIBYTE + 1)))
        closed = await client.closed()

        assert (413, "body_too_large", "close", True) == (
            reply.status,
            json.loads(reply.body)["code"],
            reply.headers["connection"],
            closed,
        )


async def test_chunks_over_the_limit_are_rejected_as_they_come():
    """A body that does not tell its length is counted, and answered before its end."""
    async with served(listening) as one:
        client = await one.server.dial()
        await client.send(head(one.authorization, b"Transfer-Encoding: chunked"))
        for _ in range(16):
            await client.send(chunk(b" " * 65_536))
        await client.send(b"1\r\n ")  # the byte over, in a chunk that never ends
        with trio.fail_after(10):
            reply = await client.reply("POST")

        assert (413, "body_too_large") == (reply.status, json.loads(reply.body)["code"])
        assert 0 == await one.records()


async def test_a_body_without_an_end_is_cut_off():
    """A client that goes on after the 413 is cut off: the rest is not read."""
    async with served(listening, keep_alive_seconds=1, write_seconds=1) as one:
        client = await one.server.dial()
        await client.send(head(one.authorization, b"Transfer-Encoding: chunked"))
        sent = 0
        with trio.fail_after(20), suppress(trio.BrokenResourceError):
            while sent < 64 * MEBIBYTE:
                await client.send(chunk(b" " * 65_536))
                sent += 65_536

        assert sent < 64 * MEBIBYTE


async def test_a_body_of_the_limit_is_taken():
    """To the byte, however it is framed."""
    body = ADA + b" " * (TOOL_BODY_BYTES_MAX - len(ADA))
    async with served(listening) as one:
        client = await one.server.dial()
        replies = [
            await client.ask(post(body, JSON, one.authorization, path=PATH)),
            await client.ask(
                head(one.authorization, b"Transfer-Encoding: chunked") + chunk(body) + b"0\r\n\r\n"
            ),
            await client.ask(post(body + b" ", JSON, one.authorization, path=PATH)),
        ]

        assert [200, 200, 413] == [reply.status for reply in replies]


def http2_headers(one: Served[Memory], *more: tuple[str, str]) -> list[tuple[str, str]]:
    return [
        (":path", PATH.decode()),
        ("authorization", f"Bearer {one.key}"),
        ("content-type", "application/json"),
        *more,
    ]


async def test_http2_rejects_a_length_at_once(autojump_clock):
    """As HTTP/1.1 does, and the connection goes on."""
    async with served(in_memory) as one:
        client = Http2Client(one.server)
        await client.begin()
        await client.ask(1, *http2_headers(one, ("content-length", str(MEBIBYTE + 1))), end=False)
        refused = await client.status()
        told = await client.next(h2.events.DataReceived)
        await client.ask(3, *http2_headers(one), end=False)
        client.protocol.send_data(3, ADA, end_stream=True)
        await client.flush()
        taken = await client.status()

        assert ("413", "body_too_large", "200") == (refused, json.loads(told.data)["code"], taken)


async def test_http2_counts_a_body_as_it_comes(autojump_clock):
    """A stream that goes on and on is answered once it is over the limit, and read no further than that."""
    async with served(in_memory) as one:
        client = Http2Client(one.server)
        await client.begin()
        await client.ask(1, *http2_headers(one), end=False)
        sent = 0
        answer: Any = None
        while not isinstance(answer, h2.events.ResponseReceived):
            while size := min(16_384, client.protocol.local_flow_control_window(1)):
                client.protocol.send_data(1, b" " * size)
                sent += size
                await client.flush()
            answer = await client.next((h2.events.ResponseReceived, h2.events.WindowUpdated))

        assert "413" == dict[Any, Any](answer.headers)[":status"]
        assert TOOL_BODY_BYTES_MAX < sent <= 2 * MEBIBYTE


# Bodies that do not come.


async def test_a_slow_body_is_rejected(autojump_clock):
    """408 after `body_seconds`, however it trickles, and then the connection is closed."""
    async with served(in_memory, body_seconds=30) as one:
        client = one.server.dial()
        request = post(ADA, JSON, one.authorization, path=PATH)

        async def trickle() -> None:
            for number in range(len(ADA), 1, -1):
                await client.send(request[-number : -number + 1])
                await trio.sleep(1)

        await client.send(request[: -len(ADA)])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trickle)
            reply = await client.reply("POST")
            nursery.cancel_scope.cancel()

        assert (408, "application/problem+json", "599") == (
            reply.status,
            reply.headers["content-type"],
            reply.headers["ratelimit-remaining"],
        )
        assert pytest.approx(30) == trio.current_time()
        assert 0 == await one.records()


async def test_a_slow_body_is_rejected_over_http2(autojump_clock):
    """Its stream is answered; nothing is written."""
    async with served(in_memory, body_seconds=30) as one:
        client = Http2Client(one.server)
        await client.begin()
        await client.ask(1, *http2_headers(one), end=False)
        client.protocol.send_data(1, ADA[:-1])
        await client.flush()
        status = await client.status()

        assert "408" == status
        assert pytest.approx(30) == trio.current_time()
        assert 0 == await one.records()
