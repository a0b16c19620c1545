"""Streamed responses that fail, on real sockets: each failure by its name."""

from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors.outbound.errors import (
    BrokenOff,
    Malformed,
    NoPlace,
    NotConnected,
    StreamFailed,
    TooLarge,
)
from svc.actors.outbound.streams import OutboundStreams
from tests.receivers import (
    answer,
    answer_once,
    hang,
    receiver,
)
from tests.streams import CHUNKED, LIMITS, POOL, Script, chunk, client, read_one


async def send_and_hang(stream: trio.abc.Stream, said: bytes) -> None:
    await answer_once(stream, said=said)
    await hang(stream)


LONG_HEAD = b"HTTP/1.1 200 OK\r\n" + b"X: %b\r\n" % bytes(65_536).replace(b"\0", b"x") * 2


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (b"", BrokenOff),
        (b"HTTP/1.1 20", BrokenOff),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", BrokenOff),
        (CHUNKED + chunk(b"one"), BrokenOff),
        (CHUNKED + b"5\r\non", BrokenOff),
        (b"SSH-2.0-OpenSSH_9.7\r\n", Malformed),
        (b"<html>" * 100, Malformed),
        (LONG_HEAD, Malformed),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nok", Malformed),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n", Malformed),
        (CHUNKED + b"x\r\n", Malformed),
        (CHUNKED + chunk(b"one") + b"nonsense\r\n", Malformed),
        (CHUNKED + b"0\r\n" + b"X: y\r\n" * 100_000, Malformed),
        (CHUNKED + (b"1;" + b"x" * 1_000 + b"\r\na\r\n") * 1_000, Malformed),
        (CHUNKED + chunk(bytes(600_000)) * 2, TooLarge),
        (b"HTTP/1.1 200 OK\r\n\r\n" + bytes(1_000_001), TooLarge),
    ],
)
async def test_a_response_that_fails(said: bytes, kind: type[StreamFailed]):
    """Says how, and its connection is not kept."""
    serve = partial(answer_once if kind is BrokenOff else send_and_hang, said=said)
    async with client() as streams, receiver(serve) as url:
        with trio.fail_after(5), pytest.raises(StreamFailed) as caught:
            await read_one(streams, url)

        assert kind is type(caught.value)
        assert 0 == streams.statistics().kept


@pytest.mark.parametrize("begun", [b"", b"HTTP/1.1 20", CHUNKED, CHUNKED + chunk(b"one")])
async def test_a_reset_breaks_a_response_off(begun: bytes):
    """Wherever it comes."""
    script = Script()
    async with client() as streams, receiver(script.serve) as url, trio.open_nursery() as nursery:

        async def read() -> None:
            with pytest.raises(BrokenOff):
                await read_one(streams, url)

        nursery.start_soon(read)
        await script.send(begun)
        await wait_all_tasks_blocked()
        script.reset()


async def test_what_came_before_a_fault_is_given():
    """So that it can be relayed and counted."""
    async with (
        client() as streams,
        receiver(partial(answer_once, said=CHUNKED + chunk(b"one"))) as url,
        streams.stream(url, b"{}", {}, LIMITS, owner="org_1") as response,
    ):
        assert b"one" == await anext(response)
        with pytest.raises(BrokenOff):
            await anext(response)


@pytest.mark.parametrize(
    ("url", "match"),
    [
        ("http://nowhere.invalid/", "leads nowhere"),
        ("http://10.0.0.1/", "private"),
        ("ftp://127.0.0.1/", "not an address"),
        ("http://127.0.0.1:{}/", "no connection"),
    ],
)
async def test_what_is_not_there_is_not_connected(url: str, match: str):
    """Whatever kind of nothing it is. Nothing listens at a port that is only held."""
    with trio.socket.socket() as held:
        await held.bind(("127.0.0.1", 0))
        async with client() as streams:
            with pytest.raises(NotConnected, match=match):
                await read_one(streams, url.format(held.getsockname()[1]))


async def test_a_header_that_breaks_the_request_is_not_sent():
    """Such as a key with a line break."""
    async with client() as streams, receiver(answer) as url:
        with pytest.raises(NotConnected, match="header"):
            async with streams.stream(url, b"", {"Authorization": "a\r\nb: c"}, LIMITS, owner="org_1"):
                pass


async def test_trusted_addresses_are_not_checked():
    """Those from the configuration may be private; those of organizations may not."""
    async with receiver(answer) as url:
        trusting = OutboundStreams(None, POOL)
        async with trusting.live():
            assert b"ok" == await read_one(trusting, url)
        checking = OutboundStreams((), POOL)
        async with checking.live():
            with pytest.raises(NotConnected, match="private"):
                await read_one(checking, url)


async def test_too_many_at_once_find_no_place():
    """Told at once where none may wait; a place is free again when its stream ends."""
    async with client() as streams, receiver(hang) as url, trio.open_nursery() as nursery:
        for _ in range(POOL.connections_max // 2):
            nursery.start_soon(read_one, streams, url)
        await wait_all_tasks_blocked()
        with pytest.raises(NoPlace):
            await read_one(streams, url)
        nursery.cancel_scope.cancel()
