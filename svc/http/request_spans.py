"""The span of a request: a part of its caller's trace, or a trace of its own."""

from functools import lru_cache
from types import TracebackType
from typing import Final

from svc.http.asgi import Message, Scope, Send
from svc.request_id import request_id
from svc.telemetry import otlp, traceparent
from svc.telemetry.calls import STATUS
from svc.telemetry.spans import Tracer, fault_of, set_current_span

_HEADER: Final = traceparent.HEADER.encode()
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_FAILED_STATUS_MIN: Final = 500
_TOOL: Final = "svc.tool"


class RequestSpan:
    """Works in the span of the request of *scope* within a block, which answers it."""

    __slots__ = ("_door", "_method", "_send", "_span", "status")

    def __init__(self, tracer: Tracer, scope: Scope, door: str, send: Send) -> None:
        self.status = 0
        """That of the answer; `send` notes it."""
        self._door = door
        method = scope["method"]
        self._method = method if method in _METHODS else "_OTHER"  # a client may make it up
        self._send = send
        self._span = tracer.root(_caller(scope))

    def __enter__(self) -> None:
        set_current_span(self._span)

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        set_current_span(None)
        span = self._span
        if not span.is_recorded:
            return
        tool = None if span.attributes is None else span.attributes.pop(_TOOL, None)
        given = request_id()
        span.end(
            _about(self._door, self._method, tool, self.status, None if error is None else fault_of(error)),
            b"" if given is None else otlp.text_attribute("svc.request_id", given),
        )

    async def send(self, message: Message) -> None:
        """ASGI: note the status."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)


@lru_cache(4_096)
def _about(door: str, method: str, tool: object, status: int, fault: tuple[str, bool] | None) -> bytes:
    attributes: dict[str, otlp.AttributeValue] = {
        "svc.door": door,
        "http.request.method": method,
    }
    name, failed = door, status >= _FAILED_STATUS_MIN
    if isinstance(tool, str):
        name, attributes[_TOOL] = f"{door} {tool}", tool
    if status:
        attributes[STATUS] = status
    if fault is not None:
        attributes["error.type"], failed = fault
    return otlp.about(name, "server", attributes, failed=failed)


def _caller(scope: Scope) -> traceparent.TraceParent | None:
    """The span that the request was sent in. Of several headers none counts (W3C Trace Context, 3.2)."""
    found: bytes | None = None
    for name, value in scope["headers"]:
        if name == _HEADER:
            if found is not None:
                return None
            found = value
    return None if found is None else traceparent.read(found)
