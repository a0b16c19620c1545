"""A request whose response is read in parts, and the limits of both."""

from collections.abc import Callable
from math import inf
from typing import Final, Self

import msgspec
import trio

from svc.actors.outbound.answer import StreamedAnswer
from svc.actors.outbound.connection import Connection
from svc.actors.outbound.errors import (
    BrokenOff,
    IdleTooLong,
    Malformed,
    NoFirstByte,
    NotSent,
    StreamFailed,
    TookTooLong,
    TooLarge,
)
from svc.actors.outbound.retry_after import retry_after_ms

_PIECE_BYTES: Final = 64 * 1024
"""How much of a request is sent before anything is received: what fits into the buffers of both sides."""
_REDIRECTION_STATUS_MIN: Final = 300


class StreamLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one request. Each has an error of its own."""

    connect_seconds: float
    """For the name's addresses, and as long for the connection and TLS: `NotConnected`."""
    first_byte_seconds: float
    """From then until the first byte of the body, with the sending of the request: `NoFirstByte`."""
    idle_seconds: float
    """Between two reads of the body: `IdleTooLong`. The time that the consumer takes does not count."""
    total_seconds: float
    """For everything, from the attempt to connect to the end of the body: `TookTooLong`."""
    answer_bytes_max: int
    """Of the body: `TooLarge`."""


class StreamedResponse:
    """A response whose head has come. Iterate over it to receive the body, no faster than you take it."""

    def __init__(self, connection: Connection, limits: StreamLimits, ends_at: float) -> None:
        """Over *connection*, on which nothing is under way; *ends_at*, in Trio's time, is the last moment."""
        self._connection = connection
        self._limits = limits
        self._ends_at = ends_at
        self._begins_by = trio.current_time() + limits.first_byte_seconds
        self._answer = StreamedAnswer()
        self._whole = False  # whether the first byte's time is that of the whole body
        self._unasked = connection.has_spoken_first()
        self._sent = False

    @property
    def status(self) -> int:
        return self._answer.status

    @property
    def content_type(self) -> str:
        """The value of `Content-Type`; empty if there is none."""
        return self._answer.content_type

    def retry_after_ms(self, now: int) -> int:
        """What `Retry-After` asks for, in ms from *now*, in ms since the epoch; 0 if it does not."""
        return retry_after_ms(self._answer.retry_after, now)

    async def open(self, head: bytes, body: bytes) -> None:
        """Send the request, and receive the head of the response. Raises a `StreamFailed`."""
        limit = self._limit()
        with trio.CancelScope(deadline=limit):
            if len(body) <= _PIECE_BYTES:
                await self._send(head + body)
                await self._receive_head()
            else:
                await self._send_while_receiving(head, body)
            if self._answer.coded:
                raise Malformed("the body has a Content-Encoding that was not asked for")
            return
        raise self._late(limit)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        """The next bytes of the body. Raises a `StreamFailed`."""
        if body := await self.receive_by(inf):
            return body
        raise StopAsyncIteration

    async def receive_by(self, by: float) -> bytes | None:
        """The next bytes of the body, nothing at its end; None if nothing came until *by*, in Trio's time.

        Raises a `StreamFailed`.
        """
        answer = self._answer
        while answer.body_bytes <= self._limits.answer_bytes_max:
            if body := answer.take():
                return body
            if answer.malformed:
                raise Malformed("what came in the body was not HTTP")
            if answer.complete:
                return b""
            received = await self._receive_body(by)
            if not received:
                return None if received is None else b""
        raise TooLarge(f"the body is over {self._limits.answer_bytes_max} bytes")

    async def read(self, on_part: Callable[[int], None] = lambda _size: None) -> bytearray:
        """Receive the whole body, within `first_byte_seconds`. Raises a `StreamFailed`.

        *on_part* is told the size of each part, and may raise to read no further.
        """
        self._whole = True
        body = bytearray()
        async for part in self:
            on_part(len(part))
            body += part
        return body

    def is_in_step(self) -> bool:
        """Whether both sides are done with each other, so that the connection may be used again."""
        answer = self._answer
        in_step = self._sent and not self._unasked and answer.complete and answer.keep_alive
        return in_step and not self._connection.has_read_ahead()

    async def _send_while_receiving(self, head: bytes, body: bytes) -> None:
        """Send a long request, and receive meanwhile: a server may reject it before it has read all of it."""
        failure: StreamFailed | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._send_in_pieces, head, body)
            try:
                await self._receive_head()
            except StreamFailed as error:
                failure = error
            if failure is not None or self._answer.status >= _REDIRECTION_STATUS_MIN:
                nursery.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _send_in_pieces(self, head: bytes, body: bytes) -> None:
        await self._send(head)
        for start in range(0, len(body), _PIECE_BYTES):
            self._sent = False
            if not await self._send(body[start : start + _PIECE_BYTES]):
                return

    async def _send(self, data: bytes) -> bool:
        """Whether all of *data* was sent. If not, an answer may have come before the connection closed."""
        try:
            await self._connection.send(data)
        except trio.BrokenResourceError:
            return False
        self._sent = True
        return True

    async def _receive_head(self) -> None:
        while not self._answer.status:
            try:
                data = await self._connection.receive()
            except trio.BrokenResourceError:
                data = b""
            if not data:
                raise BrokenOff("the connection broke before an answer came")
            try:
                self._answer.feed(data)
            except NotSent as error:
                raise Malformed(str(error)) from error

    async def _receive_body(self, by: float) -> bool | None:
        """Receive once within the body; False at an end that is the connection's, None if *by* has passed."""
        limit = self._limit()
        with trio.CancelScope(deadline=min(by, limit)):
            try:
                data = await self._connection.receive()
            except trio.BrokenResourceError as error:
                raise BrokenOff("the connection broke within the answer") from error
            if data:
                self._answer.feed(data)
                return True
            if self._answer.framed:
                raise BrokenOff("the connection ended within the answer")
            return False
        if by < limit:
            return None
        raise self._late(limit)

    @property
    def _begins(self) -> bool:
        """Whether what is waited for now is the first byte of the body, or all of it in its place."""
        return self._whole or not self._answer.body_bytes

    def _limit(self) -> float:
        """Until when to wait now, in Trio's time."""
        by = self._begins_by if self._begins else trio.current_time() + self._limits.idle_seconds
        return min(by, self._ends_at)

    def _late(self, limit: float) -> StreamFailed:
        """The error if nothing came until *limit*."""
        limits = self._limits
        if limit == self._ends_at:
            return TookTooLong(f"no end within {limits.total_seconds:g} seconds")
        if self._begins:
            return NoFirstByte(f"no answer within {limits.first_byte_seconds:g} seconds")
        return IdleTooLong(f"nothing came for {limits.idle_seconds:g} seconds")
