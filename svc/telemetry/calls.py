"""The spans of calls to other programs."""

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Final, Literal

from svc.telemetry import traceparent
from svc.telemetry.spans import AttributeValue, Span, current_span

CallKind = Literal["webhook", "push", "provider", "mail"]

STATUS: Final = "http.response.status_code"
_BAD_REQUEST: Final = 400


@contextmanager
def call_span(kind: CallKind, headers: MutableMapping[str, str] | None = None) -> Iterator[Span | None]:
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
    span = parent.child(f"call {kind}", "client", attributes)
    if headers is not None:
        headers[traceparent.HEADER] = span.traceparent
    try:
        yield span
    except BaseException as error:
        span.end_by(error)
        raise
    else:
        status = span.attributes.get(STATUS)
        span.end(failed=isinstance(status, int) and status >= _BAD_REQUEST)
