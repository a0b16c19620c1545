"""Which traces are recorded, what a span is called, and what a queue does that is full."""

from functools import partial
from random import Random

import pytest

from svc.domain.errors import NotFound
from svc.telemetry.queue import BATCH_SPANS, SpanQueue
from svc.telemetry.spans import Span, Tracer, child_span, current_span, name_of, within
from svc.telemetry.traceparent import TraceParent


def roots(ratio: float, count: int) -> list[Span]:
    tracer = Tracer(SpanQueue(), ratio=ratio, random=Random(7))
    return [tracer.root("tools", "server", {}) for _ in range(count)]


def test_a_part_of_the_traces_is_recorded():
    assert 1_000 == sum(span.is_recorded for span in roots(1, 1_000))
    assert 0 == sum(span.is_recorded for span in roots(0, 1_000))
    assert sum(span.is_recorded for span in roots(0.25, 4_000)) == pytest.approx(1_000, rel=0.1)


@pytest.mark.parametrize("is_sampled", [True, False])
def test_a_callers_trace_is_recorded_where_the_caller_does(is_sampled):
    """Whatever the ratio is."""
    for ratio in (0, 1):
        tracer = Tracer(SpanQueue(), ratio=ratio)
        span = tracer.root("tools", "server", {}, TraceParent(1, 2, is_sampled))
        assert (1, 2, is_sampled) == (span.trace_id, span.parent_id, span.is_recorded)


def test_what_is_not_recorded_reaches_no_queue():
    tracer = Tracer(SpanQueue(), ratio=0)
    span = tracer.root("tools", "server", {})
    with within(span), child_span(span, "read access.load", "internal", {}) as child:
        assert child is span
    span.end()

    assert 0 == len(tracer.queue)


@pytest.mark.parametrize(
    ("error", "name", "failed"),
    [(NotFound("no record"), "NotFound", False), (KeyError("secret"), "KeyError", True)],
)
def test_what_is_raised_is_told_by_its_type(error, name, failed):
    """A refusal is no failure. The message is not told, and the span before is the current one again."""
    tracer = Tracer(SpanQueue())
    root = tracer.root("tools", "server", {})
    with within(root):
        with pytest.raises(type(error)), child_span(root, "read access.load", "internal", {}):
            raise error
        assert current_span() is root
    [span] = tracer.queue.take()

    assert ({"error.type": name}, failed) == (span.attributes, span.failed)


def test_a_full_queue_drops_and_counts():
    """What records spans never waits."""
    queue = SpanQueue[Span](waiting_max=BATCH_SPANS + 1)
    tracer = Tracer(queue)
    for _ in range(BATCH_SPANS + 3):
        tracer.root("tools", "server", {}).end()

    assert (BATCH_SPANS + 1, 2) == (len(queue), queue.dropped)
    assert [BATCH_SPANS, 1, 0] == [len(queue.take()) for _ in range(3)]


def test_a_unit_is_called_as_in_the_code():
    """By its module and its name, without its arguments."""

    def unit() -> None:
        pass

    assert "test_spans.test_a_unit_is_called_as_in_the_code.unit" == name_of(unit)
    assert "test_spans.roots" == name_of(partial(partial(roots, 1), 2))
    assert "queue.SpanQueue.take" == name_of(SpanQueue().take)
