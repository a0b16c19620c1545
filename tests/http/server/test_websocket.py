"""WebSocket, which hypercorn speaks after a handshake that arrives like any request."""

import pytest
import structlog
import trio
import trio.testing
import wsproto
import wsproto.events
from quart import websocket

from svc.http.app import quart_app
from svc.http.asgi import Receive, Scope, Send
from svc.http.server._head import is_websocket_handshake
from tests.http.serving import GET, Client, Memory, echo, in_memory


async def _echo(scope: Scope, receive: Receive, send: Send) -> None:
    assert scope["type"] == "websocket"
    assert (await receive())["type"] == "websocket.connect"
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"], "bytes": None})


class WebSocket:
    """A WebSocket's client end."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.protocol = wsproto.WSConnection(wsproto.ConnectionType.CLIENT)

    async def send(self, event: wsproto.events.Event) -> None:
        await self.client.send(self.protocol.send(event))

    async def next(self) -> wsproto.events.Event:
        """The next event that is not a ping."""
        while True:
            for event in self.protocol.events():
                if not isinstance(event, wsproto.events.Ping):
                    return event
            data = bytes(await self.client.stream.receive_some())
            self.protocol.receive_data(data or None)


async def _open(server: Memory) -> WebSocket:
    socket = WebSocket(server.dial())
    await socket.send(wsproto.events.Request(host="a", target="/live"))
    return socket


async def test_messages_go_both_ways() -> None:
    """A WebSocket is accepted on a connection that answered a request before, and carries messages."""
    async with in_memory(_echo_or_answer) as server:
        client = server.dial()
        before = await client.ask(GET)
        socket = WebSocket(client)
        await socket.send(wsproto.events.Request(host="a", target="/live"))
        accepted = await socket.next()
        await socket.send(wsproto.events.TextMessage("hello"))
        message = await socket.next()
        await socket.send(wsproto.events.CloseConnection(1000))
        closed = await socket.next()

    assert 200 == before.status
    assert isinstance(accepted, wsproto.events.AcceptConnection)
    assert isinstance(message, wsproto.events.TextMessage)
    assert "hello" == message.data
    assert isinstance(closed, wsproto.events.CloseConnection)


async def _echo_or_answer(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await _echo(scope, receive, send)
    else:
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body", "body": b""})


async def test_a_client_that_leaves_is_noticed() -> None:
    """An application gets a disconnect when its WebSocket's client is gone without a close frame."""
    told = trio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await _echo(scope, receive, send)
        told.set()

    async with in_memory(app) as server:
        socket = await _open(server)
        await socket.next()
        await socket.client.stream.aclose()

        with trio.fail_after(5):
            await told.wait()


async def test_stopping_says_goodbye() -> None:
    """A server that stops closes its WebSockets with the code for going away, and ends."""
    async with in_memory(_echo) as server:
        socket = await _open(server)
        await socket.next()
        await trio.testing.wait_all_tasks_blocked()
        server.server.stop()
        goodbye = await socket.next()

        assert isinstance(goodbye, wsproto.events.CloseConnection)
        assert 1001 == goodbye.code
        assert b"" == bytes(await socket.client.stream.receive_some())


async def test_a_handshake_can_be_rejected() -> None:
    """An application that closes instead of accepting is answered 403."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.close"})

    async with in_memory(app) as server:
        socket = await _open(server)
        refused = await socket.next()

    assert isinstance(refused, wsproto.events.RejectConnection)
    assert 403 == refused.status_code


HANDSHAKE = {
    b"connection": b"keep-alive, Upgrade",
    b"upgrade": b"WebSocket",
    b"sec-websocket-version": b"13",
    b"sec-websocket-key": b"dGhlIHNhbXBsZSBub25jZQ==",
}


def _request(changed: dict[bytes, bytes | None], line: bytes = b"GET /live HTTP/1.1") -> bytes:
    """A handshake with *changed* headers; None leaves one out."""
    given = {b"host": b"a", **HANDSHAKE, **changed}
    lines = [line, *(b"%b: %b" % (name, value) for name, value in given.items() if value is not None)]
    return b"\r\n".join(lines) + b"\r\n\r\n"


@pytest.mark.parametrize("path", [b"/live", b"/problems/not_found", b"/api/v1/openapi.json"])
async def test_where_there_is_no_websocket_is_404(path: bytes) -> None:
    """A handshake that no route takes is rejected as a problem, with the caller's id, and not logged."""
    with structlog.testing.capture_logs() as logged:
        async with in_memory(quart_app()) as server:
            client = server.dial()
            reply = await client.ask(_request({b"x-request-id": b"mine"}, b"GET %b HTTP/1.1" % path))
            closed = await client.closed()

    assert (404, "application/problem+json", "mine", "close") == (
        reply.status,
        reply.headers["content-type"],
        reply.headers["x-request-id"],
        reply.headers["connection"],
    )
    assert b'"code":"not_found"' in reply.body
    assert closed
    assert [] == logged


async def test_a_route_takes_its_handshake() -> None:
    """What an application of ours accepts is spoken with."""
    app = quart_app()

    @app.websocket("/live")
    async def live() -> None:
        await websocket.send(await websocket.receive())

    async with in_memory(app) as server:
        socket = await _open(server)
        assert isinstance(await socket.next(), wsproto.events.AcceptConnection)
        await socket.send(wsproto.events.TextMessage("hello"))
        message = await socket.next()

    assert isinstance(message, wsproto.events.TextMessage)
    assert "hello" == message.data


@pytest.mark.parametrize(
    "lines", [b"upgrade\r\nConnection: keep-alive", b"keep-alive\r\nConnection: UPGRADE"]
)
async def test_a_handshake_may_have_several_lines(lines: bytes) -> None:
    """`Connection` may stand on several lines, as any list (RFC 9110 section 5.3)."""
    async with in_memory(_echo) as server:
        client = server.dial()
        await client.send(_request({b"connection": lines}))
        answer = bytes(await client.stream.receive_some())

    assert answer.startswith(b"HTTP/1.1 101 ")


async def test_what_comes_before_the_answer_is_not_lost() -> None:
    """A message that is sent right behind the handshake is received once the application accepts."""
    async with in_memory(_echo) as server:
        client = server.dial()
        # A masked text frame, with a mask of zeros.
        await client.send(_request({}) + b"\x81\x85\0\0\0\0hello")
        answer = b""
        while not answer.endswith(b"\x81\x05hello"):
            answer += bytes(await client.stream.receive_some())

    assert answer.startswith(b"HTTP/1.1 101 ")


async def test_watching_for_the_client_does_not_lose_it_either() -> None:
    """Nor is a message lost that is read while an earlier request on the connection is answered."""
    seen = trio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await _echo(scope, receive, send)
            return
        await receive()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(receive)
            await seen.wait()
            await send({"type": "http.response.start", "status": 200})
            await send({"type": "http.response.body", "body": b""})
            nursery.cancel_scope.cancel()

    async with in_memory(app) as server:
        client = server.dial()
        await client.send(GET + _request({}))
        await trio.testing.wait_all_tasks_blocked()
        await client.send(b"\x81\x85\0\0\0\0hello")
        await trio.testing.wait_all_tasks_blocked()
        seen.set()
        answer = b""
        while not answer.endswith(b"\x81\x05hello"):
            answer += bytes(await client.stream.receive_some())

    assert b"HTTP/1.1 101 " in answer


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(_request({b"connection": None}), id="no Connection"),
        pytest.param(_request({b"connection": b"keep-alive"}), id="a Connection without upgrade"),
        pytest.param(_request({b"upgrade": b"h2c, websocket"}), id="a choice of protocols"),
        pytest.param(_request({b"sec-websocket-version": None}), id="no version"),
        pytest.param(_request({b"sec-websocket-version": b"8"}), id="another version"),
        pytest.param(_request({b"sec-websocket-key": None}), id="no key"),
        pytest.param(_request({b"sec-websocket-key": b"dGhlIHNhbXBsZQ=="}), id="a short key"),
        pytest.param(
            _request({b"sec-websocket-key": b"dGhlIHNhbXBsZSBub25jZQ"}), id="a key that is no base64"
        ),
        pytest.param(_request({b"content-length": b"0"}), id="with a length"),
        pytest.param(_request({}, b"OPTIONS /live HTTP/1.1"), id="another method"),
        pytest.param(_request({b"connection": b"upgrade, keep-alive"}, b"GET /live HTTP/1.0"), id="HTTP/1.0"),
    ],
)
async def test_what_is_no_handshake_is_a_request(data: bytes) -> None:
    """A request that only looks like one is answered as it is, and so is what comes behind it."""
    async with in_memory(echo) as server:
        client = server.dial()
        await client.send(data + (GET if b"HTTP/1.0" not in data else b""))
        first = await client.reply(data.partition(b" ")[0].decode())
        second = await client.reply() if b"HTTP/1.0" not in data else None

    assert (200, data.split(b" ")[0] + b" /live ") == (first.status, first.body)
    assert second is None or (200, b"GET / ") == (second.status, second.body)


def test_a_handshake_is_known() -> None:
    """Its names and values in any case, and `Connection` on several lines."""
    headers = [(name, value) for name, value in HANDSHAKE.items() if name != b"connection"]

    assert is_websocket_handshake([*headers, (b"connection", b"keep-alive"), (b"connection", b"UPGRADE")])
    assert not is_websocket_handshake([*headers, (b"upgrade", b"websocket"), (b"connection", b"upgrade")])
    assert not is_websocket_handshake(headers)
