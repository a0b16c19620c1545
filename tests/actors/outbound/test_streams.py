"""Streamed responses of other servers, on real sockets: read as they are taken."""

import ssl
from functools import partial
from pathlib import Path

import certifi
import msgspec
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors.outbound import names
from svc.actors.outbound.errors import (
    BrokenOff,
)
from tests.certificates import certify
from tests.receivers import (
    NOW,
    OK,
    Connections,
    Serve,
    answer,
    answer_once,
    hang,
    read_request,
    receiver,
)
from tests.streams import CHUNKED, LIMITS, Script, chunk, client, read_one

NAME = "provider.example"


async def test_a_body_is_read_as_it_comes():
    """The head first, then each part before the next is sent."""
    script = Script()
    async with client() as streams, receiver(script.serve) as url, trio.open_nursery() as nursery:
        nursery.start_soon(script.send, CHUNKED)
        async with streams.stream(url, b"{}", {"X-Key": "a"}, LIMITS, owner="org_1") as response:
            head = (response.status, response.content_type)
            await script.send(chunk(b"one"))
            first = await anext(response)
            await script.send(chunk(b"two") + b"0\r\n\r\n")
            rest = [part async for part in response]

    assert (200, "text/event-stream") == head
    assert (b"one", [b"two"]) == (first, rest)


async def test_what_a_response_tells():
    """Its status, type, and how long to wait."""
    said = b"HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Type: text/a \r\nContent-Length: 2\r\n\r\n{}"
    async with (
        client() as streams,
        receiver(partial(answer, said=said)) as url,
        streams.stream(url, b"{}", {}, LIMITS, owner="org_1") as response,
    ):
        facts = (response.status, response.content_type, response.retry_after_ms(NOW))
        body = bytes(await response.read())

    assert (429, "text/a", 7_000, b"{}") == (*facts, body)


@pytest.mark.parametrize(
    ("said", "body", "kept"),
    [
        pytest.param(OK, b"ok", 1, id="a length"),
        pytest.param(CHUNKED + chunk(b"ok") + b"0\r\n\r\n", b"ok", 1, id="chunks"),
        pytest.param(b"HTTP/1.1 103 Early\r\nContent-Length: 9\r\n\r\n" + OK, b"ok", 1, id="hints before it"),
        pytest.param(b"HTTP/1.1 204 No\r\n\r\n", b"", 1, id="no body"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\nok", b"ok", 0, id="until the end"),
        pytest.param(OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), b"ok", 0, id="close"),
        pytest.param(OK + b"more", b"ok", 0, id="more than asked for"),
        pytest.param(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", b"ok", 0, id="1.0"),
    ],
)
async def test_a_connection_is_kept_where_both_sides_are_in_step(said: bytes, body: bytes, kept: int):
    """And only where HTTP tells the end of the body."""

    async def serve(stream: trio.abc.Stream) -> None:
        await answer_once(stream, said=said)
        if kept:
            await hang(stream)

    async with client() as streams, receiver(serve) as url:
        assert body == await read_one(streams, url)
        assert kept == streams.statistics().kept


async def test_a_kept_connection_is_used_again():
    """Several requests go over one."""
    serve = Connections(answer)
    async with client() as streams, receiver(serve) as url:
        for _ in range(3):
            await read_one(streams, url)

    assert 1 == serve.count


async def test_a_kept_connection_that_has_ended_is_not_used():
    """What can be read from it is looked at before."""
    closed = trio.Event()

    async def close(stream: trio.abc.Stream) -> None:
        await answer_once(stream, said=OK)
        await stream.aclose()
        closed.set()

    async with client() as streams, receiver(Connections(close, answer)) as url:
        await read_one(streams, url)
        await closed.wait()
        assert b"ok" == await read_one(streams, url)


async def test_a_request_is_never_repeated():
    """A kept connection that ends with the request on its way may have brought it: it may cost money."""
    seen: list[bytes] = []

    async def drop_the_second(stream: trio.abc.Stream) -> None:
        await answer_once(stream, said=OK)
        seen.append(await read_request(stream))

    serve = Connections(drop_the_second, partial(answer, seen=seen))
    async with client() as streams, receiver(serve) as url:
        await read_one(streams, url)
        with pytest.raises(BrokenOff):
            await read_one(streams, url)

    assert (1, 1) == (serve.count, len(seen))


async def test_a_block_that_is_left_early_closes_the_connection():
    """The server sees it at once, by an error as by a cancellation."""
    script = Script()
    async with client() as streams, receiver(script.serve) as url, trio.open_nursery() as nursery:
        nursery.start_soon(script.send, CHUNKED + chunk(b"one"))
        with pytest.raises(ValueError, match="enough"):  # noqa: PT012  # the block itself is what is tested
            async with streams.stream(url, b"{}", {}, LIMITS, owner="org_1") as response:
                await anext(response)
                raise ValueError("enough")
        with trio.fail_after(1):
            await script.left.wait()
        assert 0 == streams.statistics().kept


@pytest.mark.parametrize("begun", [False, True])
async def test_a_cancelled_request_leaves_nothing_behind(begun: bool):
    """No place, no connection; the server sees it at once."""
    script = Script()
    async with client() as streams, receiver(script.serve) as url:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read_one, streams, url)
            await script.asked.wait()
            if begun:
                await script.send(CHUNKED + chunk(b"one"))
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        with trio.fail_after(1):
            await script.left.wait()

        assert (0, 0) == msgspec.structs.astuple(streams.statistics())


async def test_a_body_is_read_no_faster_than_it_is_taken():
    """The server stops when the buffers between are full."""
    sent = 0

    async def flood(stream: trio.abc.Stream) -> None:
        nonlocal sent
        await read_request(stream)
        await stream.send_all(CHUNKED)
        while True:
            await stream.send_all(chunk(bytes(65_536)))
            sent += 1

    async with (
        client() as streams,
        receiver(flood) as url,
        streams.stream(url, b"{}", {}, LIMITS, owner="org_1") as response,
    ):
        taken = len(await anext(response))
        before = -1
        while sent != before:
            before = sent
            await wait_all_tasks_blocked(0.05)
        stopped = sent

    assert taken <= 16_384
    assert stopped < 200


@pytest.fixture(params=["http", "https"])
def scheme(request, tmp_path: Path, monkeypatch):
    """What makes a receiver and its URL speak it."""
    if request.param == "http":
        return lambda serve: serve, lambda url: url
    certificate = certify(tmp_path, NAME, "127.0.0.1")
    monkeypatch.setattr(certifi, "where", lambda: str(certificate.chain_path))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate.chain_path, certificate.key_path)
    monkeypatch.setattr(names, "getaddrinfo", lambda _, port, **__: [(2, 1, 6, "", ("127.0.0.1", port))])

    def secured(serve: Serve) -> Serve:
        async def serve_tls(stream: trio.abc.Stream) -> None:
            await serve(trio.SSLStream(stream, context, server_side=True, https_compatible=True))

        return serve_tls

    return secured, lambda url: url.replace("http://127.0.0.1", f"https://{NAME}")


async def test_a_long_body_is_sent_whole(scheme):
    """Ten million bytes, and the connection is used again."""
    secured, to = scheme
    seen: list[bytes] = []
    body = bytes(range(256)) * 39_062 + b"end"
    serve = Connections(secured(partial(answer, seen=seen)))
    async with client() as streams, receiver(serve) as url:
        for _ in range(2):
            assert b"ok" == await read_one(streams, to(url), body)

    assert 1 == serve.count
    assert [body, body] == [one.partition(b"\r\n\r\n")[2] for one in seen]


async def test_an_answer_to_half_a_request_is_read(scheme):
    """A server may reject a body without reading it; what is left of it is not sent."""
    secured, to = scheme

    async def refuse(stream: trio.abc.Stream) -> None:
        await stream.receive_some(1)
        await stream.send_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nlong")
        await hang(stream)

    async with client() as streams, receiver(secured(refuse)) as url:
        with trio.fail_after(5):
            async with streams.stream(to(url), bytes(10_000_000), {}, LIMITS, owner="org_1") as response:
                assert (413, b"long") == (response.status, bytes(await response.read()))
        assert 0 == streams.statistics().kept


async def test_a_success_before_the_end_of_the_request_awaits_that(scheme):
    """A server may begin to answer while it reads."""
    secured, to = scheme
    seen = 0

    async def serve(stream: trio.abc.Stream) -> None:
        nonlocal seen
        seen = len(await stream.receive_some(65_536))
        await stream.send_all(CHUNKED + chunk(b"one"))
        while seen < 5_000_000:
            seen += len(await stream.receive_some(65_536))
        await stream.send_all(chunk(b"two") + b"0\r\n\r\n")

    async with client() as streams, receiver(secured(serve)) as url:
        with trio.fail_after(10):
            assert b"onetwo" == await read_one(streams, to(url), bytes(5_000_000))

    assert seen > 5_000_000
