"""Connections between requests: which are used again, and what happens when one ends just then."""

from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors.outbound.answer import Answer
from svc.actors.outbound.connection import Connection
from svc.actors.outbound.errors import NotSent
from svc.actors.outbound.exchange import exchange
from svc.domain.net.limits import OUTGOING_ANSWER_BYTES_MAX
from tests.receivers import (
    NOW,
    OK,
    Connections,
    Serve,
    answer,
    answer_once,
    client,
    hang,
    post,
    read_request,
    receiver,
)

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
LARGEST = OUTGOING_ANSWER_BYTES_MAX - 16 * 1024


@pytest.mark.parametrize(
    "said",
    [
        OK,
        CHUNKED,
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" + OK,
        b"HTTP/1.1 500 Oh\r\nContent-Length: %d\r\n\r\n" % LARGEST + b"x" * LARGEST,
    ],
    ids=["length", "chunks", "204", "304", "100", "large"],
)
async def test_a_connection_is_used_again(said):
    """Whichever way an answer says where it ends, and one after the other in order."""
    seen: list[bytes] = []
    serve = Connections(partial(answer, said=said, seen=seen))
    async with client() as outbound_http, receiver(serve) as url:
        for number in range(5):
            await outbound_http.post(url, b"%d" % number, {}, owner="org_1", seconds=5, now=NOW)
        assert (0, 0, 1) == tuple(getattr(outbound_http.statistics(), name) for name in FIELDS)

    assert 1 == serve.count
    assert [b"0", b"1", b"2", b"3", b"4"] == [request[-1:] for request in seen]


FIELDS = ("in_progress", "waiting", "kept")


@pytest.mark.parametrize(
    "said",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        OK + OK,
        OK + b"x",
        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (2 * OUTGOING_ANSWER_BYTES_MAX)
        + b"x" * 2 * OUTGOING_ANSWER_BYTES_MAX,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    ],
    ids=["close", "1.0", "two answers", "a byte too many", "too large", "broken chunks"],
)
async def test_a_connection_is_not_used_again(said):
    """Where the answer says so, or says more or less than it should; the status counts all the same."""
    serve = Connections(partial(answer, said=said))
    async with client() as outbound_http, receiver(serve) as url:
        assert [(200, 0)] * 3 == [await post(outbound_http, url) for _ in range(3)]
        assert 0 == outbound_http.statistics().kept

    assert 3 == serve.count


async def test_an_answer_may_end_with_its_connection():
    """Its text is there."""
    said = b"HTTP/1.1 404 Not Found\r\n\r\nno such \x00hook"
    async with client() as outbound_http, receiver(partial(answer_once, said=said)) as url:
        result = await outbound_http.post(url, b"{}", {}, owner="org_1", seconds=5, now=NOW)

    assert (404, "no such hook") == (result.status, result.answer)


async def test_what_comes_between_requests_is_no_answer():
    """A server that talks unasked is not listened to."""
    talk, talked = trio.Event(), trio.Event()

    async def serve(stream: trio.abc.Stream) -> None:
        await answer_once(stream, said=OK)
        await talk.wait()
        await stream.send_all(b"HTTP/1.1 500 Unasked\r\nContent-Length: 0\r\n\r\n")
        talked.set()
        await answer(stream)

    connections = Connections(serve, answer)
    async with client() as outbound_http, receiver(connections) as url:
        await post(outbound_http, url)
        talk.set()
        await talked.wait()

        assert (200, 0) == await post(outbound_http, url)
    assert 2 == connections.count


async def talk_first(stream: trio.abc.Stream) -> None:
    await stream.send_all(OK)
    await stream.receive_some(1)


async def test_what_comes_before_a_request_is_an_answer_at_most_once():
    """An overloaded server may refuse without reading; its connection is not used again."""
    async with receiver(talk_first) as url:
        stream = await trio.open_tcp_stream("127.0.0.1", int(url.split(":")[2].split("/")[0]))
        await trio.lowlevel.wait_readable(stream.socket)
        connection, early = Connection("", stream), Answer()
        with trio.CancelScope() as time_limit:
            reusable = await exchange(connection, b"POST / HTTP/1.1\r\n\r\n", early, time_limit)
        connection.close()

    assert (200, True, False) == (early.status, early.complete, reusable)


async def test_a_connection_that_has_ended_is_not_used():
    """The request is sent once, over a new one."""
    closed = trio.Event()
    seen: list[bytes] = []

    async def close(stream: trio.abc.Stream) -> None:
        seen.append(await read_request(stream))
        await stream.send_all(OK)
        await stream.aclose()
        closed.set()

    async with client() as outbound_http, receiver(Connections(close, partial(answer, seen=seen))) as url:
        await post(outbound_http, url)
        await closed.wait()
        assert (200, 0) == await post(outbound_http, url)

    assert 2 == len(seen)


async def answer_and_drop(stream: trio.abc.Stream, *, seen: list[bytes], said: bytes = b"") -> None:
    """Answer one request; take the next, and close with *said* of an answer."""
    for part in (OK, said):
        request = await read_request(stream)
        if not request:
            return
        seen.append(request)
        await stream.send_all(part)


async def test_a_kept_connection_that_ends_without_an_answer_is_replaced():
    """The same request goes over a new one, since the server may have been closing the old one just then."""
    seen: list[bytes] = []
    serve = Connections(partial(answer_and_drop, seen=seen), partial(answer, seen=seen))
    async with client() as outbound_http, receiver(serve) as url:
        await post(outbound_http, url)
        assert (200, 0) == await post(outbound_http, url)

    assert (2, 3) == (serve.count, len(seen))
    assert seen[1] == seen[2]


async def test_a_request_is_repeated_once():
    """A server that closes without an answer twice has said enough."""
    seen: list[bytes] = []
    serve = Connections(partial(answer_and_drop, seen=seen), partial(answer_once, said=b""), answer)
    async with client() as outbound_http, receiver(serve) as url:
        await post(outbound_http, url)
        with pytest.raises(NotSent, match="connection broke"):
            await post(outbound_http, url)

    assert 2 == serve.count


async def test_a_request_is_not_repeated_once_an_answer_began():
    """A single byte shows that the server took it."""
    seen: list[bytes] = []
    serve = Connections(partial(answer_and_drop, seen=seen, said=b"H"), answer)
    async with client() as outbound_http, receiver(serve) as url:
        await post(outbound_http, url)
        with pytest.raises(NotSent, match="connection broke"):
            await post(outbound_http, url)

    assert (1, 2) == (serve.count, len(seen))


async def test_a_new_connection_that_ends_is_not_replaced():
    """Nothing was sent over it before, so it did not end for being idle."""
    serve = Connections(partial(answer_once, said=b""), answer)
    async with client() as outbound_http, receiver(serve) as url:
        with pytest.raises(NotSent, match="connection broke"):
            await post(outbound_http, url)

    assert 1 == serve.count


async def test_a_request_over_a_kept_connection_is_not_repeated_for_lack_of_time():
    """One time limit covers both."""

    async def serve(stream: trio.abc.Stream) -> None:
        await answer_once(stream, said=OK)
        await hang(stream)

    connections = Connections(serve, answer)
    async with client() as outbound_http, receiver(connections) as url:
        await post(outbound_http, url)
        with pytest.raises(NotSent, match=r"no answer within 0\.2 seconds"):
            await post(outbound_http, url, seconds=0.2)
        assert (0, 0, 0) == tuple(getattr(outbound_http.statistics(), name) for name in FIELDS)

    assert 1 == connections.count


async def test_an_answer_to_half_a_request_counts():
    """A server may refuse a body that it has not read, and close."""

    async def refuse(stream: trio.abc.Stream) -> None:
        await stream.receive_some(1)
        await stream.send_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")

    async with client() as outbound_http, receiver(refuse) as url:
        result = await outbound_http.post(url, bytes(5_000_000), {}, owner="org_1", seconds=5, now=NOW)
        assert 0 == outbound_http.statistics().kept

    assert 413 == result.status


async def take(stream: trio.abc.Stream) -> None:
    """Read the request, and never answer."""
    await read_request(stream)
    await trio.sleep_forever()


@pytest.mark.parametrize("serve", [hang, take])
async def test_a_cancelled_request_leaves_nothing_behind(serve: Serve):
    """No place, no connection."""
    async with client() as outbound_http, receiver(serve) as url:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(post, outbound_http, url)
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()

        assert (0, 0, 0) == tuple(getattr(outbound_http.statistics(), name) for name in FIELDS)


async def test_idle_connections_are_closed_at_the_end():
    """The server sees that they end."""
    ended = trio.Event()

    async def serve(stream: trio.abc.Stream) -> None:
        await answer(stream)
        ended.set()

    async with receiver(serve) as url:
        async with client() as outbound_http:
            await post(outbound_http, url)
            assert not ended.is_set()
        with trio.fail_after(5):
            await ended.wait()


async def test_ipv6_is_spoken():
    """With the address in brackets where HTTP wants it."""
    seen: list[bytes] = []
    async with client("::1/128") as outbound_http, receiver(partial(answer, seen=seen), "::1") as url:
        assert (200, 0) == await post(outbound_http, url)

    assert b"\r\nHost: [::1]:" in seen[0]
