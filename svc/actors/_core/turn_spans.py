"""The spans of turns, and of the `load` before the first one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import outcome

from svc.actors._core.actor import Actor
from svc.actors._core.errors import ActorCrashed
from svc.actors._core.mailbox import Message
from svc.telemetry.spans import AttributeValue, Span, Tracer, child_span, set_current_span

DEPTH_MAX: Final = 32
"""Of turns in one trace: an actor that always has more to do, and tells itself so, would never end one."""


def begin(tracer: Tracer, actor: Actor[Any, Any], message: Message) -> None:
    """Work in the span of the turn of *message*: a part of what it was sent in, or a trace of its own."""
    kind, turn = type(actor).__name__, message.turn.name
    name, cause = f"{kind}.{turn}", message.sent_in
    attributes: dict[str, AttributeValue] = {"svc.actor": kind, "svc.turn": turn}
    if cause is None or cause.depth >= DEPTH_MAX:
        if message.request_id is not None:
            attributes["svc.request_id"] = message.request_id.decode("ascii")
        message.span = tracer.root(name, "internal", attributes, link=cause)
    else:
        message.span = cause.child(name, "internal", attributes)
    set_current_span(message.span)


def end(message: Message, answer: "outcome.Outcome[Any]", how: str, started_at: float) -> None:
    """End the span of the turn of *message*, which has one. *how* is its outcome in a word, as recorded."""
    span = message.span
    if span is not None:
        span.attributes["svc.outcome"] = how
        span.attributes["svc.mailbox_seconds"] = max(started_at - message.posted_at, 0.0)
        span.end(failed=isinstance(answer, outcome.Error) and isinstance(answer.error, ActorCrashed))
    set_current_span(None)


@contextmanager
def loading(actor: Actor[Any, Any], sent_in: Span | None) -> Iterator[None]:
    """Load *actor* for a message that was sent in that span."""
    if sent_in is None:
        yield
        return
    kind = type(actor).__name__
    with child_span(sent_in, f"{kind}.load", "internal", {"svc.actor": kind, "svc.turn": "load"}):
        yield
