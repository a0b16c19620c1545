"""The exporter: what becomes of spans that a receiver takes, refuses, or does not answer."""

import pytest
from requests import Session

from svc.config.base_url import BaseUrl
from svc.config.tracing import TracingSettings
from svc.logging.throttled import ThrottledLog
from svc.telemetry import exporter, otlp
from svc.telemetry.queue import BATCH_SPANS
from svc.telemetry.tracing import Tracing, tracing_of
from tests.collectors import collecting

ABOUT = otlp.about("tools", "server", {})


def tracing_to(url: str) -> Tracing:
    tracing = tracing_of(TracingSettings(endpoint=BaseUrl(url)), {})
    assert tracing is not None
    return tracing


@pytest.mark.parametrize(
    ("answers", "requests", "settled"),
    [
        ((), 1, (1, 0)),
        ((503, 429, 502, 504), 5, (1, 0)),
        ((503,) * 5, 5, (0, 1)),
        ((400,), 1, (0, 1)),
        ((302,), 1, (0, 1)),
    ],
)
def test_a_batch_is_sent_again_where_that_may_help(monkeypatch, answers, requests, settled):
    """After 429, 502, 503 and 504, five times in all; what is refused for good is dropped, and counted."""
    monkeypatch.setattr(exporter, "RETRY_SECONDS", 0.0)
    with collecting(*answers) as collector, Session() as session:
        tracing = tracing_to(collector.url)
        queue = tracing.tracer.queue
        tracing.tracer.root().end(ABOUT)
        tracing.exporter.export(session, queue.take())

    assert settled == (queue.exported, queue.dropped)
    assert requests == len(collector.requests)
    assert all(request == collector.requests[0] for request in collector.requests)


async def test_the_end_of_the_service_sends_the_rest():
    """In batches, without a wait for the next time."""
    with collecting() as collector:
        tracing = tracing_to(collector.url)
        async with tracing.exporter.live():
            for _ in range(BATCH_SPANS + 1):
                tracing.tracer.root().end(ABOUT)

    assert BATCH_SPANS + 1 == len(collector.spans) == tracing.tracer.queue.exported
    assert 2 <= len(collector.requests)


async def test_a_receiver_that_is_not_there_costs_its_spans_alone():
    """The service ends all the same, and the spans are counted."""
    with collecting() as collector:
        pass
    tracing = tracing_to(collector.url)
    async with tracing.exporter.live():
        tracing.tracer.root().end(ABOUT)

    queue = tracing.tracer.queue
    assert (0, 1, 0) == (queue.exported, queue.dropped, len(queue))


async def test_a_receiver_that_refuses_is_logged_by_its_status(monkeypatch):
    """Not by what it answered, nor by its address."""
    noted: list[str] = []
    monkeypatch.setattr(ThrottledLog, "note", lambda _self, why, **_about: noted.append(str(why)))
    with collecting(401) as collector:
        tracing = tracing_to(collector.url)
        async with tracing.exporter.live():
            tracing.tracer.root().end(ABOUT)

    assert ["the receiver answered 401"] == noted
