"""The spans of turns: what each is a part of, how it ended, and where a trace ends."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Message

from svc.actors._core import ActorCrashed
from svc.actors._core.turn_spans import DEPTH_MAX
from svc.domain.errors import Conflict
from svc.request_id import working_for
from svc.telemetry.queue import SpanQueue
from svc.telemetry.spans import Span, Tracer, current_span, within
from tests.actors.core.lab import Lab, Other, Probe, living
from tests.collectors import attributes_of, has_failed, taken_from


@asynccontextmanager
async def traced() -> AsyncIterator[tuple[Lab, Span]]:
    """A lab, and the span of a request to it."""
    async with living() as lab:
        lab.tracer = Tracer(SpanQueue())
        request = lab.tracer.root()
        with within(request):
            yield lab, request


def ended(lab: Lab) -> dict[str, Message]:
    """The spans that have ended, by name."""
    assert lab.tracer is not None
    return {span.name: span for span in taken_from(lab.tracer.queue)}


async def test_an_ask_of_a_turn_is_a_part_of_it(autojump_clock):
    """And what the turn's tasks ask, even after it."""
    async with traced() as (lab, request):

        async def later() -> None:
            await trio.sleep(5)
            await Other(lab, "a").note("later")

        async def ask(me: Probe) -> None:
            await Other(lab, "a").add()
            me.start_soon(later)

        await Probe(lab, "a").do(ask)
        await trio.sleep(10)
        spans = ended(lab)

    turn = spans["Probe.do"]
    assert (request.trace_id, request.span_id) == (turn.trace_id, turn.parent_span_id)
    assert {turn.span_id} == {spans["Other.add"].parent_span_id, spans["Other.note"].parent_span_id}
    assert ("Probe", "do", "ok") == tuple(
        attributes_of(turn)[f"svc.{name}"] for name in ("actor", "turn", "outcome")
    )


async def test_the_load_is_a_part_of_what_it_is_done_for(autojump_clock):
    """Beside the turn that waited for it, whose span does not have that time."""
    async with traced() as (lab, request):

        async def slow(_me: Probe) -> None:
            await trio.sleep(3)

        lab.on_load = slow
        await Probe(lab, "a").add()
        spans = ended(lab)

    assert {request.span_id} == {spans["Probe.load"].parent_span_id, spans["Probe.add"].parent_span_id}
    assert 3 == attributes_of(spans["Probe.add"])["svc.mailbox_seconds"]


@pytest.mark.parametrize(
    ("error", "raised", "failed"), [(Conflict("no"), Conflict, False), (KeyError("x"), ActorCrashed, True)]
)
async def test_a_crash_fails_its_turn_and_a_refusal_does_not(autojump_clock, error, raised, failed):
    async with traced() as (lab, _):
        with pytest.raises(raised):
            await Probe(lab, "a").fail(error)
        turn = ended(lab)["Probe.fail"]

    assert failed == has_failed(turn)
    assert attributes_of(turn)["svc.outcome"].startswith(type(error).__name__)


async def test_a_timer_that_is_due_at_once_goes_on_in_its_trace(autojump_clock):
    """One for later begins a trace, and so does what nobody sent."""
    async with traced() as (lab, request):

        async def arm(me: Probe) -> None:
            me.add.after(0)
            me.note.after(5, "later")

        await Probe(lab, "a").do(arm)
        await trio.sleep(10)
        spans = ended(lab)

    assert (request.trace_id, spans["Probe.do"].span_id) == (
        spans["Probe.add"].trace_id,
        spans["Probe.add"].parent_span_id,
    )
    assert request.trace_id != spans["Probe.note"].trace_id
    assert (b"", 0) == (spans["Probe.note"].parent_span_id, len(spans["Probe.note"].links))


async def test_a_trace_has_an_end(autojump_clock):
    """An actor that tells itself again and again goes on in another trace, with a link to the one before."""
    async with traced() as (lab, request):

        async def again(me: Probe) -> None:
            me.state.total += 1
            if me.state.total < DEPTH_MAX + 3:
                me.do.tell(again)

        await Probe(lab, "a").note("loaded")
        ended(lab)
        with working_for(b"the-request"):
            await Probe(lab, "a").do(again)
            await trio.sleep(1)
        assert lab.tracer is not None
        spans = taken_from(lab.tracer.queue)

    inside = [span for span in spans if span.trace_id == request.trace_id]
    first = spans[DEPTH_MAX]
    assert spans[:DEPTH_MAX] == inside
    [link] = first.links
    assert (b"", request.trace_id, inside[-1].span_id) == (first.parent_span_id, link.trace_id, link.span_id)
    assert "the-request" == attributes_of(first)["svc.request_id"]
    assert {first.trace_id} == {span.trace_id for span in spans[DEPTH_MAX:]}


async def test_a_span_does_not_outlast_its_turn(autojump_clock):
    """What an actor does between turns is no part of the last one."""
    seen: list[Span | None] = []
    async with traced() as (lab, _):

        async def look(_me: Probe) -> None:
            seen.append(current_span())

        lab.on_flush = look
        await Probe(lab, "a").do(look)
        assert lab.passivate("Probe", "a") is None
        await trio.sleep(1)

    [in_turn, in_flush] = seen
    assert in_turn is not None
    assert in_flush is None
