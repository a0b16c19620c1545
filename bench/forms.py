"""The form endpoint: durable submissions a second, beside the same job as it would otherwise be written."""

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from bench import hot_form
from bench._load import Load, finish_load, require_wrk, start_load
from bench._machine import Server, free_port, program, running
from bench._report import Target, print_table, print_targets, save
from bench._world import DATABASE, Counts, copy_of, counts, make_world, wait_filed, workspace

ORGANIZATIONS: Final = 200
FORMS: Final = 2_000
ROUNDS: Final = 3
SECONDS: Final = 8
"""Of load in one run; at up to 5,000 a second no form gets more than one sender's 20 a minute."""
WARM_UP_SECONDS_MAX: Final = 20
WARM_UP_SEED: Final = 99
IN_FLIGHT_SECONDS: Final = 1
"""For what was asked and not answered yet when wrk ended."""
CONNECTIONS: Final = 64
OTHER_CONNECTIONS: Final = (16, 128)

OURS: Final = "svc"
ASYNC: Final = "FastAPI, asyncio"
THREADS: Final = "FastAPI, threads"
ASYNC_TIMES_MIN: Final = 3.0
THREADS_TIMES_MIN: Final = 2.0

Command = Callable[[Path, int], list[str]]


def _peer(module: str) -> Command:
    return lambda data, port: [
        sys.executable,
        "-m",
        f"bench.peers.{module}",
        str((data / DATABASE).absolute()),
        str(port),
    ]


CONTENDERS: Final[dict[str, Command]] = {
    OURS: lambda data, port: program(data, port, free_port()),
    ASYNC: _peer("fastapi_async"),
    THREADS: _peer("fastapi_threads"),
}


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one contender."""

    contender: str
    connections: int
    load: Load
    tail_seconds: float
    """From the end of the load until everything was filed."""
    filed_a_second: float
    """Submissions that are filed on disk, by the time from the first post until the last was filed."""
    cpu_us: float
    """User and system time of the server for each of them."""
    rss_mib: float
    stored: Counts


def run_once(contender: str, world: Path, listed: Path, *, connections: int, seed: int) -> Run:
    """Load a fresh copy of *world*, wait for the last filing, and look at what is on the disk."""
    data = copy_of(world, world.with_name("run"))
    port = free_port()
    with running(CONTENDERS[contender](data, port), port, log=data.with_suffix(".log")) as server:
        _warm_up(server, listed, connections)
        wait_filed(data)
        before = counts(data)
        cpu_before, began = server.cpu_seconds(), time.monotonic()
        load = finish_load(
            start_load(
                server.url, listed, tail=f"r{seed}", seconds=SECONDS, connections=connections, seed=seed
            )
        )
        loaded = time.monotonic()
        wait_filed(data)
        ended = time.monotonic()
        cpu, rss = server.cpu_seconds() - cpu_before, server.rss_mib()
    stored = counts(data) - before
    _check(contender, load, stored, connections)
    return Run(
        contender=contender,
        connections=connections,
        load=load,
        tail_seconds=ended - loaded,
        filed_a_second=stored.kept / (ended - began),
        cpu_us=cpu / stored.kept * 1e6,
        rss_mib=rss,
        stored=stored,
    )


def _warm_up(server: Server, listed: Path, connections: int) -> None:
    """Post to each form once, as nobody measures a program that has just been started."""
    load = start_load(
        server.url,
        listed,
        tail="warm",
        seconds=WARM_UP_SECONDS_MAX,
        connections=connections,
        posts_max=FORMS - connections,
        seed=WARM_UP_SEED,
    )
    finish_load(load)
    time.sleep(IN_FLIGHT_SECONDS)


def _check(contender: str, load: Load, stored: Counts, connections: int) -> None:
    """A figure counts only when the work was done, all of it and once."""
    faults = {
        "answers other than 200": load.limited + load.other,
        "connections that broke": load.broken,
        "answered 200 and not stored": max(0, load.ok - stored.kept),
        "stored without having been asked": max(0, stored.kept - load.ok - connections),
        "not filed": stored.waiting,
        "doubled": stored.doubled,
        "filed without a note": abs(stored.notes - stored.filed),
        "filed without a contact": int(stored.contacts == 0),
    }
    if found := {what: many for what, many in faults.items() if many}:
        raise SystemExit(f"{contender}: {found}")


def main() -> None:
    """Run the contenders in turns, print medians, and say which targets hold."""
    require_wrk()
    with workspace() as space:
        world = space / "world"
        listed = make_world(world, organizations_count=ORGANIZATIONS, forms_count=FORMS)
        runs = [
            run_once(contender, world, listed, connections=connections, seed=seed)
            for seed, connections in enumerate([*[CONNECTIONS] * ROUNDS, *OTHER_CONNECTIONS], start=1)
            for contender in CONTENDERS
        ]
        flood = hot_form.run(copy_of(world, space / "run"), listed)
    _print(runs)
    hot_form.show(flood)
    targets = [*_targets([run for run in runs if run.connections == CONNECTIONS]), *hot_form.targets(flood)]
    print_targets(targets)
    save("forms", {"runs": runs, "hot_form": flood}, targets)


def _of(runs: Iterable[Run], contender: str, figure: Callable[[Run], float]) -> float:
    return median(figure(run) for run in runs if run.contender == contender)


def _targets(runs: list[Run]) -> list[Target]:
    def rate(contender: str) -> float:
        return _of(runs, contender, lambda run: run.filed_a_second)

    def p99(contender: str) -> float:
        return _of(runs, contender, lambda run: run.load.p99_ms)

    return [
        Target(
            name=f"{OURS} beside {peer}: filed a second, times",
            figure=rate(OURS) / rate(peer),
            bound=times,
            at_least=True,
        )
        for peer, times in ((ASYNC, ASYNC_TIMES_MIN), (THREADS, THREADS_TIMES_MIN))
    ] + [
        Target(name=f"{OURS} beside {peer}: p99", figure=p99(OURS), bound=p99(peer), unit="ms")
        for peer in (ASYNC, THREADS)
    ]


def _print(runs: list[Run]) -> None:
    rows: list[list[str | float]] = []
    for connections in dict.fromkeys(run.connections for run in runs):
        for contender in CONTENDERS:
            those = [run for run in runs if (run.contender, run.connections) == (contender, connections)]
            rates = [run.filed_a_second for run in those]
            rows.append(
                [
                    contender,
                    str(connections),
                    median(rates),
                    f"{min(rates):,.0f}–{max(rates):,.0f}",
                    median(run.load.p50_ms for run in those),
                    median(run.load.p99_ms for run in those),
                    median(run.cpu_us for run in those),
                    median(run.tail_seconds for run in those),
                    median(run.rss_mib for run in those),
                    median(run.stored.events / run.stored.kept for run in those),
                ]
            )
    print_table(
        f"Submissions stored and filed: {FORMS:,} forms of {ORGANIZATIONS} organizations, medians",
        [
            "",
            "connections",
            "filed/s",
            "min–max",
            "p50 ms",
            "p99 ms",
            "CPU µs",
            "tail s",
            "RSS MiB",
            "events each",
        ],
        rows,
    )
