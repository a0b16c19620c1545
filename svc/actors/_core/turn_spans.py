"""The spans of turns, and of the `load` before the first one."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final

import outcome

from svc.actors._core.actor import Actor
from svc.actors._core.errors import ActorCrashed
from svc.actors._core.mailbox import Message
from svc.telemetry import otlp
from svc.telemetry.spans import Span, Tracer, child_span, set_current_span

DEPTH_MAX: Final = 32
"""Of turns in one trace: an actor that always has more to do, and tells itself so, would never end one."""


def begin(tracer: Tracer, message: Message) -> None:
    """Work in the span of the turn of *message*: a part of what it was sent in, or a trace of its own."""
    cause = message.sent_in
    if cause is None or cause.depth >= DEPTH_MAX:
        span = tracer.root(link=cause)
        if message.request_id is not None:
            span.note("svc.request_id", message.request_id.decode("ascii"))
    else:
        span = cause.child()
    message.span = span
    set_current_span(span)


def end(message: Message, kind: str, answer: "outcome.Outcome[Any]", how: str, started_at: float) -> None:
    """End the span of the turn of *message*. *how* is its outcome in a word, as recorded."""
    set_current_span(None)
    span = message.span
    if span is not None and span.is_recorded:
        # By its type, since it is final, and `isinstance` asks an abstract base class.
        failed = type(answer) is outcome.Error and isinstance(answer.error, ActorCrashed)
        waited = otlp.fraction_attribute("svc.mailbox_seconds", max(started_at - message.posted_at, 0.0))
        span.end(_about(kind, message.turn.name, how, failed), waited)


@lru_cache(4_096)
def _about(kind: str, turn: str, how: str, failed: bool) -> bytes:  # a cache takes no keywords as cheaply
    attributes = {"svc.actor": kind, "svc.turn": turn, "svc.outcome": how}
    return otlp.about(f"{kind}.{turn}", "internal", attributes, failed=failed)


@contextmanager
def loading(actor: Actor[Any, Any], sent_in: Span | None) -> Iterator[None]:
    """Load *actor* for a message that was sent in that span."""
    if sent_in is None:
        yield
        return
    kind = type(actor).__name__
    with child_span(sent_in, f"{kind}.load", "internal", {"svc.actor": kind, "svc.turn": "load"}):
        yield
