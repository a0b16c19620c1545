"""Incomplete bodies: the application gets the error first, and the server answers where it does not."""

from functools import partial

import pytest
import structlog
import trio
from trio.testing import MockClock

from svc.domain.randomness import SYSTEM
from svc.http.asgi import ASGIApp, Receive, Scope, Send
from svc.http.request.body import BodyBroken, BodyTimeout
from svc.http.request.request_id import request_id_of
from tests.http.serving import Client, Reply, in_memory, post, read_all, respond

ID = b"X-Request-Id: ours"
LATE = post(b"late", ID)[:-2]
BROKEN = b"POST / HTTP/1.1\r\nHost: a\r\n%b\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\nx" % ID


async def _tells(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers in its own words, under the id that doors take."""
    try:
        await read_all(receive)
    except (BodyBroken, BodyTimeout) as error:
        headers = [(b"x-request-id", request_id_of(scope["headers"], SYSTEM)), (b"x-own", b"yes")]
        await respond(send, error.code or 0, b"told", *headers)


async def _lets_through(scope: Scope, receive: Receive, send: Send) -> None:
    """Knows nothing of such bodies."""
    await read_all(receive)
    await respond(send)


async def _says_nothing(scope: Scope, receive: Receive, send: Send) -> None:
    """Ends without an answer."""
    try:
        await read_all(receive)
    except (BodyBroken, BodyTimeout):
        return


async def _asks_on(scope: Scope, receive: Receive, send: Send) -> None:
    """Does not give up before it has asked three times."""
    for _ in range(2):
        with pytest.raises((BodyBroken, BodyTimeout)):
            await read_all(receive)
    await _tells(scope, receive, send)


async def _fails(data: bytes, app: ASGIApp) -> tuple[Reply, bool]:
    """What *data* is answered, and whether the connection is closed then."""
    async with in_memory(app, body_seconds=30) as server:
        client = server.dial()
        reply = await client.ask(data)
        return reply, await client.closed()


@pytest.mark.parametrize(("data", "status"), [(LATE, 408), (BROKEN, 400)], ids=["late", "broken"])
@pytest.mark.parametrize(
    ("app", "body"), [(_tells, b"told"), (_asks_on, b"told"), (_lets_through, b""), (_says_nothing, b"")]
)
async def test_the_application_gets_the_error_first(
    app: ASGIApp, body: bytes, data: bytes, status: int, autojump_clock: MockClock
) -> None:
    """The answer is the application's own if it has one, has the caller's id, and ends the connection."""
    with structlog.testing.capture_logs() as logged:
        reply, closed = await _fails(data, app)

    assert (status, body) == (reply.status, reply.body)
    assert ("ours", "close", True) == (reply.headers["x-request-id"], reply.headers["connection"], closed)
    assert ("yes" if body else None) == reply.headers.get("x-own")
    assert [] == logged
    assert pytest.approx(30 if status == 408 else 0) == trio.current_time()


async def test_a_timeout_during_work_is_raised_after_it(autojump_clock: MockClock) -> None:
    """Work between two pieces of a body is not cut, and then there is no more waiting."""
    worked = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await receive()
        await trio.sleep(60)
        worked.append(scope["path"])
        await _tells(scope, receive, send)

    async with in_memory(app, body_seconds=30) as server:
        client = server.dial()
        await client.send(post(b"x" * 100)[:-90])
        await trio.sleep(1)
        await client.send(b"x")
        reply = await client.reply("POST")

    assert (408, b"told", ["/"]) == (reply.status, reply.body, worked)
    assert pytest.approx(61) == trio.current_time()


async def test_a_body_that_trickles_on_is_rejected(autojump_clock: MockClock) -> None:
    """A body that trickles on is rejected when its time is over, however much of it keeps coming."""

    async def trickle(client: Client) -> None:
        while True:
            await client.send(b"x")
            await trio.sleep(0.01)

    async with in_memory(_tells, body_seconds=30) as server:
        client = server.dial()
        await client.send(post(b"x" * 1_000_000)[:-1_000_000])
        server.start(trickle, client)
        reply = await client.reply("POST")

    assert 408 == reply.status
    assert pytest.approx(30, abs=0.1) == trio.current_time()


@pytest.mark.parametrize("data", [LATE, BROKEN], ids=["late", "broken"])
async def test_an_answer_that_has_begun_is_cut(data: bytes, autojump_clock: MockClock) -> None:
    """Once an answer has begun there is no other: the connection ends in the middle."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        if await read_all(receive) is not None:
            await send({"type": "http.response.body", "body": b"done"})

    async with in_memory(app, body_seconds=30) as server:
        client = server.dial()
        await client.send(data)
        answer = await client.rest()

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b"\r\n\r\n5\r\nbegun\r\n")


async def test_what_was_not_read_is_not_waited_for_after_the_answer(autojump_clock: MockClock) -> None:
    """After the answer `receive` returns a disconnect, also to a task that waits for the body meanwhile."""
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        async def watch() -> None:
            while (message := await receive())["type"] == "http.request":
                pass
            seen.append(message["type"])

        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch)
            await trio.testing.wait_all_tasks_blocked()
            await respond(send, 200, b"early")
        await trio.sleep(100)
        seen.append((await receive())["type"])

    async with in_memory(app, body_seconds=30, linger_seconds=1) as server:
        reply = await server.dial().ask(LATE)
        await trio.sleep(200)

    assert (b"early", "close") == (reply.body, reply.headers["connection"])
    assert ["http.disconnect"] * 2 == seen


async def test_slow_bodies_end_each_in_its_own_time(autojump_clock: MockClock) -> None:
    """Of many slow clients each is answered when its own time is over."""
    answered: dict[int, float] = {}

    async with in_memory(_tells, body_seconds=30) as server, trio.open_nursery() as nursery:

        async def stay(number: int) -> None:
            await trio.sleep(number)
            assert 408 == (await server.dial().ask(LATE)).status
            answered[number] = trio.current_time()

        for number in range(10):
            nursery.start_soon(partial(stay, number))

    assert {number: pytest.approx(number + 30) for number in range(10)} == answered
