"""The fast path: doors that are answered in front of Quart."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
import structlog
import trio
import trio.testing

from svc.http.asgi import Message, Receive, Scope, Send
from svc.http.fast_path import Answer, BodyTooLarge, FastPath, Request, Routes
from tests.http.serving import GET, in_memory, post, respond

Door = Callable[[Request], Awaitable[Answer]]
Problem = Callable[[Request, Any], Answer]


async def _elsewhere(scope: Scope, receive: Receive, send: Send) -> None:
    await respond(send, 404, b"elsewhere")


class _FunctionDoor:
    """A door that is one function, with a table of problems."""

    def __init__(self, door: Door, problems: Mapping[type[Exception], Problem]) -> None:
        self._door = door
        self._problems = problems

    async def __call__(self, request: Request) -> Answer:
        return await self._door(request)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        return self._problems[type(error)](request, error)


def _fast_path(door: Door, problems: Mapping[type[Exception], Problem] | None = None) -> FastPath:
    return FastPath(_elsewhere, Routes({"/door": _FunctionDoor(door, problems or {})}))


async def _echo(request: Request) -> Answer:
    body = await request.read(10)
    return Answer(200, [(b"content-type", b"text/plain")], b"%b %b" % (request.method.encode(), body))


async def test_a_path_leads_to_its_door() -> None:
    """A door answers exactly its own path, with a length and an id; everything else goes on."""
    async with in_memory(_fast_path(_echo)) as server:
        client = server.dial()
        here = await client.ask(post(b"hello", path=b"/door?x=1"))
        there = [await client.ask(post(b"", path=path)) for path in (b"/", b"/door/", b"/doors")]

    assert (200, b"POST hello") == (here.status, here.body)
    assert {"content-type", "content-length", "x-request-id", "date"} == set(here.headers)
    assert [b"elsewhere"] * 3 == [reply.body for reply in there]


async def test_a_large_answer_is_not_copied_on_its_way() -> None:
    """With its length: the server is given the bytes that the door made, and sends them in pieces itself."""
    said = bytes(5 << 19)
    sent: list[object] = []

    async def answer(_request: Request) -> Answer:
        return Answer(200, body=said)

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        async def note(message: Message) -> None:
            if message["type"] == "http.response.body":
                sent.append(message["body"])
            await send(message)

        await _fast_path(answer)(scope, receive, note)

    async with in_memory(noting) as server:
        reply = await server.dial().ask(GET.replace(b"GET / ", b"GET /door "))

    assert (str(len(said)), said) == (reply.headers["content-length"], reply.body)
    assert [said] == sent
    assert sent[0] is said


async def test_a_request_has_its_facts() -> None:
    """A door sees the method, path, query, headers and address of its request."""
    seen: list[object] = []

    async def door(request: Request) -> Answer:
        seen.extend((request.method, request.path, request.query, request.client))
        seen.extend((request.header(b"x-a"), request.header(b"x-b"), request.header(b"x-c")))
        seen.extend((request.text("x-a"), request.text("x-c"), request.headers[0]))
        return Answer(204)

    async with in_memory(_fast_path(door)) as server:
        await server.dial().ask(
            b"PUT /door?a=%20 HTTP/1.1\r\nHost: a\r\nX-A: one\r\nX-B: one\r\nx-b: two\r\n\r\n"
        )

    assert ["PUT", "/door", b"a=%20", "", b"one", b"one, two", None, "one", None, (b"host", b"a")] == seen


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (b"a", b"a"),
        (b"!~" * 64, b"!~" * 64),
        (b"x" * 129, None),
        (b"a b", None),
        (b"caf\xc3\xa9", None),
        (b"", None),
    ],
)
async def test_a_request_keeps_its_id(asked: bytes, answered: bytes | None) -> None:
    """A caller's id is kept when it is 1 to 128 visible ASCII characters; else there is a new one."""
    async with in_memory(_fast_path(_echo)) as server:
        client = server.dial()
        ids = [
            (await client.ask(post(b"", b"X-Request-Id: " + asked, path=b"/door"))).headers["x-request-id"]
            for _ in range(2)
        ]

    if answered is None:
        assert [32, 32] == [len(new) for new in ids]
        assert ids[0] != ids[1]
    else:
        assert [answered.decode()] * 2 == ids


async def test_head_is_answered_without_a_body() -> None:
    """HEAD gets the headers of the answer, its length among them, and no body."""
    async with in_memory(_fast_path(_echo)) as server:
        client = server.dial()
        reply = await client.ask(b"HEAD /door HTTP/1.1\r\nHost: a\r\n\r\n")
        after = await client.ask(GET)

    assert ("5", b"") == (reply.headers["content-length"], reply.body)
    assert 404 == after.status


@pytest.mark.parametrize(
    "request_bytes",
    [
        pytest.param(post(b"x" * 11, path=b"/door")[:-11], id="by its length, before it comes"),
        pytest.param(
            b"POST /door HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + b"6\r\nxxxxxx\r\n" * 2,
            id="by counting, before it ends",
        ),
    ],
)
async def test_a_large_body_is_rejected(request_bytes: bytes) -> None:
    """A body over the door's limit is rejected with the door's own answer, as soon as that is known."""
    problems: dict[type[Exception], Problem] = {
        BodyTooLarge: lambda _, error: Answer(413, (), b"over %d" % error.limit_bytes)
    }

    async with in_memory(_fast_path(_echo, problems)) as server:
        reply = await server.dial().ask(request_bytes)

    assert (413, b"over 10", "close") == (reply.status, reply.body, reply.headers["connection"])


async def test_a_disconnect_within_a_body_is_not_answered() -> None:
    """A client that leaves before its body is complete ends the door without an error."""
    with structlog.testing.capture_logs() as logs:
        async with in_memory(_fast_path(_echo)) as server:
            client = server.dial()
            await client.send(post(b"hello", path=b"/door")[:-2])
            await client.stream.send_eof()
            answer = await client.rest()

    assert b"" == answer
    assert [] == logs


async def test_work_goes_on_without_the_client() -> None:
    """Once the body is read, the door's work is done though the client leaves."""
    read, finish, done = trio.Event(), trio.Event(), trio.Event()

    async def door(request: Request) -> Answer:
        await request.read(10)
        read.set()
        await finish.wait()
        done.set()
        return Answer(200)

    async with in_memory(_fast_path(door)) as server:
        client = server.dial()
        await client.send(post(b"work", path=b"/door"))
        await read.wait()
        await client.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        finish.set()

        with trio.fail_after(5):
            await done.wait()
