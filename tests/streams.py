"""A client of streamed responses, and a receiver that sends them as a test says."""

import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from socket import SO_LINGER, SOL_SOCKET

import msgspec
import trio

from svc.actors.outbound.pool import PoolLimits
from svc.actors.outbound.streamed_response import StreamLimits
from svc.actors.outbound.streams import OutboundStreams
from tests.receivers import (
    LOOPBACK,
    read_request,
)

LIMITS = StreamLimits(
    connect_seconds=5, first_byte_seconds=300, idle_seconds=60, total_seconds=900, answer_bytes_max=1_000_000
)
POOL = PoolLimits(connections_max=6, connections_per_origin_max=6, waiting_max=0)
"""Of which one organization may have half."""
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


@asynccontextmanager
async def client(limits: PoolLimits = POOL) -> AsyncIterator[OutboundStreams]:
    streams = OutboundStreams(LOOPBACK, limits)
    async with streams.live():
        yield streams
        assert 0 == streams.statistics().in_progress


async def read_one(streams: OutboundStreams, url: str, body: bytes = b"{}", **limits: float) -> bytes:
    """The whole body of one response."""
    changed = msgspec.structs.replace(LIMITS, **limits)
    async with streams.stream(url, body, {}, changed, owner="org_1") as response:
        return b"".join([part async for part in response])


class Script:
    """A receiver that sends what a test tells it to, once it has read a request."""

    def __init__(self) -> None:
        self.asked = trio.Event()
        self.left = trio.Event()
        """Set when the client has closed the connection."""
        self._stream: trio.SocketStream

    async def serve(self, stream: trio.abc.Stream) -> None:
        assert isinstance(stream, trio.SocketStream)
        self._stream = stream
        await read_request(stream)
        self.asked.set()
        try:
            while await stream.receive_some(65_536):
                pass
        finally:
            self.left.set()

    async def send(self, data: bytes) -> None:
        await self.asked.wait()
        await self._stream.send_all(data)

    def reset(self) -> None:
        self._stream.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self._stream.socket.close()
