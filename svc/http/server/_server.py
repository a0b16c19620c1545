"""The connections of a server."""

from typing import Final

import structlog
import trio

from svc.http.server._connection import Connection, Stream
from svc.http.server._context import Context
from svc.http.server._http1 import SERVICE_UNAVAILABLE, Http1
from svc.http.server._hypercorn import Hypercorn
from svc.http.server._spare import SpareDescriptors

log = structlog.get_logger(__name__)

_TURN_AWAY_SECONDS: Final = 1.0


class Server:
    """Serves connections, and closes them when it stops."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._connections: set[Connection] = set()
        self._turned_away = 0
        self._spare = SpareDescriptors(context.options.spare_descriptors)
        self._hypercorn = Hypercorn(context)

    async def attend(self, stream: Stream) -> None:
        """Serve one connection to its end. Its errors are not raised."""
        try:
            connection = Connection(stream, self._context)
            if self._has_room(connection):
                await self._serve(connection)
            else:
                await self._turn_away(connection)
        except OSError:
            pass  # they are gone
        except Exception:
            log.exception("connection failed")
        finally:
            await trio.aclose_forcefully(stream)
            self._spare.hold()

    def hold_descriptors(self) -> None:
        """Hold some back for `make_room`, until `let_descriptors_go`."""
        self._spare.hold()

    def let_descriptors_go(self) -> None:
        """Hold none back any more."""
        self._spare.close()

    def make_room(self) -> bool:
        """Make room for a connection where the process has no descriptors: one of those that are held back.

        It comes back with the descriptor of the connection that has waited longest, which is closed instead.
        Returns whether there was one.
        """
        self._evict_longest()
        return self._spare.give_up_one()

    def stop(self) -> None:
        """Close every idle connection; the others close after their next answer."""
        self._context.stop()
        for connection in self._connections:
            connection.stop()
        self._hypercorn.stop()

    def _has_room(self, connection: Connection) -> bool:
        """Whether there is room for *connection*; if need be, another that waits for its client is closed."""
        if connection.share.left <= 0:
            return False
        if len(self._connections) < self._context.options.connections_max:
            return True
        return self._evict_longest()

    def _evict_longest(self) -> bool:
        """Close the connection that has waited longest for its client; returns whether there was one."""
        longest = self._context.waiting.longest()
        if longest is None:
            return False
        self._connections -= {longest}
        longest.evict()
        return True

    async def _serve(self, connection: Connection) -> None:
        self._connections.add(connection)
        self._context.waiting.open(connection)
        try:
            await self._speak(connection)
        finally:
            self._context.waiting.close(connection)
            self._connections.discard(connection)

    async def _speak(self, connection: Connection) -> None:
        """Serve the protocol that the client negotiates."""
        if await connection.shake_hands() == "h2":
            await self._hypercorn.speak_http2(connection)
            await self._part(connection)
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
            if not connection.evicted:
                with connection.scope:
                    await http1.give_up()
        elif handshake is not None:
            await self._hypercorn.speak_websocket(connection, handshake.head(), http1.parser.upgraded)
            await self._part(connection)

    async def _part(self, connection: Connection) -> None:
        """Linger, so that a client that is still sending can read its answer."""
        if connection.readable() and not connection.evicted:
            connection.scope = trio.CancelScope()
            self._context.waiting.begin(connection)
            with connection.scope:
                await connection.linger()

    async def _turn_away(self, connection: Connection) -> None:
        """Answer 503 to a client for which there is no room, if that can be done at once.

        Over TLS it cannot: the handshake would cost more than many a request.
        """
        if connection.scheme == "https" or self._turned_away >= self._context.options.turned_away_max:
            return
        self._turned_away += 1
        try:
            with trio.move_on_after(_TURN_AWAY_SECONDS):
                await connection.receive()
                await Http1(connection, self._context).refuse(SERVICE_UNAVAILABLE)
                await connection.linger()
        finally:
            self._turned_away -= 1
