"""Applications in tasks of their own, one for each stream of a multiplexed connection."""

import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import structlog
import trio

from svc.domain.limits import UNSENT_CONNECTION_BYTES_MAX, UNSENT_STREAM_BYTES
from svc.http.asgi import STEADY_BODY, STEADY_BODY_BYTES, ASGIApp, Message, Scope
from svc.http.request.body import BodyTimeout
from svc.http.request.request_id import REQUEST_ID_HEADER, request_id_of
from svc.http.server._connection import ClientLeft, Connection
from svc.http.server._context import Context
from svc.http.server._exchange import INTERNAL_SERVER_ERROR, REQUEST_TIMEOUT
from svc.http.server._unsent import Body, Ledger, UnsentPart

log = structlog.get_logger(__name__)

STREAMS_MAX: Final = 100
"""Requests that one connection may have under way, including those that the client has reset."""
_MESSAGES_MAX: Final = 10
"""Pieces of a body that are queued for the application before reading stops."""

SendOrEnd = Callable[[Message | None], Awaitable[None]]


class Tasks:
    """Runs a connection's applications, and helpers that end when all of those are done."""

    def __init__(
        self, helpers: trio.Nursery, applications: trio.Nursery, context: Context, connection: Connection
    ) -> None:
        self.context = context
        self._helpers = helpers
        self._applications = applications
        self._connection = connection
        self._at_work = 0
        self._ledgers = (Ledger(UNSENT_CONNECTION_BYTES_MAX), connection.share.unsent, context.unsent)

    @property
    def full(self) -> bool:
        """Whether no other application may be started."""
        return len(self._applications.child_tasks) >= STREAMS_MAX

    @property
    def crowded(self) -> bool:
        """Whether so many answers wait for this client that it is not given others to leave."""
        connection, address, _ = self._ledgers
        return connection.crowded or address.crowded

    async def wait_turn(self) -> None:
        """Wait until it is the turn of the connection's address: one of its requests begins at a time.

        However many come at once, what others ask for is done between two of them.
        """
        async with self._connection.share.turn:
            await trio.lowlevel.checkpoint()

    def spawn(self, fn: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Run a helper."""
        self._helpers.start_soon(fn, *args)

    async def spawn_app(
        self, app: ASGIApp, _config: object, scope: Scope, send: SendOrEnd
    ) -> Callable[[Message], Awaitable[None]]:
        """Run *app* for one stream. Returns what passes it messages; *send* gets None at its end."""
        scope["extensions"] |= self.context.extensions
        stream = Stream(scope, send, self)
        self.begin_work()
        self._applications.start_soon(stream.run, app)
        return stream.put

    def unsent_part(self, body: Body, give_up: Callable[[], None]) -> UnsentPart:
        """What a stream keeps that sends *body*; *give_up* ends it, whose client does not read."""
        return UnsentPart(body, self._ledgers, give_up, beside_bytes=UNSENT_STREAM_BYTES)

    def close_deaf(self) -> None:
        """Close the connection at once if its client reads nothing at all, not even that a stream is over."""
        if not self._connection.takes_data():
            self._connection.evict()

    def begin_work(self) -> None:
        """Note that a stream does not wait for its client. While one does not, the connection does not."""
        self._at_work += 1
        if self._at_work == 1:
            self.context.waiting.end(self._connection)

    def end_work(self) -> None:
        """Note that a stream waits for its client, or has ended."""
        self._at_work -= 1
        if not (self._at_work or self._connection.evicted):
            self.context.waiting.begin(self._connection)


class Stream:
    """The application's side of one stream."""

    def __init__(self, scope: Scope, send: SendOrEnd, tasks: Tasks) -> None:
        self._scope = scope
        self._send = send
        self._tasks = tasks
        self._to_app, self._messages = trio.open_memory_channel[Message](_MESSAGES_MAX)
        self._last: Message = {"type": "http.disconnect"}
        self._started = False
        self._body_seconds = tasks.context.options.body_seconds if scope["type"] == "http" else math.inf
        self._body_by: float | None = None
        self._read_bytes = 0  # of the body, since its time began
        self._waiting = False  # for the rest of the body
        self._ended = False  # the end of the answer is given
        self._client_left = False

    async def run(self, app: ASGIApp) -> None:
        """Run *app*."""
        try:
            with self._messages:
                await self._run(app)
            await self._send(None)
        finally:
            if not self._waiting:
                self._tasks.end_work()

    async def _run(self, app: ASGIApp) -> None:
        try:
            await app(self._scope, self._receive, self._answer)
        except BodyTimeout:
            await self._answer_instead(REQUEST_TIMEOUT)
        except Exception:
            if self._client_left:
                return
            path = self._scope["raw_path"].decode("latin-1")
            log.exception("request failed", path=path, request_id=self._id().decode())
            await self._answer_instead(INTERNAL_SERVER_ERROR)

    async def put(self, message: Message) -> None:
        """Pass *message* on, or drop it once the application is done. Waits while too many wait."""
        if message["type"].endswith(".disconnect"):
            # The application itself may be the caller, so this must not wait for it.
            self._last = message
            self._client_left = message["type"] == "http.disconnect" and not self._ended
            self._to_app.close()
        else:
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self._to_app.send(message)

    async def _receive(self) -> Message:
        if self._body_by is None:
            self._body_by = trio.current_time() + self._body_seconds
            self._begin_waiting()
        elif self._read_bytes >= STEADY_BODY_BYTES and STEADY_BODY in self._scope and self._waiting:
            self._body_by = trio.current_time() + self._body_seconds
            self._read_bytes = 0
        with trio.CancelScope(deadline=self._body_by) as patience:
            try:
                message = await self._messages.receive()
            except trio.EndOfChannel:
                message = self._last
            self._read_bytes += len(message.get("body", b""))
            if not message.get("more_body", False):
                self._body_by = math.inf
                self._end_waiting()
        if patience.cancelled_caught:
            if self._started:
                return self._last
            raise BodyTimeout
        return message

    def _begin_waiting(self) -> None:
        if self._scope["type"] == "http" and not self._started:
            self._waiting = True
            self._tasks.end_work()

    def _end_waiting(self) -> None:
        if self._waiting:
            self._waiting = False
            self._tasks.begin_work()

    async def _answer(self, message: Message) -> None:
        """ASGI. Raises `ClientLeft` if the client has disconnected, before all of it was sent or earlier."""
        self._started = True
        self._end_waiting()
        if not self._client_left:
            self._ended = message["type"] == "http.response.body" and not message.get("more_body", False)
            await self._send(message)
        if self._client_left:
            raise ClientLeft

    async def _answer_instead(self, status: int) -> None:
        """Answer in the application's place, if no answer has begun."""
        if self._started or self._scope["type"] != "http":
            return
        headers = [(REQUEST_ID_HEADER, self._id()), (b"content-length", b"0")]
        await self._answer({"type": "http.response.start", "status": status, "headers": headers})
        await self._answer({"type": "http.response.body", "body": b""})

    def _id(self) -> bytes:
        return request_id_of(self._scope["headers"], self._tasks.context.random)
