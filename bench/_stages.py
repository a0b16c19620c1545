"""Where the time of a `record.get` goes: its stages without a server, one call after the other."""

import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
import trio
from sqlalchemy import Connection

from svc.actors import tool_calls
from svc.actors.caretaker import Caretaker
from svc.actors.house import House, Secrets
from svc.actors.population import KINDS
from svc.cli.directory import DataDirectory
from svc.clock import WallClock
from svc.domain.callers import Call
from svc.http.asgi import Message, Scope
from svc.http.hot import HotRequest
from svc.http.tools import API_PATH, KeyGate, ToolDoor
from svc.storage.sqlite import open_store
from svc.tools import running
from svc.tools.catalogue import REGISTRY
from svc.tools.tool import Asked

ROUNDS: Final = 25
NAME: Final = "record.get"
_OK: Final = 200


class Stages(msgspec.Struct, frozen=True, kw_only=True):
    """CPU µs of a call, all threads together."""

    tool: float
    """On the reader's thread: what a unit of work does."""
    store: float
    """That, handed to the reader and waited for."""
    admission: float
    door: float
    """All of it, from the request's head to the answer's."""


def measure_stages(data: Path, key: str, bodies: Sequence[bytes]) -> Stages:
    """Measure over the database of *data*, which nobody else has open."""
    return trio.run(_measure, data, key, bodies)


async def _measure(data: Path, key: str, bodies: Sequence[bytes]) -> Stages:
    clock = WallClock()
    async with open_store(DataDirectory(data).database, clock) as store:
        house = House(KINDS, store, clock, Secrets(sender=b"s" * 32), calls_per_minute=1_000_000)
        async with house.live():
            await Caretaker(house, "main").start()
            caller = (await tool_calls.admit_key(house, key)).caller
            call = Call(caller=caller, door="api")
            tool = REGISTRY[NAME]
            asked = [tool.read(body) for body in bodies]
            now = clock.now()
            door = ToolDoor(house, REGISTRY, KeyGate(house))

            def get(conn: Connection, one: Asked) -> None:
                running.read(conn, now, tool, call, one)

            def get_all(conn: Connection) -> None:
                for one in asked:
                    get(conn, one)

            async def get_each() -> None:
                for one in asked:
                    await store.read(get, one)

            async def admit() -> None:
                for _ in asked:
                    await tool_calls.admit_key(house, key)

            async def knock() -> None:
                for body in bodies:
                    answer = await door(_request(key, body))
                    if answer.status != _OK:
                        raise SystemExit(f"{NAME} answered {answer.status}: {answer.body!r}")

            async def cpu_us(calls: Callable[[], Awaitable[None]]) -> float:
                return await _cpu_us(calls) / len(asked)

            return Stages(
                tool=await cpu_us(lambda: store.read(get_all)),
                store=await cpu_us(get_each),
                admission=await cpu_us(admit),
                door=await cpu_us(knock),
            )


async def _cpu_us(calls: Callable[[], Awaitable[None]]) -> float:
    """CPU time of *calls*, in µs: the median of rounds."""
    took: list[float] = []
    for _ in range(ROUNDS):
        began = time.process_time()
        await calls()
        took.append((time.process_time() - began) * 1e6)
    return median(took)


def _request(key: str, body: bytes) -> HotRequest:
    """A request as the server hands it to a door."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [
        (b"host", b"bench"),
        (b"authorization", b"Bearer " + key.encode()),
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
    ]
    scope: Scope = {
        "type": "http",
        "method": "POST",
        "path": API_PATH + NAME,
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 1),
    }
    return HotRequest(scope, receive)
