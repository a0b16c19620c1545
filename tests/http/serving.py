"""A server for tests, on real sockets or in memory, and clients that send exactly what a test gives them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final

import h11
import msgspec
import trio
import trio.testing

from svc.domain.randomness import SYSTEM
from svc.http.asgi import ASGIApp, Receive, Scope, Send
from svc.http.server import Bind, ServerOptions, serve
from svc.http.server._context import Context
from svc.http.server._server import Server

NOON: Final = 1_800_000_000_000
GET: Final = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


def post(body: bytes, *headers: bytes, path: bytes = b"/") -> bytes:
    """A POST of *body* with its length."""
    lines = [b"POST %b HTTP/1.1" % path, b"Host: a", b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


class _Noon:
    """A clock that stands still."""

    def now(self) -> int:
        return NOON

    wall = now

    def start_from(self, stored: Iterable[int]) -> None:
        """It is noon."""


class Reply(msgspec.Struct):
    """What a client read: one whole answer."""

    status: int
    headers: dict[str, str]
    body: bytes


class Client:
    """One connection's client end."""

    def __init__(self, stream: trio.abc.HalfCloseableStream) -> None:
        self.stream = stream
        self._read = b""

    async def send(self, data: bytes) -> None:
        await self.stream.send_all(data)

    async def reply(self, method: str = "GET") -> Reply:
        """The next answer, which must be valid HTTP/1.1 for a request of *method*."""
        parser = h11.Connection(h11.CLIENT)
        parser.send(h11.Request(method=method, target="/", headers=[("host", "a")]))
        parser.send(h11.EndOfMessage())
        parser.receive_data(self._read) if self._read else None
        reply = Reply(0, {}, b"")
        while True:
            event = parser.next_event()
            if event is h11.NEED_DATA:
                parser.receive_data(bytes(await self.stream.receive_some(65_536)))
            elif isinstance(event, h11.Response):
                reply.status = event.status_code
                reply.headers = {name.decode(): value.decode() for name, value in event.headers}
            elif isinstance(event, h11.Data):
                reply.body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                self._read = bytes(parser.trailing_data[0])
                return reply

    async def ask(self, data: bytes) -> Reply:
        await self.send(data)
        return await self.reply(data.partition(b" ")[0].decode())

    async def rest(self) -> bytes:
        """Everything until the server closes."""
        rest = self._read
        while data := await self.stream.receive_some(65_536):
            rest += bytes(data)
        return rest

    async def closed(self) -> bool:
        """Wait until the server closes; whether it did so without another word."""
        return await self.rest() == b""


async def respond(send: Send, status: int = 200, body: bytes = b"", *headers: tuple[bytes, bytes]) -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": body})


async def read_all(receive: Receive) -> bytes | None:
    """The whole body; nothing if the client left."""
    body = b""
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message["body"]
        more = message["more_body"]
    return body


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with what was asked."""
    body = await read_all(receive)
    if body is not None:
        await respond(send, 200, b"%b %b %b" % (scope["method"].encode(), scope["raw_path"], body))


class Memory:
    """A server without sockets: connections are pipes in memory, and time is a test's."""

    def __init__(self, nursery: trio.Nursery, context: Context) -> None:
        self.server = Server(context)
        self.context = context
        self._nursery = nursery

    def dial(
        self,
        pair: Callable[[], tuple[trio.StapledStream[Any, Any], trio.StapledStream[Any, Any]]] = (
            trio.testing.memory_stream_pair
        ),
    ) -> Client:
        ours, theirs = pair()
        self.start(self.server.attend, theirs)
        return Client(ours)

    def start(self, fn: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Run *fn* for as long as the server runs."""
        self._nursery.start_soon(fn, *args)


@asynccontextmanager
async def in_memory(app: ASGIApp = echo, **options: Any) -> AsyncIterator[Memory]:
    """Serve *app* to connections in memory."""
    context = Context(app, ServerOptions(**options), _Noon(), SYSTEM)
    async with trio.open_nursery() as nursery:
        for patience in context.patiences:
            nursery.start_soon(patience.watch)
        yield Memory(nursery, context)
        nursery.cancel_scope.cancel()


class Listening:
    """A server on a port of its own."""

    def __init__(self, bind: Bind, stop: trio.Event) -> None:
        self.bind = bind
        self.stop = stop
        self.stopped = trio.Event()
        self._clients: list[Client] = []

    async def dial(self, address: str | None = None) -> Client:
        """Connect, from *address* of this machine if one is given."""
        stream = await trio.open_tcp_stream(self.bind.host, self.bind.port, local_address=address)
        client = Client(stream)
        self._clients.append(client)
        return client

    async def hang_up(self) -> None:
        """Close what was dialled."""
        for client in self._clients:
            await client.stream.aclose()


@asynccontextmanager
async def listening(app: ASGIApp = echo, **options: Any) -> AsyncIterator[Listening]:
    """Serve *app* on loopback; at the end, wait until the server has stopped by itself."""
    stop = trio.Event()

    async def run(task_status: trio.TaskStatus[list[Bind]]) -> None:
        await serve(
            app, binds=["127.0.0.1:0"], stop=stop, options=ServerOptions(**options), task_status=task_status
        )
        server.stopped.set()

    async with trio.open_nursery() as nursery:
        (bind,) = await nursery.start(run)
        server = Listening(bind, stop)
        try:
            yield server
        finally:
            await server.hang_up()
            stop.set()
