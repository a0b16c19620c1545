"""The spans of units of work: from being accepted until they are durable, or have read."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

from outcome import Error, Outcome

from svc.telemetry.spans import Span, child_span, name_of

R = TypeVar("R")

Lane = Literal["read", "read_long", "write", "write_behind"]


def begin(parent: Span, lane: Lane, fn: Callable[..., object]) -> Span:
    """The span of a write, which ends with its commit."""
    name = name_of(fn)
    return parent.child(f"{lane} {name}", "internal", {"svc.unit": name, "svc.lane": lane})


def end(span: Span, outcome: Outcome[Any]) -> None:
    """End the span of a write."""
    if isinstance(outcome, Error):
        span.end_by(outcome.error)
    else:
        span.end()


async def traced_read(parent: Span, lane: Lane, fn: Callable[..., object], reading: Awaitable[R]) -> R:
    """What *reading* gives, in a span of its own."""
    name = name_of(fn)
    with child_span(parent, f"{lane} {name}", "internal", {"svc.unit": name, "svc.lane": lane}):
        return await reading
