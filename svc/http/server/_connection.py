"""One accepted connection: bounded writes, and an end that loses no answer."""

import select
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import trio

from svc.http.server._context import Context
from svc.http.server._unsent import Body, UnsentPart

RECEIVE_BYTES: Final = 65_536
PIECE_BYTES: Final = 65_536
"""Part of an answer that a client has `write_seconds` to read."""

_HUNG_UP: Final[int] = getattr(select, "POLLRDHUP", 0)  # POLLHUP and POLLERR are always reported

Transport = trio.abc.HalfCloseableStream
Stream = Transport | trio.SSLStream[trio.SocketStream]
Address = tuple[str, int]


class ClientLeft(OSError):
    """Raised when the client has disconnected, so that it cannot be answered."""


class Connection:
    """What all protocols need of a connection. A deadline that passes cancels `scope`."""

    def __init__(self, stream: Stream, context: Context) -> None:
        self.scope = trio.CancelScope()
        self.sending = trio.CancelScope()
        """Scope for writes of HTTP/2, which must not be cut in the middle of a frame."""
        self.evicted = False
        """Whether it was closed to make room for another."""
        self.idle = False
        """Whether no request is under way, so that the connection may be closed at any time."""
        self.client: Address | None = None
        self.server: Address | None = None
        self.scheme = "http"
        self.stream = stream
        self._context = context
        self._transport: Transport
        if isinstance(stream, trio.SSLStream):
            self.scheme = "https"
            self._transport = stream.transport_stream
        else:
            self._transport = stream
        if isinstance(self._transport, trio.SocketStream):
            self.client = self._transport.socket.getpeername()[:2]
            self.server = self._transport.socket.getsockname()[:2]
        self.share = context.waiting.share_of(self.client and self.client[0])
        self.counted = False
        """Whether it is counted there as waiting."""
        self._stalled = False
        self._unsent: UnsentPart | None = None  # the long part that is being sent

    async def shake_hands(self) -> str | None:
        """The protocol agreed on with a TLS client, if it named one.

        Raises `ClientLeft` if the client left, or took too long, or speaks something else.
        """
        if not isinstance(self.stream, trio.SSLStream):
            return None
        heads, scope, done = self._context.heads, self.scope, False
        heads.begin(scope)
        try:
            with scope:
                await self.stream.do_handshake()
                done = True
        except trio.BrokenResourceError as error:
            raise ClientLeft from error
        finally:
            heads.end(scope)
            self.scope = trio.CancelScope()
        if not done or self.evicted:
            raise ClientLeft
        protocol: str | None = self.stream.selected_alpn_protocol()
        return protocol

    async def receive(self) -> bytes:
        """Receive at most `RECEIVE_BYTES`; empty once the client has disconnected."""
        try:
            return bytes(await self.stream.receive_some(RECEIVE_BYTES))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return b""

    async def send(self, data: bytes) -> None:
        """Send all of *data*. A client that reads too slowly cancels the scope.

        Raises `ClientLeft` if the client closed the connection.
        """
        if len(data) <= PIECE_BYTES:
            await self._send_piece(data)
            return
        self._unsent = UnsentPart(data, (self.share.unsent, self._context.unsent), self.scope.cancel)
        self._unsent.begin()
        try:
            for piece in views_of(data):
                await self._send_piece(piece)
        finally:
            self._unsent.end()
            self._unsent = None

    async def _send_piece(self, piece: bytes | memoryview) -> None:
        self._context.writes.begin(self)
        try:
            await self.stream.send_all(piece)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ClientLeft from error
        finally:
            self._context.writes.end(self)
            if self._stalled:
                self._stalled = False
                self._context.stalls.end(self.scope)
                self._context.waiting.end(self)
                if self._unsent is not None:
                    self._unsent.resume()

    def stall(self) -> None:
        """Count as waiting until the client reads on."""
        self._stalled = True
        self._context.stalls.begin(self.scope)
        self._context.waiting.begin(self)
        if self._unsent is not None:
            self._unsent.stall()

    def evict(self) -> None:
        """Close the connection at once, whatever it waits for, and without an answer."""
        self.evicted = True
        self._context.waiting.end(self)
        self.scope.cancel()
        self.sending.cancel()

    def readable(self) -> bool:
        """Whether there is unread data in the socket."""
        return isinstance(self._transport, trio.SocketStream) and is_readable(self._transport.socket)

    def takes_data(self) -> bool:
        """Whether the client takes what is sent, as far as the system can tell."""
        return not isinstance(self._transport, trio.SocketStream) or _has(
            self._transport.socket, select.POLLOUT
        )

    def hung_up(self) -> bool:
        """Whether the client has disconnected, also behind unread data. Not every system can tell."""
        return isinstance(self._transport, trio.SocketStream) and _has(self._transport.socket, _HUNG_UP)

    def stop(self) -> None:
        """Close the connection if no request is under way on it."""
        if self.idle and not self.readable():
            self.scope.cancel()

    async def linger(self) -> None:
        """Shut down sending, and drain for a while what the client is still sending.

        Closing over unread data resets the connection, and a reset may overtake the answer
        (RFC 9112 section 9.6).
        """
        left = self._context.options.linger_bytes
        with (
            trio.move_on_after(self._context.options.linger_seconds),
            suppress(trio.BrokenResourceError, trio.ClosedResourceError),
        ):
            await self._transport.send_eof()
            while left > 0 and (data := await self._transport.receive_some(RECEIVE_BYTES)):
                left -= len(data)


def views_of(data: Body) -> Iterator[memoryview]:
    """*data* in pieces of at most `PIECE_BYTES`, which are not copied."""
    view = memoryview(data)
    for start in range(0, len(view), PIECE_BYTES):
        yield view[start : start + PIECE_BYTES]


def is_readable(socket: trio.socket.SocketType) -> bool:
    """Whether reading or accepting from *socket* would not block; never so of one that we have closed."""
    return _has(socket, select.POLLIN)


def _has(socket: trio.socket.SocketType, events: int) -> bool:
    """Whether one of *events* holds for *socket*; none does for one that we have closed."""
    if socket.fileno() < 0:
        return False
    poll = select.poll()
    poll.register(socket.fileno(), events)
    return bool(poll.poll(0))
