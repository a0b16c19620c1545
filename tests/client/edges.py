"""The edges of a bridge: a wire to the service on which things go wrong, and a messenger that is played."""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, closing
from typing import Any, Literal

import anyio
import httpx
import msgspec

from svc.client import Bridge, Channel, Delivery, Event, Message, Reply, run_bridge
from svc.http.app import public_app
from tests.channels import ChannelTown

Fault = Literal["refused", "lost", "hung", "restarting", "page"] | httpx.Response | None
"""What goes wrong with one request.

It never arrives; its answer is lost, or never ends; the service is about to stop; a proxy answers.
"""


class Asked(msgspec.Struct, frozen=True):
    """What the service, or a proxy before it, was asked."""

    door: str
    body: bytes
    idempotency_key: str | None


class Wire(httpx.AsyncBaseTransport):
    """Leads to *there*, with these faults in the order of the requests."""

    def __init__(self, there: httpx.AsyncBaseTransport, faults: Iterable[Fault] = ()) -> None:
        self._there = there
        self.faults = deque(faults)
        self.asked: list[Asked] = []

    def doors(self, *, without: str = "channel.connection.report") -> list[str]:
        """The last words of the doors that were asked, in order."""
        return [one.door.rpartition(".")[2] for one in self.asked if one.door != without]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        door = request.url.path.rpartition("/")[2]
        self.asked.append(Asked(door, request.content, request.headers.get("idempotency-key")))
        fault = self.faults.popleft() if self.faults else None
        match fault:
            case httpx.Response():
                return fault
            case "refused":
                raise httpx.ConnectError("nobody listens")
            case "restarting":
                problem = {"code": "overloaded", "detail": "the service is stopping"}
                return httpx.Response(503, json=problem, headers={"retry-after": "2"})
            case "page":
                return httpx.Response(502, text="<h1>Bad gateway</h1>")
        answer = await self._there.handle_async_request(request)
        await answer.aread()
        if fault == "lost":
            raise httpx.ReadError("the connection was closed")
        if fault == "hung":
            await anyio.sleep_forever()
        return answer


def answering(status: int, body: Any = None, **headers: str) -> httpx.Response:
    """An answer of the service's."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"code": "any"} if body is None else body, headers=named)


class Messenger(Bridge):
    """A messenger that behaves as a test says."""

    def __init__(self) -> None:
        self.sent: list[Reply] = []
        """What it was asked to send."""
        self.on_deliver: Callable[[Reply], Any] | None = None
        """Awaited for each; what it returns is the delivery."""
        self.on_check: Callable[[], None] | None = None
        self.checks = 0
        self._tell, self._told = anyio.create_memory_object_stream[Event | Exception](1_000)

    def happens(self, *events: Event | Exception) -> None:
        """These come next; an exception breaks off."""
        for event in events:
            self._tell.send_nowait(event)

    async def deliver(self, reply: Reply) -> Delivery:
        self.sent.append(reply)
        done: Delivery | None = None
        if self.on_deliver is not None:
            done = await self.on_deliver(reply)
        return done or Delivery(messenger_message_id=f"there-{len(self.sent)}")

    async def events(self) -> AsyncGenerator[Event, None]:
        while True:
            event = await self._told.receive()
            if isinstance(event, Exception):
                raise event
            yield event

    async def check(self) -> None:
        self.checks += 1
        if self.on_check is not None:
            self.on_check()

    def close(self) -> None:
        self._tell.close()
        self._told.close()

    @property
    def texts(self) -> list[str | None]:
        return [reply.text for reply in self.sent]


class Running:
    """A bridge at work between a messenger and a town."""

    def __init__(self, messenger: Messenger, channel: Channel, wire: Wire) -> None:
        self.messenger = messenger
        self.channel = channel
        self.wire = wire
        self.stop = anyio.Event()


def service_of(here: ChannelTown) -> httpx.AsyncBaseTransport:
    """The town's doors, without a network between."""
    return httpx.ASGITransport(app=public_app(here.system), client=("192.0.2.7", 1))


@asynccontextmanager
async def channel_of(
    here: ChannelTown, *faults: Fault, key: str | None = None
) -> AsyncIterator[tuple[Channel, Wire]]:
    """The kit's channel to the town, over a wire with these faults."""
    wire = Wire(service_of(here), faults)
    async with (
        httpx.AsyncClient(transport=wire) as client,
        Channel("http://svc.test", key or here.key, client=client) as channel,
    ):
        yield channel, wire


@asynccontextmanager
async def bridged(
    here: ChannelTown, *faults: Fault, messenger: Messenger | None = None, **options: Any
) -> AsyncIterator[Running]:
    """A bridge between the town and a messenger; at the end it stops as it should."""
    played = messenger or Messenger()
    with closing(played):
        async with channel_of(here, *faults) as (channel, wire):
            running = Running(played, channel, wire)
            async with anyio.create_task_group() as tasks:

                async def run() -> None:
                    await run_bridge(played, channel, stop=running.stop, **options)

                tasks.start_soon(run)
                yield running
                running.stop.set()


@asynccontextmanager
async def killed(running: Any) -> AsyncIterator[Running]:
    """What `bridged` has, without its graceful end: as when the process is killed."""
    async with anyio.create_task_group() as tasks, running as bridge:
        yield bridge
        tasks.cancel_scope.cancel()


def message(number: int, conversation: str = "chat-1", **more: Any) -> Message:
    """A message that came in."""
    said: dict[str, Any] = {"direction": "in", "text": f"Message {number}"}
    return Message(conversation_id=conversation, message_id=f"m-{number}", **(said | more))
