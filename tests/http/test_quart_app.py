"""Quart for API doors, on this server."""

from collections.abc import AsyncIterator
from typing import cast

import pytest
import structlog
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from quart import Response, request, session, url_for
from trio.testing import MockClock

from svc.http.quart_app import QuartApp
from svc.http.request.body import BodyTooLarge
from tests.http.serving import GET, in_memory, post


def _app() -> QuartApp:
    app = QuartApp(__name__)
    app.config["MAX_CONTENT_LENGTH"] = 100

    @app.post("/echo")
    async def echo() -> bytes:
        return cast("bytes", await request.get_data())

    @app.post("/small")
    async def small() -> bytes:
        request.max_content_length = 5
        return cast("bytes", await request.get_data())

    @app.post("/form")
    async def form() -> dict[str, str]:
        return dict(await request.form)

    @app.post("/unread")
    async def unread() -> str:
        return "unread"

    @app.get("/session")
    async def show_session() -> str:
        with pytest.raises(RuntimeError, match="unavailable"):
            session["a"] = 1
        return str(dict(session))

    @app.get("/fails")
    async def fails() -> str:
        raise ZeroDivisionError("a secret")

    @app.get("/of/<name>")
    async def of(name: str) -> str:
        return url_for("of", name=f"{name} & co", page=2)

    @app.get("/nothing")
    async def nothing() -> tuple[str, int]:
        return "", 204

    return app


async def test_addresses_can_be_built() -> None:
    """Of whatever has a rule, with its parameters escaped, and the others in the query."""
    async with in_memory(_app()) as server:
        reply = await server.dial().ask(b"GET /of/lamps HTTP/1.1\r\nHost: a\r\n\r\n")

    assert b"/of/lamps%20&%20co?page=2" == reply.body


async def test_doors_are_answered() -> None:
    """A route gets its body and its answer leaves whole, with an id, and the connection stays."""
    async with in_memory(_app()) as server:
        client = server.dial()
        first = await client.ask(post(b"hello", b"X-Request-Id: mine", path=b"/echo"))
        second = await client.ask(b"GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n")
        third = await client.ask(GET)

    assert (200, b"hello", "5", "mine") == (
        first.status,
        first.body,
        first.headers["content-length"],
        first.headers["x-request-id"],
    )
    assert [(204, b""), 404] == [(second.status, second.body), third.status]
    assert 32 == len(third.headers["x-request-id"])


async def test_an_answer_is_one_send() -> None:
    """An answer with a body known beforehand is sent in one piece."""
    async with in_memory(_app()) as server:
        client = server.dial()
        await client.send(post(b"hello", path=b"/echo"))
        piece = bytes(await client.stream.receive_some(65_536))

    assert piece.startswith(b"HTTP/1.1 200 OK\r\n")
    assert piece.endswith(b"\r\n\r\nhello")


async def test_forms_are_read() -> None:
    """Quart's own parsers read the body too."""
    multipart = b'--b\r\nContent-Disposition: form-data; name="n"\r\n\r\nv\r\n--b--\r\n'

    async with in_memory(_app()) as server:
        client = server.dial()
        urlencoded = await client.ask(
            post(b"a=1&b=2", b"Content-Type: application/x-www-form-urlencoded", path=b"/form")
        )
        parts = await client.ask(
            post(multipart, b"Content-Type: multipart/form-data; boundary=b", path=b"/form")
        )

    assert b'{"a":"1","b":"2"}' == urlencoded.body.replace(b"\n", b"").replace(b" ", b"")
    assert b'{"n":"v"}' == parts.body.replace(b"\n", b"").replace(b" ", b"")


@pytest.mark.parametrize(
    ("path", "length", "status"),
    [(b"/echo", 100, 200), (b"/echo", 101, 413), (b"/small", 5, 200), (b"/small", 6, 413)],
)
async def test_a_body_has_a_limit(path: bytes, length: int, status: int) -> None:
    """A body over the application's limit, or over its door's own, is answered 413 before it comes."""
    async with in_memory(_app()) as server:
        client = server.dial()
        complete = post(b"x" * length, path=path)
        reply = await client.ask(complete if status == 200 else complete[:-length])
        chunked = b"POST %b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" % path
        counted = await server.dial().ask(chunked + b"%x\r\n%b\r\n0\r\n\r\n" % (length, b"x" * length))

    assert [status, status] == [reply.status, counted.status]


async def test_the_applications_handler_answers_for_a_large_body() -> None:
    """An error handler of the application says what a 413 looks like."""
    app = _app()

    async def too_large(error: BodyTooLarge) -> tuple[str, int]:
        return f"over {error.limit_bytes}", 413

    app.register_error_handler(BodyTooLarge, too_large)

    async with in_memory(app) as server:
        reply = await server.dial().ask(post(b"x" * 101, path=b"/echo"))

    assert (413, b"over 100") == (reply.status, reply.body)


async def test_a_body_that_is_not_read_costs_nothing() -> None:
    """A door may answer without reading; what has come is dropped, and the connection stays."""
    async with in_memory(_app()) as server:
        client = server.dial()
        replies = [await client.ask(post(b"x" * 50, path=b"/unread")) for _ in range(2)]

    assert [b"unread", b"unread"] == [reply.body for reply in replies]


async def test_a_slow_body_is_rejected(autojump_clock: MockClock) -> None:
    """A body that does not come ends its door, and is answered 408."""
    async with in_memory(_app(), body_seconds=30) as server:
        reply = await server.dial().ask(post(b"hello", path=b"/echo")[:-1])

    assert (408, "close") == (reply.status, reply.headers["connection"])


async def test_there_are_no_sessions() -> None:
    """The session of every request is the null session, and no cookie is set."""
    async with in_memory(_app()) as server:
        reply = await server.dial().ask(b"GET /session HTTP/1.1\r\nHost: a\r\nCookie: session=x\r\n\r\n")

    assert b"{}" == reply.body
    assert not {"set-cookie", "vary"} & set(reply.headers)


async def test_an_unknown_error_reveals_nothing() -> None:
    """An unhandled error is a 500 with no detail, and is logged with the id."""
    with structlog.testing.capture_logs() as logs:
        async with in_memory(_app()) as server:
            reply = await server.dial().ask(b"GET /fails HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n")

    assert 500 == reply.status
    assert b"secret" not in reply.body
    assert [("door failed", "mine", "/fails")] == [
        (log["event"], log["request_id"], log["path"]) for log in logs
    ]


async def test_a_disconnect_within_a_body_is_not_answered() -> None:
    """A client that leaves before its body is complete ends the door without an error."""
    with structlog.testing.capture_logs() as logs:
        async with in_memory(_app()) as server:
            client = server.dial()
            await client.send(post(b"hello", path=b"/echo")[:-2])
            await client.stream.send_eof()
            answer = await client.rest()

    assert b"" == answer
    assert [] == logs


_VALUES = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=20
)


@given(
    st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=20),
    _VALUES | st.text(".-:[]a1", max_size=8),
    st.sampled_from(["Cookie", "X-Request-Id", "Content-Type", "Accept", "X-Forwarded-For"]),
    _VALUES,
)
def test_no_request_brings_quart_to_fail(target: str, host: str, name: str, value: str) -> None:
    """Whatever a request's path, host and headers are, the answer is one that was meant."""
    data = f"POST /{target} HTTP/1.1\r\nHost: {host}\r\n{name}: {value}\r\nContent-Length: 0\r\n\r\n"

    async def ask() -> int:
        async with in_memory(_app()) as server:
            return (await server.dial().ask(data.encode("latin-1"))).status

    assert trio.run(ask) < 500


async def test_events_are_streamed(autojump_clock: MockClock) -> None:
    """A stream's head leaves before its first event, each event as it is made, and the end is proper."""
    app = QuartApp(__name__)

    async def events() -> AsyncIterator[str]:
        for number in range(3):
            await trio.sleep(100)
            yield f"data: {number}\n\n"

    @app.get("/")
    async def stream() -> Response:
        return Response(events(), content_type="text/event-stream")

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(GET)
        arrived: list[tuple[float, bytes]] = []
        while not arrived or arrived[-1][1] != b"0\r\n\r\n":
            piece = bytes(await client.stream.receive_some(65_536))
            arrived.append((trio.current_time(), piece))
        since = trio.current_time()
        head = await client.ask(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")

    assert [0, 100, 200, 300, 300] == [at for at, _ in arrived]
    assert arrived[0][1].endswith(b"\r\n\r\n")
    assert b"9\r\ndata: 0\n\n\r\n" == arrived[1][1]
    assert (200, since) == (head.status, trio.current_time())


async def test_a_stream_ends_with_its_client() -> None:
    """What makes a stream's parts is cancelled when the client leaves."""
    app = QuartApp(__name__)
    ended = trio.Event()

    async def events() -> AsyncIterator[str]:
        try:
            yield "data: first\n\n"
            await trio.sleep_forever()
        finally:
            ended.set()

    @app.get("/")
    async def stream() -> Response:
        return Response(events(), content_type="text/event-stream")

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(GET)
        await client.stream.receive_some()
        await client.stream.aclose()

        with trio.fail_after(5):
            await ended.wait()


async def test_quarts_own_test_contexts_work() -> None:
    """A view can be called in a test context, where no server received the body."""
    app = _app()

    async with app.test_request_context("/echo", method="POST", data="hello"):
        assert b"hello" == await request.get_data()
