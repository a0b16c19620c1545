"""A kill in the middle of writing: what was acknowledged is there afterwards."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import trio
from sqlalchemy import Column, Connection, Integer, MetaData, Table, select

from svc.clock import WallClock
from svc.storage.sqlite.inline import create_tables
from svc.storage.sqlite.store import open_store

pytestmark = pytest.mark.sqlite

ROUNDS = 3
ACKNOWLEDGED_BYTES = 4_000
"""How much the writer prints before it is killed: several hundred units."""

tables = MetaData()
halves = Table("halves", tables, Column("id", Integer, primary_key=True), Column("unit", Integer, index=True))

WRITER = """
import sys, trio
from itertools import count
from pathlib import Path
from svc.clock import WallClock
from svc.storage.sqlite.store import open_store

def add(tx, unit):
    for _ in range(2):
        tx.conn.exec_driver_sql("INSERT INTO halves (unit) VALUES (?)", (unit,))

async def write(store, units):
    for unit in units:
        await store.write(add, unit)
        print(unit, flush=True)

async def main():
    units = count(int(sys.argv[2]))
    async with open_store(Path(sys.argv[1]), WallClock(), prepare=lambda conn: None) as store:
        async with trio.open_nursery() as nursery:
            for _ in range(16):
                nursery.start_soon(write, store, units)

trio.run(main)
"""


def units_with_halves(conn: Connection) -> dict[int, int]:
    found: dict[int, int] = {}
    for unit in conn.scalars(select(halves.c.unit)):
        found[unit] = found.get(unit, 0) + 1
    return found


async def acknowledged_before_kill(path: Path, first: int) -> list[int]:
    """Run the writer, kill it while it writes, and return the units that it said are done."""
    async with trio.open_nursery() as nursery:
        command = [sys.executable, "-c", WRITER, str(path), str(first)]
        run = partial(trio.run_process, command, stdout=subprocess.PIPE, check=False)
        writer: trio.Process = await nursery.start(run)
        assert writer.stdout is not None
        said = b""
        while len(said) < ACKNOWLEDGED_BYTES:
            received = await writer.stdout.receive_some()
            assert received
            said += received
        writer.kill()
        async for received in writer.stdout:
            said += received
    return [int(line) for line in said.splitlines(keepends=True) if line.endswith(b"\n")]


@pytest.mark.fuzz
async def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    """After `kill -9` under load every acknowledged unit is there, and none is there by half or twice."""
    path = tmp_path / "svc.db"
    prepare = partial(create_tables, tables=tables)
    acknowledged: set[int] = set()
    there: dict[int, int] = {}

    for _ in range(ROUNDS):
        async with open_store(path, WallClock(), prepare=prepare) as store:
            there = await store.read(units_with_halves)
        assert acknowledged <= there.keys()
        assert set(there.values()) <= {2}
        acknowledged.update(await acknowledged_before_kill(path, max(there, default=0) + 1))

    async with open_store(path, WallClock(), prepare=prepare) as store:
        there = await store.read(units_with_halves)
    assert acknowledged <= there.keys()
    assert {2} == set(there.values())
