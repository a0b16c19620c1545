"""Streamed answers of the fast path: a head with the first part, then parts as they come, until an end."""

import ssl
import struct
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET
from typing import Any

import pytest
import structlog
import trio
from trio.testing import MockClock, lockstep_stream_pair, wait_all_tasks_blocked

from svc.http.fast_path import Answer, ClientGone, PartSender
from svc.http.server import Certificate
from tests.http.serving import GET, Client, in_memory, listening
from tests.http.streaming import STREAM, Parts, endless, streaming

HERE = Path(__file__).parent / "server"
CERTIFICATE = Certificate(HERE / "loopback.cert.pem", HERE / "loopback.key.pem")
TRUST = ssl.create_default_context(cafile=str(CERTIFICATE.chain_path))
LAST_CHUNK = b"0\r\n\r\n"


async def _until(client: Client, end: bytes) -> bytes:
    """What the client reads up to *end*."""
    data = b""
    while not data.endswith(end):
        more = await client.stream.receive_some(65_536)
        assert more, data
        data += bytes(more)
    return data


async def test_parts_are_sent_as_they_come() -> None:
    """The head is sent with the first part; each part is there before the next one is made."""
    parts = Parts()
    async with in_memory(streaming(parts.write)) as server:
        client = server.dial()
        await client.send(STREAM)
        await parts.waiting.wait()
        await parts.give.send(b"one")
        first = bytes(await client.stream.receive_some(65_536))
        await parts.give.send(b"two")
        second = bytes(await client.stream.receive_some(65_536))
        parts.give.close()
        last = await _until(client, LAST_CHUNK)
        after = await client.ask(GET)

    head, _, body = first.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: ")
    assert b"\r\ntransfer-encoding: chunked" in head
    assert (b"3\r\none\r\n", b"3\r\ntwo\r\n", LAST_CHUNK) == (body, second, last)
    assert 404 == after.status
    assert (False, False) == (parts.cancelled, parts.client_left)


async def test_an_empty_first_part_sends_the_head() -> None:
    """So that a client knows that the stream is open."""
    parts = Parts()
    async with in_memory(streaming(parts.write)) as server:
        client = server.dial()
        await client.send(STREAM)
        await parts.give.send(b"")
        head = await _until(client, b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 200 OK\r\n")


async def test_a_stream_may_be_empty() -> None:
    """One that ends without a part is a whole answer without a body."""

    async def write(_: PartSender) -> None:
        pass

    async with in_memory(streaming(write)) as server:
        reply = await server.dial().ask(STREAM)

    assert (200, "0", b"") == (reply.status, reply.headers["content-length"], reply.body)


async def test_a_stream_may_turn_out_whole() -> None:
    """Until the first part, the writer may return another answer."""

    async def write(_: PartSender) -> Answer:
        return Answer(404, (), b"no such model")

    async with in_memory(streaming(write)) as server:
        client = server.dial()
        replies = [await client.ask(STREAM) for _ in range(2)]

    assert [(404, b"no such model", "13")] * 2 == [
        (reply.status, reply.body, reply.headers["content-length"]) for reply in replies
    ]


async def test_an_error_before_the_first_part_is_a_status() -> None:
    """The door answers it, as any other."""

    async def write(_: PartSender) -> None:
        raise ValueError("upstream")

    with structlog.testing.capture_logs() as logs:
        async with in_memory(streaming(write)) as server:
            reply = await server.dial().ask(STREAM)

    assert (502, b"upstream") == (reply.status, reply.body)
    assert [] == logs


async def test_an_error_after_the_head_has_no_end() -> None:
    """The connection closes without the last chunk, and the error is logged once."""

    async def write(sender: PartSender) -> None:
        await sender.send(b"one")
        raise ValueError("upstream")

    with structlog.testing.capture_logs() as logs:
        async with in_memory(streaming(write)) as server:
            client = server.dial()
            await client.send(STREAM)
            answer = await client.rest()

    assert answer.endswith(b"\r\n\r\n3\r\none\r\n")
    assert [("stream failed", "error", "/stream")] == [
        (line["event"], line["log_level"], line["path"]) for line in logs
    ]


async def test_http_1_0_has_no_chunks() -> None:
    """The end of the connection is the end of the answer."""

    async def write(sender: PartSender) -> None:
        await sender.send(b"one")
        await sender.send(b"two")

    async with in_memory(streaming(write)) as server:
        client = server.dial()
        await client.send(b"GET /stream HTTP/1.0\r\n\r\n")
        head, _, body = (await client.rest()).partition(b"\r\n\r\n")

    assert b"onetwo" == body
    assert b"transfer-encoding" not in head
    assert b"connection: close" in head


async def test_head_runs_no_stream() -> None:
    """It is answered with the head alone."""

    async def write(_: PartSender) -> None:
        pytest.fail("a stream was written")

    async with in_memory(streaming(write)) as server:
        client = server.dial()
        reply = await client.ask(b"HEAD /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        after = await client.ask(GET)

    assert (200, "text/event-stream", b"") == (reply.status, reply.headers["content-type"], reply.body)
    assert 404 == after.status


def _reset(stream: trio.SocketStream) -> None:
    """Close with RST."""
    stream.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    stream.socket.close()


async def _leave(client: Client, way: str) -> None:
    stream: Any = client.stream
    if way == "reset":
        _reset(stream)
    elif way == "half-close":
        await stream.send_eof()
    else:
        await stream.aclose()


@pytest.mark.parametrize("pipelined", [False, True], ids=["alone", "pipelined"])
@pytest.mark.parametrize("begun", [False, True], ids=["before a part", "within"])
@pytest.mark.parametrize("way", ["close", "half-close", "reset"])
async def test_a_client_that_leaves_ends_the_stream(way: str, begun: bool, pipelined: bool) -> None:
    """Within a second, though the writer waits for a part, and though another request lies unread."""
    parts = Parts()
    async with listening(streaming(parts.write)) as server:
        client = await server.dial()
        await client.send(STREAM + GET if pipelined else STREAM)
        await parts.waiting.wait()
        if begun:
            await parts.give.send(b"one")
            await client.stream.receive_some(1)
        await _leave(client, way)
        with trio.fail_after(1):
            await parts.ended.wait()

    assert (True, True) == (parts.cancelled, parts.client_left)


async def test_a_client_that_leaves_is_noticed_by_sending() -> None:
    """Its stream is cancelled, rather than told of an error of the connection."""
    ended = trio.Event()
    caught: list[BaseException] = []

    async def write(sender: PartSender) -> None:
        try:
            await endless(sender)
        except BaseException as error:
            caught.append(error)
            raise
        finally:
            ended.set()

    with structlog.testing.capture_logs() as logs:
        async with listening(streaming(write)) as server:
            client: Any = await server.dial()
            await client.send(STREAM)
            await client.stream.receive_some(1)
            _reset(client.stream)
            with trio.fail_after(5):
                await ended.wait()

    assert [trio.Cancelled] == [type(error) for error in caught]
    assert [] == logs


async def test_a_stream_may_clean_up_after_its_client() -> None:
    """Shielded work is done; sending in it says that the client has gone, and that is no failure."""
    settled = trio.Event()
    refused: list[bool] = []
    parts = Parts()

    async def write(sender: PartSender) -> None:
        try:
            await parts.write(sender)
        finally:
            with trio.CancelScope(shield=True):
                await trio.lowlevel.checkpoint()
                settled.set()
                try:
                    for _ in range(1_000):
                        await sender.send(bytes(65_536))
                except ClientGone:
                    refused.append(sender.client_left)
                    raise

    with structlog.testing.capture_logs() as logs:
        async with listening(streaming(write)) as server:
            client: Any = await server.dial()
            await client.send(STREAM)
            await parts.waiting.wait()
            _reset(client.stream)
            with trio.fail_after(5):
                await settled.wait()

    assert [True] == refused
    assert [] == logs


async def test_an_error_in_cleaning_up_is_logged() -> None:
    """Though there is no client to see it."""
    parts = Parts()

    async def write(sender: PartSender) -> None:
        try:
            await parts.write(sender)
        finally:
            raise ValueError("not settled")

    with structlog.testing.capture_logs() as logs:
        async with in_memory(streaming(write)) as server:
            client = server.dial()
            await client.send(STREAM)
            await parts.give.send(b"one")
            await client.stream.receive_some(65_536)
            await client.stream.aclose()
            await parts.ended.wait()
            await wait_all_tasks_blocked()

    assert ["stream failed"] == [line["event"] for line in logs]


async def test_a_client_that_does_not_read_stops_the_stream(autojump_clock: MockClock) -> None:
    """Nothing is sent ahead of it; after `write_seconds` without progress it is cancelled."""
    parts = Parts()
    async with in_memory(streaming(parts.write), write_seconds=30) as server:
        client = server.dial(lockstep_stream_pair)
        await client.send(STREAM)
        for _ in range(50):
            await parts.give.send(b"x" * 1_000)
        await client.stream.receive_some(65_536)
        await client.stream.receive_some(65_536)
        await trio.sleep(29)
        assert (2, False) == (parts.sent, parts.ended.is_set())
        await trio.sleep(2)
        assert parts.ended.is_set()

    assert (2, True) == (parts.sent, parts.cancelled)


async def test_a_slow_client_is_waited_for(autojump_clock: MockClock) -> None:
    """However long all of the stream takes, or how long its parts are in coming."""
    parts = Parts()
    async with in_memory(streaming(parts.write), write_seconds=30, keep_alive_seconds=15) as server:
        client = server.dial(lockstep_stream_pair)
        await client.send(STREAM)
        for _ in range(5):
            await trio.sleep(3_600)
            await parts.give.send(b"part")
            await trio.sleep(29)
            assert (await client.stream.receive_some(65_536)).endswith(b"4\r\npart\r\n")
        parts.give.close()
        assert LAST_CHUNK == await _until(client, LAST_CHUNK)


async def test_a_stream_makes_no_room_for_others() -> None:
    """While its client reads, it is not closed for another connection, which is answered 503."""
    parts = Parts()
    async with in_memory(streaming(parts.write), connections_max=1) as server:
        client = server.dial()
        await client.send(STREAM)
        await parts.waiting.wait()
        refused = await server.dial().ask(GET)
        await parts.give.send(b"one")
        first = await _until(client, b"one\r\n")

    assert 503 == refused.status
    assert first.startswith(b"HTTP/1.1 200")


async def test_a_stalled_stream_makes_room_for_others(autojump_clock: MockClock) -> None:
    """Its connection waits for its client, as any other that does not read."""
    parts = Parts()
    async with in_memory(streaming(parts.write), connections_max=1, write_seconds=30) as server:
        client = server.dial(lockstep_stream_pair)
        await client.send(STREAM)
        await parts.give.send(b"x")
        await trio.sleep(3)
        reply = await server.dial().ask(GET)
        await wait_all_tasks_blocked()

    assert 404 == reply.status
    assert parts.cancelled


async def test_a_stop_lets_streams_end(autojump_clock: MockClock) -> None:
    """They are told, and what they still send arrives."""

    async def write(sender: PartSender) -> None:
        await sender.send(b"one")
        await sender.stopping.wait()
        await trio.sleep(1)
        await sender.send(b"[DONE]")

    async with in_memory(streaming(write), graceful_seconds=10) as server:
        client = server.dial()
        await client.send(STREAM)
        await _until(client, b"one\r\n")
        server.server.stop()
        rest = await client.rest()
        took = trio.current_time()

    assert b"6\r\n[DONE]\r\n" + LAST_CHUNK == rest
    assert pytest.approx(1) == took


async def test_a_stop_does_not_wait_for_streams() -> None:
    """Those that do not end in time are cancelled, and have no last chunk."""
    parts = Parts()
    async with listening(streaming(parts.write), graceful_seconds=0.1) as server:
        client = await server.dial()
        await client.send(STREAM)
        await parts.give.send(b"one")
        await _until(client, b"one\r\n")
        server.stop.set()
        with trio.fail_after(5):
            rest = await client.rest()
            await server.stopped.wait()

    assert b"" == rest
    assert (True, False) == (parts.cancelled, parts.client_left)


async def test_an_unread_body_that_breaks_off_ends_the_stream() -> None:
    """A door need not read the body of a request; the server answers a malformed one."""
    parts = Parts()
    async with in_memory(streaming(parts.write, reads=False)) as server:
        client = server.dial()
        await client.send(
            b"POST /stream HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"
        )
        await parts.waiting.wait()
        await client.send(b"nonsense")
        reply = await client.reply("POST")

    assert 400 == reply.status
    assert parts.cancelled


@pytest.mark.parametrize("way", ["close", "reset"])
async def test_a_tls_client_that_leaves_ends_the_stream(way: str) -> None:
    """As one without TLS, whether or not it says goodbye."""
    parts = Parts()
    async with listening(streaming(parts.write), certificate=CERTIFICATE) as server:
        tcp = await trio.open_tcp_stream(server.bind.host, server.bind.port)
        tls: Any = trio.SSLStream(tcp, TRUST, server_hostname="127.0.0.1", https_compatible=True)
        await tls.send_all(STREAM)
        await parts.give.send(b"one")
        await _until(Client(tls), b"one\r\n")
        if way == "reset":
            _reset(tcp)
        else:
            await tls.aclose()
        with trio.fail_after(1):
            await parts.ended.wait()

    assert parts.client_left
