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

__all__ = [
    "Answer",
    "BodyTooLarge",
    "ClientGone",
    "Door",
    "FastPath",
    "PartSender",
    "Request",
    "StreamAnswer",
]

log = structlog.get_logger(__name__)
_PIECE_BYTES: Final = 1024 * 1024


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

    __slots__ = ("_answer", "_scope", "_send", "begun", "client_left", "request", "stopping")

    def __init__(self, request: "Request", send: Send, answer: StreamAnswer, scope: trio.CancelScope) -> None:
        self.request: Final = request
        self.stopping: Final = request.stopping
        """Set once the server stops. A stream then has `graceful_seconds` to end in its own way."""
        self.begun = False
        """Whether the head has been sent."""
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
        "client",
        "headers",
        "id",
        "method",
        "path",
        "query",
        "scheme",
    )

    def __init__(self, scope: Scope, receive: Receive, random: Randomness) -> None:
        self.method: Final[str] = scope["method"]
        self.scheme: Final[str] = scope.get("scheme", "http")
        self.path: Final[str] = scope["path"]
        self.query: Final[bytes] = scope["query_string"]
        """The part after the question mark, undecoded."""
        self.headers: Final[Headers] = scope["headers"]
        self.client: Final[str] = scope["client"][0] if scope["client"] else ""
        """The address of the socket's peer; empty where the peer has none."""
        self.id: Final = request_id_of(self.headers, random)
        """The value of `X-Request-Id` in the answer."""
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
        return await read_body(self._receive, self.length, limit_bytes, self._fields.get(b"content-encoding"))

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


class FastPath:
    """Routes a request to the door of its path in *doors*, and every other request to *app*.

    A door whose path ends with a slash answers for one more segment below it, and one in *trees* for all
    that is below its path. Request ids are made of *random*.
    """

    def __init__(
        self,
        app: ASGIApp,
        doors: Mapping[str, Door],
        random: Randomness = SYSTEM,
        *,
        trees: Mapping[str, Door] | None = None,
    ) -> None:
        self._app = app
        self._doors = doors
        self._trees = tuple((trees or {}).items())
        self._random = random

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        door = self._door(scope["path"]) if scope["type"] == "http" else None
        if door is None:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive, self._random)
        try:
            answer = await door(request)
        except ClientGone:
            return
        except Exception as error:  # noqa: BLE001  # each door maps its own errors
            answer = door.problem_for(request, error)
        if isinstance(answer, StreamAnswer):
            await _stream(send, request, answer, door)
        else:
            await _send(send, request, answer)

    def _door(self, path: str) -> Door | None:
        door = self._doors.get(path) or self._doors.get(path[: path.rfind("/") + 1])
        return door or next((door for above, door in self._trees if path.startswith(above)), None)


async def _send(send: Send, request: Request, answer: Answer) -> None:
    headers = [*answer.headers, (REQUEST_ID_HEADER, request.id)]
    if answer.status != HTTPStatus.NOT_MODIFIED:  # it would be read as the length of the cached body
        headers.append((b"content-length", b"%d" % len(answer.body)))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    body = b"" if request.method == "HEAD" else answer.body
    # A large one in pieces, since the server copies what it sends at once.
    rest = 0
    while len(body) - rest > _PIECE_BYTES:
        piece = bytes(body[rest : rest + _PIECE_BYTES])
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        rest += _PIECE_BYTES
    await send({"type": "http.response.body", "body": bytes(body[rest:])})


async def _stream(send: Send, request: Request, answer: StreamAnswer, door: Door) -> None:
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
            return
        whole = door.problem_for(request, failure)
    if parts.client_left or isinstance(failure, ClientGone):
        return
    if whole is not None and not parts.begun:
        await _send(send, request, whole)
        return
    if not parts.begun:
        await send(parts.head())
    await send({"type": "http.response.body", "body": b""})


async def _watch_client(parts: PartSender) -> None:
    """Cancel the stream when its client disconnects, or breaks off a body that the door did not read."""
    with suppress(BodyBroken, BodyTimeout):
        await parts.request.wait_client_left()
    parts.cancel()
