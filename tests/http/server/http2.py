"""A client of HTTP/2 that sends exactly what a test gives it."""

from typing import Any

import h2.config
import h2.connection
import h2.events
import trio
import trio.testing

from svc.http.server._connection import Connection
from tests.http.serving import Memory


class Http2Client:
    """A client of HTTP/2: on a connection in memory to *server*, or on *stream*."""

    def __init__(self, server: Memory | None = None, stream: Any = None) -> None:
        self.stream = stream
        # What is tested is what a client may send that does not mind the rules.
        config = h2.config.H2Configuration(
            header_encoding="utf-8", validate_outbound_headers=False, normalize_outbound_headers=False
        )
        self.protocol = h2.connection.H2Connection(config)
        self._events: list[h2.events.Event] = []
        if server is not None:
            self.stream, theirs = trio.testing.memory_stream_pair()
            server.start(self._speak, server, theirs)

    async def _speak(self, server: Memory, stream: Any) -> None:
        connection = Connection(stream, server.context)
        server.server._connections.add(connection)
        server.context.waiting.open(connection)
        try:
            await server.server._hypercorn.speak_http2(connection)
        finally:
            server.context.waiting.close(connection)
            server.server._connections.discard(connection)
            await trio.aclose_forcefully(stream)

    async def begin(self) -> None:
        self.protocol.initiate_connection()
        await self.flush()

    async def flush(self) -> None:
        await self.stream.send_all(self.protocol.data_to_send())

    async def ask(self, stream_id: int, *headers: tuple[str, str], end: bool = True) -> None:
        """Begin a stream with a POST of /, unless *headers* say otherwise."""
        given = {":method": "POST", ":path": "/", ":scheme": "https", ":authority": "a"} | dict(headers)
        asked = list(given.items())
        self.protocol.send_headers(stream_id, asked, end_stream=end)
        await self.flush()

    async def end(self, stream_id: int) -> None:
        """End the body of a stream."""
        self.protocol.end_stream(stream_id)
        await self.flush()

    async def next(self, kind: type[h2.events.Event] | tuple[type[h2.events.Event], ...]) -> Any:
        """The next event of *kind*; those before it are dropped. None once the server has closed."""
        while True:
            while self._events:
                event = self._events.pop(0)
                if isinstance(event, kind):
                    return event
            data = await self.stream.receive_some()
            if not data:
                return None
            self._events = self.protocol.receive_data(bytes(data))
            await self.flush()

    async def status(self) -> str:
        event = await self.next(h2.events.ResponseReceived)
        return str(dict(event.headers)[":status"])
