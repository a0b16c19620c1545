"""The limits of streamed responses in time, which a test moves by hand, as the sockets are real."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from svc.actors.outbound.errors import (
    IdleTooLong,
    NoFirstByte,
    NotConnected,
    StreamFailed,
    TookTooLong,
)
from svc.actors.outbound.streams import OutboundStreams
from tests.receivers import (
    hang,
    receiver,
)
from tests.streams import CHUNKED, LIMITS, Script, chunk, client, read_one


class Reading:
    """A response that a task reads, and how it fails."""

    def __init__(self) -> None:
        self.failure: StreamFailed | None = None
        self.ended = trio.Event()
        self.parts = 0

    async def run(self, streams: OutboundStreams, url: str, *, whole: bool = False) -> None:
        try:
            async with streams.stream(url, b"{}", {}, LIMITS, owner="org_1") as response:
                if whole:
                    await response.read()
                async for _ in response:
                    self.parts += 1
        except StreamFailed as error:
            self.failure = error
        self.ended.set()


@asynccontextmanager
async def read_by_hand(clock: MockClock, *, whole: bool = False) -> AsyncIterator[tuple[Script, Reading]]:
    """A script that is being read, at a time at which it was asked."""
    script, reading = Script(), Reading()
    async with client() as streams, receiver(script.serve) as url, trio.open_nursery() as nursery:
        nursery.start_soon(partial(reading.run, streams, url, whole=whole))
        await script.asked.wait()
        yield script, reading
        await reading.ended.wait()


@pytest.mark.parametrize("said", [b"", CHUNKED])
async def test_the_first_byte_has_its_time(said: bytes, mock_clock: MockClock):
    """The first of the body: a head alone is no sign of life."""
    async with read_by_hand(mock_clock) as (script, reading):
        await script.send(said)
        await wait_all_tasks_blocked()
        mock_clock.jump(299)
        await wait_all_tasks_blocked()
        assert not reading.ended.is_set()
        mock_clock.jump(1)

    assert NoFirstByte is type(reading.failure)


async def test_a_whole_body_has_the_time_of_the_first_byte(mock_clock: MockClock):
    """However steadily it trickles."""
    async with read_by_hand(mock_clock, whole=True) as (script, reading):
        await script.send(CHUNKED)
        for _ in range(29):
            await script.send(chunk(b"x"))
            await wait_all_tasks_blocked()
            mock_clock.jump(10)
        await wait_all_tasks_blocked()
        assert not reading.ended.is_set()
        mock_clock.jump(10)

    assert NoFirstByte is type(reading.failure)


async def test_silence_within_the_body_has_an_end(mock_clock: MockClock):
    """Counted from the last byte."""
    async with read_by_hand(mock_clock) as (script, reading):
        await script.send(CHUNKED)
        for _ in range(3):
            await script.send(chunk(b"x"))
            await wait_all_tasks_blocked()
            mock_clock.jump(59)
        await wait_all_tasks_blocked()
        assert (3, False) == (reading.parts, reading.ended.is_set())
        mock_clock.jump(1)

    assert IdleTooLong is type(reading.failure)


async def test_everything_has_an_end(mock_clock: MockClock):
    """However steadily it comes."""
    async with read_by_hand(mock_clock) as (script, reading):
        await script.send(CHUNKED)
        for _ in range(18):
            await script.send(chunk(b"x"))
            await wait_all_tasks_blocked()
            mock_clock.jump(50)

    assert TookTooLong is type(reading.failure)


async def test_a_connection_has_its_time(mock_clock: MockClock):
    """TLS is part of it."""
    failures: list[StreamFailed] = []
    arrived = trio.Event()

    async def say_nothing(stream: trio.abc.Stream) -> None:
        await stream.receive_some(1)
        arrived.set()
        await hang(stream)

    async with client() as streams, receiver(say_nothing) as url, trio.open_nursery() as nursery:

        async def read() -> None:
            try:
                await read_one(streams, url.replace("http:", "https:"))
            except StreamFailed as error:
                failures.append(error)

        nursery.start_soon(read)
        await arrived.wait()
        mock_clock.jump(4)
        await wait_all_tasks_blocked()
        assert [] == failures
        mock_clock.jump(1)

    assert [NotConnected] == [type(failure) for failure in failures]


async def test_the_time_of_the_consumer_is_not_the_servers(mock_clock: MockClock):
    """Silence is counted only while something is waited for."""
    script = Script()
    async with client() as streams, receiver(script.serve) as url, trio.open_nursery() as nursery:
        nursery.start_soon(script.send, CHUNKED + chunk(b"one"))
        async with streams.stream(url, b"{}", {}, LIMITS, owner="org_1") as response:
            await anext(response)
            mock_clock.jump(600)
            nursery.start_soon(script.send, chunk(b"two"))
            assert b"two" == await anext(response)
