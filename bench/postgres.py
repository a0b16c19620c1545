"""Units of work a second that are on disk: PostgreSQL, by a server of the bench's own, beside SQLite.

The unit of four statements is that of `bench.store`, and so are the rounds, in which both take turns. Callers
are of organizations of their own, so that PostgreSQL's lanes are all in use.
"""

import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Final

import sqlalchemy as sa
import trio

from bench._report import print_table, save
from bench.store import CALLERS, ROUNDS, SECONDS, Rate, prepared_unit, tables
from svc.clock import WallClock
from svc.storage.postgresql.store import open_store as open_postgresql
from svc.storage.sqlite.inline import create_tables
from svc.storage.sqlite.store import open_store as open_sqlite
from svc.storage.store import Store
from tests.postgresql_server import Server, running_server

Opened = Callable[[], AbstractAsyncContextManager[Store]]

_NUMBERS: Final = count(1)


def rate(opened: Opened, callers: int) -> Rate:
    """Units a second, and microseconds of CPU of this process a unit."""

    async def run() -> Rate:
        async with opened() as store:
            numbers = count(1)
            deadline = time.perf_counter() + SECONDS

            async def write(organization_id: str) -> None:
                while time.perf_counter() < deadline:
                    await store.of(organization_id).write(prepared_unit, next(numbers))

            begun, cpu = time.perf_counter(), time.process_time()
            async with trio.open_nursery() as nursery:
                for caller in range(callers):
                    nursery.start_soon(write, f"org_{caller}")
            done = store.statistics().units
            return done / (time.perf_counter() - begun), (time.process_time() - cpu) / done * 1e6

    return trio.run(run)


def on_sqlite(callers: int) -> Rate:
    with tempfile.TemporaryDirectory(dir=".") as directory:
        path, prepare = Path(directory) / "bench.db", partial(create_tables, tables=tables)
        return rate(lambda: open_sqlite(path, WallClock(), prepare=prepare), callers)


def on_postgresql(server: Server, callers: int) -> Rate:
    url = server.create_database(f"bench_{next(_NUMBERS)}", "TEMPLATE template0")

    def prepare(conn: sa.Connection) -> None:
        tables.create_all(conn)

    return rate(lambda: open_postgresql(url, WallClock(), prepare=prepare), callers)


def main() -> None:
    with running_server(fsync=True) as server:
        ways: dict[str, Callable[[int], Rate]] = {
            "SQLite": on_sqlite,
            "PostgreSQL": partial(on_postgresql, server),
        }
        found: dict[str, dict[int, list[Rate]]] = {name: {c: [] for c in CALLERS} for name in ways}
        for _ in range(ROUNDS):
            for callers in CALLERS:
                for name, way in ways.items():
                    found[name][callers].append(way(callers))
    middle = {
        name: {c: tuple(map(median, zip(*rates, strict=True))) for c, rates in by_callers.items()}
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
    save("postgres", middle)


if __name__ == "__main__":
    main()
