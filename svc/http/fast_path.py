"""The fast path: ASGI middleware that answers the busiest doors in front of Quart.

Quart's own work is most of the cost of a small request. A door here gets what Quart's doors get: a body
within a limit, the request's id on the answer, and answers of its own to errors. It answers with a whole
`Answer`, or with a `StreamAnswer` whose parts are sent as they come.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Final, Protocol

import msgspec
import structlog
import trio

from svc.domain.randomness import SYSTEM, Randomness
from svc.domain.requests.requests import CLIENT_GONE, CLIENT_GONE_STATUS
from svc.http.asgi import STEADY_BODY, STOPPING, ASGIApp, Headers, Message, Receive, Scope, Send, joined
from svc.http.request.body import (
    REQUEST,
    BodyBroken,
    BodyPieces,
    BodyTimeout,
    BodyTooLarge,
    ClientGone,
    read_body,
)
from svc.http.request.request_id import REQUEST_ID_HEADER, request_id_of
from svc.http.request_spans import RequestSpan
from svc.http.requests.lines import Line
from svc.http.traffic import PAGES, CountedSend, Traffic
from svc.request_id import set_request_id
from svc.telemetry.spans import Tracer

__all__ = [
    "Answer",
    "BodyTooLarge",
    "ClientGone",
    "Door",
    "FastPath",
    "PartSender",
    "Request",
    "Routes",
    "StreamAnswer",
    "answer_at",
    "send_stream",
]

log = structlog.get_logger(__name__)


class Answer(msgspec.Struct, frozen=True):
    """A complete response. `Content-Length` and `X-Request-Id` are added when it is sent."""

    status: int
    headers: Sequence[tuple[bytes, bytes]] = ()
    body: bytes | bytearray = b""


class StreamAnswer(msgspec.Struct, frozen=True):
    """A response that is sent in parts. `X-Request-Id` is added when its head is sent.

    *write* runs in the request's task, after the door has returned, and is cancelled as soon as the client
    disconnects. What it needs meanwhile, such as a request to another server, it opens and closes itself,
    so that nothing is left to the garbage collector.

    The head waits for the first part. Until then *write* may return an `Answer` to be sent instead, or raise
    what `problem_for` answers. A failure after it is logged, and the answer has no end, as the client sees.
    HEAD is answered with the head alone, and *write* is not run.
    """

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    write: Callable[["PartSender"], Awaitable[Answer | None]]


class PartSender:
    """Sends the parts of one `StreamAnswer`. One task at a time may send."""

    __slots__ = ("_answer", "_scope", "_send", "begun", "bytes_sent", "client_left", "request", "stopping")

    def __init__(self, request: "Request", send: Send, answer: StreamAnswer, scope: trio.CancelScope) -> None:
        self.request: Final = request
        self.stopping: Final = request.stopping
        """Set once the server stops. A stream then has `graceful_seconds` to end in its own way."""
        self.begun = False
        """Whether the head has been sent."""
        self.bytes_sent = 0
        """Bytes of the body that the operating system has taken."""
        self.client_left = False
        """Whether the client has disconnected, which is then why the stream is cancelled."""
        self._send = send
        self._answer = answer
        self._scope = scope

    async def send(self, part: bytes) -> None:
        """Send *part* now, after the head if it is the first; an empty first one sends the head alone.

        Returns once the operating system has taken it, so a client that does not read holds up the stream;
        after `write_seconds` without progress it counts as disconnected. That cancels the stream.
        """
        try:
            if not self.begun:
                self.begun = True
                await self._send(self.head())
            await self._send({"type": "http.response.body", "body": part, "more_body": True})
            self.bytes_sent += len(part)
        except OSError:
            self.cancel()
            await trio.lowlevel.checkpoint_if_cancelled()
            raise ClientGone from None  # only where the door is shielded from the cancellation

    def head(self) -> Message:
        """The ASGI message that begins the answer."""
        headers = [*self._answer.headers, (REQUEST_ID_HEADER, self.request.id)]
        return {"type": "http.response.start", "status": self._answer.status, "headers": headers}

    def cancel(self) -> None:
        """Cancel the stream, since its client has disconnected."""
        self.client_left = True
        self._scope.cancel()


class Request:
    """A request at a door of the fast path. Its body is not read before `read`."""

    __slots__ = (
        "_extensions",
        "_fields",
        "_receive",
        "_scope",
        "began_at",
        "bytes_in",
        "client",
        "headers",
        "id",
        "line",
        "method",
        "path",
        "query",
        "scheme",
    )

    def __init__(
        self, scope: Scope, receive: Receive, request_id: bytes, began_at: float | None = None
    ) -> None:
        self.method: Final[str] = scope["method"]
        self.scheme: Final[str] = scope.get("scheme", "http")
        self.path: Final[str] = scope["path"]
        self.query: Final[bytes] = scope["query_string"]
        """The part after the question mark, undecoded."""
        self.headers: Final[Headers] = scope["headers"]
        self.client: Final[str] = scope["client"][0] if scope["client"] else ""
        """The address of the socket's peer; empty where the peer has none."""
        self.id: Final = request_id
        """The value of `X-Request-Id` in the answer."""
        self.began_at: Final = trio.current_time() if began_at is None else began_at
        """When the head had come, by Trio's clock."""
        self.bytes_in = 0
        """The length of the body, once it is known."""
        self.line: Line | None = None
        """What it leaves in the request log; None for what is not logged."""
        self._receive = receive
        self._scope = scope
        self._extensions = scope.get("extensions")  # which ASGI leaves to servers
        self._fields = dict(self.headers)
        if len(self._fields) != len(self.headers):
            self._fields = joined(self.headers)

    @property
    def stopping(self) -> trio.Event:
        """Set once the server stops, if it tells."""
        stopping: trio.Event = (self._extensions or {}).get(STOPPING, trio.Event())
        return stopping

    def header(self, name: bytes) -> bytes | None:
        """The value of the header *name*, given in lower case; repeated headers are joined by commas."""
        return self._fields.get(name)

    def text(self, name: str) -> str | None:
        """The value of the header *name* as text."""
        value = self._fields.get(name.encode())
        return None if value is None else value.decode("latin-1")

    async def read(self, limit_bytes: int) -> bytes:
        """Read the whole body. After that, a client that disconnects does not cancel the door's work.

        Raises:
            BodyTooLarge: the body, or its `Content-Length`, is over *limit_bytes*.
            BodyCoded: it has a `Content-Encoding`.
            BodyTimeout: it did not arrive in time.
            BodyBroken: its framing is malformed.
            ClientGone: the client disconnected before its end.
        """
        body = await read_body(self._receive, self.length, limit_bytes, self._fields.get(b"content-encoding"))
        self.bytes_in = len(body)
        return body

    @property
    def length(self) -> int | None:
        """What `Content-Length` says. Raises `BodyBroken` for what is no length."""
        length = self._fields.get(b"content-length")
        if length and not length.isdigit():
            raise BodyBroken  # HTTP/2 lets several lengths pass, which are joined here
        return int(length) if length else None

    def pieces(self, limit_bytes: int) -> BodyPieces:
        """The body piece by piece, for this caller alone; a slow one has time while it goes on."""
        self._scope[STEADY_BODY] = True
        self.bytes_in = self.length or 0
        return BodyPieces(self._receive, self.length, limit_bytes, self._fields.get(b"content-encoding"))

    async def wait_client_left(self) -> None:
        """Wait until the client disconnects. Call it after `read`."""
        while (await self._receive())["type"] == REQUEST:
            pass


class Door(Protocol):
    """Answers requests at one path."""

    async def __call__(self, request: Request) -> Answer | StreamAnswer:
        """Answer *request*. Whatever it raises is answered by `problem_for`.

        Before it returns a `StreamAnswer` it reads the body.
        """
        ...

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """The answer for an *error* that the door raised. Must not raise."""
        ...


class Routes:
    """Which door answers at which path, for the fast path and for Quart behind it.

    A door of *doors* whose path ends with a slash answers for one more segment below it, and one of *trees*
    for all that is below its path.
    """

    def __init__(self, doors: Mapping[str, Door], *, trees: Mapping[str, Door] | None = None) -> None:
        self.doors: Final = doors
        self.trees: Final = trees or {}
        self._trees = tuple(self.trees.items())

    def door_at(self, path: str) -> Door | None:
        """The door that answers at *path*, if any."""
        door = self.doors.get(path) or self.doors.get(path[: path.rfind("/") + 1])
        return door or next((door for above, door in self._trees if path.startswith(above)), None)


async def answer_at(door: Door, request: Request) -> Answer | StreamAnswer:
    """What *door* answers, errors included. Raises `ClientGone` if there is no client to answer."""
    try:
        answer = await door(request)
    except ClientGone:
        _note_client_gone(request, CLIENT_GONE_STATUS)
        raise
    except Exception as error:  # noqa: BLE001  # each door maps its own errors
        answer = door.problem_for(request, error)
    if request.line is not None and isinstance(answer, Answer):
        request.line.add(request, answer.status, len(answer.body))
    return answer


class FastPath:
    """Sends a request at one of *routes* to its door, and every other request to *app*.

    Request ids are made of *random*. Answers are counted in *traffic*, and traced by *tracer*.
    """

    def __init__(
        self,
        app: ASGIApp,
        routes: Routes,
        random: Randomness = SYSTEM,
        traffic: Traffic | None = None,
        tracer: Tracer | None = None,
    ) -> None:
        self.app: Final = app
        self._routes = routes
        self._random = random
        self._traffic = traffic or Traffic()
        self._tracer = tracer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        door = self._routes.door_at(scope["path"]) if scope["type"] == "http" else None
        if self._tracer is None or scope["type"] != "http":
            await self._answer(door, scope, receive, send)
            return
        name = PAGES if door is None else self._traffic.name_of(door)
        span = RequestSpan(self._tracer, scope, name, send)
        with span:
            await self._answer(door, scope, receive, send, span)

    async def _answer(
        self, door: Door | None, scope: Scope, receive: Receive, send: Send, span: RequestSpan | None = None
    ) -> None:
        traffic, began_at = self._traffic, trio.current_time()
        if door is None:
            sent = send if span is None else span.send
            await self.app(scope, receive, CountedSend(sent, traffic, PAGES, began_at))
            return
        name = traffic.name_of(door)
        request = Request(scope, receive, request_id_of(scope["headers"], self._random), began_at)
        set_request_id(request.id)
        try:
            answer = await answer_at(door, request)
        except ClientGone:
            return
        if isinstance(answer, StreamAnswer):
            traffic.streams[name] += 1
            sent = send if span is None else span.send
            try:
                await send_stream(CountedSend(sent, traffic, name, began_at), request, answer, door)
            finally:
                traffic.streams[name] -= 1
        else:
            traffic.note(name, answer.status, trio.current_time() - began_at)
            if span is not None:
                span.status = answer.status
            await _send(send, request, answer)


async def _send(send: Send, request: Request, answer: Answer) -> None:
    headers = [*answer.headers, (REQUEST_ID_HEADER, request.id)]
    if answer.status != HTTPStatus.NOT_MODIFIED:  # it would be read as the length of the cached body
        headers.append((b"content-length", b"%d" % len(answer.body)))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    body = b"" if request.method == "HEAD" else answer.body
    await send({"type": "http.response.body", "body": body})


async def send_stream(send: Send, request: Request, answer: StreamAnswer, door: Door) -> None:
    """Send the parts of *answer*, until its end or until the client disconnects."""
    whole: Answer | None = None
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        parts = PartSender(request, send, answer, nursery.cancel_scope)
        if request.method != "HEAD":
            nursery.start_soon(_watch_client, parts)
            try:
                whole = await answer.write(parts)
            except Exception as error:  # noqa: BLE001  # raised or answered below, outside of the nursery
                failure = error
        nursery.cancel_scope.cancel()
    if failure is not None and not isinstance(failure, ClientGone):
        if parts.begun:
            log.error("stream failed", path=request.path, request_id=request.id.decode(), exc_info=failure)
            _note_stream(request, answer.status, parts.bytes_sent, "internal")
            return
        whole = door.problem_for(request, failure)
    if parts.client_left or isinstance(failure, ClientGone):
        _note_client_gone(request, answer.status if parts.begun else CLIENT_GONE_STATUS, parts.bytes_sent)
        return
    if whole is not None and not parts.begun:
        _note_stream(request, whole.status, len(whole.body))
        await _send(send, request, whole)
        return
    _note_stream(request, answer.status, parts.bytes_sent)
    if not parts.begun:
        await send(parts.head())
    await send({"type": "http.response.body", "body": b""})


def _note_stream(request: Request, status: int, bytes_out: int, code: str | None = None) -> None:
    """Add the line of a request that was answered in parts, to the request log."""
    if request.line is not None:
        request.line.code = request.line.code or code
        request.line.add(request, status, bytes_out)


def _note_client_gone(request: Request, status: int, bytes_out: int = 0) -> None:
    _note_stream(request, status, bytes_out, CLIENT_GONE)


async def _watch_client(parts: PartSender) -> None:
    """Cancel the stream when its client disconnects, or breaks off a body that the door did not read."""
    with suppress(BodyBroken, BodyTimeout):
        await parts.request.wait_client_left()
    parts.cancel()
