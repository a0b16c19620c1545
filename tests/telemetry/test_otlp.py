"""What is exported, read by OpenTelemetry's own messages."""

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Message

from svc.telemetry import otlp
from svc.telemetry.queue import SpanQueue
from svc.telemetry.spans import Tracer
from tests.collectors import attributes_of, has_failed, taken_from

ABOUT = otlp.about("tools", "server", {})
VALUES = st.one_of(
    st.text(max_size=300),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
)


def tracer() -> Tracer:
    return Tracer(SpanQueue())


def test_a_request_says_what_has_done_it():
    """The resource and the scope of all spans."""
    span = otlp.encode_span(otlp.place(b"t" * 16, b"s" * 8, b"", 1, 2), ABOUT, b"")
    request = ExportTraceServiceRequest.FromString(otlp.encode_request({"service.name": "svc"}, [span, span]))
    [of_resource] = request.resource_spans
    [of_scope] = of_resource.scope_spans

    assert ({"service.name": "svc"}, "svc", 2) == (
        attributes_of(of_resource.resource),
        of_scope.scope.name,
        len(of_scope.spans),
    )


@given(st.dictionaries(st.text(max_size=200), VALUES), st.text(max_size=200), st.data())
def test_every_attribute_arrives_as_it_is(attributes, name, data):
    """Texts of any length, whole numbers of 64 bits, and fractions: said at the end, or noted before."""
    noted = set(data.draw(st.lists(st.sampled_from(sorted(attributes)))) if attributes else ())
    tracer_ = tracer()
    span = tracer_.root()
    for each in noted:
        span.note(each, attributes[each])
    span.end(otlp.about(name, "internal", {one: attributes[one] for one in attributes if one not in noted}))
    [message] = taken_from(tracer_.queue)

    assert (name, attributes) == (message.name, attributes_of(message))


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=2_000), st.floats(allow_nan=False)
)
def test_attributes_of_one_span_alone_arrive_as_they_are(text, fraction):
    tracer_ = tracer()
    more = otlp.text_attribute("svc.request_id", text.encode()) + otlp.fraction_attribute(
        "svc.seconds", fraction
    )
    tracer_.root().end(ABOUT, more)
    [message] = taken_from(tracer_.queue)

    assert {"svc.request_id": text, "svc.seconds": fraction} == attributes_of(message)


def test_a_span_has_its_place_and_its_times():
    """The ids of its trace, itself and its parent; what begins a trace has no parent."""
    begin = tracer().root()
    call = begin.child()
    call.end(otlp.about("call webhook", "client", {}, failed=True))
    begin.end(ABOUT)
    second, first = taken_from(begin.tracer.queue)

    assert (begin.trace_id, begin.span_id, b"") == (first.trace_id, first.span_id, first.parent_span_id)
    assert (begin.trace_id, call.span_id, begin.span_id) == (
        second.trace_id,
        second.span_id,
        second.parent_span_id,
    )
    assert (Message.SPAN_KIND_SERVER, Message.SPAN_KIND_CLIENT) == (first.kind, second.kind)
    assert (False, True) == (has_failed(first), has_failed(second))
    assert begin.began_ns == first.start_time_unix_nano
    assert first.start_time_unix_nano <= second.end_time_unix_nano <= first.end_time_unix_nano


def test_a_trace_may_go_on_from_another():
    """By a link, which is no parent."""
    before = tracer().root()
    after = before.tracer.root(link=before)
    after.end(ABOUT)
    [message] = taken_from(before.tracer.queue)

    [link] = message.links
    assert (before.trace_id, before.span_id) == (link.trace_id, link.span_id)
    assert (b"", False) == (message.parent_span_id, after.trace_id == before.trace_id)
