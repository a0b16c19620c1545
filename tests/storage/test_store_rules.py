"""The promise of the store under any mix of units: what callers and listeners hear is what is on disk."""

import tempfile
from contextlib import AbstractAsyncContextManager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Column, Connection, ForeignKey, Integer, MetaData, Table, insert, select
from structlog.testing import capture_logs

from svc.clock import WallClock
from svc.domain.changes import Change, DeliveriesDue
from svc.storage.sqlite.inline import create_tables, inline_store
from svc.storage.sqlite.store import open_store
from svc.storage.store import Store, Tx

pytestmark = pytest.mark.sqlite

tables = MetaData()
orders = Table(
    "orders",
    tables,
    Column("id", Integer, primary_key=True),
    Column("number", Integer, nullable=False, unique=True),
)
lines = Table(
    "lines",
    tables,
    Column("id", Integer, primary_key=True),
    Column("order_id", ForeignKey("orders.id", deferrable=True, initially="DEFERRED"), nullable=False),
)
prepare = partial(create_tables, tables=tables)

BATCH_MAX = 4
QUEUE_MAX = 8


class Refused(Exception):
    pass


Fault = Literal["none", "raises", "collides", "breaks the commit", "ends the transaction"]


class Unit(NamedTuple):
    """What a unit does, and after how many passes through the scheduler its caller is cancelled, if it is."""

    fault: Fault
    number: int
    patience: int | None


UNITS = st.builds(
    Unit,
    fault=st.just("none") | st.sampled_from(get_args(Fault)),
    number=st.integers(0, 30),
    patience=st.none() | st.integers(0, 6),
)
WAVES = st.lists(st.lists(UNITS, min_size=1, max_size=12), min_size=1, max_size=3)


def place(tx: Tx, order: int, unit: Unit) -> int:
    """Write two rows that belong together, and meet with the unit's fault half way."""
    tx.announce(DeliveriesDue(str(order)))
    prefix = ["OR ROLLBACK"] if unit.fault == "ends the transaction" else []
    # Numbers collide now and then, and then it is the unit's own doing.
    tx.conn.execute(insert(orders).prefix_with(*prefix).values(id=order, number=unit.number))
    if unit.fault == "raises":
        raise Refused
    if unit.fault == "collides":
        tx.conn.execute(insert(orders).values(id=order, number=unit.number))
    tx.conn.execute(insert(lines).values(order_id=-1 if unit.fault == "breaks the commit" else order))
    return order


def placed(conn: Connection) -> tuple[list[int], list[int]]:
    return (
        list(conn.scalars(select(orders.c.id).order_by(orders.c.id))),
        list(conn.scalars(select(lines.c.order_id).order_by(lines.c.order_id))),
    )


class Told:
    """What the callers and the listeners of one run have heard."""

    def __init__(self) -> None:
        self.done: list[int] = []
        self.failed: list[int] = []
        self.announced: list[int] = []

    def listen(self, change: Change) -> None:
        assert isinstance(change, DeliveriesDue)
        self.announced.append(int(change.webhook_id))

    async def place(self, store: Store, order: int, unit: Unit) -> None:
        async with trio.open_nursery() as nursery:
            if unit.patience is not None:
                nursery.start_soon(self._cancel, nursery.cancel_scope, unit.patience)
            try:
                assert order == await store.write(place, order, unit)
            except Exception:  # noqa: BLE001  # a fault of its own, a batch lost, a full queue: not done
                self.failed.append(order)
            else:
                self.done.append(order)
            nursery.cancel_scope.cancel()

    async def _cancel(self, scope: trio.CancelScope, passes: int) -> None:
        for _ in range(passes):
            await trio.lowlevel.checkpoint()
        scope.cancel()


async def keep_the_promise(opened: AbstractAsyncContextManager[Store], waves: list[list[Unit]]) -> None:
    told = Told()
    with capture_logs():
        async with opened as store:
            store.listen(told.listen)
            orders = count(1)
            for wave in waves:
                async with trio.open_nursery() as nursery:
                    for unit in wave:
                        nursery.start_soon(told.place, store, next(orders), unit)
            while store.statistics().queue_depth:
                await trio.lowlevel.checkpoint()
            await store.write(lambda _: None)  # what was abandoned is over after this
            there, lines_there = await store.read(placed)

    assert there == lines_there
    assert there == sorted(told.announced)
    assert set(told.done) <= set(there)
    assert set(told.failed).isdisjoint(there)


@pytest.mark.fuzz
@settings(max_examples=100)
@given(waves=WAVES)
async def test_outcomes_agree_with_what_is_stored(waves: list[list[Unit]]) -> None:
    """Each unit is stored as a whole or not at all: stored if reported as done, not if reported as failed."""
    await keep_the_promise(
        inline_store(WallClock(), prepare=prepare, batch_max=BATCH_MAX, queue_max=QUEUE_MAX), waves
    )


@pytest.mark.fuzz
@settings(max_examples=40)
@given(waves=WAVES)
async def test_outcomes_agree_with_what_is_on_disk(waves: list[list[Unit]]) -> None:
    """The same with threads and a file, where batches form while others are being written."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "svc.db"
        await keep_the_promise(
            open_store(path, WallClock(), prepare=prepare, batch_max=BATCH_MAX, queue_max=QUEUE_MAX), waves
        )
