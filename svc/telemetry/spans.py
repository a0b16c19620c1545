"""Spans: what was done in one request, each part with its time, its outcome and what it was done for.

The current span is a context variable, beside the request's id: the actor runtime hands it on with messages
and to tasks, and the store with units. Without a tracer there never is one, and nothing is recorded.

A span has names of the program, numbers and the request's id: no key, no address, nothing that was sent.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from random import Random
from time import time_ns
from types import TracebackType
from typing import Any, Final, Literal

from svc.domain.errors import DomainError
from svc.telemetry.queue import SpanQueue
from svc.telemetry.traceparent import TraceParent, write

Kind = Literal["internal", "server", "client"]
AttributeValue = str | int | float

_TRACE_BITS: Final = 128
_SPAN_BITS: Final = 64
_LOW_BITS: Final = (1 << _SPAN_BITS) - 1


class Span:
    """A part of a trace, from its making to `end`. One that is not recorded only hands on its trace."""

    __slots__ = (
        "attributes",
        "began_ns",
        "depth",
        "ended_ns",
        "failed",
        "is_recorded",
        "kind",
        "link",
        "name",
        "parent_id",
        "span_id",
        "trace_id",
        "tracer",
    )

    def __init__(
        self,
        tracer: "Tracer",
        name: str,
        kind: Kind,
        attributes: dict[str, AttributeValue],
        *,
        trace_id: int,
        parent_id: int,
        depth: int = 0,
        link: "Span | None" = None,
        is_recorded: bool = True,
    ) -> None:
        """*parent_id* is 0 where the trace begins here."""
        self.tracer = tracer
        self.name = name
        self.kind = kind
        self.trace_id = trace_id
        self.span_id = tracer.random.getrandbits(_SPAN_BITS) or 1
        self.parent_id = parent_id
        self.depth = depth
        """How many spans of ours are above it."""
        self.link = None if link is None else (link.trace_id, link.span_id)
        """The trace and the span that it goes on from, without being a part of that trace."""
        self.attributes = attributes
        self.is_recorded = is_recorded
        self.began_ns = time_ns()
        """Since the epoch."""
        self.ended_ns = 0
        self.failed = False

    def child(self, name: str, kind: Kind, attributes: dict[str, AttributeValue]) -> "Span":
        """Begin a part of this one, which may last longer than it; itself where it is not recorded."""
        if not self.is_recorded:
            return self
        return Span(
            self.tracer,
            name,
            kind,
            attributes,
            trace_id=self.trace_id,
            parent_id=self.span_id,
            depth=self.depth + 1,
        )

    def end(self, *, failed: bool = False) -> None:
        """End it, and leave it to the exporter. *failed* marks a fault of ours or of who was called."""
        if self.is_recorded:
            self.failed |= failed
            self.ended_ns = max(time_ns(), self.began_ns)  # a clock may be set back meanwhile
            self.tracer.queue.put(self)

    def end_by(self, error: BaseException) -> None:
        """End it with the type of *error*. Refusals and cancellations are no failures; all else is."""
        self.attributes["error.type"] = type(error).__name__
        self.end(failed=isinstance(error, Exception) and not isinstance(error, DomainError))

    def age_seconds(self) -> float:
        """How long it has lasted."""
        return max(time_ns() - self.began_ns, 0) / 1e9

    @property
    def traceparent(self) -> str:
        """The header `traceparent` of a request that is sent in this span."""
        return write(self.trace_id, self.span_id, is_sampled=self.is_recorded)


class Tracer:
    """Begins traces, and decides which of them are recorded."""

    def __init__(self, queue: SpanQueue[Span], *, ratio: float = 1.0, random: Random | None = None) -> None:
        """*ratio* of the traces that begin here are recorded; of others, those that their caller records."""
        self.queue: Final = queue
        self.random: Final = random or Random()  # noqa: S311  # ids are not secret
        self._bound = int(ratio * (1 << _SPAN_BITS))

    def root(
        self,
        name: str,
        kind: Kind,
        attributes: dict[str, AttributeValue],
        caller: TraceParent | None = None,
        link: Span | None = None,
    ) -> Span:
        """Begin a trace, which may *link* to what caused it; or go on with that of *caller*."""
        if caller is not None:
            trace_id, parent_id, is_recorded = caller
        else:
            trace_id, parent_id = self.random.getrandbits(_TRACE_BITS) or 1, 0
            # By its lower bits, so that programs that sample alike agree on a trace.
            is_recorded = trace_id & _LOW_BITS < self._bound
        return Span(
            self,
            name,
            kind,
            attributes,
            trace_id=trace_id,
            parent_id=parent_id,
            link=link,
            is_recorded=is_recorded,
        )


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
    """Work in a child of *parent* within the block, and end it with what is raised: see `Span.end_by`."""

    __slots__ = ("_before", "_span")

    def __init__(self, parent: Span, name: str, kind: Kind, attributes: dict[str, AttributeValue]) -> None:
        self._span = parent.child(name, kind, attributes)
        self._before = _current.get()

    def __enter__(self) -> Span:
        _current.set(self._span)
        return self._span

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        _current.set(self._before)
        if error is None:
            self._span.end()
        else:
            self._span.end_by(error)


def note(name: str, value: AttributeValue) -> None:
    """Add an attribute to the current span, if there is one."""
    span = _current.get()
    if span is not None:
        span.attributes[name] = value


def name_of(fn: Callable[..., Any]) -> str:
    """The name of *fn* in the code, with its module's: `outbox.note`."""
    while isinstance(fn, partial):
        fn = fn.func
    name = getattr(fn, "__qualname__", type(fn).__qualname__).replace(".<locals>", "")
    return f"{getattr(fn, '__module__', '').rpartition('.')[2]}.{name}"
