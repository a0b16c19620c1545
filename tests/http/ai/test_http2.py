"""The gateway over HTTP/2, by TLS, as clients of chat completions speak it."""

import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import h2.errors
import h2.events
import httpx
import trio

from tests.http.ai.gateway import (
    ANSWER,
    COST,
    DONE,
    PATH,
    PROMPT,
    STREAMED,
    Gateway,
    Upstream,
    event,
    gateway,
    responds,
    whole,
)
from tests.http.ai.test_leaving import SAID, waiting
from tests.http.server.http2 import Http2Client
from tests.http.server.test_http2 import CERTIFICATE, TRUST


def asked(**members: Any) -> dict[str, Any]:
    return {"model": "small", "messages": [{"role": "user", "content": PROMPT}]} | members


@asynccontextmanager
async def http2(here: Gateway) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(
        base_url=f"https://{here.server.bind}",
        headers={"Authorization": f"Bearer {here.key}"},
        verify=TRUST,
        http2=True,
    ) as client:
        yield client


@asynccontextmanager
async def raw_http2(here: Gateway) -> AsyncIterator[Http2Client]:
    """A client that may reset a stream of its own, which httpx does not."""
    trust = ssl.create_default_context(cafile=str(CERTIFICATE.chain_path))
    trust.set_alpn_protocols(["h2"])
    bind = here.server.bind
    async with await trio.open_ssl_over_tcp_stream(
        bind.host, bind.port, ssl_context=trust, https_compatible=True
    ) as stream:
        yield Http2Client(stream=stream)


async def test_an_answer_comes_whole() -> None:
    """With its cost and the headers of the budget."""
    async with (
        gateway(Upstream(responds(whole())), certificate=CERTIFICATE) as here,
        http2(here) as client,
    ):
        answer = await client.post(PATH, json=asked())
        [call] = await here.settled()

    assert (200, "HTTP/2") == (answer.status_code, answer.http_version)
    assert ANSWER == answer.json()["choices"][0]["message"]["content"]
    assert "599" == answer.headers["ratelimit-remaining"]
    assert ("answered", COST) == (call.ended, call.charged_micro_credits)


async def test_events_come_as_they_are() -> None:
    """To the byte, as over HTTP/1.1."""
    async with gateway(Upstream(STREAMED), certificate=CERTIFICATE) as here, http2(here) as client:
        answer = await client.post(PATH, json=asked(stream=True))
        [call] = await here.settled()

    assert (200, "HTTP/2") == (answer.status_code, answer.http_version)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert event() + event(None, "stop") + DONE == answer.content
    assert ("answered", COST) == (call.ended, call.charged_micro_credits)


async def test_an_error_before_the_first_event_is_a_status() -> None:
    """In the shape of chat completions."""
    async with (
        gateway(Upstream(responds(b"{}", 500)), certificate=CERTIFICATE) as here,
        http2(here) as client,
    ):
        answer = await client.post(PATH, json=asked(stream=True))

    assert (502, "HTTP/2") == (answer.status_code, answer.http_version)
    assert "upstream_error" == json.loads(answer.content)["error"]["code"]


async def test_a_client_that_resets_its_stream_ends_the_upstream_call() -> None:
    """Within a second, though its connection stays open for other streams."""
    upstream = waiting(SAID["streamed"])
    async with gateway(upstream, certificate=CERTIFICATE) as here, raw_http2(here) as client:
        await client.begin()
        body = json.dumps(asked(stream=True)).encode()
        key = ("authorization", f"Bearer {here.key}")
        await client.ask(1, (":path", PATH), key, ("content-length", str(len(body))), end=False)
        client.protocol.send_data(1, body, end_stream=True)
        await client.flush()
        first = await client.next(h2.events.DataReceived)
        client.protocol.reset_stream(1, h2.errors.ErrorCodes.CANCEL)
        await client.flush()
        with trio.fail_after(1):
            await upstream.closed.wait()
        [call] = await here.settled()
        await client.ask(3, (":method", "GET"), (":path", "/api/ai/v1/models"), key)
        status = await client.status()

    assert event() == first.data
    assert ("left", True) == (call.ended, call.estimated)
    assert "200" == status
