"""HTTP/1.1 as clients see it, on connections in memory."""

import itertools

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from svc.http.asgi import Receive, Scope, Send
from tests.http.serving import GET, echo, in_memory, post, read_all, respond

CHUNKED = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"


async def test_a_request_is_answered() -> None:
    """An answer has a status line, the date, its length, and nothing about the server."""
    async with in_memory() as server:
        client = server.dial()
        await client.send(GET + b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        answers = await client.rest()

    head = b"HTTP/1.1 200 OK\r\ndate: Fri, 15 Jan 2027 08:00:00 GMT\r\ncontent-length: 6\r\n"

    assert head + b"\r\nGET / " + head + b"connection: close\r\n\r\nGET / " == answers


async def test_a_connection_is_used_again() -> None:
    """Requests on one connection are answered one after another, also when they come at once."""
    async with in_memory() as server:
        client = server.dial()
        alone = [await client.ask(post(b"one")), await client.ask(GET)]
        await client.send(post(b"two") + GET + post(b"three"))
        together = [await client.reply(), await client.reply(), await client.reply()]

    assert [b"POST / one", b"GET / "] == [reply.body for reply in alone]
    assert [b"POST / two", b"GET / ", b"POST / three"] == [reply.body for reply in together]


@given(st.lists(st.integers(1, 120), max_size=8, unique=True).map(sorted))
def test_where_the_bytes_are_cut_makes_no_difference(cuts: list[int]) -> None:
    """However a client's bytes are cut into pieces, the answers are the same."""
    data = post(b"hello") + CHUNKED + b"3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n\r\n" + GET
    edges = [0, *cuts, len(data)]

    async def talk() -> list[bytes]:
        async with in_memory() as server:
            client = server.dial()
            for start, end in itertools.pairwise(edges):
                await client.send(data[start:end])
                await trio.testing.wait_all_tasks_blocked()
            return [(await client.reply()).body for _ in range(3)]

    assert [b"POST / hello", b"POST / abcd", b"GET / "] == trio.run(talk)


async def test_head_has_no_body() -> None:
    """The answer to HEAD has the length of the body that it leaves out."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, b"hello", (b"content-length", b"5"))

    async with in_memory(app) as server:
        client = server.dial()
        head = await client.ask(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        after = await client.ask(GET)

    assert ("5", b"") == (head.headers["content-length"], head.body)
    assert b"hello" == after.body


@pytest.mark.parametrize("status", [204, 304])
async def test_some_answers_have_no_body(status: int) -> None:
    """204 and 304 have no body, whatever the application sends with them."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, status, b"dropped")

    async with in_memory(app) as server:
        client = server.dial()
        replies = [await client.ask(GET), await client.ask(GET)]

    assert [(status, b"")] * 2 == [(reply.status, reply.body) for reply in replies]
    assert "content-length" not in replies[0].headers


async def test_http_1_0_is_answered_and_closed() -> None:
    """A client of HTTP/1.0 need not send a host, and learns the end of the answer by the connection's."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        await send({"type": "http.response.body", "body": b"b"})

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(b"GET / HTTP/1.0\r\n\r\n")
        answer = await client.rest()

    head, _, body = answer.partition(b"\r\n\r\n")

    assert b"ab" == body
    assert b"connection: close" in head
    assert b"transfer-encoding" not in head


async def test_a_stream_is_sent_as_it_is_made() -> None:
    """Each part of a streamed answer leaves at once, the head with the first even if that is empty."""
    part_wanted = [trio.Event() for _ in range(3)]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        for wanted, part in zip(part_wanted, (b"", b"one", b"two"), strict=True):
            await wanted.wait()
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(GET)
        seen = []
        for wanted in part_wanted:
            wanted.set()
            seen.append(bytes(await client.stream.receive_some(1_000)))
        end = bytes(await client.stream.receive_some(1_000))

    assert seen[0].endswith(b"transfer-encoding: chunked\r\n\r\n")
    assert [b"3\r\none\r\n", b"3\r\ntwo\r\n"] == seen[1:]
    assert b"0\r\n\r\n" == end


async def test_trailers_are_not_headers() -> None:
    """What a client sends after a chunked body does not become a header of this or the next request."""
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await read_all(receive)
        seen.append([name for name, _ in scope["headers"]])
        await respond(send)

    async with in_memory(app) as server:
        client = server.dial()
        await client.ask(CHUNKED + b"1\r\na\r\n0\r\nAuthorization: x\r\nX-Last: y\r\n\r\n")
        await client.ask(GET)

    assert [[b"host", b"transfer-encoding"], [b"host"]] == seen


async def test_a_body_is_asked_for_only_when_it_is_wanted() -> None:
    """A client that waits to send its body gets 100 when the application reads, and not before."""
    expecting = b"POST %b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/wanted":
            await echo(scope, receive, send)
        else:
            await respond(send, 403)

    async with in_memory(app) as server:
        wanted = server.dial()
        await wanted.send(expecting % b"/wanted")
        told = bytes(await wanted.stream.receive_some(1_000))
        await wanted.send(b"ok")
        taken = await wanted.reply("POST")
        unwanted = server.dial()
        refused = await unwanted.ask(expecting % b"/unwanted")

    assert b"HTTP/1.1 100 Continue\r\n\r\n" == told
    assert (200, b"POST /wanted ok") == (taken.status, taken.body)
    assert (403, "close") == (refused.status, refused.headers["connection"])


async def test_a_client_of_http_1_0_gets_no_continue() -> None:
    """RFC 9110 section 10.1.1: it would take 100 for the answer."""
    async with in_memory() as server:
        client = server.dial()
        await client.send(b"POST / HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        await trio.testing.wait_all_tasks_blocked()
        await client.send(b"ok")
        answer = await client.rest()

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b"POST / ok")


async def test_a_client_of_http_1_0_cannot_upgrade() -> None:
    """Its `Upgrade` is ignored (RFC 9110 section 7.8): it still needs no host, and is closed."""
    async with in_memory() as server:
        client = server.dial()
        await client.send(b"GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
        answer = await client.rest()

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" in answer


async def test_the_target_names_the_host() -> None:
    """A host in the target counts, and the header beside it does not (RFC 9112 section 3.2.2)."""
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(([value for name, value in scope["headers"] if name == b"host"], scope["raw_path"]))
        await respond(send)

    async with in_memory(app) as server:
        client = server.dial()
        for target in (b"http://b:80/c", b"/c", b"HTTPS://d"):
            await client.ask(b"GET %b HTTP/1.1\r\nHost: a\r\n\r\n" % target)

    assert [([b"b:80"], b"/c"), ([b"a"], b"/c"), ([b"d"], b"/")] == seen


async def test_white_space_around_a_value_is_no_part_of_it() -> None:
    """Before it or after it, spaces or tabs."""
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(dict(scope["headers"])[b"x-a"])
        await respond(send)

    async with in_memory(app) as server:
        await server.dial().ask(b"GET / HTTP/1.1\r\nHost: a\r\nX-A: \t a b \t \r\n\r\n")

    assert [b"a b"] == seen


async def test_targets_are_read_as_paths() -> None:
    """Escapes are decoded, the query stands apart, and an absolute target loses its authority."""
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append((scope["path"], scope["raw_path"], scope["query_string"]))
        await respond(send)

    async with in_memory(app) as server:
        client = server.dial()
        for target in (b"/a%20%C3%A9?x=%20", b"http://a/b?c", b"http://a", b"http://a?x=/y", b"*"):
            await client.ask(b"OPTIONS %b HTTP/1.1\r\nHost: a\r\n\r\n" % target)

    assert [
        ("/a é", b"/a%20%C3%A9", b"x=%20"),
        ("/b", b"/b", b"c"),
        ("/", b"/", b""),
        ("/", b"/", b"x=/y"),
        ("*", b"*", b""),
    ] == seen


@pytest.mark.parametrize("version", [b"1.2", b"1.9"])
async def test_a_later_version_of_http_1_is_answered_as_1_1(version: bytes) -> None:
    """The connection stays, and a chunked body is read (RFC 9110 section 2.5)."""
    versions: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        versions.append(scope["http_version"])
        await respond(send, 200, await read_all(receive) or b"")

    async with in_memory(app) as server:
        client = server.dial()
        head = b"POST / HTTP/%b\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" % version
        first = await client.ask(head + b"5\r\nhello\r\n0\r\n\r\n")
        second = await client.ask(GET.replace(b"1.1", version))

    assert (b"hello", None) == (first.body, first.headers.get("connection"))
    assert 200 == second.status
    assert ["1.1", "1.1"] == versions


@pytest.mark.parametrize(
    "upgrade",
    [
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
        b"Connection: Upgrade\r\nUpgrade: websocket",
    ],
)
async def test_an_upgrade_that_we_do_not_make_is_ignored(upgrade: bytes) -> None:
    """A request that offers another protocol is answered in this one, its body read as its own."""
    async with in_memory() as server:
        client = server.dial()
        first = await client.ask(post(b"GET /smuggled HTTP/1.1\r\n\r\n", upgrade))
        second = await client.ask(GET)

    assert b"POST / GET /smuggled HTTP/1.1\r\n\r\n" == first.body
    assert b"GET / " == second.body


async def _crash(scope: Scope, receive: Receive, send: Send) -> None:
    raise LookupError("a secret")


async def _say_nothing(scope: Scope, receive: Receive, send: Send) -> None:
    await read_all(receive)


async def _break_the_head(scope: Scope, receive: Receive, send: Send) -> None:
    await respond(send, 200, b"", (b"location", b"/\r\nset-cookie: a=b"))


async def _never_end(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200})


@pytest.mark.parametrize("app", [_crash, _say_nothing, _break_the_head, _never_end])
async def test_an_application_that_fails_is_answered_for(app: object) -> None:
    """A request whose application fails gets a 500 with its id and nothing else, and the end."""
    async with in_memory(app) as server:  # type: ignore[arg-type]
        client = server.dial()
        reply = await client.ask(b"GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n")
        closed = await client.closed()

    assert (500, b"", True) == (reply.status, reply.body, closed)
    assert "mine" == reply.headers["x-request-id"]
    assert {"x-request-id", "date", "content-length", "connection"} == set(reply.headers)


async def test_an_answer_that_fails_halfway_is_cut() -> None:
    """A client can tell that an answer stopped in the middle: it has no end."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise LookupError

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(GET)
        answer = await client.rest()

    assert answer.endswith(b"4\r\nhalf\r\n")


@pytest.mark.parametrize("parts", [[b"abcd"], [b"a"], [b"ab", b"cd"], [b"a", b"b"]])
async def test_a_wrong_length_is_not_sent(parts: list[bytes]) -> None:
    """A body that is not as long as its application said never passes for whole."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"3")]})
        for part in parts[:-1]:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": parts[-1]})

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(GET)
        answer = await client.rest()

    assert len(answer.rpartition(b"\r\n\r\n")[2]) < 3


async def test_a_disconnect_does_not_cancel_accepted_work() -> None:
    """A request that was read is worked on to the end, though the client is gone."""
    accepted, finish, finished = trio.Event(), trio.Event(), trio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await read_all(receive)
        accepted.set()
        await finish.wait()
        finished.set()
        await respond(send)

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(post(b"work"))
        await accepted.wait()
        await client.stream.aclose()
        await trio.testing.wait_all_tasks_blocked()
        finish.set()

        with trio.fail_after(1):
            await finished.wait()


async def test_an_application_can_watch_for_the_client_to_leave() -> None:
    """After the body, `receive` waits, and says so when the client leaves."""
    told = trio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await read_all(receive)
        assert (await receive())["type"] == "http.disconnect"
        told.set()

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(GET)
        await trio.testing.wait_all_tasks_blocked()
        waiting = not told.is_set()
        await client.stream.aclose()

        with trio.fail_after(1):
            await told.wait()

    assert waiting


async def test_watching_does_not_swallow_the_next_request() -> None:
    """What comes while an application watches for the client is answered after it."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = await read_all(receive)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(receive)
            await trio.testing.wait_all_tasks_blocked()
            await respond(send, 200, body or b"")
            nursery.cancel_scope.cancel()

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(post(b"first"))
        await client.send(post(b"next"))
        replies = [await client.reply(), await client.reply()]

    assert [b"first", b"next"] == [reply.body for reply in replies]


async def test_a_disconnect_within_a_body_is_not_answered() -> None:
    """A body that breaks off is an error for the application, and nothing is answered."""
    seen: list[bytes | None] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(await read_all(receive))

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(post(b"hello")[:-2])
        await client.stream.send_eof()
        closed = await client.closed()

    assert closed
    assert [None] == seen


async def test_an_early_answer_ends_the_connection() -> None:
    """An answer before the end of the body has `Connection: close`, and can still be read."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 401)

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(post(b"x" * 100)[:-50])
        reply = await client.reply()
        await client.send(b"x" * 50)
        closed = await client.closed()

    assert (401, "close", True) == (reply.status, reply.headers["connection"], closed)
