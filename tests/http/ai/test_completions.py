"""Chat completions at the gateway, answered by a provider: whole and streamed."""

import json

from tests.http.ai.gateway import (
    ANSWER,
    COST,
    DONE,
    GRANTED,
    PROVIDER_KEY,
    STREAMED,
    Upstream,
    event,
    events,
    gateway,
    responds,
    usage_event,
    whole,
)


async def test_an_answer_is_passed_on_with_its_cost() -> None:
    """As it came, with `cost_micro_credits` in its usage; the cost is taken from the credits."""
    upstream = Upstream(responds(whole(extra={"a": 1})))
    async with gateway(upstream) as here:
        reply = await here.ask(temperature=0.10)
        [call] = await here.settled()

        assert (200, "application/json") == (reply.status, reply.headers["content-type"])
        answer = json.loads(reply.body)
        assert ANSWER == answer["choices"][0]["message"]["content"]
        assert {"a": 1} == answer["extra"]
        assert COST == answer["usage"]["cost_micro_credits"]
        assert "599" == reply.headers["ratelimit-remaining"]
        assert ("answered", COST, "p0") == (call.ended, call.charged_micro_credits, call.provider)
        assert GRANTED - COST == await here.balance()
        [sent] = upstream.seen
        head, _, body = sent.partition(b"\r\n\r\n")
        assert "small-upstream" == json.loads(body)["model"]
        assert f"Authorization: Bearer {PROVIDER_KEY}".encode() in head
        assert here.key.encode() not in sent


async def test_events_are_relayed_as_they_are() -> None:
    """To the byte, but for the event with usage, which is metered and shown only if asked for."""
    async with gateway(Upstream(STREAMED)) as here:
        reply = await here.ask(stream=True)
        [call] = await here.settled()

        assert (200, "no-store") == (reply.status, reply.headers["cache-control"])
        assert reply.headers["content-type"].startswith("text/event-stream")
        assert event() + event(None, "stop") + DONE == reply.body
        assert ("answered", COST, False) == (call.ended, call.charged_micro_credits, call.estimated)


async def test_usage_is_shown_in_a_stream_where_it_was_asked_for() -> None:
    """With what it cost."""
    async with gateway(Upstream(STREAMED)) as here:
        reply = await here.ask(stream=True, stream_options={"include_usage": True})

        shown = json.loads(reply.body.split(b"\n\n")[2].removeprefix(b"data: "))
        assert COST == shown["usage"]["cost_micro_credits"]


async def test_a_missing_end_is_added_after_a_finished_choice() -> None:
    """A provider that ends without `[DONE]` has answered, if a choice has its finish reason."""
    async with gateway(Upstream(events(event(), event(None, "stop"), usage_event()))) as here:
        reply = await here.ask(stream=True)
        [call] = await here.settled()

        assert reply.body.endswith(DONE)
        assert "answered" == call.ended
