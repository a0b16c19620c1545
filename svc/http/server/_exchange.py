"""One request and its answer, as ASGI.

The application pulls: `receive` reads the socket, and nothing reads it while the application works. So a
rejected body is never read, a client that disconnects does not cancel accepted work, and a request needs
no task and no channel.
"""

from typing import Final, Protocol
from urllib.parse import unquote

import structlog
import trio

from svc.http.asgi import STEADY_BODY, STEADY_BODY_BYTES, Message, Scope
from svc.http.request.body import BodyBroken, BodyTimeout
from svc.http.request.request_id import request_id_of
from svc.http.server._connection import ClientLeft, Connection
from svc.http.server._context import Context
from svc.http.server._request import Request, RequestParser
from svc.http.server._response import Response

log = structlog.get_logger(__name__)

REQUEST_TIMEOUT: Final = 408
INTERNAL_SERVER_ERROR: Final = 500
_HUNG_UP_SECONDS: Final = 0.5
"""Interval at which a client is looked after whose data is not read."""
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
_ASGI: Final = {"version": "3.0", "spec_version": "2.4"}


class Link(Protocol):
    """What an exchange needs of the protocol that it is an exchange of."""

    connection: Connection
    context: Context
    parser: RequestParser

    async def receive(self) -> bool:
        """Read once and parse; returns whether any data came."""
        ...

    async def refuse(self, status: int, request_id: bytes | None = None) -> None:
        """Answer *status* in the application's place."""
        ...


class Exchange:
    """Runs the application for one request of *link*; with `closes`, no other request may follow."""

    __slots__ = (
        "_client_left",
        "_done",
        "_late",
        "_link",
        "_pause",
        "_read_bytes",
        "_request",
        "_response",
        "_scope",
        "_taken",
        "_timed_bytes",
        "_waiting",
        "closes",
    )

    def __init__(self, link: Link, request: Request) -> None:
        self.closes = True
        self._link = link
        self._request = request
        self._response: Response | None = None
        self._taken = False  # the application has the whole body
        self._waiting = False  # the body's time runs
        self._late = False  # it ran out
        self._read_bytes = 0  # of the body
        self._timed_bytes = 0  # of these, those that had come when the body's time began
        self._scope = self._make_scope()
        self._done = False  # the whole answer is sent
        self._client_left = False
        self._pause: trio.CancelScope | None = None  # of `receive`, while it waits for the client

    async def run(self) -> None:
        """Run the application, and answer in its place if it does not."""
        try:
            await self._link.context.app(self._scope, self.receive, self.send)
        except ClientLeft:
            self._client_left = True
        except (BodyBroken, BodyTimeout):
            pass
        except Exception:
            if not self._client_left:
                path = self._request.target.partition(b"?")[0].decode("latin-1")
                log.exception("request failed", path=path, request_id=self._id().decode())
        finally:
            if self._waiting:
                self._end_waiting()
        if not self._done:
            await self._answer_instead()

    async def receive(self) -> Message:
        """ASGI: the next piece of the body; after its end, wait until the client disconnects.

        Before an answer has begun, raises `BodyTimeout` if the body is not complete after `body_seconds`, and
        `BodyBroken` if its framing is malformed.
        """
        request = self._request
        if not (self._taken or self._done):
            if request.chunks or request.complete or await self._more_body():
                body = b"".join(request.chunks)
                request.chunks.clear()
                self._taken = request.complete
                self._read_bytes += len(body)
                return {"type": "http.request", "body": body, "more_body": not request.complete}
        elif not self._done:
            await self._wait_client_left()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """ASGI: the head is held back until the first part of the body, so that both are one send.

        Raises:
            ClientLeft: the client has disconnected.
            ValueError: the application's headers or lengths would break the framing.
            RuntimeError: the message is out of order.
        """
        response = self._response
        if message["type"] == "http.response.start" and response is None:
            self._response = Response(
                message["status"],
                message.get("headers", ()),
                method=self._request.method,
                version=self._request.version,
            )
        elif message["type"] == "http.response.body" and response is not None and not self._done:
            more = message.get("more_body", False)
            if self._waiting:
                self._end_waiting()
            begun = response.started  # date and close are parts of the head
            parts = response.encode(
                message.get("body", b""),
                more=more,
                date=b"" if begun else self._link.context.date_line(),
                close=not begun and self._must_close(),
            )
            if not more:
                self._link.connection.share.take(self._link.connection)
            for part in parts:
                await self._write(part)
            if not more:
                self._done = True
                self.closes = response.closes
                if self._pause is not None:
                    self._pause.cancel()
        else:
            raise RuntimeError(f"{message['type']} has no place here")

    def cancel(self) -> None:
        """Cancel the wait for a late body, or the whole exchange if an answer has begun.

        A body that may be slow, and goes on, has its time again.
        """
        if STEADY_BODY in self._scope and self._read_bytes - self._timed_bytes >= STEADY_BODY_BYTES:
            self._timed_bytes = self._read_bytes
            self._link.context.bodies.begin(self)
            return
        self._late = True
        if self._answering():
            self._link.connection.scope.cancel()
        elif self._pause is not None:
            self._pause.cancel()

    def _must_close(self) -> bool:
        request, link = self._request, self._link
        return (
            not request.keep_alive
            or not request.complete
            or link.context.stopping
            or link.connection.share.left <= 0
        )

    async def _write(self, data: bytes) -> None:
        if self._client_left:
            raise ClientLeft
        if data:
            try:
                await self._link.connection.send(data)
            except ClientLeft:
                self._client_left = True
                raise

    async def _more_body(self) -> bool:
        """Wait for the next piece of the body; returns whether it came."""
        request, link = self._request, self._link
        if self._client_left:
            return False
        if request.expects_continue:
            request.expects_continue = False
            await self._write(_CONTINUE)
        self._begin_waiting()
        while not (request.chunks or request.complete):
            if self._done:
                return False
            if self._late:
                raise BodyTimeout
            if link.parser.refused is not None:
                if self._answering():
                    return False
                raise BodyBroken
            with trio.CancelScope() as self._pause:
                self._client_left = not await link.receive()
            if self._client_left:
                return False
        if link.connection.evicted:
            await trio.lowlevel.checkpoint_if_cancelled()
        if request.complete:
            self._end_waiting()
        return True

    def _begin_waiting(self) -> None:
        if not self._waiting:
            self._waiting = True
            self._link.context.bodies.begin(self)
            self._link.context.waiting.begin(self._link.connection)

    def _end_waiting(self) -> None:
        if self._waiting:
            self._waiting = False
            self._link.context.bodies.end(self)
            self._link.context.waiting.end(self._link.connection)

    async def _wait_client_left(self) -> None:
        with trio.CancelScope() as self._pause:
            if await self._link.receive():
                # The next request already. It waits, unread beyond this, and hides the end behind it.
                while not self._link.connection.hung_up():  # noqa: ASYNC110  # no event tells it
                    await trio.sleep(_HUNG_UP_SECONDS)
            self._client_left = True

    async def _answer_instead(self) -> None:
        """Answer in the application's place, if no answer has begun."""
        if not self._client_left and not self._answering():
            await self._link.refuse(self._status_instead(), self._id())

    def _status_instead(self) -> int:
        if not self._request.complete:
            if self._late:
                return REQUEST_TIMEOUT
            if self._link.parser.refused is not None:
                return self._link.parser.refused.status
        return INTERNAL_SERVER_ERROR

    def _answering(self) -> bool:
        """Whether the client has been sent the answer's head."""
        return self._response is not None and self._response.started

    def _id(self) -> bytes:
        return request_id_of(self._request.headers, self._link.context.random)

    def _make_scope(self) -> Scope:
        request, connection = self._request, self._link.connection
        raw_path, _, query_string = request.target.partition(b"?")
        return {
            "type": "http",
            "asgi": _ASGI,
            "http_version": request.version,
            "method": request.method,
            "scheme": connection.scheme,
            "path": unquote(raw_path.decode("latin-1")),
            "raw_path": raw_path,
            "query_string": query_string,
            "root_path": "",
            "headers": request.headers,
            "client": connection.client,
            "server": connection.server,
            "extensions": self._link.context.extensions,
        }
