"""Files over the server itself: HTTP/1.1 and HTTP/2, in many pieces, at the sender's pace."""

import os

import h2.events
import pytest
import trio
import trio.testing

from svc.http.app import public_app
from tests.files import contents_of
from tests.http.server.http2 import Http2Client
from tests.http.serving import in_memory, post
from tests.tooling import tool_town

CONTENT = os.urandom(2_500_000)


async def send_body(client: Http2Client, stream_id: int, content: bytes, *, seconds: float) -> None:
    """Send *content* as fast as the server takes it, with a pause of *seconds* after each MiB or so."""
    sent = paused = 0
    while sent < len(content):
        room = min(client.protocol.local_flow_control_window(stream_id), 16_384, len(content) - sent)
        if room == 0:
            await client.next(h2.events.WindowUpdated)
            continue
        client.protocol.send_data(stream_id, content[sent : sent + room])
        await client.flush()
        sent += room
        if sent - paused >= 1_100_000:
            paused = sent
            await trio.sleep(seconds)
    await client.end(stream_id)


async def test_an_upload_over_http2_comes_back_whole(autojump_clock):
    """A slow sender has time while it goes on; what is fetched is what was sent."""
    async with tool_town() as here, in_memory(public_app(here.system), body_seconds=30) as server:
        client = Http2Client(server)
        await client.begin()
        bearer = ("authorization", f"Bearer {here.key}")
        await client.ask(1, (":path", "/api/v1/files"), bearer, end=False)
        await send_body(client, 1, CONTENT, seconds=25)
        assert "200" == await client.status()
        answer = await client.next(h2.events.DataReceived)
        file_id = answer.data.decode().split('"')[3]
        await client.ask(3, (":method", "GET"), (":path", f"/api/v1/files/{file_id}"), bearer)
        assert "200" == await client.status()
        got = b""
        while len(got) < len(CONTENT):
            part = await client.next(h2.events.DataReceived)
            client.protocol.acknowledge_received_data(part.flow_controlled_length, 3)
            await client.flush()
            got += part.data

        assert CONTENT == got


@pytest.mark.parametrize("length", [len(CONTENT) - 1, len(CONTENT) + 1])
async def test_a_length_that_is_wrong_over_http2_keeps_nothing(autojump_clock, length: int):
    """Whether the stream is reset or refused."""
    async with tool_town() as here, in_memory(public_app(here.system)) as server:
        client = Http2Client(server)
        await client.begin()
        headers = (("authorization", f"Bearer {here.key}"), ("content-length", str(length)))
        await client.ask(1, (":path", "/api/v1/files"), *headers, end=False)
        with trio.move_on_after(5):
            await send_body(client, 1, CONTENT, seconds=0)
        await trio.sleep(40)

        assert {} == contents_of(here.system)


async def test_an_upload_over_http1_comes_back_whole(autojump_clock):
    """On one kept connection; a client that hangs up in the middle leaves nothing."""
    async with tool_town() as here, in_memory(public_app(here.system)) as server:
        client = server.dial()
        bearer = f"Authorization: Bearer {here.key}".encode()
        kept = await client.ask(post(CONTENT, bearer, path=b"/api/v1/files"))
        file_id = kept.body.decode().split('"')[3]
        got = await client.ask(
            f"GET /api/v1/files/{file_id} HTTP/1.1\r\nHost: a\r\n".encode() + bearer + b"\r\n\r\n"
        )
        leaver = server.dial()
        await leaver.send(post(CONTENT, bearer, path=b"/api/v1/files")[:1_000_000])
        await leaver.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()

        assert (200, CONTENT) == (got.status, got.body)
        assert str(len(CONTENT)) == got.headers["content-length"]
        assert [CONTENT] == list(contents_of(here.system).values())
