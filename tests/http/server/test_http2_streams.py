"""Streamed answers over HTTP/2, where hypercorn carries them."""

import h2.errors
import h2.events
import h2.settings
import pytest
import structlog
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from svc.http.fast_path import PartSender
from tests.http.server.http2 import Http2Client
from tests.http.serving import in_memory
from tests.http.streaming import Parts, streaming

TO_STREAM = (":path", "/stream")


async def test_parts_are_sent_as_they_come() -> None:
    """Each is there before the next one is made; the end is the end of the stream."""
    parts = Parts()
    async with in_memory(streaming(parts.write)) as server:
        client = Http2Client(server)
        await client.begin()
        await client.ask(1, TO_STREAM)
        await parts.waiting.wait()
        await parts.give.send(b"one")
        status = await client.status()
        first = await client.next(h2.events.DataReceived)
        await parts.give.send(b"two")
        second = await client.next(h2.events.DataReceived)
        parts.give.close()
        end = await client.next((h2.events.StreamEnded, h2.events.StreamReset))

    assert ("200", b"one", b"two") == (status, first.data, second.data)
    assert isinstance(end, h2.events.StreamEnded)


async def test_an_error_before_the_first_part_is_a_status() -> None:
    """The door answers it."""

    async def write(_: PartSender) -> None:
        raise ValueError("upstream")

    async with in_memory(streaming(write)) as server:
        client = Http2Client(server)
        await client.begin()
        await client.ask(1, TO_STREAM)
        status = await client.status()

    assert "502" == status


async def test_an_error_after_the_head_resets_the_stream() -> None:
    """The client sees that there was no end; the error is logged once, and the connection goes on."""

    async def write(sender: PartSender) -> None:
        await sender.send(b"one")
        raise ValueError("upstream")

    with structlog.testing.capture_logs() as logs:
        async with in_memory(streaming(write)) as server:
            client = Http2Client(server)
            await client.begin()
            await client.ask(1, TO_STREAM)
            with trio.fail_after(5):
                end = await client.next((h2.events.StreamEnded, h2.events.StreamReset))
            await client.ask(3)
            status = await client.status()

    assert isinstance(end, h2.events.StreamReset)
    assert h2.errors.ErrorCodes.INTERNAL_ERROR == end.error_code
    assert "404" == status
    assert ["stream failed"] == [line["event"] for line in logs]


@pytest.mark.parametrize("whole", [False, True], ids=["the stream", "the connection"])
async def test_a_client_that_leaves_ends_the_stream(whole: bool) -> None:
    """At once, by resetting the stream or by closing the connection."""
    parts = Parts()
    async with in_memory(streaming(parts.write)) as server:
        client = Http2Client(server)
        await client.begin()
        await client.ask(1, TO_STREAM)
        await parts.give.send(b"one")
        await client.next(h2.events.DataReceived)
        if whole:
            await client.stream.aclose()
        else:
            client.protocol.reset_stream(1)
            await client.flush()
        with trio.fail_after(1):
            await parts.ended.wait()

    assert (True, True) == (parts.cancelled, parts.client_left)


async def test_a_client_that_does_not_read_stops_the_stream(autojump_clock: MockClock) -> None:
    """What is sent ahead of it is bounded; after `write_seconds` without a window it is cancelled."""
    parts = Parts()
    async with in_memory(streaming(parts.write), write_seconds=30) as server:
        client = Http2Client(server)
        client.protocol.initiate_connection()
        client.protocol.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1_000})
        await client.flush()
        await client.ask(1, TO_STREAM)
        for _ in range(100):
            await parts.give.send(bytes(8_192))
        await client.next(h2.events.DataReceived)
        await trio.sleep(29)
        sent = parts.sent
        assert not parts.ended.is_set()
        await trio.sleep(3)
        assert parts.ended.is_set()
        end = await client.next(h2.events.StreamReset)

    assert 2 <= sent <= 12
    assert (sent, True) == (parts.sent, parts.cancelled)
    assert h2.errors.ErrorCodes.CANCEL == end.error_code


async def test_streams_do_not_hold_up_others(autojump_clock: MockClock) -> None:
    """A stream whose client does not read leaves the others of the connection alone."""
    parts = Parts()
    async with in_memory(streaming(parts.write)) as server:
        client = Http2Client(server)
        client.protocol.initiate_connection()
        client.protocol.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1_000})
        await client.flush()
        await client.ask(1, TO_STREAM)
        for _ in range(20):
            await parts.give.send(bytes(8_192))
        await client.next(h2.events.DataReceived)
        await wait_all_tasks_blocked()
        await client.ask(3)
        answer = await client.next(h2.events.ResponseReceived)

    assert 3 == answer.stream_id


async def test_a_stop_lets_streams_end(autojump_clock: MockClock) -> None:
    """They are told, and what they still send arrives."""

    async def write(sender: PartSender) -> None:
        await sender.send(b"one")
        await sender.stopping.wait()
        await sender.send(b"[DONE]")

    async with in_memory(streaming(write)) as server:
        client = Http2Client(server)
        await client.begin()
        await client.ask(1, TO_STREAM)
        await client.next(h2.events.DataReceived)
        server.server.stop()
        last = await client.next(h2.events.DataReceived)
        end = await client.next(h2.events.StreamEnded)

    assert b"[DONE]" == last.data
    assert end is not None
