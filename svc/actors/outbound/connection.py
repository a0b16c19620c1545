"""A connection to an origin, over TCP or TLS."""

import ssl
from typing import Final

import trio

READ_BYTES: Final = 16 * 1024
"""How much is received at once: what one TLS record has at most."""


class Connection:
    """A connection to *origin*. It closes without blocking, so cancellation cannot leave it open."""

    def __init__(self, origin: str, tcp: trio.SocketStream) -> None:
        self.origin: Final = origin
        self._tcp = tcp
        self._stream: trio.abc.Stream = tcp
        self._transport: _Transport | None = None
        self._used = False

    async def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Speak TLS with *host* from now on. Raises `trio.BrokenResourceError`, whose cause says why.

        A peer may close without `close_notify`, as many do; where an answer ends is told by HTTP.
        """
        self._transport = _Transport(self._tcp)
        # In bytes, since Trio's own way from names to ASCII rejects IPv4 addresses and some names.
        stream = trio.SSLStream(
            self._transport, context, server_hostname=host.encode(), https_compatible=True
        )
        self._stream = stream
        await stream.do_handshake()

    async def send(self, data: bytes) -> None:
        """Send all of *data*. Raises `trio.BrokenResourceError`."""
        self._used = True
        await self._stream.send_all(data)

    async def receive(self) -> bytes:
        """Receive some data, nothing at the end. Raises `trio.BrokenResourceError`."""
        return bytes(await self._stream.receive_some(READ_BYTES))

    def is_readable(self) -> bool:
        """Whether data has arrived, or the end of the connection."""
        return self._tcp.socket.is_readable()

    def has_spoken_first(self) -> bool:
        """Whether data arrived before the first request. Unknown over TLS, where session tickets do."""
        return not self._used and self._transport is None and self.is_readable()

    async def has_read_ahead(self) -> bool:
        """Whether TLS has read data, or the end, that was not received; no socket is readable for that."""
        if self._transport is None:
            return False
        self._transport.dry = True
        try:
            await self._stream.receive_some(1)
        except trio.WouldBlock:
            return False
        except trio.BrokenResourceError:
            return True
        else:
            return True
        finally:
            self._transport.dry = False

    def close(self) -> None:
        """Close the socket at once. TLS is not told, as is usual with HTTP."""
        self._tcp.socket.close()


class _Transport(trio.abc.Stream):
    """The TCP side of a TLS stream.

    While it is `dry`, receiving raises `trio.WouldBlock` instead of waiting. TLS reads more records than it
    was asked for and tells of none, so this is how it shows whether it still has one.
    """

    def __init__(self, tcp: trio.SocketStream) -> None:
        self.dry = False
        self._tcp = tcp

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if self.dry:
            raise trio.WouldBlock
        return await self._tcp.receive_some(max_bytes)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._tcp.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._tcp.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        await self._tcp.aclose()
