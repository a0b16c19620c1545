"""Listening, rejecting large bodies, and stopping, on real sockets."""

import os
import socket
from functools import partial
from pathlib import Path

import httpx
import pytest
import trio
import trio.testing

from svc.http.asgi import Receive, Scope, Send
from svc.http.request.body import BodyTooLarge, read_body
from svc.http.server import (
    Bind,
    Certificate,
    CertificateError,
    ListenError,
    ServerOptions,
    bound,
    open_listeners,
    serve,
)
from svc.http.server._connection import Connection
from tests.http.serving import GET, Client, echo, in_memory, listening, post, respond

MEGABYTE = 1_000_000


async def test_the_address_is_reported() -> None:
    """A server on any free port reports which one it has, and knows its client's address."""
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append((scope["scheme"], scope["client"], scope["server"]))
        await respond(send)

    async with listening(app) as server:
        client = await server.dial()
        await client.ask(GET)
        assert isinstance(client.stream, trio.SocketStream)
        ours = client.stream.socket.getsockname()

    assert server.bind.port > 0
    assert [("http", ours, ("127.0.0.1", server.bind.port))] == seen


async def test_several_addresses_are_served() -> None:
    """One server listens on all of its addresses; two servers share a nursery and stop on one event."""
    stop = trio.Event()
    replies = []

    async with trio.open_nursery() as nursery:
        binds: list[Bind] = []
        for wanted in (["127.0.0.1:0", "127.0.0.2:0"], ["127.0.0.3:0"]):

            async def run(task_status: trio.TaskStatus[list[Bind]], wanted: list[str] = wanted) -> None:
                await serve(echo, binds=wanted, stop=stop, task_status=task_status)

            binds += await nursery.start(run)
        for bind in binds:
            async with await trio.open_tcp_stream(bind.host, bind.port) as stream:
                replies.append((await Client(stream).ask(GET)).status)
        stop.set()

    assert ["127.0.0.1", "127.0.0.2", "127.0.0.3"] == [bind.host for bind in binds]
    assert [200, 200, 200] == replies


async def test_a_busy_port_is_reported() -> None:
    """A port on which another program listens is named in the error, and nothing stays open."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        busy = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(ListenError) as error:
            await serve(echo, binds=["127.0.0.1:0", busy], stop=trio.Event())

    assert f"Cannot listen on {busy}: another program listens there" == str(error.value)


async def test_listeners_that_are_open_are_served_and_closed():
    """A client that connects before anything is served waits, and is answered; then the port is closed."""
    listeners, stop = await open_listeners(["127.0.0.1:0", "127.0.0.2:0"]), trio.Event()
    binds = [bound(listener) for listener in listeners]
    async with trio.open_nursery() as nursery:
        early = Client(await trio.open_tcp_stream(binds[1].host, binds[1].port))
        told = await nursery.start(partial(serve, echo, listeners=listeners, stop=stop))
        async with early.stream:
            reply = await early.ask(GET)
        stop.set()

    assert (binds, 200) == (told, reply.status)
    for bind in binds:
        with pytest.raises(OSError, match="connect"):
            await trio.open_tcp_stream(bind.host, bind.port)


@pytest.mark.parametrize("why", ["certificate", "bind"])
async def test_listeners_of_a_server_that_cannot_begin_are_closed(why: str):
    """What waits there is reset, and does not wait for ever."""
    [listener] = await open_listeners(["127.0.0.1:0"])
    bind = bound(listener)
    missing = Certificate(Path("missing.pem"), Path("missing.key")) if why == "certificate" else None
    async with await trio.open_tcp_stream(bind.host, bind.port) as early:
        with pytest.raises((CertificateError, ListenError)):
            await serve(
                echo,
                listeners=[listener],
                binds=[str(bind)],
                options=ServerOptions(certificate=missing),
                stop=trio.Event(),
            )

        with pytest.raises(trio.BrokenResourceError):
            await early.receive_some()
        with pytest.raises(OSError, match="connect"):
            await trio.open_tcp_stream(bind.host, bind.port)


@pytest.mark.parametrize("text", ["", "8000", "127.0.0.1", "127.0.0.1:", "a:b", "a:65536", "a:-1", "a:٣"])
async def test_what_is_no_address_is_rejected(text: str) -> None:
    """An address that is not of the form host:port is rejected."""
    with pytest.raises(ListenError):
        await serve(echo, binds=[text], stop=trio.Event())


@pytest.mark.parametrize(
    ("text", "bind"),
    [
        ("127.0.0.1:80", Bind("127.0.0.1", 80)),
        ("[::1]:0", Bind("::1", 0)),
        (":8000", Bind("", 8_000)),
        ("example.org:443", Bind("example.org", 443)),
    ],
)
def test_an_address_reads_as_it_is_written(text: str, bind: Bind) -> None:
    """An address is parsed and written in one form."""
    assert bind == Bind.parse(text)
    assert text == str(bind)


async def _limited(scope: Scope, receive: Receive, send: Send) -> None:
    """Takes a body of 64,000 bytes and answers 413 to a longer one."""
    lengths = [int(value) for name, value in scope["headers"] if name == b"content-length"]
    try:
        await read_body(receive, lengths[0] if lengths else None, 64_000)
    except BodyTooLarge:
        await respond(send, 413, b"too large")
    else:
        await respond(send, 200, b"taken")


async def _ten_megabytes() -> object:
    for _ in range(160):
        yield b"x" * 65_536


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_large_body_is_rejected_so_that_the_client_knows(chunked: bool) -> None:
    """A client that sends 10 MB where 64,000 bytes are taken reads the 413, and not a reset."""
    async with listening(_limited) as server, httpx.AsyncClient(base_url=f"http://{server.bind}") as client:
        content = _ten_megabytes() if chunked else b"x" * 10 * MEGABYTE
        reply = await client.post("/", content=content)  # type: ignore[arg-type]

    assert (413, "too large", "close") == (reply.status_code, reply.text, reply.headers["connection"])


async def test_a_large_body_is_rejected_before_it_is_sent() -> None:
    """A body that says it is too large is rejected at once, however little of it has come."""
    async with listening(_limited) as server:
        client = await server.dial()
        reply = await client.ask(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 64001\r\n\r\n")

    assert 413 == reply.status


async def test_a_rejected_client_is_not_listened_to_for_ever() -> None:
    """Of what a rejected client goes on sending only so much is taken."""
    async with listening(_limited, linger_bytes=MEGABYTE) as server:
        client = await server.dial()
        await client.send(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")

        async def send_on() -> None:
            while True:
                await client.send(b"10000\r\n" + b"x" * 65_536 + b"\r\n")

        with pytest.raises(trio.BrokenResourceError):
            await send_on()


async def test_stopping_closes_what_is_idle_at_once() -> None:
    """A server that stops closes its port and its idle connections, and ends without waiting."""
    async with listening(keep_alive_seconds=60) as server:
        fresh, used = await server.dial(), await server.dial()
        await used.ask(GET)
        server.stop.set()

        with trio.fail_after(5):
            assert await used.closed()
            assert await fresh.closed()
            await server.stopped.wait()
        with pytest.raises(OSError, match="failed"):
            await server.dial()


async def test_stopping_lets_requests_finish() -> None:
    """A request under way when the server stops is answered with `Connection: close`, and closed."""
    under_way, finish = trio.Event(), trio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        under_way.set()
        await finish.wait()
        await respond(send, 200, b"done")

    async with listening(app) as server:
        client = await server.dial()
        await client.send(GET)
        await under_way.wait()
        server.stop.set()
        await trio.testing.wait_all_tasks_blocked()
        finish.set()
        reply = await client.reply()
        closed = await client.closed()

        with trio.fail_after(5):
            await server.stopped.wait()

    assert (b"done", "close", True) == (reply.body, reply.headers["connection"], closed)


async def test_stopping_answers_what_has_arrived() -> None:
    """Requests that have arrived when the server stops are answered, read or not, accepted or not."""
    async with listening() as server:
        used = [await server.dial() for _ in range(10)]
        for client in used:
            await client.ask(GET)
        # Blocking calls: the server has no turn between these requests and its stop.
        new = [socket.create_connection((server.bind.host, server.bind.port), timeout=5) for _ in range(10)]
        for client, connection in zip(used, new, strict=True):
            assert isinstance(client.stream, trio.SocketStream)
            os.write(client.stream.socket.fileno(), post(b"used"))
            connection.sendall(post(b"new"))
        server.stop.set()
        await server.stopped.wait()
        answers = [(await client.reply("POST")).body for client in used]
        for connection in new:
            with connection:
                answers.append(connection.recv(1_000)[-10:])

    assert [b"POST / used"] * 10 + [b"POST / new"] * 10 == answers


async def test_stopping_takes_a_request_to_its_end() -> None:
    """A request whose head or body is still coming when the server stops is taken and answered."""
    async with listening() as server:
        head, body = await server.dial(), await server.dial()
        await head.send(GET[:10])
        await body.send(post(b"late")[:-2])
        await trio.testing.wait_all_tasks_blocked()
        server.stop.set()
        await trio.testing.wait_all_tasks_blocked()
        await head.send(GET[10:])
        await body.send(b"te")
        replies = [await head.reply(), await body.reply("POST")]

    assert [b"GET / ", b"POST / late"] == [reply.body for reply in replies]
    assert {"close"} == {reply.headers["connection"] for reply in replies}


async def test_stopping_has_an_end() -> None:
    """Requests that do not finish within `graceful_seconds` are cancelled, unread answers included."""
    cancelled = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200})
        try:
            while True:
                await send({"type": "http.response.body", "body": b"x" * MEGABYTE, "more_body": True})
        except trio.Cancelled:
            cancelled.append(scope["path"])
            raise

    async with listening(app, graceful_seconds=0.05) as server:
        client = await server.dial()
        await client.send(GET)
        await trio.testing.wait_all_tasks_blocked()
        server.stop.set()

        with trio.fail_after(5):
            await server.stopped.wait()

    assert ["/"] == cancelled


async def test_a_failing_connection_harms_no_other() -> None:
    """Clients that reset their connections in the middle leave the server as it was."""
    async with listening() as server:
        for data in (b"", GET[:10], post(b"x" * 100)[:-50], GET):
            with socket.create_connection((server.bind.host, server.bind.port)) as rude:
                rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                rude.send(data)
        reply = await (await server.dial()).ask(GET)

    assert 200 == reply.status


async def test_cancelling_the_server_closes_everything() -> None:
    """A server that is cancelled leaves no socket behind."""
    async with trio.open_nursery() as nursery:

        async def run(task_status: trio.TaskStatus[list[Bind]]) -> None:
            await serve(echo, binds=["127.0.0.1:0"], stop=trio.Event(), task_status=task_status)

        (bind,) = await nursery.start(run)
        client = Client(await trio.open_tcp_stream(bind.host, bind.port))
        await client.ask(GET)
        nursery.cancel_scope.cancel()
    async with client.stream:
        closed = await client.closed()

    assert closed


async def test_a_stop_passes_over_a_connection_that_has_just_been_closed() -> None:
    """Its socket is gone, though its task has not ended yet."""
    async with in_memory() as server:
        listener, *_ = await trio.open_tcp_listeners(0, host="127.0.0.1")
        port = listener.socket.getsockname()[1]
        async with listener, await trio.open_tcp_stream("127.0.0.1", port), await listener.accept() as stream:
            connection = Connection(stream, server.context)
            connection.idle = True
            await stream.aclose()
            connection.stop()

    assert (False, False) == (connection.readable(), connection.hung_up())
    assert connection.scope.cancel_called
