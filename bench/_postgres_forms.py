"""Submissions stored and filed a second over PostgreSQL, beside FastAPI with asyncpg on the same server."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from bench import forms
from bench._load import Load, finish_load, require_wrk, start_load
from bench._machine import free_port, program, running
from bench._postgres_world import copy_of_world, counts, move_world, wait_filed
from bench._report import Target, print_table
from bench._world import copy_of, make_world, workspace
from tests.postgresql_server import Server

ROUNDS: Final = 3
CONNECTIONS: Final = 64
TIMES_MIN: Final = 2.0
OURS: Final = "svc"
PEER: Final = "FastAPI, asyncpg"

Command = Callable[[Path, str, int], list[str]]

CONTENDERS: Final[dict[str, Command]] = {
    OURS: lambda data, url, port: [*program(data, port, free_port()), f"--database={url}"],
    PEER: lambda _data, url, port: [sys.executable, "-m", "bench.peers.fastapi_asyncpg", url, str(port)],
}


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one contender."""

    load: Load
    filed_a_second: float
    cpu_us: float
    """User and system time of the service for each of them, without the server of PostgreSQL."""


def run_once(contender: str, server: Server, world: Path, listed: Path, seed: int) -> Run:
    """Load a fresh copy of *world*, wait for the last filing, and look at what is on the disk."""
    data, url, port = copy_of(world, world.with_name("run")), copy_of_world(server), free_port()
    with running(CONTENDERS[contender](data, url, port), port, log=data.with_suffix(".log")) as service:
        forms._warm_up(service, listed, CONNECTIONS)
        wait_filed(url)
        before = counts(url)
        cpu_before, began = service.cpu_seconds(), time.monotonic()
        load = finish_load(
            start_load(
                service.url,
                listed,
                tail=f"r{seed}",
                seconds=forms.SECONDS,
                connections=CONNECTIONS,
                seed=seed,
            )
        )
        ended = wait_filed(url)
        cpu = service.cpu_seconds() - cpu_before
    stored = counts(url) - before
    forms._check(contender, load, stored, CONNECTIONS)
    return Run(load=load, filed_a_second=stored.kept / (ended - began), cpu_us=cpu / stored.kept * 1e6)


def run(server: Server) -> dict[str, list[Run]]:
    """The runs of each contender, in turns."""
    require_wrk()
    with workspace() as space:
        world = space / "world"
        listed = make_world(world, organizations_count=forms.ORGANIZATIONS, forms_count=forms.FORMS)
        move_world(server, world)
        found: dict[str, list[Run]] = {name: [] for name in CONTENDERS}
        for seed in range(1, ROUNDS + 1):
            for name, runs in found.items():
                runs.append(run_once(name, server, world, listed, seed))
    return found


def show(found: dict[str, list[Run]]) -> list[Target]:
    """Print the table; what must hold."""
    print_table(
        f"Submissions stored and filed over PostgreSQL, {CONNECTIONS} connections, medians",
        ["", "filed/s", "p50 ms", "p99 ms", "CPU µs of the service"],
        [
            [
                name,
                median(one.filed_a_second for one in runs),
                median(one.load.p50_ms for one in runs),
                median(one.load.p99_ms for one in runs),
                median(one.cpu_us for one in runs),
            ]
            for name, runs in found.items()
        ],
    )
    rates = {name: median(one.filed_a_second for one in runs) for name, runs in found.items()}
    return [
        Target(
            name=f"{OURS} beside {PEER}: filed a second, times",
            figure=rates[OURS] / rates[PEER],
            bound=TIMES_MIN,
            at_least=True,
        )
    ]
