"""Providers that misbehave on the wire: what the client gets, and what is charged."""

import json
from typing import Any

import msgspec
import pytest
import trio

from svc.actors.ai.upstreams import LIMITS
from tests.http.ai.gateway import (
    COST,
    DONE,
    GRANTED,
    HEAD,
    PROVIDER_KEY,
    STREAMED,
    Upstream,
    chunk,
    event,
    gateway,
    responds,
    whole,
)
from tests.http.ai.test_exits import ANSWER_COST, PROMPT_COST, code_of, reset
from tests.receivers import Serve, receiver

SHORT = msgspec.structs.replace(LIMITS, total_seconds=0.3)


async def _close(_stream: trio.abc.Stream) -> None:
    """Close the connection without a byte."""


async def _reset_within_answer(stream: trio.abc.Stream) -> None:
    await stream.send_all(responds(whole())[:-30])
    await reset(stream)


async def _reset_within_head(stream: trio.abc.Stream) -> None:
    await stream.send_all(b"HTTP/1.1 200 O")
    await reset(stream)


async def _endless_head(stream: trio.abc.Stream) -> None:
    await stream.send_all(b"HTTP/1.1 200 OK\r\n")
    while True:
        await stream.send_all(b"X-More: " + b"x" * 10_000 + b"\r\n")


async def _endless_error(stream: trio.abc.Stream) -> None:
    await stream.send_all(b"HTTP/1.1 400 Bad\r\nContent-Length: 1000000000\r\n\r\n")
    while True:
        await stream.send_all(b" " * 65_536)


BAD: dict[str, bytes | Serve] = {
    "closed without a byte": _close,
    "reset within the answer": _reset_within_answer,
    "reset within the head": _reset_within_head,
    "a head without end": _endless_head,
    "an error without end": _endless_error,
    "compressed": responds(whole(), 200, "Content-Encoding: gzip"),
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "a chunk of no length": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "half a chunk": HEAD + b"ff\r\n" + event()[:20],
    "not UTF-8": responds(whole().replace(b"Nobody", b"N\xffbody")),
    "too deep": responds(b'{"choices": ' + b"[" * 100_000),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_what_is_no_answer_costs_nothing(case: str, *, stream: bool) -> None:
    """502 in the client's shape; the connection to the provider is left."""
    async with gateway(Upstream(BAD[case])) as here:
        reply = await here.ask(stream=stream)
        [call] = await here.settled()

        assert (502, "upstream_error") == (reply.status, code_of(reply.body))
        assert ("unanswered", 0) == (call.ended, call.charged_micro_credits)
        assert GRANTED == await here.balance()


async def test_a_whole_answer_may_come_byte_by_byte() -> None:
    """Head and body."""

    async def slowly(stream: trio.abc.Stream) -> None:
        said = responds(whole())
        for at in range(len(said)):
            await stream.send_all(said[at : at + 1])

    async with gateway(Upstream(slowly)) as here:
        reply = await here.ask()
        [call] = await here.settled()

        assert (200, COST) == (reply.status, json.loads(reply.body)["usage"]["cost_micro_credits"])
        assert ("answered", COST) == (call.ended, call.charged_micro_credits)


async def test_a_reset_after_the_first_event_is_a_break() -> None:
    """As is a close: told in the stream, and charged by the estimate."""
    received = trio.Event()

    async def break_off(stream: Any) -> None:
        await stream.send_all(HEAD + chunk(event()))
        await received.wait()
        await reset(stream)

    async with gateway(Upstream(break_off)) as here:
        client = await here.begin(stream=True)
        came = b""
        while event() not in came:
            came += bytes(await client.stream.receive_some(65_536))
        received.set()
        while DONE not in came:
            came += bytes(await client.stream.receive_some(65_536))
        [call] = await here.settled()

        assert b'"upstream_error"' in came
        assert ("broken", PROMPT_COST + ANSWER_COST) == (call.ended, call.charged_micro_credits)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    """It would take prompts and keys elsewhere."""
    elsewhere = Upstream(STREAMED)
    async with receiver(elsewhere.connections) as url:
        upstream = Upstream(responds(b"", status, f"Location: {url}"))
        async with gateway(upstream) as here:
            reply = await here.ask()

        assert (502, "upstream_error") == (reply.status, code_of(reply.body))
        assert (1, 0) == (len(upstream.seen), elsewhere.connections.count)


@pytest.mark.parametrize("status", [400, 404, 422])
async def test_what_passes_does_not_show_the_services_key(status: int) -> None:
    """A provider that repeats the key in its error is answered for."""
    said = json.dumps({"error": {"message": f"{PROVIDER_KEY} may not do that"}}).encode()
    async with gateway(Upstream(responds(said, status))) as here:
        reply = await here.ask()

        assert (502, "upstream_error") == (reply.status, code_of(reply.body))
        assert PROVIDER_KEY.encode() not in reply.body


async def test_comments_for_ever_end_at_the_limit_of_time() -> None:
    """Before the first event they are no answer: 504, and nothing is charged."""

    async def comment(stream: trio.abc.Stream) -> None:
        await stream.send_all(HEAD)
        while True:
            await stream.send_all(chunk(b": still thinking\n\n"))
            await trio.sleep(0.02)

    async with gateway(Upstream(comment), limits=SHORT) as here:
        reply = await here.ask(stream=True)
        [call] = await here.settled()

        assert (504, "upstream_timeout") == (reply.status, code_of(reply.body))
        assert ("unanswered", 0) == (call.ended, call.charged_micro_credits)
