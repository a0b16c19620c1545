"""The HTTP client for requests whose response is read in parts, as they come, such as those of AI providers.

Beside `OutboundHttp`, it has connections and places of its own, so that long streams never hold up pushes. It
does not repeat a request: what is asked here may cost money each time.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import msgspec
import trio

from svc.actors.outbound.connection import Connection
from svc.actors.outbound.connector import Connector
from svc.actors.outbound.errors import NoPlace, NotConnected, NotSent
from svc.actors.outbound.exchange import encode_head
from svc.actors.outbound.names import NameLookups
from svc.actors.outbound.pool import KeptConnections, Places, PoolLimits
from svc.actors.outbound.streamed_response import StreamedResponse, StreamLimits
from svc.actors.outbound.target import Target, parse_target
from svc.domain.net.client_addresses import Network


class StreamStatistics(msgspec.Struct, frozen=True):
    """Requests in progress, and idle connections."""

    in_progress: int
    kept: int


def _ignore() -> None:
    """Note nothing."""


class OutboundStreams:
    """A client of streamed responses, with a pool of its own."""

    def __init__(
        self, allowed: Sequence[Network] | None, limits: PoolLimits, names: NameLookups | None = None
    ) -> None:
        """*allowed*: networks that may be reached although they are not public; None: any address may.

        *names*: the look-ups of names; None for some of its own.

        Addresses from the configuration are trusted, those of organizations are not: they need a client each,
        since a connection that is kept leads to where it was allowed to.
        """
        self._connector = Connector(allowed, names or NameLookups())
        self._places = Places(limits)
        self._kept = KeptConnections(limits)

    def live(self) -> AbstractAsyncContextManager[None]:
        """Close idle connections when their time is over, and at the end of the block."""
        return self._kept.live()

    @asynccontextmanager
    async def stream(
        self,
        url: str,
        body: bytes | None,
        headers: Mapping[str, str],
        limits: StreamLimits,
        on_connected: Callable[[], None] = _ignore,
        *,
        owner: str,
    ) -> AsyncIterator[StreamedResponse]:
        """POST *body*, or GET where that is None, and give the response once its head has come.

        At the end of the block, close it.

        *on_connected* is called before the first byte is sent. *owner* is the organization that asks: it has
        a share of the places. The connection is used again if the body was read to its end. Raises `NoPlace`
        if too many requests are in progress or names looked up, and a `StreamFailed` otherwise.
        """
        try:
            target = parse_target(url)
            method = "GET" if body is None else "POST"
            head = encode_head(target, headers, None if body is None else len(body), method)
        except NotSent as error:
            raise NotConnected(str(error)) from error
        await self._places.acquire(owner, target.origin)
        try:
            ends_at = trio.current_time() + limits.total_seconds
            connection = self._kept.take(target.origin) or await self._connect(target, owner, limits)
            response = StreamedResponse(connection, limits, ends_at)
            on_connected()
            try:
                await response.open(head, body or b"")
                yield response
            finally:
                if response.is_in_step():
                    self._kept.put(connection)
                else:
                    connection.close()
        finally:
            self._places.release(owner, target.origin)

    def statistics(self) -> StreamStatistics:
        return StreamStatistics(self._places.taken, len(self._kept))

    async def _connect(self, target: Target, owner: str, limits: StreamLimits) -> Connection:
        seconds = min(limits.connect_seconds, limits.total_seconds)
        try:
            addresses = await self._connector.find(target, owner, seconds)
            with trio.move_on_after(seconds):
                return await self._connector.connect(target, addresses)
        except NoPlace:
            raise
        except NotSent as error:
            raise NotConnected(str(error)) from error
        raise NotConnected(f"no connection within {limits.connect_seconds:g} seconds")
