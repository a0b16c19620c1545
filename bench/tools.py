"""Tools over HTTP: lists, creates and searches at three sizes, and `record.get` beside empty routes.

The three sizes are three data directories with a server each, on one core; they are asked in turns, one call
at a time, so whatever else the machine does meets all of them alike. The rates are taken in turns as well.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import msgspec

from bench import _owners as owners
from bench._client import Client
from bench._lamps import FAMILY, GIVEN, KINDS, REGIONS, SEED, SIZES, database, fill, lamp, unit
from bench._load import Load, finish_load, require_wrk, start_calls
from bench._machine import Server, free_port, is_ready, program, running, stand_aside
from bench._report import Target, print_table, print_targets, save
from bench._world import workspace
from bench.peers.tool_steps import STEPS
from svc.cli.data_directory import DataDirectory

CALLS: Final = 400
"""Of each kind at each size."""
WARM_UP_CALLS: Final = 40
KEYS: Final = 10
BUDGET: Final = 100_000
"""Calls a minute of each key: what is measured is not the budget."""
ROUNDS: Final = 5
SECONDS: Final = 3
CONNECTIONS: Final = 16
GOT: Final = 200
"""Records that `record.get` is asked for in turn."""
LIST_TIMES_MAX: Final = 1.5
SEARCH_TIMES_MAX: Final = 3.0
EMPTY_SHARE_MIN: Final = 0.7

TOOL: Final = "svc, record.get"
STOCK: Final = "empty route, stock hypercorn"
OWN: Final = "empty route, svc's server"

_DONE: Final = {
    "server": "the server: HTTP, sockets, the body",
    "admission": "letting in: directory, mailbox, budget",
    "shape": "the tool, the right to it, what is asked",
    "reader": "to the store's reader and back",
    "whole": "two SELECTs, the record, its JSON",
}
"""What the steps do, see `bench.peers.tool_steps`."""
_PATH: Final = "/api/v1/tools/"
_OK: Final = 200

Ask = Callable[[random.Random], tuple[str, Mapping[str, Any]]]
"""A tool, and what it is asked."""


class World(NamedTuple):
    """A data directory, its size, and keys to it."""

    size: int
    data: Path
    keys: list[str]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What one kind of call took at one size."""

    what: str
    records: int
    p50_ms: float
    p99_ms: float


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """One run of wrk at one of the contenders."""

    contender: str
    load: Load
    cpu_us: float
    """User and system time of the server for each answer."""


def _list(chance: random.Random) -> tuple[str, Mapping[str, Any]]:
    return "record.list", {
        "filters": [{"property": "region", "op": "eq", "value": chance.choice(REGIONS)}],
        "sort": [{"property": "price", "direction": chance.choice(["asc", "desc"])}],
        "limit": 50,
    }


def _create(chance: random.Random) -> tuple[str, Mapping[str, Any]]:
    return "record.create", {"properties": lamp(chance, chance.randrange(10**6))}


def _search(chance: random.Random) -> tuple[str, Mapping[str, Any]]:
    return "record.search", {"query": f"{chance.choice(GIVEN)} {chance.choice(FAMILY)[:-1]}"}


def _search_common(chance: random.Random) -> tuple[str, Mapping[str, Any]]:
    return "record.search", {"query": chance.choice(KINDS)}


ASKED: Final[dict[str, Ask]] = {
    "list, filter and sort": _list,
    "create, idempotent": _create,
    "search, two words": _search,
    "search, common word": _search_common,
}
_BOUNDS: Final = {
    "list, filter and sort": LIST_TIMES_MAX,
    "create, idempotent": LIST_TIMES_MAX,
    "search, two words": SEARCH_TIMES_MAX,
    "search, common word": SEARCH_TIMES_MAX,
}


def main() -> None:
    """Measure, print, and say which targets hold."""
    require_wrk()
    with workspace() as space:
        worlds = [_make(space / str(size), size) for size in SIZES]
        stand_aside()
        rows = _sizes(worlds)
        bodies = space / "bodies"
        rates = _rates(worlds[0], bodies)
        steps = _steps(worlds[0], bodies)
    found = {(row.what, row.records): row for row in rows}
    times = {what: found[what, SIZES[-1]].p50_ms / found[what, SIZES[0]].p50_ms for what in ASKED}
    _show_sizes(found, times)
    _show_rates(rates)
    _show_steps(steps)
    targets = [
        *(
            Target(name=f"{what}: p50, times", figure=times[what], bound=bound)
            for what, bound in _BOUNDS.items()
        ),
        Target(
            name=f"record.get beside the {STOCK}",
            figure=_median(rates, TOOL).load.rate / _median(rates, STOCK).load.rate,
            bound=EMPTY_SHARE_MIN,
            at_least=True,
        ),
    ]
    print_targets(targets)
    save("tools", {"calls": rows, "rates": rates, "steps": steps}, targets)


def _make(data: Path, size: int) -> World:
    """A data directory with so many records of one organization, and keys of its Owner."""
    directory = DataDirectory(data)
    directory.make()
    directory.open_key()
    began = time.monotonic()
    with database(directory.database) as conn:
        organization = fill(conn, size)
        with unit(conn, time.time_ns() // 1_000_000) as tx:
            keys = owners.mint(tx, owners.add(tx, organization.id), KEYS)
    print(f"{size:,} records made and indexed in {time.monotonic() - began:.0f} s", flush=True)
    return World(size, data, keys)


@contextmanager
def _serving(world: World) -> Iterator[Server]:
    port, operator_port = free_port(), free_port()
    command = [
        "env",
        f"SVC_TOOLS__CALLS_PER_MINUTE={BUDGET}",
        *program(world.data, port, operator_port),
    ]
    with running(
        command,
        port,
        log=world.data.with_suffix(".log"),
        ready=lambda: is_ready(operator_port, world.data),
    ) as server:
        yield server


def _client(server: Server, world: World) -> Client:
    return Client(server.port, f"authorization: Bearer {world.keys[0]}", "content-type: application/json")


def _sizes(worlds: list[World]) -> list[Row]:
    """Every kind of call at every size, in turns."""
    took: dict[tuple[str, int], list[float]] = {(what, one.size): [] for what in ASKED for one in worlds}
    with ExitStack() as stack:
        # First all the servers: one closes a connection that asks nothing for a while.
        servers = [stack.enter_context(_serving(world)) for world in worlds]
        clients = {
            world.size: stack.enter_context(_client(server, world))
            for world, server in zip(worlds, servers, strict=True)
        }
        for what, ask in ASKED.items():
            chance = random.Random(SEED)
            for number in range(-WARM_UP_CALLS, CALLS):
                tool, asked = ask(chance)  # the same at every size
                for size in chance.sample(list(clients), len(clients)):
                    seconds = _timed(clients[size], tool, asked, f"{what}{number}".replace(" ", ""))
                    if number >= 0:
                        took[what, size].append(seconds * 1e3)
    return [
        Row(what=what, records=size, p50_ms=median(some), p99_ms=sorted(some)[int(len(some) * 0.99)])
        for (what, size), some in took.items()
    ]


def _timed(client: Client, tool: str, asked: Mapping[str, Any], key: str) -> float:
    body = msgspec.json.encode({"objectType": "lamp", **asked})
    headers = [f"idempotency-key: {key}"] if tool == "record.create" else []
    began = time.perf_counter()
    status, answer = client.post(_PATH + tool, body, *headers)
    seconds = time.perf_counter() - began
    if status != _OK:
        raise SystemExit(f"{tool} answered {status}: {answer.decode()}")
    return seconds


def _rates(world: World, bodies: Path) -> list[Rate]:
    """`record.get`, and the empty routes, in turns. Writes the *bodies* that they are asked."""
    with ExitStack() as stack:
        servers = {TOOL: stack.enter_context(_serving(world))}
        for name, kind in ((STOCK, "stock"), (OWN, "svc")):
            port = free_port()
            command = [sys.executable, "-m", "bench.peers.quart_empty", kind, str(port)]
            servers[name] = stack.enter_context(running(command, port, log=bodies.with_suffix(f".{kind}")))
        with _client(servers[TOOL], world) as client:
            _, page = client.post(f"{_PATH}record.list", b'{"objectType":"lamp","limit":%d}' % GOT)
        ids = [one["id"] for one in msgspec.json.decode(page)["records"]]
        bodies.write_text("".join(f'{{"objectType":"lamp","id":"{one}"}}\n' for one in ids))
        turns = list(servers.items())
        for name, server in turns:
            _run(name, server, world, bodies)  # warm
        return [_run(name, server, world, bodies) for _ in range(ROUNDS) for name, server in turns]


def _steps(world: World, bodies: Path) -> list[Rate]:
    """The steps of `record.get`, in turns."""
    port = free_port()
    command = [sys.executable, "-m", "bench.peers.tool_steps", str(world.data), str(port)]
    with running(command, port, log=bodies.with_suffix(".steps")) as server:
        _run(STEPS[-1], server, world, bodies, path=f"/{STEPS[-1]}/")  # warm
        return [_run(step, server, world, bodies, path=f"/{step}/") for _ in range(ROUNDS) for step in STEPS]


def _run(name: str, server: Server, world: World, bodies: Path, *, path: str = _PATH) -> Rate:
    cpu_before = server.cpu_seconds()
    url = f"http://127.0.0.1:{server.port}{path}record.get"
    load = finish_load(start_calls(url, bodies, world.keys, seconds=SECONDS, connections=CONNECTIONS))
    if load.ok < load.requests or load.broken:
        raise SystemExit(f"{name}: {load}")
    return Rate(contender=name, load=load, cpu_us=(server.cpu_seconds() - cpu_before) / load.requests * 1e6)


def _median(rates: list[Rate], name: str) -> Rate:
    """The run of the median rate."""
    own = sorted((one for one in rates if one.contender == name), key=lambda one: one.load.rate)
    return own[len(own) // 2]


def _show_sizes(found: Mapping[tuple[str, int], Row], times: Mapping[str, float]) -> None:
    print_table(
        "p50 (p99) in ms, by records of the organization",
        ["", *(f"{size:,}" for size in SIZES), "largest : smallest"],
        [
            [
                what,
                *(f"{found[what, size].p50_ms:.2f} ({found[what, size].p99_ms:.2f})" for size in SIZES),
                times[what],
            ]
            for what in ASKED
        ],
    )


def _show_rates(rates: list[Rate]) -> None:
    print_table(
        f"One record decoded, found and encoded, {CONNECTIONS} connections, the run of the median rate",
        ["", "answers/s", "p50 ms", "p99 ms", "CPU µs each"],
        [
            [name, one.load.rate, one.load.p50_ms, one.load.p99_ms, one.cpu_us]
            for name in (TOOL, STOCK, OWN)
            for one in (_median(rates, name),)
        ],
    )


def _show_steps(steps: list[Rate]) -> None:
    """What each step costs beyond those before it, by medians of CPU time."""
    cpu_us = {step: median(one.cpu_us for one in steps if one.contender == step) for step in STEPS}
    before = [0.0, *cpu_us.values()]
    print_table(
        "Where the CPU time of a record.get goes, µs",
        ["", "µs", "%"],
        [
            [_DONE[step], cost - less, (cost - less) / cpu_us[STEPS[-1]] * 100]
            for (step, cost), less in zip(cpu_us.items(), before, strict=False)
        ],
    )
