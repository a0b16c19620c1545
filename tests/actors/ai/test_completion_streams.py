"""The relay of a stream in a long silence: a comment keeps the connection alive, up to a limit."""

from collections.abc import Awaitable, Callable
from typing import Self

import pytest
import trio
from trio.testing import MockClock

from svc.actors.ai.completion_errors import StreamBroken
from svc.actors.ai.completion_streams import EventRelay, Meter
from svc.domain.ai.event_stream import DONE_EVENT, WAIT_COMMENT
from svc.domain.ai.money import FREE

EVENT = b'data: {"choices":[{"index":0,"delta":{"content":"A lamp"},"finish_reason":null}]}\n\n'
LAST = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
IDLE_SECONDS = 60.0

Script = list[tuple[float, bytes]]
"""Seconds of silence, and the bytes that end it."""


class ScriptedResponse:
    """A provider's response that comes at the times of a *script*, and then nothing for ever."""

    status = 200
    content_type = "text/event-stream"

    def __init__(self, script: Script) -> None:
        self._parts: list[tuple[float, bytes]] = []
        at = trio.current_time()
        for seconds, part in script:
            at += seconds
            self._parts.append((at, part))

    def retry_after_ms(self, _now: int) -> int:
        return 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        raise NotImplementedError

    async def read(self, on_part: Callable[[int], None] = lambda _size: None) -> bytearray:
        raise NotImplementedError

    async def receive_by(self, by: float) -> bytes | None:
        at, part = self._parts[0] if self._parts else (float("inf"), b"")
        await trio.sleep_until(min(at, by))
        if at > by:
            return None
        self._parts.pop(0)
        return part


class TimedSink:
    """A client that notes what it gets, and when; *take* is how long it takes for each part."""

    def __init__(self, take: Callable[[], Awaitable[None]] = trio.lowlevel.checkpoint) -> None:
        self.begun = False
        self.client_left = False
        self.got: list[tuple[float, bytes]] = []
        self._take = take
        self._began = trio.current_time()

    async def send(self, part: bytes) -> None:
        self.begun = True
        self.got.append((trio.current_time() - self._began, part))
        await self._take()


def relay(script: Script, sink: TimedSink) -> EventRelay:
    return EventRelay(
        ScriptedResponse(script), sink, Meter(), prices=FREE, shows_usage=False, idle_seconds=IDLE_SECONDS
    )


async def test_a_comment_is_sent_in_a_long_silence(autojump_clock: MockClock) -> None:
    """Every 15 seconds, counted from what was sent last; an event begins the count anew."""
    sink = TimedSink()
    script = [(0.0, EVENT), (35.0, EVENT), (10.0, EVENT), (16.0, LAST + DONE_EVENT)]

    assert await relay(script, sink).run() is None

    assert [
        (0, EVENT),
        (15, WAIT_COMMENT),
        (30, WAIT_COMMENT),
        (35, EVENT),
        (45, EVENT),
        (60, WAIT_COMMENT),
        (61, LAST),
    ] == sink.got


async def test_no_comment_is_sent_before_the_first_event(autojump_clock: MockClock) -> None:
    """The head waits for that event, so that a failure before it is a status."""
    sink = TimedSink()

    assert await relay([(40.0, EVENT), (0.0, LAST + DONE_EVENT)], sink).run() is None

    assert [(40, EVENT), (40, LAST)] == sink.got


async def test_comments_do_not_prolong_the_silence_that_is_borne(autojump_clock: MockClock) -> None:
    """After the idle time the stream is broken, however many comments were sent meanwhile."""
    sink = TimedSink()

    with pytest.raises(StreamBroken) as broken:
        await relay([(0.0, EVENT)], sink).run()

    assert "silent" == broken.value.ended
    assert IDLE_SECONDS == trio.current_time() - sink._began
    assert [(0, EVENT), *((at, WAIT_COMMENT) for at in (15, 30, 45))] == sink.got[:4]
    assert len(sink.got) <= 5


async def test_the_time_that_a_client_takes_is_no_silence(autojump_clock: MockClock) -> None:
    """A client that reads slower than the limit of silence does not break its stream."""

    async def take() -> None:
        await trio.sleep(2 * IDLE_SECONDS)

    sink = TimedSink(take)

    assert await relay([(0.0, EVENT), (1.0, EVENT), (1.0, LAST + DONE_EVENT)], sink).run() is None

    assert [EVENT, EVENT, LAST] == [part for _, part in sink.got]
