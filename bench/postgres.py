"""PostgreSQL, by a server of the bench's own, beside SQLite: units of work a second that are on disk, forms
beside FastAPI with asyncpg, and what is answered while the server is stopped.

The unit of four statements is that of `bench.store`, and so are the rounds, in which all ways take turns.
Callers are of organizations of their own, so that PostgreSQL's lanes are all in use, or of one, which has one
lane. What is done once, such as compiling and preparing the statements, is done before it counts.

`python -m bench.postgres [units] [forms] [stopped]` runs some parts alone.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, Final

import sqlalchemy as sa
import trio

from bench import _postgres_forms, _postgres_stopped
from bench._report import Target, print_table, print_targets, save
from bench.store import CALLERS, ROUNDS, Rate, prepared_unit, tables
from svc.clock import WallClock
from svc.storage.commit.commit_queue import BATCH_UNITS_MAX
from svc.storage.postgresql.store import open_store as open_postgresql
from svc.storage.sqlite.inline import create_tables
from svc.storage.sqlite.store import open_store as open_sqlite
from svc.storage.store import Store
from tests.postgresql_server import Server, running_server

Opened = Callable[[], AbstractAsyncContextManager[Store]]

SECONDS: Final = 1.5
"""Of one measurement."""
WARM_UP_SECONDS: Final = 0.3

CPU_US_MAX: Final = 80
"""Of the service, for a unit that shares its batch."""
HOT_TIMES_MIN: Final = 3.0

SQLITE: Final = "SQLite"
POSTGRESQL: Final = "PostgreSQL"
ONE: Final = "PostgreSQL, one organization"
EACH: Final = "PostgreSQL, one organization, a transaction a unit"

_NUMBERS: Final = count(1)


def rate(opened: Opened, callers: int, *, one: bool = False) -> Rate:
    """Units a second, and microseconds of CPU of this process a unit; all callers are of *one* organization,
    or each of its own."""

    async def run() -> Rate:
        async with opened() as store:
            numbers = count(1)

            async def write(organization_id: str, deadline: float) -> None:
                while True:
                    await store.of(organization_id).write(prepared_unit, next(numbers))
                    if time.perf_counter() >= deadline:
                        return

            async def write_all(seconds: float) -> None:
                deadline = time.perf_counter() + seconds
                async with trio.open_nursery() as nursery:
                    for caller in range(callers):
                        nursery.start_soon(write, "org_1" if one else f"org_{caller}", deadline)

            await write_all(WARM_UP_SECONDS)
            before = store.statistics().units
            begun, cpu = time.perf_counter(), time.process_time()
            await write_all(SECONDS)
            done = store.statistics().units - before
            return done / (time.perf_counter() - begun), (time.process_time() - cpu) / done * 1e6

    return trio.run(run)


def on_sqlite(callers: int) -> Rate:
    with tempfile.TemporaryDirectory(dir=".") as directory:
        path, prepare = Path(directory) / "bench.db", partial(create_tables, tables=tables)
        return rate(lambda: open_sqlite(path, WallClock(), prepare=prepare), callers)


def on_postgresql(
    server: Server, callers: int, *, one: bool = False, batch_max: int = BATCH_UNITS_MAX
) -> Rate:
    url = server.create_database(f"bench_{next(_NUMBERS)}", "TEMPLATE template0")

    def prepare(conn: sa.Connection) -> None:
        tables.create_all(conn)

    return rate(
        lambda: open_postgresql(url, WallClock(), prepare=prepare, batch_max=batch_max), callers, one=one
    )


def units(server: Server) -> tuple[dict[str, dict[int, Rate]], list[Target]]:
    """The medians of the rounds, printed, and what must hold."""
    ways: dict[str, Callable[[int], Rate]] = {
        SQLITE: on_sqlite,
        POSTGRESQL: partial(on_postgresql, server),
        ONE: partial(on_postgresql, server, one=True),
        EACH: partial(on_postgresql, server, one=True, batch_max=1),
    }
    found: dict[str, dict[int, list[Rate]]] = {name: {c: [] for c in CALLERS} for name in ways}
    for _ in range(ROUNDS):
        for callers in CALLERS:
            for name, way in ways.items():
                found[name][callers].append(way(callers))
    middle: dict[str, dict[int, Rate]] = {
        name: {
            c: (median(rate for rate, _ in rates), median(cpu for _, cpu in rates))
            for c, rates in by_callers.items()
        }
        for name, by_callers in found.items()
    }
    print_table(
        "Units on disk a second, by the number of callers (µs of CPU of the service a unit)",
        ["", *(f"c = {callers}" for callers in CALLERS)],
        [
            [name, *(f"{figures[c][0]:,.0f} ({figures[c][1]:,.0f})" for c in CALLERS)]
            for name, figures in middle.items()
        ],
    )
    most = CALLERS[-1]
    return middle, [
        *(
            Target(
                name=f"{name}, {callers} callers: CPU of a unit",
                figure=middle[name][callers][1],
                bound=CPU_US_MAX,
                unit="µs",
            )
            for name in (POSTGRESQL, ONE)
            for callers in CALLERS[1:]
        ),
        Target(
            name=f"one organization, {most} callers, beside a transaction a unit: times",
            figure=middle[ONE][most][0] / middle[EACH][most][0],
            bound=HOT_TIMES_MIN,
            at_least=True,
        ),
    ]


def main(asked: list[str]) -> None:
    figures: dict[str, Any] = {}
    targets: list[Target] = []
    if not asked or "units" in asked:
        with running_server(fsync=True) as server:
            figures["units"], found = units(server)
            targets += found
    if not asked or "forms" in asked:
        with running_server(fsync=True) as server:
            figures["forms"] = _postgres_forms.run(server)
            targets += _postgres_forms.show(figures["forms"])
    if not asked or "stopped" in asked:
        with running_server(fsync=True) as server:
            figures["stopped"] = _postgres_stopped.run(server)
            targets += _postgres_stopped.show(figures["stopped"])
    print_targets(targets)
    save("postgres", figures, targets)


if __name__ == "__main__":
    main(sys.argv[1:])
