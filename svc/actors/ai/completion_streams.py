"""Relaying the events of a streamed completion: whole ones, as the bytes that came, and metered."""

from contextlib import suppress
from math import inf
from typing import Final, Protocol

import trio

from svc.actors.ai.upstreams import Response
from svc.actors.outbound.errors import IdleTooLong, StreamFailed, TookTooLong, TooLarge
from svc.domain.ai.answers import Answer, is_error, read_chunk, with_cost
from svc.domain.ai.event_stream import WAIT_COMMENT, Event, EventStream, EventTooLarge
from svc.domain.ai.exits import Ended
from svc.domain.ai.money import Prices, cost
from svc.domain.ai.routing import Failure
from svc.domain.ai.usage import Usage
from svc.domain.limits import AI_SILENCE_MS
from svc.domain.times import SECOND_MS

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


class StreamBroken(Exception):
    """Raised when a stream cannot go on after its first event; *ended* says how that counts."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended)
        self.ended: Final[Ended] = ended


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
    ) -> None:
        self._response, self._sink, self._meter = response, sink, meter
        self._prices = prices
        self._shows_usage = shows_usage
        self._idle_seconds = idle_seconds
        self._events = EventStream()
        self._begun = False  # the provider's first event has come
        self._failure: Failure | None = None
        self._sent_at = trio.current_time()
        self.done: Event | None = None
        """The event that ended the stream; None where the provider left it out."""
        self.is_sending = False
        """Whether a part is on its way, which is cut if this is cancelled now."""

    async def run(self) -> Failure | None:
        """Relay up to the end of the stream, without the event that says so.

        Returns a failure where no event came, or an error as the first one, and raises a `StreamFailed` or
        `EventTooLarge` where it failed before the first. After it raises `StreamBroken`.
        """
        try:
            while self.done is None and self._failure is None:
                part = await self._next_part()
                if not part:
                    break
                await self._relay(part)
        except (StreamFailed, EventTooLarge) as error:
            if not self._begun:
                raise
            raise StreamBroken(_ended_by(error)) from None
        if self._failure is None and not self._begun:
            return Failure(kind="shape")
        if self._begun and self.done is None and not self._meter.is_finished:
            raise StreamBroken("broken")
        return self._failure

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
        shown: list[bytes] = []
        is_broken = False
        for event in self._events.feed(part):
            if event.is_done:
                self.done = event
                break
            if event.data is None:
                if self._begun:
                    shown.append(event.raw)
                continue
            chunk = read_chunk(event.data)
            if chunk is None:
                is_broken = True
                break
            self._begun = True
            self._meter.note(chunk)
            shown.append(self._shown(event.raw, event.data, chunk))
        if is_broken and not self._begun:
            self._failure = Failure(kind="error_event" if is_error(event.data or b"") else "shape")
            return
        if together := b"".join(shown):
            await self.send(together)
        if is_broken:
            raise StreamBroken("broken")

    def _shown(self, raw: bytes, data: bytes, chunk: Answer) -> bytes:
        """What the client gets of an event."""
        if chunk.is_usage_alone and not self._shows_usage:
            return b""
        if chunk.usage is None or not self._shows_usage:
            return raw
        return b"data: " + with_cost(data, cost(self._prices, chunk.usage)) + b"\n\n"


def _ended_by(error: Exception) -> Ended:
    match error:
        case IdleTooLong():
            return "silent"
        case TookTooLong() | TooLarge() | EventTooLarge():
            return "limit"
    return "broken"


async def drain(response: Response) -> None:
    """Receive what follows the last event, for a moment: the connection can be used again then."""
    with trio.move_on_after(_DRAIN_SECONDS):
        with suppress(StreamFailed):
            await response.receive_by(inf)
