"""Units of work a second that are on disk, beside a transaction per unit and beside sqlite3 alone.

A unit is four statements: look a row up, insert one, change it, read it again. Every commit waits for the
disk (`synchronous=FULL`). The ways take turns within each round; a figure is the median of the rounds.
"""

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeAlias

import trio
from sqlalchemy import BigInteger, Column, Integer, MetaData, Table, Text, bindparam, insert, select, update

from bench._report import print_table, save
from svc.clock import WallClock
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.inline import create_tables
from svc.storage.sqlite.store import open_store
from svc.storage.statements import Statement
from svc.storage.store import Store, Tx

ROUNDS: Final = 5
SECONDS: Final = 0.5
CALLERS: Final = (1, 16, 128)
SWITCH_SECONDS: Final = {"5 ms, the default": 0.005, "0.5 ms": 0.0005}

tables = MetaData()
rows = Table(
    "rows",
    tables,
    Column("id", Integer, primary_key=True),
    Column("organization", Text, nullable=False, index=True),
    Column("body", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("state", Integer, nullable=False),
)
INSERT: Final = insert(rows)
BY_ID: Final = select(rows).where(rows.c.id == bindparam("row"))
CHANGE: Final = update(rows).where(rows.c.id == bindparam("row")).values(state=bindparam("new_state"))
PREPARED_INSERT: Final = Statement(INSERT)
PREPARED_BY_ID: Final = Statement(BY_ID)
PREPARED_CHANGE: Final = Statement(CHANGE)

Unit: TypeAlias = Callable[[Tx, int], Any]
Rate: TypeAlias = tuple[float, float]
"""Units a second, and microseconds of CPU a unit."""


def new_row(row: int, at: int) -> dict[str, Any]:
    return {"id": row, "organization": f"org_{row % 100}", "body": "x" * 200, "at": at, "state": 0}


def core_unit(tx: Tx, row: int) -> Any:
    tx.conn.execute(BY_ID, {"row": row - 1}).one_or_none()
    tx.conn.execute(INSERT, new_row(row, tx.now))
    tx.conn.execute(CHANGE, {"row": row, "new_state": 1})
    return tx.conn.execute(BY_ID, {"row": row}).one()


def prepared_unit(tx: Tx, row: int) -> Any:
    PREPARED_BY_ID.one(tx.conn, {"row": row - 1})
    PREPARED_INSERT.run(tx.conn, new_row(row, tx.now))
    PREPARED_CHANGE.run(tx.conn, {"row": row, "new_state": 1})
    return PREPARED_BY_ID.one(tx.conn, {"row": row})


def sqlite3_unit(connection: sqlite3.Connection, row: int) -> Any:
    connection.execute("SELECT * FROM rows WHERE id = ?", (row - 1,)).fetchone()
    values = (row, f"org_{row % 100}", "x" * 200, 0, 0)
    connection.execute("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", values)
    connection.execute("UPDATE rows SET state = ? WHERE id = ?", (1, row))
    return connection.execute("SELECT * FROM rows WHERE id = ?", (row,)).fetchone()


def with_store(path: Path, callers: int, *, unit: Unit, batch_max: int = 256) -> Rate:
    """*callers* tasks that hand in one unit after the other."""

    async def run() -> Rate:
        prepare = partial(create_tables, tables=tables)
        async with open_store(path, WallClock(), prepare=prepare, batch_max=batch_max) as store:
            return await write_for(store, callers, unit)

    return trio.run(run)


async def write_for(store: Store, callers: int, unit: Unit) -> Rate:
    numbers = count(1)
    deadline = time.perf_counter() + SECONDS

    async def write() -> None:
        while time.perf_counter() < deadline:
            await store.write(unit, next(numbers))

    begun, cpu = time.perf_counter(), time.process_time()
    async with trio.open_nursery() as nursery:
        for _ in range(callers):
            nursery.start_soon(write)
    done = store.statistics().units
    return done / (time.perf_counter() - begun), (time.process_time() - cpu) / done * 1e6


def with_sqlite3(path: Path, callers: int) -> Rate:
    """A loop over the driver alone: *callers* units in each transaction, no thread, no savepoint."""
    with make_engine(path).connect() as conn:
        create_tables(conn, tables)
        connection = raw(conn)
        done = 0
        begun, cpu = time.perf_counter(), time.process_time()
        while time.perf_counter() - begun < SECONDS:
            connection.execute("BEGIN IMMEDIATE")
            for row in range(done + 1, done + 1 + callers):
                sqlite3_unit(connection, row)
            connection.execute("COMMIT")
            done += callers
        return done / (time.perf_counter() - begun), (time.process_time() - cpu) / done * 1e6


WAYS: Final[dict[str, Callable[[Path, int], Rate]]] = {
    "the store, prepared statements": partial(with_store, unit=prepared_unit),
    "the store, Core": partial(with_store, unit=core_unit),
    "a transaction per unit, prepared": partial(with_store, unit=prepared_unit, batch_max=1),
    "a transaction per unit, Core": partial(with_store, unit=core_unit, batch_max=1),
    "sqlite3 alone": with_sqlite3,
}


def in_turns(ways: Sequence[tuple[str, Callable[[Path], Rate]]]) -> dict[str, list[Rate]]:
    """The rates of `ROUNDS` rounds, each way on a fresh file of its own."""
    found: dict[str, list[Rate]] = {name: [] for name, _ in ways}
    for _ in range(ROUNDS):
        for name, way in ways:
            with tempfile.TemporaryDirectory(dir=".") as directory:
                found[name].append(way(Path(directory) / "bench.db"))
    return found


def middle(rates: Sequence[Rate]) -> Rate:
    return median(rate for rate, _ in rates), median(cpu for _, cpu in rates)


@contextmanager
def switching_every(seconds: float) -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def beside_busy_tasks(path: Path, *, switch_seconds: float) -> Rate:
    """16 callers, while another task keeps the Trio thread busy, a tenth of a millisecond at a time."""

    async def keep_busy() -> None:
        while True:
            for _ in range(5_000):
                pass
            await trio.lowlevel.checkpoint()

    async def run() -> Rate:
        prepare = partial(create_tables, tables=tables)
        async with open_store(path, WallClock(), prepare=prepare) as store, trio.open_nursery() as nursery:
            nursery.start_soon(keep_busy)
            rate = await write_for(store, 16, prepared_unit)
            nursery.cancel_scope.cancel()
            return rate

    with switching_every(switch_seconds):
        return trio.run(run)


def statement_costs() -> dict[str, tuple[float, float]]:
    """Microseconds of CPU a statement, by Core and prepared, in memory."""
    with make_engine(None).connect() as conn:
        create_tables(conn, tables)
        numbers = count(1)
        ways: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
            "insert a row": (
                lambda: conn.execute(INSERT, new_row(next(numbers), 0)),
                lambda: PREPARED_INSERT.run(conn, new_row(next(numbers), 0)),
            ),
            "select a row": (
                lambda: conn.execute(BY_ID, {"row": 1}).one(),
                lambda: PREPARED_BY_ID.one(conn, {"row": 1}),
            ),
            "update a row": (
                lambda: conn.execute(CHANGE, {"row": 1, "new_state": 1}).rowcount,
                lambda: PREPARED_CHANGE.run(conn, {"row": 1, "new_state": 1}),
            ),
            "insert 20 rows": (
                lambda: conn.execute(INSERT, [new_row(next(numbers), 0) for _ in range(20)]),
                lambda: PREPARED_INSERT.many(conn, [new_row(next(numbers), 0) for _ in range(20)]),
            ),
        }
        with conn.begin():
            return {name: (cost_of(core), cost_of(prepared)) for name, (core, prepared) in ways.items()}


def cost_of(run: Callable[[], Any], times: int = 1_000) -> float:
    found = []
    for _ in range(ROUNDS):
        begun = time.thread_time()
        for _ in range(times):
            run()
        found.append((time.thread_time() - begun) / times * 1e6)
    return median(found)


def main() -> None:
    rates = {
        callers: {
            name: middle(found)
            for name, found in in_turns(
                [(name, partial(_at, way, callers)) for name, way in WAYS.items()]
            ).items()
        }
        for callers in CALLERS
    }
    busy = in_turns(
        [
            (name, partial(beside_busy_tasks, switch_seconds=seconds))
            for name, seconds in SWITCH_SECONDS.items()
        ]
    )
    costs = statement_costs()
    print_table(
        "Units on disk a second, by the number of callers (µs of CPU a unit)",
        ["", *(f"c = {callers}" for callers in CALLERS)],
        [[name, *(f"{rates[c][name][0]:,.0f} ({rates[c][name][1]:,.0f})" for c in CALLERS)] for name in WAYS],
    )
    print_table(
        "Units on disk a second beside a busy loop, c = 16, by the interpreter's switch interval",
        ["", "median", "worst"],
        [[name, middle(found)[0], min(found)[0]] for name, found in busy.items()],
    )
    print_table(
        "µs of CPU a statement",
        ["", "Core", "prepared"],
        [[name, *both] for name, both in costs.items()],
    )
    save("store", {"units": rates, "beside_a_busy_loop": busy, "statement_us": costs})


def _at(way: Callable[[Path, int], Rate], callers: int, path: Path) -> Rate:
    return way(path, callers)


if __name__ == "__main__":
    main()
