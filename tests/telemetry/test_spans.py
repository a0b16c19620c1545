"""Which traces are recorded, what a span is called, and what a queue does that is full."""

from functools import partial
from random import Random

import pytest

from svc.domain.errors import NotFound
from svc.telemetry import otlp
from svc.telemetry.queue import BATCH_SPANS, SpanQueue
from svc.telemetry.spans import Span, Tracer, child_span, current_span, name_of, note, within
from svc.telemetry.traceparent import TraceParent
from tests.collectors import attributes_of, has_failed, taken_from

ABOUT = otlp.about("tools", "server", {})
TRACE, PARENT = bytes(15) + b"\1", bytes(7) + b"\2"


def roots(ratio: float, count: int) -> list[Span]:
    tracer = Tracer(SpanQueue(), ratio=ratio, random=Random(7))
    return [tracer.root() for _ in range(count)]


def test_a_part_of_the_traces_is_recorded():
    assert 1_000 == sum(span.is_recorded for span in roots(1, 1_000))
    assert 0 == sum(span.is_recorded for span in roots(0, 1_000))
    assert sum(span.is_recorded for span in roots(0.25, 4_000)) == pytest.approx(1_000, rel=0.1)


@pytest.mark.parametrize("is_sampled", [True, False])
def test_a_callers_trace_is_recorded_where_the_caller_does(is_sampled):
    """Whatever the ratio is."""
    for ratio in (0, 1):
        tracer = Tracer(SpanQueue(), ratio=ratio)
        span = tracer.root(TraceParent(TRACE, PARENT, is_sampled))
        assert (TRACE, PARENT, is_sampled) == (span.trace_id, span.parent_id, span.is_recorded)


def test_what_is_not_recorded_reaches_no_queue():
    tracer = Tracer(SpanQueue(), ratio=0)
    span = tracer.root()
    with within(span), child_span(span, "read access.load", "internal", {}) as child:
        assert child is span
        note("svc.tool", "record.get")
    span.end(ABOUT)

    assert (0, None) == (len(tracer.queue), span.attributes)


@pytest.mark.parametrize(
    ("error", "name", "failed"),
    [(NotFound("no record"), "NotFound", False), (KeyError("secret"), "KeyError", True)],
)
def test_what_is_raised_is_told_by_its_type(error, name, failed):
    """A refusal is no failure. The message is not told, and the span before is the current one again."""
    tracer = Tracer(SpanQueue())
    root = tracer.root()
    with within(root):
        with pytest.raises(type(error)), child_span(root, "read access.load", "internal", {}):
            raise error
        assert current_span() is root
    [span] = taken_from(tracer.queue)

    assert ({"error.type": name}, failed) == (attributes_of(span), has_failed(span))


def test_a_full_queue_drops_and_counts():
    """What records spans never waits."""
    queue = SpanQueue(waiting_max=BATCH_SPANS + 1)
    tracer = Tracer(queue)
    for _ in range(BATCH_SPANS + 3):
        tracer.root().end(ABOUT)

    assert (BATCH_SPANS + 1, 2) == (len(queue), queue.dropped)
    assert [BATCH_SPANS, 1, 0] == [len(queue.take()) for _ in range(3)]


def test_ids_are_never_the_same():
    """Not within a trace, nor beside those of another program."""
    one, other = Tracer(SpanQueue(), random=Random(1)), Tracer(SpanQueue(), random=Random(2))
    root = one.root()
    caller = TraceParent(root.trace_id, root.span_id, is_sampled=True)
    children = [root.child() for _ in range(1_000)]
    spans = [root, *children, *[other.root(caller) for _ in range(1_000)]]

    assert {8} == {len(span.span_id) for span in spans}
    assert len(spans) == len({span.span_id for span in spans})
    assert {root.trace_id} == {span.trace_id for span in spans}


def test_what_was_noted_leaves_with_the_span():
    """Beside what all of its kind have in common. A note without a span is lost."""
    tracer = Tracer(SpanQueue())
    note("svc.tool", "record.list")
    span = tracer.root()
    with within(span):
        note("svc.tool", "record.get")
        note("svc.seconds", 0.5)
    span.end(otlp.about("tools", "server", {"svc.door": "tools"}))
    [found] = taken_from(tracer.queue)

    assert {"svc.door": "tools", "svc.tool": "record.get", "svc.seconds": 0.5} == attributes_of(found)


def test_a_clock_that_was_set_back_makes_no_span_end_before_it_began():
    tracer = Tracer(SpanQueue())
    span = tracer.root()
    span.began_ns += 3_600 * 10**9
    span.end(ABOUT)
    [found] = taken_from(tracer.queue)

    assert span.began_ns == found.start_time_unix_nano == found.end_time_unix_nano


def test_a_unit_is_called_as_in_the_code():
    """By its module and its name, without its arguments."""

    def unit() -> None:
        pass

    assert "test_spans.test_a_unit_is_called_as_in_the_code.unit" == name_of(unit)
    assert "test_spans.roots" == name_of(partial(partial(roots, 1), 2))
    assert "queue.SpanQueue.take" == name_of(SpanQueue().take)
