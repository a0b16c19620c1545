"""The store over PostgreSQL: units, their lanes, and whose the data is."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from threading import Barrier, Lock
from typing import Any

import psycopg
import pytest
import trio
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from svc.clock import VirtualClock, WallClock
from svc.domain.changes import Change, DeliveriesDue
from svc.storage.clock import marks as clock_marks
from svc.storage.postgresql.engine import Address
from svc.storage.postgresql.faults import DataLost
from svc.storage.postgresql.store import LANES, lane_of, open_store
from svc.storage.postgresql.tenure import Tenure, identity, take_over
from svc.storage.store import Owner, Store, StoreClosed, StoreFailed, StoreInUse, StoreUnreachable, Tx
from tests.postgresql_server import Server
from tests.storage.postgresql.units import START, add, add_orphan, ids, opened

pytestmark = pytest.mark.postgres

WAIT = 60
"""Seconds after which a test that would wait for good fails."""


async def outcomes(store: Store, *works: Callable[[Tx], Any]) -> list[object]:
    """What units did that were handed in at one moment, in any order: what each returned, or its error."""
    found: dict[int, object] = {}

    async def write(place: int, work: Callable[[Tx], Any]) -> None:
        try:
            found[place] = await store.write(work)
        except Exception as error:  # noqa: BLE001  # whatever it is, the test looks at it
            found[place] = error

    async with trio.open_nursery() as nursery:
        for place, work in enumerate(works):
            nursery.start_soon(write, place, work)
    return [found[place] for place in range(len(works))]


async def test_a_write_is_read_at_once_and_is_there_after_a_restart(url: str) -> None:
    """What a unit returned is returned, both readers see its work, and so does another store."""
    async with opened(url) as store:
        assert 7 == await store.write(add, 7)
        assert [7] == await store.read(ids)
        assert [7] == await store.read_long(ids)
    async with opened(url) as store:
        assert [7] == await store.read(ids)


async def test_a_unit_fails_alone_in_its_batch(url: str) -> None:
    """A statement that fails aborts a transaction of PostgreSQL; the other units of the batch are kept."""
    async with opened(url) as store:
        *same, other = await outcomes(store, partial(add, key=1), partial(add, key=1), partial(add, key=2))
        assert 2 == other
        assert {int, IntegrityError} == {type(one) for one in same}
        assert [1, 2] == await store.read(ids)


async def test_a_unit_that_hides_a_failure_is_not_kept(url: str) -> None:
    """A unit that catches a statement's error is not told that its work is there."""

    def hide(tx: Tx) -> None:
        add(tx, 5)
        with pytest.raises(IntegrityError):
            add(tx, 5)

    async with opened(url) as store:
        with pytest.raises(Exception, match="hidden a failure"):
            await store.write(hide)
        alone, beside = await outcomes(store, hide, partial(add, key=6))
        assert isinstance(alone, psycopg.errors.InFailedSqlTransaction)
        assert 6 == beside
        assert [6] == await store.read(ids)


async def test_a_part_of_a_unit_may_fail_alone(url: str) -> None:
    """What fails in a savepoint leaves nothing, and the rest of its unit is kept."""

    def work(tx: Tx) -> None:
        add(tx, 1)
        with pytest.raises(IntegrityError), tx.savepoint():
            add(tx, 1)
        add(tx, 2)

    async with opened(url) as store:
        await store.write(work)
        assert [1, 2] == await store.read(ids)


async def test_a_commit_that_is_refused_fails_all_of_its_batch(url: str) -> None:
    """A rule that is looked at by the COMMIT rolls everything back, and the next batch is kept."""
    async with opened(url) as store:
        found = await outcomes(store, partial(add, key=1), partial(add_orphan, key=1))
        assert [StoreFailed, StoreFailed] == [type(one) for one in found]
        assert [] == await store.read(ids)
        assert 2 == await store.write(add, 2)
        assert [2] == await store.read(ids)


async def test_organizations_in_two_lanes_are_written_at_the_same_time(url: str) -> None:
    """Two units of organizations with different lanes wait for one another inside of their transactions."""
    names = [f"org_{number}" for number in range(20)]
    first = names[0]
    second = next(name for name in names if lane_of(name) % 4 != lane_of(first) % 4)
    both = Barrier(2)

    def work(tx: Tx, key: int) -> None:
        add(tx, key)
        both.wait(WAIT)

    async with opened(url) as store, trio.open_nursery() as nursery:
        nursery.start_soon(store.of(first).write, work, 1)
        nursery.start_soon(store.of(second).write, work, 2)


async def test_nothing_runs_beside_what_runs_alone(url: str) -> None:
    """While a unit of the whole store runs, no unit of an organization does."""
    running: set[str] = set()
    beside: list[set[str]] = []
    lock = Lock()

    def work(tx: Tx, name: str) -> None:
        with lock:
            running.add(name)
            if name == "alone":
                beside.append({*running})
        tx.conn.execute(text("SELECT pg_sleep(0.001)"))
        with lock:
            running.discard(name)
            if name == "alone":
                beside.append({*running})

    async with opened(url) as store, trio.open_nursery() as nursery:
        for number in range(30):
            nursery.start_soon(store.of(f"org_{number}").write, work, str(number))
            if number % 5 == 0:
                nursery.start_soon(store.alone.write, work, "alone")
    assert [{"alone"}, set()] * 6 == beside


async def test_units_of_one_owner_never_overlap_and_keep_their_order(url: str) -> None:
    """A sum that each unit reads and writes again is right, over all lanes."""

    def increase(tx: Tx, key: int) -> None:
        before = int(
            str(tx.conn.scalar(text("SELECT text FROM rows WHERE id = :key"), {"key": key})).split()[-1]
        )
        tx.conn.execute(
            text("UPDATE rows SET text = :value WHERE id = :key"), {"value": before + 1, "key": key}
        )

    async with opened(url) as store:
        for key in range(5):
            await store.write(add, key)
        async with trio.open_nursery() as nursery:
            for key in range(5):
                for _ in range(20):
                    nursery.start_soon(store.of(f"org_{key}").write, increase, key)
        found = await store.read(lambda conn: [*conn.scalars(text("SELECT text FROM rows"))])
    assert [20, 21, 22, 23, 24] == sorted(map(int, found))


def test_an_owner_has_the_same_lane_in_every_process() -> None:
    """The lane is a sum of the name's bytes, and no hash that differs by process."""
    assert (2, 6) == (lane_of("org_1"), lane_of(Owner.PEOPLE))
    assert set(range(LANES)) == {lane_of(f"org_{number}") for number in range(200)}


async def test_changes_are_heard_on_the_trio_thread_in_the_order_of_the_commits(url: str) -> None:
    """A listener hears of what a unit announced before the unit's caller goes on, and of none that failed."""
    heard: list[Change] = []

    def work(tx: Tx, key: int) -> None:
        tx.announce(DeliveriesDue(str(key)))
        add(tx, key)

    async with opened(url) as store:
        store.listen(heard.append)
        await store.of("org_1").write(work, 1)
        assert [DeliveriesDue("1")] == heard
        with pytest.raises(IntegrityError):
            await store.of("org_2").write(work, 1)
        assert [DeliveriesDue("1")] == heard


async def test_a_snapshot_sees_the_data_as_it_was_when_it_began(url: str) -> None:
    """It is read row by row while others write."""

    def each(conn: Connection) -> Iterator[tuple[int, list[int]]]:
        for key in ids(conn):
            yield key, ids(conn)

    async with opened(url) as store:
        await store.write(add, 1)
        await store.write(add, 2)
        found = []
        async with store.snapshot(each) as items:
            async for item in items:
                found.append(item)
                await store.write(add, item[0] + 10)
    assert [(1, [1, 2]), (2, [1, 2])] == found


async def test_a_read_writes_nothing(url: str) -> None:
    """Reads have transactions that refuse to write."""
    async with opened(url) as store:
        with pytest.raises(Exception, match="read-only"):
            await store.read(lambda conn: conn.execute(text("INSERT INTO rows VALUES (1, '')")))
        assert [] == await store.read(ids)


async def test_the_owner_of_the_database_needs_no_other_right(server: Server, database: str) -> None:
    """Neither to open the store over the product's schema, nor for what becomes of a lost connection."""
    server.execute("CREATE ROLE plain LOGIN")
    server.execute(f"ALTER DATABASE {database} OWNER TO plain")
    url = server.url(database, user="plain")
    async with open_store(url, VirtualClock(START), lanes=1) as store:
        await store.alone.write(clock_marks.mark)
        server.end_sessions(database)
        assert await store.read(clock_marks.marked) is not None
    with closing(Address(url).connect()) as asking, closing(Address(url).connect()) as lost:
        lost.execute("BEGIN")
        number = lost.execute("SELECT pg_current_xact_id()::text").fetchone()
        assert number is not None
        ended = asking.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_xid = %s::xid8::xid",
            number,
        )
        assert [(True,)] == ended.fetchall()


async def test_a_closed_store_takes_no_unit(url: str) -> None:
    """It finishes what it has, and all its connections are closed."""
    async with opened(url) as store:
        await store.write(add, 1)
    with pytest.raises(StoreClosed):
        await store.write(add, 2)


async def test_a_second_process_is_refused_and_told_who_has_the_data(url: str) -> None:
    """It is told the process that has it, as of the lock of a file."""
    async with opened(url) as store:
        with pytest.raises(StoreInUse, match=f"in use by svc {os.getpid()} ") as refused:
            async with opened(url, wait_seconds=0.01):
                pass
        assert os.getpid() == refused.value.holder
        assert 1 == await store.write(add, 1)


async def test_a_process_that_was_given_up_can_not_write_any_more(
    server: Server, database: str, url: str
) -> None:
    """Once another has taken over, its units are refused, and its store closes."""

    async def write() -> None:
        async with opened(url) as first:
            await first.write(add, 1)
            server.end_sessions(database)
            async with opened(url) as second:
                await second.write(add, 2)
                with pytest.raises(StoreFailed, match="taken the data over"):
                    await first.of("org_1").write(add, 3)
                with pytest.raises(StoreFailed, match="taken the data over"):
                    await first.write(add, 4)
                assert [1, 2] == await second.read(ids)
            await trio.sleep_forever()

    with pytest.raises(StoreInUse, match="another process has taken the data over"):
        await write()


async def test_a_process_that_was_given_up_can_not_read_any_more(
    server: Server, database: str, url: str
) -> None:
    """What it has in memory may be old by then: its next read finds that, and its store closes."""

    async def read() -> None:
        async with opened(url) as first:
            await first.write(add, 1)
            server.end_sessions(database)
            async with opened(url) as second:
                await second.write(add, 2)
                with pytest.raises(StoreUnreachable, match="taken the data over"):
                    await first.read(ids)
            await trio.sleep_forever()

    with pytest.raises(StoreInUse, match="another process has taken the data over"):
        await read()


def test_a_takeover_waits_for_the_transactions_under_way(url: str) -> None:
    """While a transaction has locked its epoch, no other process gets the data."""
    with Address(url).connect() as old, Address(url).connect() as new:
        tenure = Tenure(take_over(old, 2), identity(old), lambda _why: None)
        new.execute("SET lock_timeout = '20ms'")
        numbers: list[str] = []
        tenure.begin(old, 1, numbers.append)
        old.settle()
        assert 1 == len(numbers)

        with pytest.raises(psycopg.errors.LockNotAvailable):
            take_over(new, 2)
        old.execute("COMMIT")

        assert 2 == take_over(new, 2)
        tenure.begin(old, 1, numbers.append)
        with pytest.raises(DataLost):
            old.settle()


async def test_time_goes_on_after_what_is_stored(url: str) -> None:
    """A store over the product's own schema resumes its clock from the mark of the last run."""
    async with open_store(url, VirtualClock(START), lanes=1) as store:
        await store.alone.write(clock_marks.mark)
        marked = await store.read(clock_marks.marked)
    assert marked is not None
    clock = WallClock(lambda: marked / 1_000 - 60)
    async with open_store(url, clock, lanes=1):
        assert marked <= clock.now()
