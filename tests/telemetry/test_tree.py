"""The spans of a request, from a door to what is sent to others, as a receiver gets them."""

import trio
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from svc.actors.outbound.client import PostResult
from svc.actors.outbound.errors import NoAnswer, NotSent
from svc.config.base_url import BaseUrl
from svc.config.tracing import TracingHeaders, TracingSettings
from svc.http.app import public_app
from svc.telemetry.queue import SpanQueue
from svc.telemetry.spans import Tracer
from svc.telemetry.tracing import tracing_of
from tests.channels import Receiver
from tests.collectors import attributes_of, collecting, has_failed, taken_from
from tests.http.asking import client_of
from tests.tooling import ToolTown, tool_town
from tests.webhooks import a_webhook

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
CONTACT = {"objectType": "contact", "properties": {"name": "Ada"}}


class Recorded:
    """The spans in a queue, by name, and how they hang together."""

    def __init__(self, spans: list[Span]) -> None:
        self.spans = spans
        self.by_id = {span.span_id: span for span in spans}

    def named(self, name: str) -> Span:
        [span] = [span for span in self.spans if span.name == name]
        return span

    def way(self, span: Span) -> list[str]:
        """The names from the beginning of its trace to *span*."""
        above = self.by_id.get(span.parent_span_id)
        return [*(self.way(above) if above is not None else ()), span.name]


def recorded(queue: SpanQueue) -> Recorded:
    return Recorded(taken_from(queue))


async def create_a_contact(here: ToolTown, flags: str = "01") -> None:
    answer = await here.call("record.create", CONTACT, traceparent=f"00-{TRACE}-{CALLER}-{flags}")
    assert 200 == answer.status_code
    await trio.sleep(1)


async def test_a_request_leads_to_a_webhook_in_one_trace(autojump_clock):
    """In the caller's trace: the request, the turns and units that it caused, and the call to a receiver."""
    receiver = Receiver()
    with collecting() as collector:
        settings = TracingSettings(
            endpoint=BaseUrl(collector.url), headers=TracingHeaders("x-key=a%20key"), service="shop"
        )
        tracing = tracing_of(settings, {})
        assert tracing is not None
        async with (
            tracing.exporter.live(),
            tool_town(outbound_http=receiver, tracer=tracing.tracer) as here,
        ):
            await here.store.write(a_webhook, here.organization.id)
            await create_a_contact(here)

    assert {"/v1/traces"} == set(collector.paths)
    assert {("a key", "application/x-protobuf")} == {
        (headers["x-key"], headers["content-type"]) for headers in collector.headers
    }
    [resource, *_] = [one.resource for request in collector.requests for one in request.resource_spans]
    assert "shop" == attributes_of(resource)["service.name"]

    spans = {span.span_id: span for span in collector.spans if span.trace_id.hex() == TRACE}
    [call] = [span for span in spans.values() if span.name == "call webhook"]
    way = [call]
    while way[0].parent_span_id in spans:
        way.insert(0, spans[way[0].parent_span_id])
    names = [span.name for span in way]

    [(_, _, _, headers)] = receiver.got
    assert f"00-{TRACE}-{call.span_id.hex()}-01" == headers["traceparent"]
    assert CALLER == way[0].parent_span_id.hex()
    assert "tools record.create" == names[0]
    assert (2, 3) == (way[0].kind, way[-1].kind)
    assert {"EventDispatcher.check", "Webhook.check"} <= set(names)
    assert any(name.startswith("write ") for name in names)
    about = attributes_of(way[0])
    assert ("tools", "POST", "record.create", 200) == (
        about["svc.door"],
        about["http.request.method"],
        about["svc.tool"],
        about["http.response.status_code"],
    )
    assert ("webhook", "accepted", 200) == (
        attributes_of(call)["svc.call"],
        attributes_of(call)["svc.outcome"],
        attributes_of(call)["http.response.status_code"],
    )
    assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in spans.values())


async def test_turns_and_units_say_how_they_went(autojump_clock):
    """A turn has its actor's kind, its name and its wait; a unit its name, and its wait for the writer."""
    queue = SpanQueue()
    async with tool_town(tracer=Tracer(queue)) as here:
        recorded(queue)
        await create_a_contact(here)

    found = recorded(queue)
    turn = found.named("Organization.admit_key")
    assert ("Organization", "admit_key", "ok") == (
        attributes_of(turn)["svc.actor"],
        attributes_of(turn)["svc.turn"],
        attributes_of(turn)["svc.outcome"],
    )
    assert 0 <= float(attributes_of(turn)["svc.mailbox_seconds"])
    [unit, *_] = [
        span
        for span in found.spans
        if attributes_of(span).get("svc.lane") == "write" and found.way(span)[0] == "tools record.create"
    ]
    assert {"svc.unit", "svc.lane", "svc.queue_seconds"} == set(attributes_of(unit))
    assert not any(has_failed(span) for span in found.spans)


async def test_what_is_refused_is_no_failure(autojump_clock):
    """A refusal has its type; an answer that says that we failed marks the request."""
    queue = SpanQueue()
    async with tool_town(tracer=Tracer(queue)) as here:
        recorded(queue)
        answer = await here.call("record.get", {"id": "rec_01J00000000000000000000000"})
        assert 404 == answer.status_code

    found = recorded(queue)
    request = found.named("tools record.get")
    assert (404, False) == (attributes_of(request)["http.response.status_code"], has_failed(request))
    assert "NotFound" in {attributes_of(span).get("error.type") for span in found.spans}
    assert not any(has_failed(span) for span in found.spans)


async def test_what_no_one_takes_has_failed(autojump_clock):
    """How an attempt ended is told and counted: refused, without an answer in time, without a connection."""
    queue = SpanQueue()
    receiver = Receiver(PostResult(500), NoAnswer("late"), NotSent("no connection"))
    async with tool_town(outbound_http=receiver, tracer=Tracer(queue)) as here:
        await here.store.write(a_webhook, here.organization.id)
        await create_a_contact(here)
        with trio.fail_after(24 * 3_600):
            while here.system.outgoing.attempts["webhook", "accepted"] == 0:  # noqa: ASYNC110
                await trio.sleep(60)

        assert {"refused": 1, "timed_out": 1, "not_reached": 1, "accepted": 1} == {
            end: count for (_, end), count in here.system.outgoing.attempts.items()
        }
    calls = [span for span in recorded(queue).spans if span.name == "call webhook"]
    assert [("refused", True), ("timed_out", True), ("not_reached", True), ("accepted", False)] == [
        (attributes_of(call)["svc.outcome"], has_failed(call)) for call in calls
    ]


async def test_a_trace_that_its_caller_does_not_record_is_handed_on(autojump_clock):
    """Nothing of it is recorded, and the receiver is told its id all the same."""
    queue = SpanQueue()
    receiver = Receiver()
    async with tool_town(outbound_http=receiver, tracer=Tracer(queue)) as here:
        await here.store.write(a_webhook, here.organization.id)
        await create_a_contact(here, "00")

    assert TRACE not in {span.trace_id.hex() for span in recorded(queue).spans}
    [(_, _, _, headers)] = receiver.got
    assert (TRACE, "00") == (headers["traceparent"][3:35], headers["traceparent"][-2:])


async def test_without_a_tracer_nothing_is_sent_along(autojump_clock):
    receiver = Receiver()
    async with tool_town(outbound_http=receiver) as here:
        await here.store.write(a_webhook, here.organization.id)
        await create_a_contact(here)

    [(_, _, _, headers)] = receiver.got
    assert "traceparent" not in headers


async def test_a_load_belongs_to_what_it_is_done_for(autojump_clock):
    """The reads of an actor's first message hang below the request that woke the actor."""
    queue = SpanQueue()
    async with tool_town() as made:
        made.system.tracer = Tracer(queue)
        async with client_of(public_app(made.system)) as made.client:
            await create_a_contact(made)

    found = recorded(queue)
    load = found.named("Organization.load")
    assert ["tools record.create", "Organization.load"] == found.way(load)
    assert any(span.parent_span_id == load.span_id for span in found.spans)


async def test_a_page_is_a_span_too(autojump_clock):
    """What Quart answers is a page. A method that a client made up is not told."""
    queue = SpanQueue()
    async with tool_town(tracer=Tracer(queue)) as here:
        recorded(queue)
        await here.client.request("QUILLONA", "/docs/")
        await here.client.get("/docs/mcp")

    pages = [span for span in recorded(queue).spans if span.name == "pages"]
    assert [("_OTHER", 404), ("GET", 200)] == [
        (attributes_of(span)["http.request.method"], attributes_of(span)["http.response.status_code"])
        for span in pages
    ]
    assert all(attributes_of(span)["svc.request_id"] for span in pages)
