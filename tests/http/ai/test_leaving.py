"""What ends a call from outside: its client leaves, its key is revoked, the service stops."""

from typing import Any

import pytest
import trio

from svc.storage.identity import organizations
from tests.http.ai.gateway import (
    COST,
    DONE,
    HEAD,
    LAST,
    Gateway,
    Upstream,
    chunk,
    event,
    gateway,
    usage_event,
)
from tests.http.ai.test_exits import ANSWER_COST, PROMPT_COST
from tests.http.serving import Client

SAID = {"not answered": b"", "streamed": HEAD + chunk(event())}
FINISH = event(None, "stop")
WAYS = pytest.mark.parametrize(
    ("said", "stream"),
    [(SAID["streamed"], True), (SAID["not answered"], True), (SAID["not answered"], False)],
    ids=["streamed", "not answered", "not streamed"],
)
"""What the provider has sent so far, and whether the answer is to be streamed."""


def waiting(said: bytes) -> Upstream:
    """A provider that sends *said*, and waits until the gateway leaves."""
    upstream = Upstream()
    upstream.connections.serves = (upstream._as_serve(upstream.sends_then_waits(said)),)
    return upstream


async def begin(here: Gateway, upstream: Upstream, said: bytes, *, stream: bool = True) -> Client:
    """A client whose call is under way, as far as the provider has answered it."""
    client = await here.begin(stream=stream)
    with trio.fail_after(5):
        await upstream.asked.wait()
        if said:
            received = b""
            while event() not in received:
                received += bytes(await client.stream.receive_some(65_536))
    return client


@WAYS
async def test_a_client_that_leaves_ends_its_upstream_call(said: bytes, *, stream: bool) -> None:
    """Within a second; what went out and what came is charged by the estimate."""
    upstream = waiting(said)
    async with gateway(upstream) as here:
        client = await begin(here, upstream, said, stream=stream)
        await client.stream.aclose()
        with trio.fail_after(1):
            await upstream.closed.wait()
        [call] = await here.settled()

        assert ("left", True) == (call.ended, call.estimated)
        assert PROMPT_COST + (ANSWER_COST if said else 0) == call.charged_micro_credits


async def _revoke(here: Gateway) -> None:
    await here.revoke()


async def _close(here: Gateway) -> None:
    await here.store.write(organizations.close, here.organization.id)


@WAYS
@pytest.mark.parametrize("end", [_revoke, _close], ids=["key", "organization"])
async def test_a_revoked_key_and_a_closed_organization_end_calls(
    end: Any, said: bytes, *, stream: bool
) -> None:
    """Within a second: an error and the end in a stream, else 401; charged as a break."""
    upstream = waiting(said)
    async with gateway(upstream) as here:
        client = await begin(here, upstream, said, stream=stream)
        await end(here)
        with trio.fail_after(1):
            await upstream.closed.wait()
        [call] = await here.settled()

        assert "revoked" == call.ended
        assert PROMPT_COST + (ANSWER_COST if said else 0) == call.charged_micro_credits
        if said:
            rest = b""
            while not rest.endswith(b"0\r\n\r\n"):
                rest += bytes(await client.stream.receive_some(65_536))
            assert b'"invalid_api_key"' in rest
            assert DONE in rest
        else:
            assert 401 == (await client.reply()).status


@WAYS
async def test_calls_end_at_a_stop(said: bytes, *, stream: bool) -> None:
    """In order, after they had some time to end by themselves; new ones are refused."""
    upstream = waiting(said)
    async with gateway(upstream, stop_seconds=0.1) as here:
        client = await begin(here, upstream, said, stream=stream)
        here.system.ai.open_calls.stop()
        refused = await here.ask()
        with trio.fail_after(1):
            await upstream.closed.wait()
        calls = await here.settled()

        assert ["stopped"] == [call.ended for call in calls]
        assert (503, "1") == (refused.status, refused.headers["retry-after"])
        if said:
            rest = b""
            while not rest.endswith(b"0\r\n\r\n"):
                rest += bytes(await client.stream.receive_some(65_536))
            assert b'"overloaded"' in rest
        else:
            assert 503 == (await client.reply()).status


async def test_a_client_that_reads_nothing_holds_up_its_provider() -> None:
    """Upstream is read only as fast as the client takes; revoked, the call ends all the same."""
    sent = 0

    async def endless(stream: trio.abc.Stream) -> None:
        nonlocal sent
        await stream.send_all(HEAD)
        part = chunk(event("word " * 3_000))
        try:
            while True:
                await stream.send_all(part)
                sent += len(part)
        except trio.BrokenResourceError:
            upstream.closed.set()

    upstream = Upstream(endless)
    async with gateway(upstream) as here:
        client = await here.begin(stream=True)
        await upstream.asked.wait()
        before = -1
        while before != sent:
            before = sent
            await trio.sleep(0.3)
        await here.revoke()
        with trio.fail_after(2):
            await upstream.closed.wait()
        [call] = await here.settled()
        await client.stream.aclose()

        assert before < 30_000_000
        assert "revoked" == call.ended


async def finished(here: Gateway) -> Client:
    """A client that has got the end of its answer, and not what it used."""
    client = await here.begin(stream=True)
    came = b""
    while FINISH not in came:
        came += bytes(await client.stream.receive_some(65_536))
    return client


async def test_who_leaves_before_the_usage_pays_what_was_used() -> None:
    """The provider has worked to its end, so it is listened to until it says how much that was."""
    left = trio.Event()

    async def count_slowly(stream: trio.abc.Stream) -> None:
        await stream.send_all(HEAD + chunk(event()) + chunk(FINISH))
        await left.wait()
        await stream.send_all(chunk(usage_event()) + chunk(DONE) + LAST)

    async with gateway(Upstream(count_slowly)) as here:
        client = await finished(here)
        await client.stream.aclose()
        left.set()
        [call] = await here.settled()

        assert (COST, False) == (call.charged_micro_credits, call.estimated)


@pytest.mark.parametrize("end", ["stop", "revoke"])
async def test_a_stop_does_not_wait_for_usage(end: str) -> None:
    """Nor does the end of the key: what came is charged then, by the estimate."""
    upstream = waiting(HEAD + chunk(event()) + chunk(FINISH))
    async with gateway(upstream, stop_seconds=0.1) as here:
        client = await finished(here)
        await client.stream.aclose()
        if end == "stop":
            here.system.ai.open_calls.stop()
        else:
            await here.revoke()
        with trio.fail_after(2):
            await upstream.closed.wait()
        [call] = await here.settled()

        assert {"left", "stopped", "revoked"} >= {call.ended}
        assert (PROMPT_COST + ANSWER_COST, True) == (call.charged_micro_credits, call.estimated)
