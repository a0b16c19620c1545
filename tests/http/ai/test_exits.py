"""Every row of the table of exits, over the whole way: what the client gets, and what the call is charged."""

import json
import struct
from socket import SO_LINGER, SOL_SOCKET
from typing import Any

import msgspec
import pytest
import trio

from svc.actors.ai.upstreams import LIMITS
from tests.http.ai.gateway import (
    ANSWER,
    COST,
    DONE,
    GRANTED,
    HEAD,
    LAST,
    PROMPT,
    STREAMED,
    USAGE,
    Upstream,
    chunk,
    event,
    events,
    gateway,
    responds,
    usage_event,
    whole,
)
from tests.receivers import Serve

PROMPT_COST = -(-(len("user") + len(PROMPT)) // 4) + 4
"""By the estimate: all strings of the messages, 4 bytes a token, and 4 tokens for the message."""
ANSWER_COST = 2 * -(-len(ANSWER) // 4)
SECRET_TEXT = "a provider's own words"
ERROR_EVENT = b'data: {"error": {"message": "' + SECRET_TEXT.encode() + b'"}}\n\n'
REFUSED = json.dumps({"error": {"message": SECRET_TEXT}}).encode()


def code_of(body: bytes) -> str:
    """The code of an error in the client's shape, without anything of the provider in it."""
    assert SECRET_TEXT.encode() not in body
    error = json.loads(body)["error"]
    assert {"message", "type", "param", "code"} == set(error)
    code: str = error["code"]
    return code


async def reset(stream: Any) -> None:
    """Reset the connection."""
    stream.socket.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    stream.socket.close()
    await trio.lowlevel.checkpoint()


async def _half(stream: trio.abc.Stream) -> None:
    """Send half an answer, and close the connection."""
    await stream.send_all(responds(whole())[:-30])


BAD: dict[str, tuple[bytes | Serve, int, str]] = {
    "html": (responds(b"<html>" + SECRET_TEXT.encode(), media="text/html"), 502, "upstream_error"),
    "an error as a 200": (responds(REFUSED), 502, "upstream_error"),
    "another shape": (responds(b'{"choices": 1}'), 502, "upstream_error"),
    "nothing": (responds(b""), 502, "upstream_error"),
    "no http": (b"SSH-2.0-hello\r\n\r\n", 502, "upstream_error"),
    "half an answer": (_half, 502, "upstream_error"),
    "500": (responds(REFUSED, 500), 502, "upstream_error"),
    "401": (responds(REFUSED, 401), 502, "upstream_error"),
    "403": (responds(REFUSED, 403), 502, "upstream_error"),
    "400 of another shape": (responds(SECRET_TEXT.encode(), 400), 502, "upstream_error"),
    "400 that is too long": (
        responds(json.dumps({"error": {"message": "x" * 70_000}}).encode(), 400),
        502,
        "upstream_error",
    ),
    "a redirect": (responds(b"", 302, "Location: http://127.0.0.1/"), 502, "upstream_error"),
    "429": (responds(REFUSED, 429, "Retry-After: 7"), 429, "rate_limit_exceeded"),
    "reset": (reset, 502, "upstream_error"),
}
BAD_STREAMS = {
    "an answer that is not streamed": (responds(whole()), 502, "upstream_error"),
    "an error as the first event": (events(ERROR_EVENT), 502, "upstream_error"),
    "no event": (events(), 502, "upstream_error"),
    "the end alone": (events(DONE), 502, "upstream_error"),
    "half an event": (events(event()[:-20]), 502, "upstream_error"),
    "half an event and a break": (events(event()[:-20], last=b""), 502, "upstream_error"),
    "garbage": (events(b"data: not JSON\n\n"), 502, "upstream_error"),
    "an event that is too large": (events(b"data: " + b"x" * 1_100_000), 502, "upstream_error"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_no_answer_of_a_provider_costs_nothing(case: str, *, stream: bool) -> None:
    """The client gets the documented error in its shape, without a word of the provider."""
    said, status, code = BAD[case]
    async with gateway(Upstream(said)) as here:
        reply = await here.ask(stream=stream)
        [call] = await here.settled()

        assert (status, code) == (reply.status, code_of(reply.body))
        assert ("unanswered", 0) == (call.ended, call.charged_micro_credits)
        assert GRANTED == await here.balance()
        if status == 429:
            assert "7" == reply.headers["retry-after"]


@pytest.mark.parametrize("case", BAD_STREAMS)
async def test_no_first_event_costs_nothing(case: str) -> None:
    """The head is held until the first event, so it is a status."""
    said, status, code = BAD_STREAMS[case]
    async with gateway(Upstream(said)) as here:
        reply = await here.ask(stream=True)
        [call] = await here.settled()

        assert (status, code) == (reply.status, code_of(reply.body))
        assert ("unanswered", 0) == (call.ended, call.charged_micro_credits)


@pytest.mark.parametrize("status", [400, 404, 409, 413, 422])
async def test_what_a_provider_says_about_the_request_passes(status: int) -> None:
    """With status and body as they are; it costs nothing."""
    async with gateway(Upstream(responds(REFUSED, status))) as here:
        reply = await here.ask()
        [call] = await here.settled()

        assert (status, REFUSED) == (reply.status, reply.body)
        assert ("unanswered", 0) == (call.ended, call.charged_micro_credits)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_provider_that_is_not_there(*, stream: bool) -> None:
    """No connection is an error of the provider, and costs nothing."""
    upstream = Upstream(b"")
    async with gateway(upstream) as here:
        provider = here.system.ai.models.providers["p0"]
        closed = msgspec.structs.replace(provider, base_url="http://127.0.0.1:9")
        here.system.ai.models.providers["p0"] = closed  # type: ignore[index]
        reply = await here.ask(stream=stream)
        [call] = await here.settled()

        assert (502, "upstream_error") == (reply.status, code_of(reply.body))
        assert ("unanswered", 0) == (call.ended, call.charged_micro_credits)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_a_timeout_before_the_first_byte_costs_nothing(*, stream: bool) -> None:
    """504, and no other provider is asked."""
    upstream, other = Upstream(), Upstream(STREAMED)
    upstream.connections.serves = (upstream._as_serve(upstream.sends_then_waits()),)
    limits = msgspec.structs.replace(LIMITS, first_byte_seconds=0.1)
    async with gateway(upstream, other, limits=limits) as here:
        reply = await here.ask(stream=stream)
        [call] = await here.settled()

        assert (504, "upstream_timeout") == (reply.status, code_of(reply.body))
        assert ("unanswered", 0) == (call.ended, call.charged_micro_credits)
        assert [] == other.seen


async def test_an_answer_without_usage_is_estimated() -> None:
    """Whole: a token is 4 bytes."""
    async with gateway(Upstream(responds(whole(usage=None)))) as here:
        await here.ask()
        [call] = await here.settled()

        assert ("answered", True) == (call.ended, call.estimated)
        assert PROMPT_COST + ANSWER_COST == call.charged_micro_credits


async def test_a_stream_without_usage_is_estimated() -> None:
    """Streamed likewise."""
    async with gateway(Upstream(events(event(), event(None, "stop"), DONE))) as here:
        await here.ask(stream=True)
        [call] = await here.settled()

        assert ("answered", True) == (call.ended, call.estimated)
        assert PROMPT_COST + ANSWER_COST == call.charged_micro_credits


@pytest.mark.parametrize("usage", ["much", {"prompt_tokens": -1, "completion_tokens": 1}, {}, [1]])
async def test_nonsense_for_usage_is_none(usage: Any) -> None:
    """It is estimated."""
    async with gateway(Upstream(responds(whole(usage=usage)))) as here:
        reply = await here.ask()
        [call] = await here.settled()

        assert (200, True) == (reply.status, call.estimated)


async def test_absurd_usage_takes_what_there_is() -> None:
    """At most the bound and what is free beside it; the rest is not owed."""
    usage = {"prompt_tokens": 10**12, "completion_tokens": 1}
    async with gateway(Upstream(responds(whole(usage=usage)))) as here:
        await here.ask()
        [call] = await here.settled()

        assert 0 == await here.balance()
        assert GRANTED == call.charged_micro_credits
        assert call.uncovered_micro_credits > 0


@pytest.mark.parametrize(
    ("last", "ended"),
    [
        (b"", "broken"),
        (LAST, "broken"),
        (chunk(ERROR_EVENT) + LAST, "broken"),
        (chunk(b"data: {}\n\n") + LAST, "broken"),
        (b"garbage\r\n", "broken"),
        (chunk(b"data: " + b"x" * 1_100_000) + LAST, "limit"),
    ],
    ids=["closed", "ended", "an error", "no chunk", "no HTTP", "too large"],
)
async def test_a_break_after_the_first_event_is_told_and_charged(last: bytes, ended: str) -> None:
    """An error in the client's shape, then the end; the estimate of what came is charged."""
    async with gateway(Upstream(HEAD + chunk(event()) + last)) as here:
        reply = await here.ask(stream=True)
        [call] = await here.settled()

        first, error, end, rest = reply.body.split(b"\n\n")
        assert event().strip() == first
        assert "upstream_error" == code_of(error.removeprefix(b"data: "))
        assert (DONE.strip(), b"") == (end, rest)
        assert (ended, True) == (call.ended, call.estimated)
        assert PROMPT_COST + ANSWER_COST == call.charged_micro_credits


async def test_the_last_usage_that_came_counts_at_a_break() -> None:
    """Some providers send it in every event."""
    said = HEAD + chunk(event(usage={"prompt_tokens": 1, "completion_tokens": 1})) + chunk(event(usage=USAGE))
    async with gateway(Upstream(said)) as here:
        await here.ask(stream=True)
        [call] = await here.settled()

        assert ("broken", COST, False) == (call.ended, call.charged_micro_credits, call.estimated)


@pytest.mark.parametrize(
    ("limits", "ended", "code", "sentence"),
    [
        ({"idle_seconds": 0.1}, "silent", "upstream_timeout", "silent"),
        ({"total_seconds": 0.3}, "limit", "upstream_timeout", "too long"),
    ],
    ids=["idle", "total"],
)
async def test_silence_and_length_have_limits(
    limits: dict[str, float], ended: str, code: str, sentence: str
) -> None:
    """Of a stream that has begun; the upstream call is closed."""
    upstream = Upstream()
    said = upstream.sends_then_waits(HEAD + chunk(event()))
    upstream.connections.serves = (upstream._as_serve(said),)
    async with gateway(upstream, limits=msgspec.structs.replace(LIMITS, **limits)) as here:
        reply = await here.ask(stream=True)
        [call] = await here.settled()

        error = reply.body.split(b"\n\n")[1].removeprefix(b"data: ")
        assert code == code_of(error)
        assert sentence in json.loads(error)["error"]["message"]
        assert (ended, PROMPT_COST + ANSWER_COST) == (call.ended, call.charged_micro_credits)
        with trio.fail_after(1):
            await upstream.closed.wait()


async def test_single_bytes_make_whole_events() -> None:
    """Events are relayed whole, however they come."""
    body = event() + event(None, "stop") + usage_event() + DONE
    pieces = b"".join(chunk(body[at : at + 1]) for at in range(len(body)))
    async with gateway(Upstream(HEAD + pieces + LAST)) as here:
        reply = await here.ask(stream=True)
        [call] = await here.settled()

        assert event() + event(None, "stop") + DONE == reply.body
        assert ("answered", COST) == (call.ended, call.charged_micro_credits)


async def test_events_for_ever_end_at_the_limit_of_an_answer() -> None:
    """Here of 200 KB instead of 64 MiB."""

    async def endless(stream: trio.abc.Stream) -> None:
        await stream.send_all(HEAD)
        while True:
            await stream.send_all(chunk(event("word " * 100)))

    limits = msgspec.structs.replace(LIMITS, answer_bytes_max=200_000)
    async with gateway(Upstream(endless), limits=limits) as here:
        reply = await here.ask(stream=True)
        [call] = await here.settled()

        *_, error, _, _ = reply.body.split(b"\n\n")
        assert "upstream_error" == code_of(error.removeprefix(b"data: "))
        assert b"too large" in error
        assert "limit" == call.ended
        assert reply.body.endswith(DONE)


async def test_an_answer_that_is_too_long_is_none() -> None:
    """A provider that sends a gigabyte is left at the limit."""

    async def gigabyte(stream: trio.abc.Stream) -> None:
        await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while True:
            await stream.send_all(b" " * 65_536)

    limits = msgspec.structs.replace(LIMITS, answer_bytes_max=200_000)
    async with gateway(Upstream(gigabyte), limits=limits) as here:
        reply = await here.ask()
        [call] = await here.settled()

        assert (502, "upstream_error") == (reply.status, code_of(reply.body))
        assert ("unanswered", 0) == (call.ended, call.charged_micro_credits)
