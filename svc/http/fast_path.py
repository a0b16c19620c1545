"""The hottest doors, answered before Quart is asked.

Quart's own work is most of what a small request costs. `app.asgi_app = Hot(app.asgi_app, …)` is the
form that Quart documents for middleware. What every door has, a door has here too: its body within a
limit, the request's id on the answer, and the application's own answers to what goes wrong.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final, Protocol

import msgspec

from svc.http.asgi import ASGIApp, Headers, Receive, Scope, Send
from svc.http.request.body import REQUEST, BodyBroken, BodyTooLarge, ClientGone, read_body
from svc.http.request.request_id import REQUEST_ID_HEADER, request_id_of

__all__ = ["Answer", "BodyTooLarge", "ClientGone", "Door", "FastPath", "Request"]

_JOINED: Final = b", "


class Answer(msgspec.Struct, frozen=True):
    """A whole answer. `Content-Length` and `X-Request-Id` are added where it is sent."""

    status: int
    headers: Sequence[tuple[bytes, bytes]] = ()
    body: bytes = b""


class Request:
    """A request at a hot door. Its body is on its way until it is read."""

    __slots__ = ("_fields", "_receive", "client", "headers", "id", "method", "path", "query", "scheme")

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.method: Final[str] = scope["method"]
        self.scheme: Final[str] = scope.get("scheme", "http")
        self.path: Final[str] = scope["path"]
        self.query: Final[bytes] = scope["query_string"]
        """What follows the question mark, undecoded."""
        self.headers: Final[Headers] = scope["headers"]
        self.client: Final[str] = scope["client"][0] if scope["client"] else ""
        """The address of the socket's peer; empty where the peer has none."""
        self.id: Final = request_id_of(self.headers)
        """What the answer carries as `X-Request-Id`."""
        self._receive = receive
        self._fields = dict(self.headers)
        if len(self._fields) != len(self.headers):
            self._fields = _joined(self.headers)

    def header(self, name: bytes) -> bytes | None:
        """The value of header *name*, in lower case; of several, all of them joined by commas."""
        return self._fields.get(name)

    def text(self, name: str) -> str | None:
        """`header`, as text."""
        value = self._fields.get(name.encode())
        return None if value is None else value.decode("latin-1")

    async def read(self, limit_bytes: int) -> bytes:
        """The whole body. Once it is read, nothing that the client does stops the door's work.

        Raises:
            BodyTooLarge: it is, or says that it is, over *limit_bytes*.
            BodyCoded: it is compressed.
            BodyTimeout: it did not come in time.
            BodyBroken: it is framed wrongly.
            ClientGone: the client left in the middle of it.
        """
        length = self._fields.get(b"content-length")
        if length and not length.isdigit():
            raise BodyBroken  # HTTP/2 lets several lengths pass, which are joined here
        coding = self._fields.get(b"content-encoding")
        return await read_body(self._receive, int(length) if length else None, limit_bytes, coding)

    async def wait_client_left(self) -> None:
        """Wait until the client has left, once the whole body is read."""
        while (await self._receive())["type"] == REQUEST:
            pass


class Door(Protocol):
    """What answers at a path."""

    async def __call__(self, request: Request) -> Answer:
        """The answer to *request*; what it raises is told by `refuse`."""
        ...

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """The answer when the door raised *error*, whatever it is. Must not raise."""
        ...


class FastPath:
    """ASGI middleware: what *doors* has a path for is answered there, everything else by *app*.

    A door at a path that ends with a slash answers for whatever stands directly below it.
    """

    def __init__(self, app: ASGIApp, doors: Mapping[str, Door]) -> None:
        self._app = app
        self._doors = doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        door = self._door(scope["path"]) if scope["type"] == "http" else None
        if door is None:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            answer = await door(request)
        except ClientGone:
            return
        except Exception as error:  # noqa: BLE001  # the door knows what each means
            answer = door.problem_for(request, error)
        await _send(send, request, answer)

    def _door(self, path: str) -> Door | None:
        return self._doors.get(path) or self._doors.get(path[: path.rfind("/") + 1])


async def _send(send: Send, request: Request, answer: Answer) -> None:
    headers = [*answer.headers, (REQUEST_ID_HEADER, request.id)]
    if answer.status != HTTPStatus.NOT_MODIFIED:  # its length would be taken for that of what is kept
        headers.append((b"content-length", b"%d" % len(answer.body)))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    body = b"" if request.method == "HEAD" else answer.body
    await send({"type": "http.response.body", "body": body})


def _joined(headers: Headers) -> dict[bytes, bytes]:
    """Headers of one name as one, in their order (RFC 9110 section 5.3)."""
    fields: dict[bytes, bytes] = {}
    for name, value in headers:
        fields[name] = fields[name] + _JOINED + value if name in fields else value
    return fields
