"""Relaying the events of a streamed completion: whole ones, as the bytes that came, and metered."""

from contextlib import suppress
from math import inf
from typing import Final, Protocol

import trio

from svc.actors.ai.completion_errors import stream_broken
from svc.actors.ai.upstreams import Response
from svc.actors.outbound.errors import IdleTooLong, StreamFailed
from svc.domain.ai.answers import Answer, is_error, read_chunk, with_cost
from svc.domain.ai.event_stream import WAIT_COMMENT, Event, EventStream, EventTooLarge
from svc.domain.ai.key_guard import KeyGuard, KeyRepeated
from svc.domain.ai.limits import AI_READ_ON_BYTES_MAX, AI_SILENCE_MS
from svc.domain.ai.money import Prices, cost
from svc.domain.ai.routing import Failure
from svc.domain.ai.usage import Usage
from svc.domain.locale.times import SECOND_MS

MEDIA_TYPE: Final = "text/event-stream"
_DRAIN_SECONDS: Final = 0.1
_SILENCE_SECONDS: Final = AI_SILENCE_MS / SECOND_MS


class Sink(Protocol):
    """Takes the parts of a streamed answer. `svc.http.fast_path.PartSender` is one."""

    begun: bool
    """Whether the head has been sent."""
    client_left: bool

    async def send(self, part: bytes) -> None:
        """Send *part*; return once the client's side has taken it."""
        ...


class Meter:
    """What came of an answer so far, for its charge. It keeps numbers alone."""

    __slots__ = ("is_finished", "text_bytes", "usage")

    def __init__(self) -> None:
        self.usage: Usage | None = None
        """The last one that came."""
        self.text_bytes = 0
        self.is_finished = False

    def note(self, answer: Answer) -> None:
        self.text_bytes += answer.text_bytes
        self.is_finished |= answer.is_finished
        if answer.usage is not None:
            self.usage = answer.usage


class EventRelay:
    """Relays one stream of *response* to *sink*, no faster than that takes it."""

    def __init__(
        self,
        response: Response,
        sink: Sink,
        meter: Meter,
        *,
        prices: Prices,
        shows_usage: bool,
        idle_seconds: float,
        guard: KeyGuard | None = None,
    ) -> None:
        self._response, self._sink, self._meter = response, sink, meter
        self._prices = prices
        self._shows_usage = shows_usage
        self._idle_seconds = idle_seconds
        self._guard = guard
        self._events = EventStream()
        self._held: list[bytes] = []  # not sent yet: what is to come may show that it must not be
        self._begun = False  # the provider's first event has come
        self._failure: Failure | None = None
        self._sent_at = trio.current_time()
        self.done: Event | None = None
        """The event that ended the stream; None where the provider left it out."""
        self.is_sending = False
        """Whether a part is on its way, which is cut if this is cancelled now."""

    async def run(self) -> Failure | None:
        """Relay up to the end of the stream, without the event that says so.

        Returns a failure where no event came, or an error as the first one.

        Raises:
            StreamFailed, EventTooLarge, KeyRepeated: it failed before the first event.
            StreamBroken: it failed after that.
        """
        try:
            while self.done is None and self._failure is None:
                part = await self._next_part()
                if not part:
                    break
                await self._relay(part)
        except (StreamFailed, EventTooLarge, KeyRepeated) as error:
            if not self._begun:
                raise
            raise stream_broken(error) from None
        if self._failure is None and not self._begun:
            return Failure(kind="shape")
        if self._begun and self.done is None and not self._meter.is_finished:
            raise stream_broken()
        await self._send_held()
        return self._failure

    @property
    def awaits_usage(self) -> bool:
        """Whether the answer has finished, and what it used is still to come."""
        return self._meter.is_finished and self._meter.usage is None and self.done is None

    async def read_on(self) -> None:
        """Receive what follows a finished answer up to its usage. Nothing is sent any more."""
        size = 0
        with suppress(StreamFailed, EventTooLarge):
            while self.awaits_usage and size <= AI_READ_ON_BYTES_MAX:
                part = await self._response.receive_by(inf)
                if not part:
                    return
                size += len(part)
                for event in self._events.feed(part):
                    if event.is_done:
                        self.done = event
                    elif event.data is not None and (chunk := read_chunk(event.data)) is not None:
                        self._meter.note(chunk)

    async def send(self, part: bytes) -> None:
        """Send *part* to the client."""
        self.is_sending = True
        await self._sink.send(part)
        self.is_sending = False
        self._sent_at = trio.current_time()

    async def _next_part(self) -> bytes | None:
        """The next bytes; nothing at their end. In a long silence a comment is sent, once the head is."""
        if not self._begun:
            return await self._response.receive_by(inf)
        silent_at = trio.current_time() + self._idle_seconds  # the client's time does not count
        while True:
            comment_at = self._sent_at + _SILENCE_SECONDS
            part = await self._response.receive_by(min(comment_at, silent_at))
            if part is not None:
                return part
            if trio.current_time() >= silent_at:
                raise IdleTooLong(f"nothing came for {self._idle_seconds:g} seconds")
            await self.send(WAIT_COMMENT)

    async def _relay(self, part: bytes) -> None:
        """Relay the events that *part* completes, together."""
        is_broken = False
        for event in self._events.feed(part):
            if self._guard is not None:
                self._guard.check(event.raw)
            if event.is_done:
                self.done = event
                break
            if event.data is None:
                if self._begun:
                    self._held.append(event.raw)
                continue
            chunk = read_chunk(event.data)
            if chunk is None:
                is_broken = True
                break
            if self._guard is not None:
                for piece in chunk.pieces:
                    self._guard.follow(piece.place, piece.text)
            self._begun = True
            self._meter.note(chunk)
            self._held.append(self._shown(event.raw, event.data, chunk))
        if is_broken and not self._begun:
            self._failure = Failure(kind="error_event" if is_error(event.data or b"") else "shape")
            return
        if self._guard is None or not self._guard.is_pending:
            await self._send_held()
        if is_broken:
            raise stream_broken()

    async def _send_held(self) -> None:
        """Send what is held, together."""
        together = b"".join(self._held)
        self._held.clear()
        if together:
            await self.send(together)

    def _shown(self, raw: bytes, data: bytes, chunk: Answer) -> bytes:
        """What the client gets of an event."""
        if chunk.is_usage_alone and not self._shows_usage:
            return b""
        if chunk.usage is None or not self._shows_usage:
            return raw
        return b"data: " + with_cost(data, cost(self._prices, chunk.usage)) + b"\n\n"


async def drain(response: Response) -> None:
    """Receive what follows the last event, for a moment: the connection can be used again then."""
    with trio.move_on_after(_DRAIN_SECONDS):
        with suppress(StreamFailed):
            await response.receive_by(inf)
