"""The fast path: ASGI middleware that answers the busiest doors in front of Quart.

Quart's own work is most of the cost of a small request. A door here gets what Quart's doors get: a body
within a limit, the request's id on the answer, and answers of its own to errors.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final, Protocol

import msgspec

from svc.domain.randomness import SYSTEM, Randomness
from svc.http.asgi import ASGIApp, Headers, Receive, Scope, Send
from svc.http.request.body import REQUEST, BodyBroken, BodyTooLarge, ClientGone, read_body
from svc.http.request.request_id import REQUEST_ID_HEADER, request_id_of

__all__ = ["Answer", "BodyTooLarge", "ClientGone", "Door", "FastPath", "Request"]

_JOINED: Final = b", "


class Answer(msgspec.Struct, frozen=True):
    """A complete response. `Content-Length` and `X-Request-Id` are added when it is sent."""

    status: int
    headers: Sequence[tuple[bytes, bytes]] = ()
    body: bytes = b""


class Request:
    """A request at a door of the fast path. Its body is not read before `read`."""

    __slots__ = ("_fields", "_receive", "client", "headers", "id", "method", "path", "query", "scheme")

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
        self._fields = dict(self.headers)
        if len(self._fields) != len(self.headers):
            self._fields = _joined(self.headers)

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
        length = self._fields.get(b"content-length")
        if length and not length.isdigit():
            raise BodyBroken  # HTTP/2 lets several lengths pass, which are joined here
        coding = self._fields.get(b"content-encoding")
        return await read_body(self._receive, int(length) if length else None, limit_bytes, coding)

    async def wait_client_left(self) -> None:
        """Wait until the client disconnects. Call it after `read`."""
        while (await self._receive())["type"] == REQUEST:
            pass


class Door(Protocol):
    """Answers requests at one path."""

    async def __call__(self, request: Request) -> Answer:
        """Answer *request*. Whatever it raises is answered by `problem_for`."""
        ...

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """The answer for an *error* that the door raised. Must not raise."""
        ...


class FastPath:
    """Routes a request to the door of its path in *doors*, and every other request to *app*.

    A door whose path ends with a slash answers for one more segment below it. Request ids are made of
    *random*.
    """

    def __init__(self, app: ASGIApp, doors: Mapping[str, Door], random: Randomness = SYSTEM) -> None:
        self._app = app
        self._doors = doors
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
        await _send(send, request, answer)

    def _door(self, path: str) -> Door | None:
        return self._doors.get(path) or self._doors.get(path[: path.rfind("/") + 1])


async def _send(send: Send, request: Request, answer: Answer) -> None:
    headers = [*answer.headers, (REQUEST_ID_HEADER, request.id)]
    if answer.status != HTTPStatus.NOT_MODIFIED:  # it would be read as the length of the cached body
        headers.append((b"content-length", b"%d" % len(answer.body)))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    body = b"" if request.method == "HEAD" else answer.body
    await send({"type": "http.response.body", "body": body})


def _joined(headers: Headers) -> dict[bytes, bytes]:
    """Join headers of one name in their order (RFC 9110 section 5.3)."""
    fields: dict[bytes, bytes] = {}
    for name, value in headers:
        fields[name] = fields[name] + _JOINED + value if name in fields else value
    return fields
