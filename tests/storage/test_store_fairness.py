"""Whose units run when: the owners take turns, however many units of one wait."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import trio
import trio.testing
from sqlalchemy import Connection, MetaData

from svc.clock import WallClock
from svc.domain.changes import Change, DeliveriesDue
from svc.storage.commit.commit_queue import BEHIND_UNITS_MAX
from svc.storage.commit.reader import OWNER_READS_MAX
from svc.storage.sqlite.inline import create_tables, inline_store
from svc.storage.sqlite.store import open_store
from svc.storage.store import Store, StoreFull, Tx

pytestmark = pytest.mark.sqlite

opened = partial(open_store, clock=WallClock(), prepare=partial(create_tables, tables=MetaData()))

Run = Callable[..., Awaitable[Any]]
"""One of the ways to run units of work."""


class Crowd:
    """Hands in units of work, and keeps the names of those that are refused."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self.refused: list[str] = []

    async def hand_in(self, run: Run, fn: Callable[..., Any], *names: str) -> None:
        """A unit for each of *names*, one after the other; each is accepted, or refused, by then."""
        for name in names:
            self.start(run, fn, name)
            await trio.testing.wait_all_tasks_blocked()

    def start(self, run: Run, fn: Callable[..., Any], name: str) -> None:
        self._nursery.start_soon(self._run, run, fn, name)

    async def _run(self, run: Run, fn: Callable[..., Any], name: str) -> None:
        try:
            await run(fn, name)
        except StoreFull:
            self.refused.append(name)


@asynccontextmanager
async def busy(run: Run) -> AsyncIterator[Crowd]:
    """A crowd whose units all wait, since *run* has something to do until the end of the block.

    Leaving it waits until all of them have ended.
    """
    token = trio.lowlevel.current_trio_token()
    reached, free = trio.Event(), Event()

    def hold(_: object) -> None:
        token.run_sync_soon(reached.set)
        assert free.wait(10)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, hold)
        await reached.wait()
        try:
            yield Crowd(nursery)
        finally:
            free.set()


def told_by(store: Store) -> list[str]:
    """The names of the units that were committed, as listeners hear of them."""
    told: list[str] = []

    def listen(change: Change) -> None:
        assert isinstance(change, DeliveriesDue)
        told.append(change.webhook_id)

    store.listen(listen)
    return told


def tell(tx: Tx, name: str) -> None:
    tx.announce(DeliveriesDue(name))


def names(owner: str, count: int) -> list[str]:
    return [f"{owner}{number}" for number in range(1, count + 1)]


async def test_a_unit_of_another_owner_is_in_the_very_next_batch(tmp_path: Path) -> None:
    """It passes a flood that waits, and the flood keeps its own order."""
    async with opened(tmp_path / "svc.db", batch_max=1) as store:  # so that nothing joins what runs
        told = told_by(store)
        async with busy(store.write) as crowd:
            await crowd.hand_in(store.of("org_a").write, tell, *names("a", 9))
            await crowd.hand_in(store.of("org_b").write, tell, *names("b", 2))

    assert ["a1", "b1", "a2", "b2", *names("a", 9)[2:]] == told


async def test_a_unit_of_another_owner_joins_the_batch_that_runs(tmp_path: Path) -> None:
    """The first unit of each owner is in the commit that is under way; their others follow in turn."""
    async with opened(tmp_path / "svc.db") as store:
        told = told_by(store)
        async with busy(store.write) as crowd:
            await crowd.hand_in(store.of("org_a").write, tell, *names("a", 3))
            await crowd.hand_in(store.of("org_b").write, tell, *names("b", 2))
            depth = store.statistics().queue_depth

    assert 3 == depth
    assert ["a1", "b1", "a2", "b2", "a3"] == told


async def test_more_owners_than_a_batch_has_room_for_take_turns(tmp_path: Path) -> None:
    """An owner that was not in one batch is at the front of the next."""
    async with opened(tmp_path / "svc.db", batch_max=2) as store:
        told = told_by(store)
        async with busy(store.write) as crowd:
            for owner in "abcd":
                await crowd.hand_in(store.of(owner).write, tell, *names(owner, 2))

    assert ["a1", "a2", "b1", "c1", "d1", "b2", "c2", "d2"] == told


async def test_the_units_of_one_owner_stay_in_order(tmp_path: Path) -> None:
    """Whatever else is handed in between, and however the batches are cut."""
    async with opened(tmp_path / "svc.db", batch_max=3) as store:
        told = told_by(store)
        async with busy(store.write) as crowd:
            for number in range(1, 8):
                for owner in "abc"[: 1 + number % 3]:
                    await crowd.hand_in(store.of(owner).write, tell, f"{owner}{number}")

    for owner in "abc":
        own = [name for name in told if name[0] == owner]
        assert own == sorted(own)
        assert own


async def test_an_owner_that_floods_is_refused_and_others_are_not(tmp_path: Path) -> None:
    """One owner has at most its share of the queue; beyond it is refused, and has the rest done."""
    async with opened(tmp_path / "svc.db", batch_max=1, queue_max=5, owner_max=3) as store:
        told = told_by(store)
        async with busy(store.write) as crowd:
            await crowd.hand_in(store.of("org_a").write, tell, *names("a", 5))
            await crowd.hand_in(store.of("org_b").write, tell, "b1")

    assert ["a4", "a5"] == crowd.refused
    assert ["a1", "b1", "a2", "a3"] == told


async def test_the_whole_queue_is_bounded(tmp_path: Path) -> None:
    """Many owners together get no more than all may have."""
    store_of_five = opened(tmp_path / "svc.db", batch_max=1, queue_max=5, owner_max=3)
    async with store_of_five as store, busy(store.write) as crowd:
        for owner in "abcdefg":
            await crowd.hand_in(store.of(owner).write, tell, f"{owner}1")

    assert ["f1", "g1"] == crowd.refused


async def test_background_units_are_taken_in_turn_too(tmp_path: Path) -> None:
    """A pile of it of one owner is passed by another's first."""
    async with opened(tmp_path / "svc.db") as store:
        told = told_by(store)
        async with busy(store.write) as crowd:
            await crowd.hand_in(store.of("org_a").write_behind, tell, *names("a", 4))
            await crowd.hand_in(store.of("org_b").write_behind, tell, "b1")

    assert ["a1", "b1", "a2", "a3", "a4"] == told


async def test_background_units_are_cut_short_by_waiting_units(tmp_path: Path) -> None:
    """A write joins a batch of such work after a few of its units, and the rest is for a later one."""
    token = trio.lowlevel.current_trio_token()
    reached, free = trio.Event(), Event()

    def hold(tx: Tx, name: str) -> None:
        token.run_sync_soon(reached.set)
        assert free.wait(10)
        tell(tx, name)

    async with opened(tmp_path / "svc.db") as store, trio.open_nursery() as nursery:
        told = told_by(store)
        async with busy(store.write) as crowd:
            await crowd.hand_in(store.of("org_a").write_behind, hold, "a1")
            await crowd.hand_in(store.of("org_a").write_behind, tell, *names("a", 9)[1:])
            nursery.start_soon(_open_once_joined, store, reached, free)

    assert "b1" in told[: BEHIND_UNITS_MAX + 1]
    assert names("a", 9) == [name for name in told if name != "b1"]


async def _open_once_joined(store: Store, reached: trio.Event, free: Event) -> None:
    await reached.wait()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(store.of("org_b").write, tell, "b1")
        await trio.testing.wait_all_tasks_blocked()
        free.set()


@pytest.mark.parametrize("way", ["read", "read_long"])
async def test_a_read_of_another_owner_is_next(tmp_path: Path, way: str) -> None:
    """At most one read of each other owner is before an owner's first."""
    done: list[str] = []

    def note(_: Connection, name: str) -> None:
        done.append(name)

    async with opened(tmp_path / "svc.db") as store, busy(getattr(store, way)) as crowd:
        await crowd.hand_in(getattr(store.of("org_a"), way), note, *names("a", 4))
        await crowd.hand_in(getattr(store.of("org_b"), way), note, *names("b", 2))

    assert ["a1", "b1", "a2", "b2", "a3", "a4"] == done


async def test_an_owner_that_floods_the_reader_is_refused_and_others_are_not(tmp_path: Path) -> None:
    """One owner has at most its share of the reads that wait."""

    def nothing(_: Connection, _name: str) -> None:
        pass

    async with opened(tmp_path / "svc.db") as store, busy(store.read) as crowd:
        for _ in range(OWNER_READS_MAX):
            crowd.start(store.of("org_a").read, nothing, "early")
        await trio.testing.wait_all_tasks_blocked()
        await crowd.hand_in(store.of("org_a").read, nothing, "late")
        await crowd.hand_in(store.of("org_b").read, nothing, "other")

    assert ["late"] == crowd.refused


async def test_the_inline_store_takes_turns_as_well() -> None:
    """What is handed in at one moment is committed in turn by owner."""
    async with inline_store(WallClock()) as store:
        told = told_by(store)
        async with trio.open_nursery() as nursery:
            for owner, number in (("a", 1), ("a", 2), ("a", 3), ("b", 1)):
                nursery.start_soon(store.of(owner).write, tell, f"{owner}{number}")

    assert {"a", "b"} == {name[0] for name in told[:2]}
