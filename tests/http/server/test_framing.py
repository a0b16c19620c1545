"""What a client sends beside bodies is counted at any time, and has an end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from svc.http.asgi import Receive, Scope, Send
from svc.http.server import ServerOptions
from svc.http.server._request import PARSED_AT_ONCE_BYTES, PIPELINED_MAX, RequestParser
from tests.http.serving import GET, Client, Reply, in_memory, post, read_all, respond

CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
HEAD_BYTES_MAX = ServerOptions().head_bytes_max
PIECE = 8_192
PIECES_MAX = 2 * HEAD_BYTES_MAX // PIECE
"""Pieces by which every flood is over."""


@asynccontextmanager
async def flooding(start: bytes, piece: bytes) -> AsyncIterator[tuple[Client, list[int]]]:
    """A client that sends *start*, and then *piece* for ever; and how many pieces it got rid of."""
    sent: list[int] = []

    async def flood(client: Client) -> None:
        await client.send(start)
        while True:
            await trio.testing.wait_all_tasks_blocked()
            await client.send(piece)
            sent.append(len(piece))

    async with in_memory() as server:
        client = server.dial()
        server.start(flood, client)
        yield client, sent


@pytest.mark.parametrize(
    ("start", "piece", "status"),
    [
        pytest.param(b"", b"\r\n" * (PIECE // 2), 431, id="empty lines before a request"),
        pytest.param(GET, b"\r\n" * (PIECE // 2), 431, id="empty lines between requests"),
        pytest.param(b"GET /", b"x" * PIECE, 431, id="a target"),
        pytest.param(b"GET / HTTP/1.1\r\nX", b"x" * PIECE, 431, id="a header's name"),
        pytest.param(b"GET / HTTP/1.1\r\nX: ", b"x" * PIECE, 431, id="a header's value"),
        pytest.param(b"GET / HTTP/1.1\r\nX: ", b" " * PIECE, 431, id="white space before a value"),
        pytest.param(b"GET / HTTP/1.1\r\n", b"X: y\r\n" * (PIECE // 6), 431, id="headers"),
        pytest.param(CHUNKED + b"0\r\nX: ", b"x" * PIECE, 400, id="a trailer's value"),
        pytest.param(CHUNKED + b"0\r\nX", b"x" * PIECE, 400, id="a trailer's name"),
        pytest.param(CHUNKED + b"0\r\n", b"X: y\r\n" * (PIECE // 6), 400, id="trailers"),
        pytest.param(CHUNKED + b"1;", b"x" * PIECE, 400, id="a chunk's extension"),
        pytest.param(CHUNKED, b"1;" + b"x" * PIECE + b"\r\na\r\n", 400, id="extensions of small chunks"),
        pytest.param(CHUNKED, b"0" * PIECE, 400, id="a chunk's size"),
    ],
)
async def test_what_is_not_body_has_an_end(start: bytes, piece: bytes, status: int) -> None:
    """Whatever goes on without end and is not body is rejected soon, and the connection closed."""
    async with flooding(start, piece) as (client, sent):
        with trio.fail_after(5):
            reply = await client.reply()
            while start == GET and reply.status == 200:
                reply = await client.reply()

        assert (status, "close") == (reply.status, reply.headers["connection"])
        assert len(sent) <= PIECES_MAX


READS = [1, 7, PIECE, 30_000, 65_536]


@pytest.mark.parametrize("read_bytes", READS)
def test_no_read_makes_room_for_another(read_bytes: int) -> None:
    """However a flood of trailers is cut, the parser takes little more of it than its limit."""
    parser = RequestParser(HEAD_BYTES_MAX, headers_max=100)
    parser.feed(CHUNKED + b"0\r\nX: ")
    taken = 0
    while parser.refused is None:
        parser.feed(b"x" * read_bytes)
        taken += read_bytes

    assert 400 == parser.refused.status
    assert taken <= HEAD_BYTES_MAX + PARSED_AT_ONCE_BYTES + read_bytes


@pytest.mark.parametrize("read_bytes", READS)
@pytest.mark.parametrize(
    ("extension_bytes", "refused"),
    [(HEAD_BYTES_MAX - 100, False), (HEAD_BYTES_MAX + 2 * PARSED_AT_ONCE_BYTES, True), (131_000, True)],
)
def test_a_chunks_extension_is_counted_however_it_is_cut(
    extension_bytes: int, refused: bool, read_bytes: int
) -> None:
    """In few reads as in many: behind a head, before the next request, and with nothing around it."""
    parser = RequestParser(HEAD_BYTES_MAX, headers_max=100)
    data = CHUNKED + b"1;" + b"x" * extension_bytes + b"\r\na\r\n0\r\n\r\n" + GET
    for start in range(0, len(data), read_bytes):
        parser.feed(data[start : start + read_bytes])

    assert refused == (parser.refused is not None)
    assert refused == (len(parser.requests) < 2)


@pytest.mark.parametrize("size", [1, 2, 100, 40_000])
async def test_chunks_of_any_size_are_a_body(size: int) -> None:
    """A body is taken though it comes in the smallest chunks, with a few trailers after it."""
    chunk = b"%x\r\n%b\r\n" % (size, b"x" * size)
    count = max(1, 40_000 // size)

    async with in_memory() as server:
        client = server.dial()
        await client.send(CHUNKED + chunk * count + b"0\r\nX-Sum: 1\r\nX-Other: 2\r\n\r\n")
        reply = await client.reply("POST")
        after = await client.ask(GET)

    assert (200, b"POST / " + b"x" * size * count) == (reply.status, reply.body)
    assert 200 == after.status


async def test_a_body_earns_no_trailers() -> None:
    """After a large body as many trailers are rejected as after none."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = await read_all(receive)
        await respond(send, 200, b"%d" % len(body or b""))

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(CHUNKED + (b"10000\r\n" + b"x" * 65_536 + b"\r\n") * 8)
        await trio.testing.wait_all_tasks_blocked()
        server.start(_send_trailers, client)
        reply = await client.reply("POST")

    assert 400 == reply.status


async def _send_trailers(client: Client) -> None:
    await client.send(b"0\r\nX: ")
    for _ in range(100):
        await trio.testing.wait_all_tasks_blocked()
        await client.send(b"x" * PIECE)


@pytest.mark.parametrize(("headers", "status"), [(99, 200), (100, 431), (3_000, 431)])
async def test_headers_are_counted(headers: int, status: int) -> None:
    """Over 100 header lines are answered 431, however short they are."""
    async with in_memory() as server:
        reply = await server.dial().ask(b"GET / HTTP/1.1\r\nHost: a\r\n" + b"a:\r\n" * headers + b"\r\n")

    assert status == reply.status


async def test_a_head_may_come_byte_by_byte() -> None:
    """A head up to the limit is taken however it is cut."""
    head = b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * (HEAD_BYTES_MAX - 100) + b"\r\n\r\n"
    parser = RequestParser(HEAD_BYTES_MAX, headers_max=100)
    for byte in head:
        parser.feed(bytes([byte]))

    assert parser.refused is None
    assert 1 == len(parser.requests)


async def test_many_small_requests_are_no_excess() -> None:
    """What completes requests is not counted as if it did not, on a connection that lives long."""
    statuses = []

    async with in_memory() as server:
        client = server.dial()
        for _ in range(20):
            await client.send(post(b"hello") * PIPELINED_MAX)
            statuses += [(await client.reply("POST")).status for _ in range(PIPELINED_MAX)]

    assert {200} == set(statuses)


async def _refusal(data: bytes) -> tuple[Reply, bytes]:
    async with in_memory() as server:
        client = server.dial()
        reply = await client.ask(data)
        return reply, await client.rest()


async def test_early_websocket_data_has_an_end() -> None:
    """What comes behind a WebSocket's handshake before it is answered is not kept without end."""
    handshake = (
        b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    reply, rest = await _refusal(handshake + b"x" * 60_000)

    assert (400, b"") == (reply.status, rest)
