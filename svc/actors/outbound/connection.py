"""A connection to an origin, over TCP or TLS."""

import ssl
from collections.abc import Callable
from typing import Any, Final, Protocol

import trio

READ_BYTES: Final = 16 * 1024
"""How much is received at once: what one TLS record has at most."""


class _Stream(Protocol):
    async def send_all(self, data: bytes) -> None: ...

    async def receive_some(self, max_bytes: int) -> bytes: ...


class Connection:
    """A connection to *origin*. It closes without blocking, so cancellation cannot leave it open."""

    def __init__(self, origin: str, tcp: trio.SocketStream) -> None:
        self.origin: Final = origin
        self._tcp = tcp
        self._stream: _Stream = tcp
        self._tls: _TlsStream | None = None
        self._used = False

    async def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Speak TLS with *host* from now on. Raises `trio.BrokenResourceError`, whose cause says why."""
        self._stream = self._tls = _TlsStream(self._tcp, context, host)
        await self._tls.do_handshake()

    async def send(self, data: bytes) -> None:
        """Send all of *data*. Raises `trio.BrokenResourceError`."""
        self._used = True
        await self._stream.send_all(data)

    async def receive(self) -> bytes:
        """Receive some data, nothing at the end. Raises `trio.BrokenResourceError`."""
        return await self._stream.receive_some(READ_BYTES)

    def is_readable(self) -> bool:
        """Whether data has arrived, or the end of the connection."""
        return self._tcp.socket.is_readable()

    def has_spoken_first(self) -> bool:
        """Whether data arrived before the first request. Unknown over TLS, where session tickets do."""
        return not self._used and self._tls is None and self.is_readable()

    def has_read_ahead(self) -> bool:
        """Whether TLS has data that was not received, for which no socket is readable."""
        return self._tls is not None and self._tls.has_read_ahead()

    def close(self) -> None:
        """Close the socket at once. TLS is not told, as is usual with HTTP."""
        self._tcp.socket.close()


class _TlsStream:
    """TLS for one task that sends and receives, or for one that sends and another that receives.

    Unlike `trio.SSLStream` it tells what it has read ahead, and it needs no locks, which were a third of what
    a request cost. A peer may close without `close_notify`, as many do: HTTP tells where an answer ends.
    """

    def __init__(self, tcp: trio.SocketStream, context: ssl.SSLContext, host: str) -> None:
        self._tcp = tcp
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)
        self._flushing = False

    async def do_handshake(self) -> None:
        """Agree on keys, and verify the certificate and the name. This must come first."""
        await self._run(self._tls.do_handshake)

    async def send_all(self, data: bytes) -> None:
        await self._run(self._tls.write, data)

    async def receive_some(self, max_bytes: int) -> bytes:
        data: bytes = await self._run(self._tls.read, max_bytes)
        return data

    def has_read_ahead(self) -> bool:
        return self._incoming.pending > 0  # a record that was begun is received whole

    async def _run(self, step: Callable[..., Any], *args: Any) -> Any:
        """Run a *step* of the protocol, with all that it sends and receives."""
        while True:
            finished, result = self._try(step, *args)
            if self._outgoing.pending and not self._flushing:
                await self._flush()
            if finished:
                return result
            data = await self._tcp.receive_some(READ_BYTES)
            if data:
                self._incoming.write(data)
            else:
                self._incoming.write_eof()

    async def _flush(self) -> None:
        """Send what TLS has to say. What the other task adds meanwhile is sent as well."""
        self._flushing = True
        try:
            while self._outgoing.pending:
                await self._tcp.send_all(self._outgoing.read())
        finally:
            self._flushing = False

    def _try(self, step: Callable[..., Any], *args: Any) -> tuple[bool, Any]:
        try:
            return True, step(*args)
        except ssl.SSLWantReadError:
            return False, None
        except ssl.SSLError as error:
            raise trio.BrokenResourceError from error
