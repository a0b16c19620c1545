"""The spans of calls to other programs."""

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Final, Literal

from svc.telemetry import otlp, traceparent
from svc.telemetry.otlp import AttributeValue
from svc.telemetry.spans import Span, current_span, fault_of

CallKind = Literal["webhook", "push", "provider", "mail"]

STATUS: Final = "http.response.status_code"
_BAD_REQUEST: Final = 400


class CallSpan:
    """The span of a call, and what its caller says of it."""

    __slots__ = ("failed", "span")

    def __init__(self, span: Span) -> None:
        self.span: Final = span
        self.failed = False
        """Whether the other program failed, as far as its caller can tell."""

    def note(self, name: str, value: AttributeValue) -> None:
        """Add an attribute."""
        self.span.note(name, value)

    def note_status(self, status: int) -> None:
        """Add the status of the answer, which may be a failure."""
        self.span.note(STATUS, status)
        self.failed |= status >= _BAD_REQUEST


@contextmanager
def call_span(kind: CallKind, headers: MutableMapping[str, str] | None = None) -> Iterator[CallSpan | None]:
    """Give a child of the current span for a call within the block; None where nothing is traced.

    *headers* are given a `traceparent`, so that the trace goes on there. The block adds the answer's status.
    The current span stays as it is, since what is done with a streamed answer is no part of the call.
    """
    parent = current_span()
    if parent is None:
        yield None
        return
    attributes: dict[str, AttributeValue] = {"svc.call": kind}
    if headers is not None:
        attributes["http.request.method"] = "POST"
    call = CallSpan(parent.child())
    if headers is not None:
        headers[traceparent.HEADER] = call.span.traceparent
    try:
        yield call
    except BaseException as error:
        attributes["error.type"], failed = fault_of(error)
        call.failed |= failed
        raise
    finally:
        call.span.end(otlp.about(f"call {kind}", "client", attributes, failed=call.failed))
