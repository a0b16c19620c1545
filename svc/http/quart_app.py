"""Quart for API doors: bodies are read in the request's own task, an answer is one send, no sessions."""

import sys
from collections.abc import Callable, Generator
from typing import Any, Final, Self, cast

import structlog
import trio
from quart import Quart, has_request_context, request
from quart.routing import QuartRule
from quart.sessions import NullSession, SessionInterface
from quart.utils import encode_headers
from quart.wrappers import Response
from quart.wrappers.base import BaseRequestWebsocket
from quart.wrappers.response import DataBody
from quart_trio import QuartTrio
from quart_trio.asgi import TrioASGIHTTPConnection
from quart_trio.wrappers import TrioRequest
from quart_trio.wrappers.request import TrioBody
from werkzeug.datastructures import ImmutableDict
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as WerkzeugResponse

from svc.domain.randomness import SYSTEM, Randomness
from svc.http.asgi import Receive, Send
from svc.http.fast_path import Door, Request, StreamAnswer, send_stream
from svc.http.request.body import REQUEST, ClientGone, read_body
from svc.http.request.request_id import REQUEST_ID_HEADER, request_id_of
from svc.request_id import set_request_id

log = structlog.get_logger(__name__)

BODY_BYTES_MAX: Final = 1_000_000
"""Limit of a body at a door without a limit of its own."""


class QuartBody(TrioBody):
    """A request's body, read by the task that awaits it."""

    def __init__(self, expected_content_length: int | None, max_content_length: int | None) -> None:
        self.limit_bytes = max_content_length
        self.receive: Receive | None = None
        self.coding = b""
        self._length = expected_content_length
        self._whole: bytes | None = None

    def __await__(self) -> Generator[Any, None, bytes]:
        return self._read().__await__()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        whole = await self._read()
        if not whole:
            raise StopAsyncIteration
        self._whole = b""
        return whole

    def set_result(self, data: bytes) -> None:
        """Set the body of a request without a server, as Quart's test contexts do."""
        self._whole = data

    def clear(self) -> None:
        self._whole = b""

    async def _read(self) -> bytes:
        if self._whole is None:
            limit_bytes = sys.maxsize if self.limit_bytes is None else self.limit_bytes
            receive = cast("Receive", self.receive)
            self._whole = await read_body(receive, self._length, limit_bytes, self.coding)
        return self._whole


class QuartRequest(TrioRequest):
    """A request with an id. A door with a limit of its own sets `max_content_length` before it reads."""

    body_class = QuartBody
    body: QuartBody
    id: bytes
    """The value of `X-Request-Id` in the answer."""

    @property
    def peer(self) -> str:
        """The address of the socket's peer; empty where it has none."""
        client = self.scope["client"]
        return client[0] if client else ""

    @property
    def max_content_length(self) -> int | None:
        """Limit of the body in bytes; reading a longer one raises `BodyTooLarge`."""
        return self.body.limit_bytes

    @max_content_length.setter
    def max_content_length(self, value: int | None) -> None:
        self.body.limit_bytes = value


def current_request() -> QuartRequest:
    """The request that is being answered, as the class that `QuartApp` makes of it."""
    return cast("QuartRequest", request)


class StreamResponse(Response):
    """A door's streamed *answer*, which is sent as the fast path sends it."""

    def __init__(self, request: Request, answer: StreamAnswer, door: Door) -> None:
        super().__init__(status=answer.status)
        self.request = request
        self.answer = answer
        self.door = door


class NoSessions(SessionInterface):
    """Disables Quart's sessions: doors authenticate by keys and by cookies of their own."""

    _none: Final = NullSession()

    async def open_session(self, app: Quart, request: BaseRequestWebsocket) -> NullSession:  # noqa: ARG002
        """One null session for all requests."""
        return self._none


class QuartConnection(TrioASGIHTTPConnection):
    """One request, answered in the task that received it."""

    app: "QuartApp"

    async def __call__(self, receive: Any, send: Any) -> None:
        """ASGI."""
        http_request = cast("QuartRequest", self._create_request_from_scope(send))
        http_request.id = request_id_of(list(self.scope["headers"]), self.app.random)
        set_request_id(http_request.id)
        http_request.body.receive = receive
        http_request.body.coding = ",".join(http_request.headers.getlist("Content-Encoding")).encode(
            "latin-1"
        )
        response: Response | WerkzeugResponse
        try:
            response = await self.app.handle_request(http_request)
        except ClientGone:
            return
        except HTTPException as error:
            # Quart checks the host outside of its own error handling.
            response = WerkzeugResponse(status=error.code)
        if isinstance(response, StreamResponse):
            await send_stream(send, response.request, response.answer, response.door)
            return
        headers = [*encode_headers(response.headers), (REQUEST_ID_HEADER, http_request.id)]
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
        if http_request.method == "HEAD":
            await _send_part(send, b"", more=False)
        elif isinstance(response, WerkzeugResponse):
            await _send_part(send, b"".join(response.iter_encoded()), more=False)
        elif isinstance(response.response, DataBody):
            data = response.response
            await _send_part(send, data.data[data.begin : data.end], more=False)
        else:
            await _stream(receive, send, response)


class LazyBuilderRule(QuartRule):
    """A rule that compiles its URL builder at the first use, since no door here builds URLs.

    Werkzeug compiles two builders for every rule, which took half of the time to make an application.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compiled = super()._compile_builder

        def build(_rule: Self, **values: Any) -> tuple[str, str]:
            address: tuple[str, str] = compiled(append_unknown).__get__(self, None)(**values)
            return address

        return build


class QuartApp(QuartTrio):
    """Quart on Trio with the request's id on every answer, and without what API doors do not need.

    `BODY_TIMEOUT` and `RESPONSE_TIMEOUT` are off, because the server bounds every wait, and because they
    would cut a stream of events. Neither lifespan nor `startup` is needed: the application holds no
    resource that opens or closes.
    """

    asgi_http_class = QuartConnection
    url_rule_class = LazyBuilderRule  # type: ignore[assignment]  # annotated narrower than documented
    request_class = QuartRequest
    session_interface = NoSessions()  # type: ignore[assignment]  # annotated narrower than documented
    default_config = ImmutableDict(
        QuartTrio.default_config
        | {"BODY_TIMEOUT": None, "RESPONSE_TIMEOUT": None, "MAX_CONTENT_LENGTH": BODY_BYTES_MAX}
    )

    def __init__(self, import_name: str, *, random: Randomness = SYSTEM, **options: Any) -> None:
        """*options* are Quart's; request ids are made of *random*."""
        super().__init__(import_name, **options)
        self.random = random

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """ASGI, typed as an `ASGIApp`."""
        await self.asgi_app(scope, receive, send)

    async def handle_exception(self, error: Exception) -> Response | WerkzeugResponse:
        """Log *error* and answer 500, unless the client is gone."""
        if isinstance(error, ClientGone):
            raise error
        return await super().handle_exception(error)

    def log_exception(self, exception_info: Any) -> None:
        """Log an unhandled error with the id of the request."""
        context = {}
        if has_request_context():
            context = {"path": request.path, "request_id": current_request().id.decode()}
        log.error("door failed", exc_info=exception_info, **context)


async def _stream(receive: Receive, send: Send, response: Response) -> None:
    """Send the head, then each part as it is made, until the end or until the client disconnects."""
    await _send_part(send, b"", more=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_cancel_without_client, receive, nursery.cancel_scope)
        async with response.response as parts:
            async for part in parts:
                await _send_part(send, part.encode() if isinstance(part, str) else part, more=True)
        await _send_part(send, b"", more=False)
        nursery.cancel_scope.cancel()


async def _cancel_without_client(receive: Receive, scope: trio.CancelScope) -> None:
    while (await receive())["type"] == REQUEST:
        pass  # a body that the door did not read
    scope.cancel()


async def _send_part(send: Send, part: bytes, *, more: bool) -> None:
    await send({"type": "http.response.body", "body": part, "more_body": more})
