"""WebSocket, which hypercorn speaks after a handshake that arrives like any request."""

import trio
import trio.testing
import wsproto
import wsproto.events

from svc.http.asgi import Receive, Scope, Send
from tests.http.serving import GET, Client, Memory, in_memory


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
    """An application is told when its WebSocket's client goes without a word."""
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


async def test_a_handshake_can_be_refused() -> None:
    """An application that closes instead of accepting is answered 403."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.close"})

    async with in_memory(app) as server:
        socket = await _open(server)
        refused = await socket.next()

    assert isinstance(refused, wsproto.events.RejectConnection)
    assert 403 == refused.status_code
