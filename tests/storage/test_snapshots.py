"""Snapshots: what was there when they began, whatever is written meanwhile, and nobody waits."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from sqlalchemy import Column, Connection, Integer, MetaData, Table, insert, select

from svc.clock import WallClock
from svc.storage.sqlite.store import open_store
from svc.storage.store import Tx

pytestmark = pytest.mark.sqlite

tables = MetaData()
rows = Table("rows", tables, Column("id", Integer, primary_key=True))


def add(tx: Tx, key: int) -> None:
    tx.conn.execute(insert(rows).values(id=key))


def numbers(conn: Connection) -> Iterator[int]:
    """One after the other, each by a query of its own."""
    for key in range(3):
        yield from conn.scalars(select(rows.c.id).where(rows.c.id == key))
    yield len(conn.scalars(select(rows.c.id)).all())


def prepare(conn: Connection) -> None:
    tables.create_all(conn)
    conn.commit()


async def test_what_is_written_meanwhile_is_not_seen(tmp_path: Path) -> None:
    """And the write does not wait for the snapshot, nor does a second snapshot."""
    async with open_store(tmp_path / "svc.db", WallClock(), prepare=prepare) as store:
        await store.write(add, 0)
        await store.write(add, 1)
        with trio.fail_after(20):
            async with store.snapshot(numbers) as items:
                seen = [await anext(items)]
                await store.write(add, 2)
                async with store.snapshot(numbers) as others:
                    later = [item async for item in others]
                seen += [item async for item in items]

    assert ([0, 1, 2], [0, 1, 2, 3]) == (seen, later)


async def test_a_snapshot_that_is_left_ends(tmp_path: Path) -> None:
    """Its generator is closed, in its thread, and the log can be cut again."""
    closed = []

    def endless(conn: Connection) -> Iterator[int]:
        try:
            while True:
                yield len(conn.scalars(select(rows.c.id)).all())
        finally:
            closed.append(True)

    async with open_store(tmp_path / "svc.db", WallClock(), prepare=prepare) as store:
        with trio.CancelScope() as scope:
            async with store.snapshot(endless) as items:
                assert 0 == await anext(items)
                scope.cancel()
                await trio.lowlevel.checkpoint()
        await store.write(add, 1)
    log = tmp_path / "svc.db-wal"

    assert ([True], False) == (closed, log.exists() and log.stat().st_size > 0)


async def test_an_error_is_raised_where_the_next_is_asked_for(tmp_path: Path) -> None:
    """A snapshot cannot write, either."""

    def writes(conn: Connection) -> Iterator[int]:
        yield 1
        conn.execute(insert(rows).values(id=9))

    async with open_store(tmp_path / "svc.db", WallClock(), prepare=prepare) as store:
        async with store.snapshot(writes) as items:
            assert 1 == await anext(items)
            with pytest.raises(Exception, match="readonly"):
                await anext(items)

        assert 0 == await store.read(lambda conn: len(conn.scalars(select(rows.c.id)).all()))
