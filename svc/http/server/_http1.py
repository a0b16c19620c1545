"""HTTP/1.1: the requests of one connection, one after another in the connection's own task."""

from typing import Final

import trio

from svc.http.request.request_id import REQUEST_ID_HEADER, new_request_id
from svc.http.server._connection import Connection
from svc.http.server._context import Context
from svc.http.server._deadlines import Cancellable, Patience
from svc.http.server._exchange import REQUEST_TIMEOUT, Exchange
from svc.http.server._request import Request, RequestParser
from svc.http.server._response import Response

SERVICE_UNAVAILABLE: Final = 503
_RETRY_AFTER_SECONDS: Final = 1


class Http1:
    """Reads requests from *connection* and runs the application for each."""

    def __init__(self, connection: Connection, context: Context) -> None:
        self.connection = connection
        self.context = context
        self.parser = RequestParser(context.options.head_bytes_max, context.options.headers_max)
        self.status_when_late: int | None = None
        """The status to answer if a deadline passes now; None while there is no request."""
        self.reprieved = False
        """Whether the scope was cancelled as a request arrived: `run` answers it in a new scope."""

    async def run(self) -> Request | None:
        """Answer requests until the connection may be closed.

        Returns a WebSocket's handshake as soon as one arrives. The data after it is in `parser.upgraded`.
        """
        self.reprieved = False
        connection, waiting = self.connection, self.context.waiting
        patience = self.context.heads
        while (request := await self._next_request(patience)) is not None:
            waiting.end(connection)
            if request.websocket:
                return request
            exchange = Exchange(self, request)
            await exchange.run()
            waiting.begin(connection)
            if exchange.closes:
                break
            patience = self.context.idles
        if self._unread():
            await self.connection.linger()
        return None

    async def give_up(self) -> None:
        """Answer a client whose deadline has passed."""
        if self.status_when_late is not None:
            await self.refuse(self.status_when_late)
            await self.connection.linger()

    async def refuse(self, status: int, request_id: bytes | None = None) -> None:
        """Answer *status* in the application's place, with a new request id if there is none yet."""
        headers = [(REQUEST_ID_HEADER, request_id or new_request_id(self.context.random))]
        if status == SERVICE_UNAVAILABLE:
            headers.append((b"retry-after", b"%d" % _RETRY_AFTER_SECONDS))
        response = Response(status, headers, method="GET", version="1.1")
        for part in response.encode(b"", more=False, date=self.context.date_line(), close=True):
            await self.connection.send(part)

    async def receive(self) -> bool:
        """Read once and parse; returns whether any data came."""
        data = await self.connection.receive()
        self.parser.feed(data)
        return bool(data)

    async def _next_request(self, patience: Patience[Cancellable]) -> Request | None:
        parser = self.parser
        if not self._ready() and not (await self._begun(patience) and await self._head_complete()):
            return None
        if parser.requests:
            return parser.requests.popleft()
        if parser.refused is not None:
            await self.refuse(parser.refused.status)
        return None

    def _ready(self) -> bool:
        return bool(self.parser.requests) or self.parser.refused is not None

    async def _begun(self, patience: Patience[Cancellable]) -> bool:
        """Wait for the first bytes of the next request; returns whether they came."""
        connection = self.connection
        if self.context.stopping and not connection.readable():
            return False
        connection.idle = True
        patience.begin(connection.scope)
        try:
            begun = await self.receive()
        finally:
            patience.end(connection.scope)
            connection.idle = False
        if connection.scope.cancel_called:
            # It arrived as the idle connection was being closed.
            self.reprieved = begun and not connection.evicted
            await trio.lowlevel.checkpoint_if_cancelled()
        return begun

    async def _head_complete(self) -> bool:
        """Wait for the rest of a head that has begun; returns whether it came."""
        if self._ready():
            return True
        heads, scope = self.context.heads, self.connection.scope
        self.status_when_late = REQUEST_TIMEOUT
        self.context.waiting.renew(self.connection)
        heads.begin(scope)
        try:
            while not self._ready():
                if not await self.receive():
                    return False
        finally:
            heads.end(scope)
        await trio.lowlevel.checkpoint_if_cancelled()
        self.status_when_late = None
        return True

    def _unread(self) -> bool:
        """Whether the client sent, or is sending, data that is not going to be read."""
        parser = self.parser
        return (
            parser.refused is not None
            or parser.within_message
            or bool(parser.requests)
            or self.connection.readable()
        )
