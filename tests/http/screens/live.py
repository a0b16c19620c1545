"""Live events as a browser reads them, from a server in memory over HTTP/1.1 or HTTP/2."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol

import h2.events
import h11
import msgspec

from svc.http.request.session_cookie import SESSION_COOKIE
from tests.http.screens.screen import Screens
from tests.http.server.http2 import Http2Client
from tests.http.serving import Client, Memory

PATH = "/app/api/events"


class Event(msgspec.Struct, frozen=True):
    """One event; a comment is one of type `comment`."""

    type: str
    data: Any = None
    id: str | None = None


class Wire(Protocol):
    """The bytes of an answer's body, as they come."""

    async def part(self) -> bytes | None:
        """The next ones; None at the end of the answer."""
        ...

    async def leave(self) -> None:
        """Close the connection."""
        ...


class EventReader:
    """Reads events off *wire* (HTML section 9.2.6)."""

    def __init__(self, wire: Wire, status: int, headers: dict[str, str]) -> None:
        self.status, self.headers = status, headers
        self.body = b""
        self._wire = wire
        self._text = b""
        self._has_ended = False

    async def next(self) -> Event | None:
        """The next event or comment; None at the end of the stream."""
        while b"\n\n" not in self._text:
            part = await self._wire.part()
            if part is None:
                self._has_ended = True
                return None
            self._text += part
            self.body += part
        block, _, self._text = self._text.partition(b"\n\n")
        fields: dict[str, str] = {}
        for line in block.decode().split("\n"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        if "data" not in fields:
            return Event("comment", None, fields.get("id"))
        return Event(fields.get("event", "message"), msgspec.json.decode(fields["data"]), fields.get("id"))

    async def changed(self) -> tuple[str, str | None]:
        """The noun and id of the next event, which is a hint; comments are skipped."""
        event = await self.next()
        while event is not None and event.type == "comment":
            event = await self.next()
        assert event is not None
        assert "changed" == event.type
        return event.data["noun"], event.data["id"]

    async def leave(self) -> None:
        """Close the connection, as a browser whose page was closed."""
        await self._wire.leave()

    async def rest(self) -> list[Event]:
        """All until the stream ends."""
        events = []
        while (event := await self.next()) is not None:
            events.append(event)
        return events


class _Http1:
    def __init__(self, client: Client) -> None:
        self.client = client
        self.connection = h11.Connection(h11.CLIENT)

    async def event(self) -> Any:
        while (event := self.connection.next_event()) is h11.NEED_DATA:
            self.connection.receive_data(bytes(await self.client.stream.receive_some(65_536)))
        return event

    async def part(self) -> bytes | None:
        event = await self.event()
        return bytes(event.data) if isinstance(event, h11.Data) else None

    async def leave(self) -> None:
        await self.client.stream.aclose()


class _Http2:
    def __init__(self, client: Http2Client) -> None:
        self.client = client

    async def part(self) -> bytes | None:
        event = await self.client.next((h2.events.DataReceived, h2.events.StreamEnded, h2.events.StreamReset))
        if not isinstance(event, h2.events.DataReceived):
            return None
        self.client.protocol.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        await self.client.flush()
        return event.data or await self.part()

    async def leave(self) -> None:
        await self.client.stream.aclose()


def headers_of(here: Screens, **more: str) -> dict[str, str]:
    """What a browser sends from a page of the service."""
    cookie = here.client.cookies.get(SESSION_COOKIE)
    own = {"sec-fetch-site": "same-origin", "accept": "text/event-stream"}
    return own | ({"cookie": f"{SESSION_COOKIE}={cookie}"} if cookie else {}) | more


async def over_http1(server: Memory, path: str, headers: dict[str, str]) -> EventReader:
    client = server.dial()
    wire = _Http1(client)
    request = h11.Request(method="GET", target=path, headers=[("host", "svc.test"), *headers.items()])
    await client.send(wire.connection.send(request) or b"")
    wire.connection.send(h11.EndOfMessage())
    head = await wire.event()
    fields = {name.decode(): value.decode() for name, value in head.headers}
    return EventReader(wire, head.status_code, fields)


async def over_http2(server: Memory, path: str, headers: dict[str, str]) -> EventReader:
    client = Http2Client(server)
    await client.begin()
    asked = {":method": "GET", ":path": path, ":scheme": "http", ":authority": "svc.test"} | headers
    await client.ask(1, *asked.items())
    head = await client.next(h2.events.ResponseReceived)
    fields = {str(name): str(value) for name, value in head.headers}
    return EventReader(_Http2(client), int(fields.pop(":status")), fields)


@asynccontextmanager
async def opened(
    server: Memory, here: Screens, query: str = "", connect: Any = over_http1, **headers: str
) -> AsyncIterator[EventReader]:
    """A stream that is open, past its first part."""
    reader = await connect(server, PATH + query, headers_of(here, **headers))
    assert 200 == reader.status
    first = await reader.next()
    assert first is not None
    assert "comment" == first.type
    reader.headers["first-id"] = first.id or ""
    yield reader
