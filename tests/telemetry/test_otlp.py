"""What is exported, read by OpenTelemetry's own messages."""

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Message
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from svc.telemetry.otlp import encode_request
from svc.telemetry.queue import SpanQueue
from svc.telemetry.spans import Span, Tracer
from tests.collectors import attributes_of

VALUES = st.one_of(
    st.text(max_size=300),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
)


def tracer() -> Tracer:
    return Tracer(SpanQueue())


def exported(*spans: Span) -> list[Message]:
    """The spans, as a receiver reads them."""
    request = ExportTraceServiceRequest.FromString(encode_request({"service.name": "svc"}, spans))
    [of_resource] = request.resource_spans
    assert {"service.name": "svc"} == attributes_of(of_resource.resource)
    assert {"svc"} == {of_scope.scope.name for of_scope in of_resource.scope_spans}
    return [span for of_scope in of_resource.scope_spans for span in of_scope.spans]


@given(st.dictionaries(st.text(max_size=200), VALUES), st.text(max_size=200))
def test_every_attribute_arrives_as_it_is(attributes, name):
    """Texts of any length, whole numbers of 64 bits, and fractions."""
    span = tracer().root(name, "internal", attributes)
    span.end()
    [message] = exported(span)

    assert (name, attributes) == (message.name, attributes_of(message))


def test_a_span_has_its_place_and_its_times():
    """The ids of its trace, itself and its parent; what begins a trace has no parent."""
    begin = tracer().root("tools", "server", {})
    call = begin.child("call webhook", "client", {})
    call.end(failed=True)
    begin.end()
    first, second = exported(begin, call)

    assert (begin.trace_id, begin.span_id) == tuple(
        int.from_bytes(one) for one in (first.trace_id, first.span_id)
    )
    assert (b"", first.span_id, first.trace_id) == (
        first.parent_span_id,
        second.parent_span_id,
        second.trace_id,
    )
    assert (Message.SPAN_KIND_SERVER, Message.SPAN_KIND_CLIENT) == (first.kind, second.kind)
    assert (Status.STATUS_CODE_UNSET, Status.STATUS_CODE_ERROR) == (first.status.code, second.status.code)
    assert (begin.began_ns, begin.ended_ns) == (first.start_time_unix_nano, first.end_time_unix_nano)


def test_a_trace_may_go_on_from_another():
    """By a link, which is no parent."""
    before = tracer().root("Webhook.loaded", "internal", {})
    after = before.tracer.root("Webhook.loaded", "internal", {}, link=before)
    after.end()
    [message] = exported(after)

    [link] = message.links
    assert (before.trace_id, before.span_id) == (int.from_bytes(link.trace_id), int.from_bytes(link.span_id))
    assert (b"", False) == (message.parent_span_id, after.trace_id == before.trace_id)
