"""Every wait on a client has an end, and so has all that is kept for one. Time is the tests' own."""

from typing import Any

import pytest
import trio
import trio.testing
from quart_trio import QuartTrio
from trio.testing import MockClock, lockstep_stream_pair

from svc.http.asgi import STEADY_BODY, STEADY_BODY_BYTES, ASGIApp, Receive, Scope, Send
from tests.http.serving import GET, echo, in_memory, post, read_all, respond


def _stock_quart() -> ASGIApp:
    """Quart as it comes, which cancels the task that answers right after its last send."""
    app = QuartTrio("stock")

    @app.get("/")
    async def home() -> str:
        return "home"

    stock: Any = app
    return stock  # type: ignore[no-any-return]


@pytest.mark.parametrize("make_app", [lambda: echo, _stock_quart], ids=["echo", "stock quart"])
async def test_an_idle_connection_is_closed(make_app: Any, autojump_clock: MockClock) -> None:
    """A connection that is kept alive is closed once nothing was asked on it for `keep_alive_seconds`."""
    async with in_memory(make_app(), keep_alive_seconds=15) as server:
        client = server.dial()
        await client.ask(GET)
        await trio.sleep(14)
        await client.ask(GET)
        since = trio.current_time()
        closed = await client.closed()

        assert closed
        assert pytest.approx(15) == trio.current_time() - since


async def test_many_idle_connections_are_closed(autojump_clock: MockClock) -> None:
    """Each of many idle connections is closed in its own time."""
    closed_at: dict[int, float] = {}

    async with in_memory(keep_alive_seconds=15) as server:

        async def stay(number: int) -> None:
            client = server.dial()
            await trio.sleep(number)
            await client.ask(GET)
            assert await client.closed()
            closed_at[number] = trio.current_time()

        async with trio.open_nursery() as nursery:
            for number in range(10):
                nursery.start_soon(stay, number)

    assert {number: pytest.approx(number + 15) for number in range(10)} == closed_at


async def test_a_silent_client_is_not_waited_for(autojump_clock: MockClock) -> None:
    """A connection on which nothing is ever asked is closed after `head_seconds`, without a word."""
    async with in_memory(head_seconds=10) as server:
        closed = await server.dial().closed()

        assert closed
        assert pytest.approx(10) == trio.current_time()


async def test_a_slow_head_is_rejected(autojump_clock: MockClock) -> None:
    """A head that is not complete after `head_seconds` is answered 408, however steadily it trickles."""
    async with in_memory(head_seconds=10) as server:
        client = server.dial()

        async def trickle() -> None:
            for byte in GET:
                await client.send(bytes([byte]))
                await trio.sleep(1)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(trickle)
            reply = await client.reply()
            nursery.cancel_scope.cancel()
        took = trio.current_time()
        closed = await client.closed()

    assert (408, "close", True) == (reply.status, reply.headers["connection"], closed)
    assert pytest.approx(10) == took


async def test_a_slow_body_is_rejected(autojump_clock: MockClock) -> None:
    """A body that is not complete after `body_seconds` is answered 408, however steadily it trickles."""
    async with in_memory(body_seconds=30) as server:
        client = server.dial()

        async def trickle() -> None:
            for byte in post(b"x" * 100):
                await client.send(bytes([byte]))
                await trio.sleep(0.5)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(trickle)
            reply = await client.reply("POST")
            nursery.cancel_scope.cancel()
        closed = await client.closed()

    assert (408, "close", True) == (reply.status, reply.headers["connection"], closed)


@pytest.mark.parametrize(("bytes_each", "status"), [(STEADY_BODY_BYTES, 200), (STEADY_BODY_BYTES // 4, 408)])
async def test_a_large_body_has_time_while_it_goes_on(
    bytes_each: int, status: int, autojump_clock: MockClock
) -> None:
    """Where the application says so, `body_seconds` are for each MiB; a slower one is cut off."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope[STEADY_BODY] = True
        await read_all(receive)
        await respond(send, 200, b"")

    async with in_memory(app, body_seconds=30) as server:
        client = server.dial()
        await client.send(post(b"", b"Transfer-Encoding: chunked").replace(b"Content-Length: 0\r\n", b""))

        async def drip() -> None:
            for _ in range(4):
                await client.send(b"%x\r\n%b\r\n" % (bytes_each, bytes(bytes_each)))
                await trio.sleep(20)
            await client.send(b"0\r\n\r\n")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(drip)
            reply = await client.reply("POST")
            took = trio.current_time()
            nursery.cancel_scope.cancel()

    assert status == reply.status
    assert pytest.approx(80.0 if status == 200 else 30.0) == took


@pytest.mark.parametrize("ends", ["idle", "unread"])
async def test_a_body_that_came_is_forgiven(ends: str, autojump_clock: MockClock) -> None:
    """A deadline that was met causes no timeout later."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await read_all(receive)
        await respond(send, 200, b"x" * 100_000 if ends == "unread" else b"")

    async with in_memory(app) as server:
        client = server.dial(lockstep_stream_pair)
        await client.send(post(b"hello")[:-2])
        await trio.sleep(1)
        await client.send(b"lo")
        if ends == "unread":
            await trio.sleep(1_000)
        answers = await client.rest()

    assert 1 == answers.count(b"HTTP/1.1")


async def test_a_body_has_no_time_before_it_is_wanted(autojump_clock: MockClock) -> None:
    """What an application does before it reads the body takes nothing from the body's time."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await trio.sleep(60)
        await echo(scope, receive, send)

    async with in_memory(app, body_seconds=30) as server:
        client = server.dial()
        await client.send(post(b"late")[:-2])
        await trio.sleep(80)
        await client.send(b"te")
        reply = await client.reply("POST")

    assert b"POST / late" == reply.body


async def test_work_has_no_time(autojump_clock: MockClock) -> None:
    """No limit on a client's time cuts the application's own."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await read_all(receive)
        await trio.sleep(3_600)
        await respond(send, 200, b"done")

    async with in_memory(app) as server:
        reply = await server.dial().ask(post(b"work"))

    assert b"done" == reply.body


async def test_a_reader_that_stops_is_left(autojump_clock: MockClock) -> None:
    """An answer that is not taken within `write_seconds` ends with its connection and its application."""
    ended_at = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": 200})
            while True:
                await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
        finally:
            ended_at.append(trio.current_time())

    async with in_memory(app, write_seconds=30) as server:
        client = server.dial(lockstep_stream_pair)
        await client.send(GET)
        await trio.sleep(5)
        await client.stream.receive_some()
        await trio.sleep(100)

    assert [pytest.approx(35)] == ended_at


async def test_a_stream_of_events_has_no_end_of_its_own(autojump_clock: MockClock) -> None:
    """An answer that goes on for an hour is sent to its end, and ends properly."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        for _ in range(60):
            await trio.sleep(60)
            await send({"type": "http.response.body", "body": b"data: x\n\n", "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async with in_memory(app) as server:
        reply = await server.dial().ask(GET)

    assert b"data: x\n\n" * 60 == reply.body


@pytest.mark.parametrize(
    ("head_bytes", "status"),
    [(16_384, 200), (16_385, 431), (60_000, 431), (1_000_000, 431)],
)
async def test_a_long_head_is_rejected(head_bytes: int, status: int) -> None:
    """A head over 16 KiB is answered 431, also when it comes all at once, and whether it ends or not."""
    start = b"GET / HTTP/1.1\r\nHost: a\r\nX: "
    counted = len(b"/") + len(b"Host: a\r\n") + len(b"X: \r\n")
    head = start + b"x" * (head_bytes - counted) + b"\r\n\r\n"

    async with in_memory() as server:
        reply = await server.dial().ask(head)

    assert status == reply.status


async def test_an_endless_head_is_rejected() -> None:
    """A head that never ends is rejected before it has taken much room."""
    sent = 0

    async with in_memory() as server:
        client = server.dial()

        async def send_on() -> None:
            nonlocal sent
            await client.send(b"GET / HTTP/1.1\r\nHost: a\r\n")
            while True:
                sent += 10_000
                await client.send(b"X: " + b"x" * 9_995 + b"\r\n")
                await trio.testing.wait_all_tasks_blocked()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(send_on)
            reply = await client.reply()
            nursery.cancel_scope.cancel()

    assert 431 == reply.status
    assert sent <= 30_000


async def test_a_slow_reader_is_waited_for_while_it_reads(autojump_clock: MockClock) -> None:
    """A long answer may take long: the time is for each 64 KiB of it."""
    body = b"x" * 500_000

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, body)

    async with in_memory(app, write_seconds=30) as server:
        client = server.dial(lockstep_stream_pair)
        await client.send(GET)
        answer = b""
        while not answer.endswith(body):
            await trio.sleep(29)
            answer += bytes(await client.stream.receive_some(65_536))

    assert trio.current_time() > 200


async def test_pipelining_has_an_end() -> None:
    """Of many requests that come at once the first are answered, and then the client has to wait."""
    async with in_memory() as server:
        client = server.dial()
        await client.send(GET * 1_000)
        statuses: list[int] = []
        while not statuses or statuses[-1] == 200:
            statuses.append((reply := await client.reply()).status)

    assert [200] * 32 + [503] == statuses
    assert "1" == reply.headers["retry-after"]


async def test_too_many_connections_are_turned_away() -> None:
    """Where all connections are being answered, the next is answered 503 and closed; the others go on."""
    finish = trio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await finish.wait()
        await respond(send)

    async with in_memory(app, connections_max=2) as server:
        first, second = server.dial(), server.dial()
        await first.send(GET)
        await second.send(GET)
        await trio.testing.wait_all_tasks_blocked()
        third = server.dial()
        reply = await third.ask(GET)
        closed = await third.closed()
        finish.set()
        others = [await first.reply(), await second.reply(), await server.dial().ask(GET)]

    assert (503, "1", True) == (reply.status, reply.headers["retry-after"], closed)
    assert [200, 200, 200] == [other.status for other in others]
