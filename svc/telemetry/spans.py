"""Spans: what was done in one request, each part with its time, its outcome and what it was done for.

The current span is a context variable, beside the request's id: the actor runtime hands it on with messages
and to tasks, and the store with units. Without a tracer there never is one, and nothing is recorded.

A span has names of the program, numbers and the request's id: no key, no address, nothing that was sent.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache, partial
from itertools import count
from random import Random
from time import time_ns
from types import TracebackType
from typing import Any, Final

from svc.domain.errors import DomainError
from svc.telemetry import otlp
from svc.telemetry.otlp import AttributeValue, Kind
from svc.telemetry.queue import SpanQueue
from svc.telemetry.traceparent import TraceParent, write

_TRACE_BITS: Final = 128
_TRACE_BYTES: Final = 16
_SPAN_BITS: Final = 64
_SPAN_BYTES: Final = 8
_LOW_BITS: Final = (1 << _SPAN_BITS) - 1


class Span:
    """A part of a trace, from its making to `end`. One that is not recorded only hands on its trace.

    What it is called and what is said of it is given when it ends, encoded: so most of it is encoded once for
    all spans of a turn or a unit. What is left of a span is bytes, which no garbage collection looks at.
    """

    __slots__ = (
        "attributes",
        "began_ns",
        "depth",
        "is_recorded",
        "link",
        "parent_id",
        "span_id",
        "trace_id",
        "tracer",
    )

    def __init__(
        self, tracer: "Tracer", trace_id: bytes, parent_id: bytes, depth: int, *, is_recorded: bool = True
    ) -> None:
        """*parent_id* is empty where the trace begins here. A trace's id has 16 bytes, a span's 8."""
        self.tracer = tracer
        self.trace_id = trace_id
        self.span_id = next(tracer.span_ids).to_bytes(_SPAN_BYTES)
        self.parent_id = parent_id
        self.depth = depth
        """How many spans of ours are above it."""
        self.link = b""
        """What it goes on from without being a part of that trace, encoded."""
        self.attributes: dict[str, AttributeValue] | None = None
        """What was noted meanwhile."""
        self.is_recorded = is_recorded
        self.began_ns = time_ns()
        """Since the epoch."""

    def child(self) -> "Span":
        """Begin a part of this one, which may last longer than it; itself where it is not recorded."""
        if not self.is_recorded:
            return self
        return Span(self.tracer, self.trace_id, self.span_id, self.depth + 1)

    def note(self, name: str, value: AttributeValue) -> None:
        """Add an attribute, which is exported with it."""
        if self.is_recorded:
            if self.attributes is None:
                self.attributes = {}
            self.attributes[name] = value

    def end(self, about: bytes, more: bytes = b"") -> None:
        """End it, and leave it to the exporter, with what `otlp` has encoded for it."""
        if not self.is_recorded:
            return
        if self.attributes:
            more = b"".join([more, *[otlp.attribute(*one) for one in self.attributes.items()]])
        ended_ns = max(time_ns(), self.began_ns)  # a clock may be set back meanwhile
        place = otlp.place(self.trace_id, self.span_id, self.parent_id, self.began_ns, ended_ns)
        self.tracer.queue.put(otlp.encode_span(place, about, self.link + more))

    def age_seconds(self) -> float:
        """How long it has lasted."""
        return max(time_ns() - self.began_ns, 0) / 1e9

    @property
    def traceparent(self) -> str:
        """The header `traceparent` of a request that is sent in this span."""
        return write(self.trace_id, self.span_id, is_sampled=self.is_recorded)


class Tracer:
    """Begins traces, and decides which of them are recorded."""

    def __init__(self, queue: SpanQueue, *, ratio: float = 1.0, random: Random | None = None) -> None:
        """*ratio* of the traces that begin here are recorded; of others, those that their caller records."""
        self.queue: Final = queue
        self._random: Final = random or Random()  # noqa: S311  # ids are not secret
        # Ids are unique by counting, from where no other program is likely to count.
        self.span_ids: Final = count(self._random.getrandbits(_SPAN_BITS - 1) + 1)
        self._bound = int(ratio * (1 << _SPAN_BITS))

    def root(self, caller: TraceParent | None = None, link: Span | None = None) -> Span:
        """Begin a trace, which may *link* to what caused it; or go on with that of *caller*."""
        if caller is not None:
            return Span(self, caller.trace_id, caller.span_id, 0, is_recorded=caller.is_sampled)
        trace_id = self._random.getrandbits(_TRACE_BITS) or 1
        # By its lower bits, so that programs that sample alike agree on a trace.
        is_recorded = trace_id & _LOW_BITS < self._bound
        span = Span(self, trace_id.to_bytes(_TRACE_BYTES), b"", 0, is_recorded=is_recorded)
        if link is not None:
            span.link = otlp.link(link.trace_id, link.span_id)
        return span


_current: ContextVar[Span | None] = ContextVar("span", default=None)

current_span: Final[Callable[[], Span | None]] = _current.get
"""The span that the current task works in; None without a tracer, and outside of what is traced."""
set_current_span: Final[Callable[[Span | None], object]] = _current.set
"""From now on the current task, and what it starts, works in that span."""


class within:  # noqa: N801  # used as a function; a class costs a quarter of `@contextmanager`
    """Work in *span* within the block; it is not ended."""

    __slots__ = ("_before", "_span")

    def __init__(self, span: Span | None) -> None:
        self._span = span
        self._before = _current.get()

    def __enter__(self) -> None:
        _current.set(self._span)

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        _current.set(self._before)


class child_span:  # noqa: N801  # as above
    """Work in a child of *parent* within the block, and end it with the type of what is raised."""

    __slots__ = ("_attributes", "_before", "_kind", "_name", "_span")

    def __init__(self, parent: Span, name: str, kind: Kind, attributes: dict[str, AttributeValue]) -> None:
        self._name = name
        self._kind = kind
        self._attributes = attributes
        self._span = parent.child()
        self._before = _current.get()

    def __enter__(self) -> Span:
        _current.set(self._span)
        return self._span

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        _current.set(self._before)
        failed = False
        if error is not None:
            self._attributes["error.type"], failed = fault_of(error)
        self._span.end(otlp.about(self._name, self._kind, self._attributes, failed=failed))


def fault_of(error: BaseException) -> tuple[str, bool]:
    """The type of *error*, and whether it is a failure: refusals and cancellations are none."""
    return type(error).__name__, isinstance(error, Exception) and not isinstance(error, DomainError)


def note(name: str, value: AttributeValue) -> None:
    """Add an attribute to the current span, if there is one."""
    span = _current.get()
    if span is not None:
        span.note(name, value)


def name_of(fn: Callable[..., Any]) -> str:
    """The name of *fn* in the code, with its module's: `outbox.note`."""
    while isinstance(fn, partial):
        fn = fn.func
    return _name(getattr(fn, "__module__", ""), getattr(fn, "__qualname__", "") or type(fn).__qualname__)


@lru_cache(1_024)
def _name(module: str, name: str) -> str:
    return f"{module.rpartition('.')[2]}.{name.replace('.<locals>', '')}"
