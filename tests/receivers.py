"""Receivers of outgoing requests: raw servers on loopback that a test scripts, and a client of them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address
from socket import EAI_NONAME, gaierror

import trio

from svc.actors.outbound.client import OutboundHttp
from svc.actors.outbound.names import NameLookups
from svc.domain.net.client_addresses import Address, parse_networks

LOOPBACK = parse_networks(["127.0.0.0/8"])
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
NOW = 1_789_689_600_000

Serve = Callable[[trio.abc.Stream], Awaitable[None]]


async def read_request(stream: trio.abc.Stream) -> bytes:
    """One whole request; nothing when the client left."""
    data = b""
    while True:
        head, found, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or 0) if found else 0
        if found and len(body) >= length:
            return data
        more = await stream.receive_some(65_536)
        if not more:
            return b""
        data += bytes(more)


async def answer(stream: trio.abc.Stream, *, said: bytes = OK, seen: list[bytes] | None = None) -> None:
    """Answer every request with *said*, and add it to *seen*."""
    while request := await read_request(stream):
        if seen is not None:
            seen.append(request)
        await stream.send_all(said)


async def answer_once(stream: trio.abc.Stream, *, said: bytes) -> None:
    """Answer one request with *said*, and close the connection."""
    await read_request(stream)
    await stream.send_all(said)


async def hang(stream: trio.abc.Stream) -> None:
    """Never answer."""
    await trio.sleep_forever()


class Connections:
    """A receiver that serves its connections in turn with one of *serves*, and counts them."""

    def __init__(self, *serves: Serve) -> None:
        self.serves = serves
        """The last one serves all further connections."""
        self.count = 0

    async def __call__(self, stream: trio.abc.Stream) -> None:
        self.count += 1
        await self.serves[min(self.count, len(self.serves)) - 1](stream)


@asynccontextmanager
async def receiver(serve: Serve, host: str = "127.0.0.1") -> AsyncIterator[str]:
    """A server on loopback, and its address."""

    async def handle(stream: trio.SocketStream) -> None:
        try:
            await serve(stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            await trio.aclose_forcefully(stream)

    async with trio.open_nursery() as nursery:
        [listener] = await trio.open_tcp_listeners(0, host=host)
        nursery.start_soon(partial(trio.serve_listeners, handle, [listener]))
        port = listener.socket.getsockname()[1]
        yield f"http://[{host}]:{port}/hook" if ":" in host else f"http://{host}:{port}/hook"
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def client(*networks: str, names: NameLookups | None = None) -> AsyncIterator[OutboundHttp]:
    """A client that may reach *networks*, by default loopback."""
    outbound_http = OutboundHttp(parse_networks(networks) if networks else LOOPBACK, names)
    async with outbound_http.live():
        yield outbound_http


async def post(
    outbound_http: OutboundHttp, url: str, seconds: float = 5, owner: str = "org_1"
) -> tuple[int, int]:
    """POST, and return the status and how long `Retry-After` asks to wait, in ms."""
    result = await outbound_http.post(
        url, b"{}", {"X-Service-Event": "ping"}, owner=owner, seconds=seconds, now=NOW
    )
    return result.status, result.retry_after_ms


class Resolver:
    """A fake of the resolver. Names below `dead.example` hang until the test lets go; others are here."""

    def __init__(self, **leads: str) -> None:
        """*leads*: addresses of names below `.example`, apart by blanks; of none: the name leads nowhere."""
        self.leads = leads
        self.asked: list[str] = []
        """The names that were looked up, in order."""
        self.let_go = trio.Event()

    async def __call__(self, host: str) -> list[Address]:
        self.asked.append(host)
        if host.endswith(".dead.example"):
            await self.let_go.wait()
        found = self.leads.get(host.removesuffix(".example"), "127.0.0.1").split()
        if not found:
            raise gaierror(EAI_NONAME, "Name or service not known")
        return [ip_address(one) for one in found]
