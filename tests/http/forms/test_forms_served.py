"""The form door behind the real server, from connection to disk: what only the two together can get wrong."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Generic, TypeVar

import httpx
import msgspec
import pytest
import trio

from svc.domain.forms.forms import SUBMIT_PATH, Form
from svc.domain.forms.limits import FORM_BODY_BYTES_MAX, QUEUE_SUBMISSIONS_MAX, SENDER_SUBMISSIONS_MAX
from svc.domain.identity.callers import operator_call
from svc.http.app import public_app
from svc.storage.forms import server_keys, submissions
from svc.storage.store import Tx
from tests import tables
from tests.http.serving import Listening, Memory, Reply, in_memory, listening, post
from tests.town import Town, a_stored_one, town

ORIGIN = b"Origin: https://lamps.example"
ID = b"X-Request-Id: from-the-caller"
JSON = b"Content-Type: application/json"
MEGABYTE = 1_000_000

ServerT = TypeVar("ServerT", Listening, Memory)


class Shop(msgspec.Struct, Generic[ServerT]):
    """A form, what serves it, and what is stored."""

    here: Town
    form: Form
    server: ServerT

    def body(self, email: str = "ada@example.com", **values: object) -> bytes:
        return json.dumps({"f": self.form.form_key, "v": {"email": email, **values}}).encode()

    def request(self, *headers: bytes, email: str = "ada@example.com") -> bytes:
        return post(self.body(email), JSON, ORIGIN, ID, *headers, path=SUBMIT_PATH.encode())

    async def stored(self) -> int:
        return await self.here.count(tables.submissions)


@asynccontextmanager
async def shop(
    serving: Callable[..., AbstractAsyncContextManager[ServerT]], **options: Any
) -> AsyncIterator[Shop[ServerT]]:
    async with town() as here, here.live_system() as system:
        form = await here.form()
        async with serving(public_app(system), **options) as server:
            yield Shop(here, form, server)


def served() -> AbstractAsyncContextManager[Shop[Listening]]:
    """On a socket, in real time."""
    return shop(listening)


def told(reply: Reply) -> tuple[int, dict[str, object]]:
    """What a page can read of *reply*, which must let it."""
    assert "https://lamps.example" == reply.headers["access-control-allow-origin"]
    assert "application/json" == reply.headers["content-type"]
    assert "from-the-caller" == reply.headers["x-request-id"]
    return reply.status, json.loads(reply.body)


TAKEN = (200, {"ok": True})


def refused(status: int, reason: str = "shape") -> tuple[int, dict[str, object]]:
    return status, {"ok": False, "reason": reason}


async def test_a_slow_body_gets_the_doors_own_answer(autojump_clock):
    """408 with the form's JSON, the page's headers and the caller's id, and then the connection is closed."""
    async with shop(in_memory, body_seconds=30) as one:
        client = one.server.dial()
        reply = await client.ask(one.request()[:-1])
        took = trio.current_time()
        closed = await client.closed()

        assert refused(408) == told(reply)
        assert ("close", True) == (reply.headers["connection"], closed)
        assert pytest.approx(30) == took
        assert 0 == await one.stored()


async def test_a_body_that_trickles_is_as_slow(autojump_clock):
    """A byte each second does not buy more time."""
    async with shop(in_memory, body_seconds=30) as one:
        client = one.server.dial()
        request = one.request()

        async def trickle() -> None:
            for number in range(60, 0, -1):
                await client.send(request[-number : -number + 1 or None])
                await trio.sleep(1)

        await client.send(request[:-60])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trickle)
            reply = await client.reply("POST")
            nursery.cancel_scope.cancel()

        assert refused(408) == told(reply)
        assert pytest.approx(30) == trio.current_time()


@pytest.mark.parametrize(
    "chunks", [b"x\r\n", b"3\r\n{}}x", b'5\r\n{"f":\r\n-1\r\n', b"ffffffffffffffffff\r\n"]
)
async def test_a_broken_body_gets_the_doors_own_answer(chunks: bytes):
    """400 with the form's JSON, the page's headers and the caller's id, and then the connection is closed."""
    head = b"\r\n".join([b"POST %b HTTP/1.1" % SUBMIT_PATH.encode(), b"Host: a", JSON, ORIGIN, ID])
    async with served() as one:
        client = await one.server.dial()
        reply = await client.ask(head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        closed = await client.closed()

        assert refused(400) == told(reply)
        assert ("close", True) == (reply.headers["connection"], closed)
        assert 0 == await one.stored()


async def test_a_chunked_body_is_a_body():
    """A client that does not know the length beforehand is served too."""
    async with served() as one:
        body = one.body()
        chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
        head = b"\r\n".join([b"POST %b HTTP/1.1" % SUBMIT_PATH.encode(), b"Host: a", JSON, ORIGIN, ID])
        reply = await (await one.server.dial()).ask(head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)

        assert TAKEN == told(reply)
        assert 1 == await one.stored()


async def test_a_length_that_is_too_large_is_rejected_at_once():
    """413 comes before any of the body has, and with the headers that let the page read it."""
    async with served() as one:
        length = b"Content-Length: %d" % (FORM_BODY_BYTES_MAX + 1)
        head = [b"POST %b HTTP/1.1" % SUBMIT_PATH.encode(), b"Host: a", JSON, ORIGIN, ID, length]
        reply = await (await one.server.dial()).ask(b"\r\n".join(head) + b"\r\n\r\n")

        assert refused(413) == told(reply)
        assert "close" == reply.headers["connection"]


async def _ten_megabytes() -> AsyncIterator[bytes]:
    for _ in range(160):
        yield b"x" * 65_536


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "counted"])
async def test_a_large_body_is_rejected_so_that_the_page_knows(chunked: bool):
    """A client that sends 10 MB to the end reads the 413, and not a reset."""
    async with served() as one, httpx.AsyncClient(base_url=f"http://{one.server.bind}") as client:
        content: Any = _ten_megabytes() if chunked else b"x" * 10 * MEGABYTE
        headers = {"origin": "https://lamps.example", "x-request-id": "from-the-caller"}
        reply = await client.post(SUBMIT_PATH, content=content, headers=headers)

        assert refused(413) == told(Reply(reply.status_code, dict(reply.headers), reply.content))


async def test_a_client_that_expects_100_gets_it():
    """`Expect: 100-continue` is answered before the body comes, and then the body is taken."""
    async with served() as one:
        client = await one.server.dial()
        head, _, body = one.request(b"Expect: 100-continue").partition(b"\r\n\r\n")
        await client.send(head + b"\r\n\r\n")
        first = await client.stream.receive_some()
        await client.send(body)
        reply = await client.reply("POST")

        assert b"HTTP/1.1 100 Continue\r\n\r\n" == first
        assert TAKEN == told(reply)


async def test_a_client_that_expects_100_for_too_much_gets_413():
    """`Expect: 100-continue` with a length over the limit gets 413 and no 100."""
    async with served() as one:
        client = await one.server.dial()
        length = b"Content-Length: %d" % (FORM_BODY_BYTES_MAX + 1)
        head = [b"POST %b HTTP/1.1" % SUBMIT_PATH.encode(), b"Host: a", length, b"Expect: 100-continue"]
        await client.send(b"\r\n".join(head) + b"\r\n\r\n")
        first = await client.stream.receive_some()

        assert first.startswith(b"HTTP/1.1 413 ")


async def test_http_1_0_is_taken():
    """A client of HTTP/1.0, without a `Host`, is answered, and its connection closed."""
    async with served() as one:
        client = await one.server.dial()
        request = one.request().replace(b"HTTP/1.1\r\nHost: a", b"HTTP/1.0", 1)
        reply = await client.ask(request)
        closed = await client.closed()

        assert TAKEN == told(reply)
        assert closed
        assert 1 == await one.stored()


async def test_posts_sent_at_once_are_answered_in_their_order():
    """Pipelined posts are each taken or refused by themselves."""
    async with served() as one:
        client = await one.server.dial()
        wrong = post(b"{", JSON, ORIGIN, ID, path=SUBMIT_PATH.encode())
        await client.send(one.request(email="a@example.com") + wrong + one.request(email="b@example.com"))
        replies = [told(await client.reply("POST")) for _ in range(3)]

        assert [TAKEN, refused(400), TAKEN] == replies
        assert 1 == await one.here.count(tables.submissions, email="a@example.com")
        assert 1 == await one.here.count(tables.submissions, email="b@example.com")


async def test_several_authorizations_are_no_key():
    """Two `Authorization` headers name no key, even if one of them is good; the submission is taken."""
    async with served() as one:
        call = operator_call(one.here.organization.id)
        minted = await one.here.store.write(server_keys.mint, call, "web-1")
        good = f"Authorization: Bearer {minted.key}".encode()
        client = await one.server.dial()
        replies = [
            await client.ask(one.request(*headers))
            for headers in ([good], [good, b"Authorization: Bearer x"], [good, good])
        ]

        assert [TAKEN] * 3 == [told(reply) for reply in replies]
        assert ["accepted", "refused", "refused"] == [
            reply.headers["x-service-relay-key"] for reply in replies
        ]


async def test_a_visitor_address_that_is_none_counts_to_the_server():
    """With a good key and garbage as `x-visitor-ip` submissions are taken, as those of one sender."""
    async with served() as one:
        call = operator_call(one.here.organization.id)
        minted = await one.here.store.write(server_keys.mint, call, "web-1")
        key = f"Authorization: Bearer {minted.key}".encode()
        client = await one.server.dial()

        async def send(visitor: bytes) -> Reply:
            return await client.ask(one.request(key, b"x-visitor-ip: %b" % visitor))

        garbage = [b"garbage", b"1.2.3", b"::g", b"1.2.3.4, 5.6.7.8", b"\xff", b"0x7f.1"]
        replies = [await send(garbage[n % len(garbage)]) for n in range(SENDER_SUBMISSIONS_MAX)]
        over = await send(b"other garbage")
        named = await send(b"198.51.100.7")

        assert [TAKEN] * SENDER_SUBMISSIONS_MAX == [told(reply) for reply in replies]
        assert refused(429, "rate") == told(over)
        assert TAKEN == told(named)
        assert {"accepted"} == {reply.headers["x-service-relay-key"] for reply in (*replies, over, named)}


async def test_a_byte_order_mark_is_passed_over():
    """JSON as Windows programs write it is read."""
    async with served() as one:
        body = b"\xef\xbb\xbf" + one.body()
        reply = await (await one.server.dial()).ask(post(body, JSON, ORIGIN, ID, path=SUBMIT_PATH.encode()))

        assert TAKEN == told(reply)


async def test_a_full_queue_says_when_there_is_room(autojump_clock):
    """Over 1,200 queued in an hour, 429 says for how many seconds to wait, and what waits is not touched."""
    async with shop(in_memory) as one:

        def fill(tx: Tx) -> None:
            for number in range(QUEUE_SUBMISSIONS_MAX):
                new = a_stored_one(one.form, f"p{number}@example.com", queued=True, sender=f"{number:032}")
                submissions.create(tx, new)

        await one.here.store.write(fill)
        await trio.sleep(100)
        reply = await one.server.dial().ask(one.request())

        assert refused(429, "rate") == told(reply)
        assert "3500" == reply.headers["retry-after"]
        assert "retry-after" in reply.headers["access-control-expose-headers"]
        assert QUEUE_SUBMISSIONS_MAX == await one.stored()
