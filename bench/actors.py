"""What a turn costs, beside a round trip through two of Trio's memory channels.

The ways take turns within each round; a figure is the median of the rounds, in microseconds of CPU.
Memory is what a fresh process grows by when 10,000 of each are idle.
"""

import gc
import resource
import time
from collections.abc import Awaitable, Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any, Final, get_args

import msgspec
import trio
import trio.testing

from bench._report import print_table, save
from svc.actors._core import Actor, ActorSystem, Policy, Selection, turn
from svc.actors._core.survey import LISTED_MAX, Sort

ROUNDS: Final = 15
CALLS: Final = 2_000
"""Messages of one way in one round."""
ACTORS: Final = 1_000
"""Actors, or tasks, that are asked at once."""
IDLE: Final = 10_000

MANY: Final = 100_000
"""Actors in memory when they are listed."""
LISTINGS: Final = 5

Channel = tuple[trio.MemorySendChannel[int], trio.MemoryReceiveChannel[int]]


class Total(msgspec.Struct):
    sum: int = 0


class Adder(Actor[ActorSystem, Total]):
    policy = Policy(mailbox_max=CALLS)

    async def load(self) -> Total:
        return Total()

    @turn
    async def add(self, number: int) -> int:
        self.state.sum += number
        return self.state.sum


class Echo:
    """The plainest actor that Trio has: a task between two channels."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._to: Channel = trio.open_memory_channel[int](1)
        self._back: Channel = trio.open_memory_channel[int](1)
        nursery.start_soon(self._run)

    async def _run(self) -> None:
        total = 0
        async for number in self._to[1]:
            total += number
            await self._back[0].send(total)

    async def add(self, number: int) -> int:
        await self._to[0].send(number)
        return await self._back[1].receive()


async def time_all() -> dict[str, float]:
    """Microseconds of CPU of each way, by its name."""
    took: dict[str, list[float]] = {}
    system = ActorSystem([Adder])
    async with system.live(), trio.open_nursery() as nursery:
        echoes = [Echo(nursery) for _ in range(ACTORS)]
        ways: dict[str, Callable[[], Awaitable[None]]] = {
            "channels, one after the other": partial(in_a_row, lambda _: echoes[0].add),
            "ask, one after the other": partial(in_a_row, lambda _: Adder(system, "0").add),
            "channels, 1,000 at once": partial(at_once, lambda number: echoes[number].add),
            "ask, 1,000 at once": partial(at_once, lambda number: Adder(system, str(number)).add),
            "tell, and its turn": partial(told, system),
        }
        for _ in range(ROUNDS):
            for name, way in ways.items():
                began = time.process_time()
                await way()
                took.setdefault(name, []).append((time.process_time() - began) / CALLS * 1e6)
        began = time.process_time()
        for number in range(IDLE):
            Adder(system, f"new {number}").add.tell(1)
        await trio.testing.wait_all_tasks_blocked()
        took["activation, and the first turn"] = [(time.process_time() - began) / IDLE * 1e6]
        nursery.cancel_scope.cancel()
    return {name: median(rounds) for name, rounds in took.items()}


Address = Callable[[int], Callable[[int], Awaitable[int]]]
"""Finds what to call by its number."""


async def in_a_row(address: Address) -> None:
    for number in range(CALLS):
        await address(number)(1)


async def at_once(address: Address) -> None:
    for _ in range(CALLS // ACTORS):
        async with trio.open_nursery() as nursery:
            for number in range(ACTORS):
                nursery.start_soon(address(number), 1)


async def told(system: ActorSystem) -> None:
    for _ in range(CALLS - 1):
        Adder(system, "told").add.tell(1)
    await Adder(system, "told").add(1)


def time_lists() -> dict[str, float]:
    """Milliseconds to list the first of `MANY` actors, and of the longest stall of others meanwhile."""
    return trio.run(_lists)


async def _lists() -> dict[str, float]:
    system = ActorSystem([Adder])
    longest: dict[str, float] = {}
    async with system.live(), trio.open_nursery() as nursery:
        for number in range(MANY):
            Adder(system, f"key {number}").add.tell(1)
        await trio.testing.wait_all_tasks_blocked()
        gc.collect()
        stalls: list[float] = []
        nursery.start_soon(_note_stalls, stalls)
        for sort in get_args(Sort):
            for _ in range(LISTINGS):
                began = time.perf_counter()
                await system.survey(Selection(sort=sort, limit=LISTED_MAX))
                took = (time.perf_counter() - began) * 1e3
                longest[f"by {sort}"] = max(longest.get(f"by {sort}", 0.0), took)
        longest["longest stall of another task"] = max(stalls) * 1e3
        nursery.cancel_scope.cancel()
    return longest


async def _note_stalls(stalls: list[float]) -> None:
    while True:
        # CPU of this thread, since what other programs take of the machine is not ours.
        began = time.thread_time()
        await trio.lowlevel.checkpoint()
        stalls.append(time.thread_time() - began)


def memory_of(kind: str) -> float:
    """Bytes that each of `IDLE` idle ones takes."""
    return trio.run(_actors_memory if kind == "actor" else _echoes_memory)


async def _actors_memory() -> float:
    system = ActorSystem([Adder])
    async with system.live():
        await Adder(system, "first").add(1)
        before = _resident_bytes()
        for number in range(IDLE):
            Adder(system, f"key {number}").add.tell(1)
        await trio.testing.wait_all_tasks_blocked()
        return (_resident_bytes() - before) / IDLE


async def _echoes_memory() -> float:
    async with trio.open_nursery() as nursery:
        await Echo(nursery).add(1)
        before = _resident_bytes()
        echoes = {f"key {number}": Echo(nursery) for number in range(IDLE)}
        for echo in echoes.values():
            await echo.add(1)
        grown = (_resident_bytes() - before) / IDLE
        nursery.cancel_scope.cancel()
    return grown


def _resident_bytes() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def main() -> None:
    """Time asks and tells, weigh idle actors, and print both beside plain Trio."""
    costs = trio.run(time_all)
    sizes: dict[str, Any] = {}
    for kind in ("actor", "task between two channels"):
        with get_context("spawn").Pool(1) as fresh:
            sizes[kind] = fresh.apply(memory_of, (kind,))
    print_table("A message", ["", "µs of CPU"], list(costs.items()))
    with get_context("spawn").Pool(1) as fresh:
        lists = fresh.apply(time_lists)
    print_table(
        f"The first {LISTED_MAX} of {MANY:,} actors, the slowest of {LISTINGS} listings",
        ["", "ms"],
        list(lists.items()),
    )
    print_table(
        f"Memory of {IDLE:,} idle ones",
        ["", "bytes each", "MiB"],
        [[kind, size, size * IDLE / 2**20] for kind, size in sizes.items()],
    )
    save("actors", {"microseconds": costs, "bytes": sizes, "list_milliseconds": lists})


if __name__ == "__main__":
    main()
