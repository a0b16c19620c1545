"""The span of a request: a part of its caller's trace, or a trace of its own."""

from types import TracebackType
from typing import Final

from svc.http.asgi import Message, Scope, Send
from svc.request_id import request_id
from svc.telemetry import traceparent
from svc.telemetry.calls import STATUS
from svc.telemetry.spans import AttributeValue, Tracer, set_current_span

_HEADER: Final = traceparent.HEADER.encode()
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FAILED_STATUS_MIN: Final = 500


class RequestSpan:
    """Works in the span of the request of *scope* within a block, which answers it by `send`."""

    __slots__ = ("_door", "_send", "_span")

    def __init__(self, tracer: Tracer, scope: Scope, door: str, send: Send) -> None:
        method = scope["method"]  # which a client may make up
        attributes: dict[str, AttributeValue] = {
            "svc.door": door,
            "http.request.method": method if method in _METHODS else "_OTHER",
        }
        self._door = door
        self._send = send
        self._span = tracer.root(door, "server", attributes, _caller(scope))

    def __enter__(self) -> None:
        set_current_span(self._span)

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        set_current_span(None)
        span = self._span
        attributes = span.attributes
        given = request_id()
        if given is not None:
            attributes["svc.request_id"] = given.decode("ascii")
        tool = attributes.get("svc.tool")
        if tool is not None:
            span.name = f"{self._door} {tool}"
        if error is not None:
            span.end_by(error)
            return
        status = attributes.get(STATUS)
        span.end(failed=isinstance(status, int) and status >= _FAILED_STATUS_MIN)

    async def send(self, message: Message) -> None:
        """ASGI: note the status."""
        if message["type"] == "http.response.start":
            self._span.attributes[STATUS] = message["status"]
        await self._send(message)


def _caller(scope: Scope) -> traceparent.TraceParent | None:
    """The span that the request was sent in. Of several headers none counts (W3C Trace Context, 3.2)."""
    found: bytes | None = None
    for name, value in scope["headers"]:
        if name == _HEADER:
            if found is not None:
                return None
            found = value
    return None if found is None else traceparent.read(found)
