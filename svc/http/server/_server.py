"""A server's connections, from the first to the last."""

from typing import Final

import structlog
import trio

from svc.http.server._connection import Connection, Stream
from svc.http.server._context import Context
from svc.http.server._http1 import SERVICE_UNAVAILABLE, Http1
from svc.http.server._hypercorn import Hypercorn

log = structlog.get_logger(__name__)

_TURN_AWAY_SECONDS: Final = 1.0


class Server:
    """Attends to connections, and ends them when it stops."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._connections: set[Connection] = set()
        self._hypercorn = Hypercorn(context)

    async def attend(self, stream: Stream) -> None:
        """Serve one connection to its end. Nothing that goes wrong on it is raised."""
        try:
            connection = Connection(stream, self._context)
            if len(self._connections) >= self._context.options.connections_max:
                await self._turn_away(connection)
                return
            self._connections.add(connection)
            try:
                await self._speak(connection)
            finally:
                self._connections.discard(connection)
        except OSError:
            pass  # they are gone
        except Exception:
            log.exception("connection failed")
        finally:
            await trio.aclose_forcefully(stream)

    def stop(self) -> None:
        """End every connection on which nothing is under way; the others end with their next answer."""
        self._context.stopping = True
        self._context.ends_at = trio.current_time() + self._context.options.graceful_seconds
        for connection in self._connections:
            connection.stop()
        self._hypercorn.stop()

    async def _speak(self, connection: Connection) -> None:
        """Find out which protocol the client speaks, and speak it."""
        if await connection.shake_hands() == "h2":
            await self._hypercorn.speak_http2(connection)
            return
        http1 = Http1(connection, self._context)
        while True:
            with connection.scope:
                handshake = await http1.run()
            too_late = connection.scope.cancelled_caught
            connection.scope = trio.CancelScope()
            if not http1.reprieved:
                break
        if too_late:
            with connection.scope:
                await http1.give_up()
        elif handshake is not None:
            await self._hypercorn.speak_websocket(connection, handshake.head(), http1.parser.upgraded)

    async def _turn_away(self, connection: Connection) -> None:
        """Tell a client that there are too many of them, if that can be done in a moment."""
        if connection.scheme == "https":
            return
        with trio.move_on_after(_TURN_AWAY_SECONDS):
            await connection.receive()
            await Http1(connection, self._context).refuse(SERVICE_UNAVAILABLE)
            await connection.linger()
