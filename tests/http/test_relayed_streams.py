"""A door that relays a stream of another server: bytes, ends and backpressure go through."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from socket import SO_RCVBUF, SOL_SOCKET
from typing import Final

import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors.outbound.streams import OutboundStreams
from svc.http.fast_path import Answer, PartSender
from tests.http.serving import Client, Listening, listening
from tests.http.streaming import STREAM, Write, streaming
from tests.receivers import Serve, read_request, receiver
from tests.streams import CHUNKED, LIMITS, Script, chunk, client

PART_BYTES: Final = 65_536


def relaying(streams: OutboundStreams, url: str) -> Write:
    """A writer that sends what comes from *url* as it comes."""

    async def write(sender: PartSender) -> Answer | None:
        async with streams.stream(url, b"{}", {}, LIMITS, owner="org_1") as response:
            if response.status != 200:
                return Answer(response.status, (), await response.read())
            async for part in response:
                await sender.send(part)
        return None

    return write


@asynccontextmanager
async def relay(serve: Serve) -> AsyncIterator[Listening]:
    async with (
        client() as streams,
        receiver(serve) as url,
        listening(streaming(relaying(streams, url))) as server,
    ):
        yield server


async def _read_until(dialled: Client, end: bytes) -> bytes:
    data = b""
    while not data.endswith(end):
        more = await dialled.stream.receive_some(65_536)
        assert more, data
        data += bytes(more)
    return data


async def test_a_part_is_there_before_the_next_is_made() -> None:
    """From one server to the client of the other."""
    script = Script()
    async with relay(script.serve) as server:
        dialled = await server.dial()
        await dialled.send(STREAM)
        await script.send(CHUNKED + chunk(b"one"))
        await _read_until(dialled, b"3\r\none\r\n")
        await script.send(chunk(b"two"))
        await _read_until(dialled, b"3\r\ntwo\r\n")
        await script.send(b"0\r\n\r\n")
        rest = await _read_until(dialled, b"0\r\n\r\n")

    assert b"0\r\n\r\n" == rest


async def test_a_failure_before_the_first_part_is_a_status() -> None:
    """The head is held until something has come."""
    script = Script()
    async with relay(script.serve) as server:
        dialled = await server.dial()
        await dialled.send(STREAM)
        await script.send(CHUNKED)
        await wait_all_tasks_blocked()
        script.reset()
        reply = await dialled.reply("POST")

    assert 502 == reply.status


async def test_an_upstream_that_breaks_off_is_seen_as_such() -> None:
    """The client gets what came, and no end."""
    script = Script()
    async with relay(script.serve) as server:
        dialled = await server.dial()
        await dialled.send(STREAM)
        await script.send(CHUNKED + chunk(b"one"))
        await _read_until(dialled, b"3\r\none\r\n")
        script.reset()
        assert b"" == await dialled.rest()


async def test_a_client_that_leaves_ends_the_upstream_call() -> None:
    """Before its first byte, too."""
    script = Script()
    async with relay(script.serve) as server:
        dialled = await server.dial()
        await dialled.send(STREAM)
        await script.asked.wait()
        await dialled.stream.aclose()
        with trio.fail_after(1):
            await script.left.wait()


async def test_a_slow_client_slows_the_upstream_down() -> None:
    """What lies between the two is what the operating system buffers, however much there is."""
    sent = 0
    stopped = trio.Event()

    async def flood(stream: trio.abc.Stream) -> None:
        nonlocal sent
        await read_request(stream)
        await stream.send_all(CHUNKED)
        while not stopped.is_set():
            await stream.send_all(chunk(bytes(PART_BYTES)))
            sent += PART_BYTES
        await stream.send_all(b"0\r\n\r\n")

    async with relay(flood) as server:
        with trio.socket.socket() as socket:
            socket.setsockopt(SOL_SOCKET, SO_RCVBUF, 65_536)
            await socket.connect((server.bind.host, server.bind.port))
            dialled = Client(trio.SocketStream(socket))
            await dialled.send(STREAM)
            before = -1
            while sent != before:
                before = sent
                await wait_all_tasks_blocked(0.01)
            held = sent
            stopped.set()
            body = (await dialled.reply("POST")).body

    assert held < 16_000_000
    assert bytes(len(body)) == body
    assert len(body) >= held
