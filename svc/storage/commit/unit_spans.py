"""The spans of units of work: from being accepted until they are durable, or have read."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from outcome import Error, Outcome

from svc.telemetry import otlp
from svc.telemetry.spans import Span, fault_of, name_of

Lane = Literal["read", "read_long", "write", "write_behind"]


class UnitSpan:
    """The span of a unit of work, which *fn* does."""

    __slots__ = ("_fn", "_lane", "_waited", "span")

    def __init__(self, parent: Span, lane: Lane, fn: Callable[..., object]) -> None:
        self.span = parent.child()
        self._lane = lane
        self._fn = fn
        self._waited = b""

    def begin(self) -> None:
        """Note how long it has waited, since the writer now does it."""
        self._waited = otlp.fraction_attribute("svc.queue_seconds", self.span.age_seconds())

    def end(self, outcome: Outcome[Any]) -> None:
        """End it, as *outcome* tells."""
        # By its type, since it is final, and `isinstance` asks an abstract base class.
        error, failed = fault_of(outcome.error) if type(outcome) is Error else ("", False)
        self.span.end(_about(self._lane, name_of(self._fn), error, failed), self._waited)


@lru_cache(4_096)
def _about(lane: Lane, name: str, error: str, failed: bool) -> bytes:  # a cache takes no keywords as cheaply
    attributes: dict[str, otlp.AttributeValue] = {"svc.unit": name, "svc.lane": lane}
    if error:
        attributes["error.type"] = error
    return otlp.about(f"{lane} {name}", "internal", attributes, failed=failed)
