"""WebSocket over HTTP/1.1 by hypercorn, from the handshake on."""

from typing import Any

import trio
from hypercorn.events import RawData
from hypercorn.protocol.events import Event as StreamEvent
from hypercorn.protocol.events import Response
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.protocol.ws_stream import WSStream

_CLOSE = (b"connection", b"close")
_FINAL = 200


class WebSocket(H11Protocol):
    """One connection's WebSocket."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._accepted = trio.Event()

    async def open(self, handshake: bytes) -> None:
        """Handle the *handshake*, and wait until the application accepts it.

        A refusal ends the connection, and with it this wait. Before either, hypercorn takes nothing else.
        """
        await self.handle(RawData(handshake))
        await self._accepted.wait()

    async def stream_send(self, event: StreamEvent) -> None:
        """Send part of the handshake's answer, or a message. A rejection closes the connection."""
        if isinstance(event, Response) and event.status_code >= _FINAL and _CLOSE not in event.headers:
            event.headers.append(_CLOSE)
        await super().stream_send(event)
        if isinstance(self.stream, WSStream) and self.stream.handshake.accepted:
            self._accepted.set()
