"""HTTP/2 and WebSocket, in hypercorn's protocols, with an end to every wait.

These carry much at once and both ways, so one task reads a connection and each stream's application
runs in its own. docs/decisions/0003-http-server.md says why HTTP/1.1 is not served so.
"""

import sys
from contextlib import suppress
from typing import Any, Final

import trio
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.ws_stream import WSStream
from hypercorn.trio.worker_context import WorkerContext

from svc.http.server._connection import Connection
from svc.http.server._context import Context
from svc.http.server._http2 import Http2
from svc.http.server._stream import STREAMS_MAX, Tasks
from svc.http.server._websocket import WebSocket

_PING_SECONDS: Final = 20
"""Interval of pings on a WebSocket, so that a dead client makes a write time out."""
_GOING_AWAY: Final = 1001


class Hypercorn:
    """Serves HTTP/2 and WebSocket on connections that negotiate them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.worker = WorkerContext(None)
        self.config = Config()
        self.config.errorlog = None
        self.config.include_server_header = False
        self.config.h11_max_incomplete_size = 2 * context.options.head_bytes_max
        self.config.h2_max_header_list_size = context.options.head_bytes_max
        self.config.h2_max_concurrent_streams = STREAMS_MAX
        self.config.websocket_ping_interval = _PING_SECONDS
        # After so many it would close the connection over the answers that are under way.
        self.config.keep_alive_max_requests = sys.maxsize
        self._talks: set[_Talk] = set()

    async def speak_http2(self, connection: Connection) -> None:
        """Serve HTTP/2 on *connection* to its end."""
        await self._hold(_Talk(self, connection), Http2)

    async def speak_websocket(self, connection: Connection, handshake: bytes, early: bytes) -> None:
        """Serve the WebSocket whose *handshake* has come, and perhaps something *early* after it."""
        await self._hold(_Talk(self, connection), WebSocket, handshake, early)

    def stop(self) -> None:
        """End what has no end of its own; `Connection.stop` ends what is idle."""
        for talk in self._talks:
            talk.stop()

    async def _hold(self, talk: "_Talk", protocol: type[Http2 | WebSocket], *received: bytes) -> None:
        self._talks.add(talk)
        try:
            await talk.run(protocol, *received)
        finally:
            self._talks.discard(talk)


class _Talk:
    """One connection between its client and one of hypercorn's protocols."""

    def __init__(self, hypercorn: Hypercorn, connection: Connection) -> None:
        self._hypercorn = hypercorn
        self._context = hypercorn.context
        self._connection = connection
        self._protocol: Http2 | WebSocket
        self._send_lock = trio.Lock()

    async def run(
        self, protocol: type[Http2 | WebSocket], handshake: bytes = b"", early: bytes = b""
    ) -> None:
        """Talk until either side ends it, and until every application that it started is done."""
        async with trio.open_nursery() as helpers:
            async with trio.open_nursery() as applications:
                tasks = Tasks(helpers, applications, self._context, self._connection)
                self._protocol = self._make(protocol, tasks)
                with self._connection.scope:
                    self._note_idle(idle=True)
                    await self._protocol.initiate()
                    if isinstance(self._protocol, WebSocket):
                        await self._protocol.open(handshake)
                    await self._listen(early)
                self._note_idle(idle=False)
                if self._connection.evicted:
                    applications.cancel_scope.cancel()
                else:
                    await self._say_farewell()
            helpers.cancel_scope.cancel()

    def stop(self) -> None:
        """End a WebSocket at once, and what is being sent with everything else."""
        sending = self._connection.sending
        sending.deadline = min(sending.deadline, self._context.ends_at)
        if isinstance(self._protocol, WebSocket):
            self._connection.scope.cancel()

    def _make(self, protocol: type[Http2 | WebSocket], tasks: Any) -> Http2 | WebSocket:
        app: Any = self._context.app
        state: Any = {}
        return protocol(
            app,
            self._hypercorn.config,
            self._hypercorn.worker,
            tasks,
            state,
            self._connection.scheme == "https",
            self._connection.client,
            self._connection.server,
            self._obey,
        )

    async def _listen(self, received: bytes) -> None:
        while received or (received := await self._connection.receive()):
            await self._protocol.handle(RawData(received))
            received = b""

    async def _obey(self, event: Event) -> None:
        """Do what the protocol says: send, or end, or note whether it is idle."""
        if isinstance(event, RawData):
            async with self._send_lock:
                await self._send(event.data)
        elif isinstance(event, Updated):
            self._note_idle(idle=event.idle)
            if event.idle and self._context.stopping:
                self._connection.scope.cancel()
        elif isinstance(event, Closed):
            self._connection.scope.cancel()

    async def _send(self, data: bytes) -> None:
        # Streams share the connection: a write cut short for one of them would spoil it for all.
        deadline = min(trio.current_time() + self._context.options.write_seconds, self._context.ends_at)
        sending = trio.CancelScope(shield=True, deadline=deadline)
        self._connection.sending = sending
        if not self._connection.evicted:
            with sending, suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self._connection.stream.send_all(data)
                return
        self._connection.scope.cancel()
        await trio.aclose_forcefully(self._connection.stream)

    def _note_idle(self, *, idle: bool) -> None:
        self._connection.idle = idle
        self._context.idles.end(self._connection.scope)
        if idle:
            self._context.idles.begin(self._connection.scope)

    async def _say_farewell(self) -> None:
        protocol = self._protocol
        if isinstance(protocol, Http2):
            await protocol.go_away()
        elif isinstance(protocol.stream, WSStream):
            await protocol.stream.app_send({"type": "websocket.close", "code": _GOING_AWAY, "reason": None})
        await protocol.handle(Closed())
