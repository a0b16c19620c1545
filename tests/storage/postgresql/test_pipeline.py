"""Connections that send statements together: when they wait, what they return, and who fails."""

from collections.abc import Callable, Iterator
from contextlib import closing
from enum import StrEnum
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
import trio.testing
from sqlalchemy import Boolean, Column, LargeBinary, MetaData, Table, Text, bindparam, insert, select
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError

from svc.clock import WallClock
from svc.storage.postgresql.engine import make_engine
from svc.storage.postgresql.pipeline import PENDING_MAX, PipelinedConnection, Prepared, raw
from svc.storage.postgresql.store import open_store
from svc.storage.schema import WHOLE
from svc.storage.statements import Statement, run_command
from svc.storage.store import StoreFailed, Tx
from tests.postgresql_server import Server
from tests.storage.postgresql.test_store import outcomes
from tests.storage.postgresql.units import ids, opened, rows
from tests.storage.test_second_database import STATEMENTS

pytestmark = pytest.mark.postgres


class Kind(StrEnum):
    CAT = "cat"


pets = Table(
    "pets",
    MetaData(),
    Column("id", WHOLE, primary_key=True),
    Column("name", Text),
    Column("tame", Boolean),
    Column("picture", LargeBinary),
)
INSERT = Statement(insert(pets))
ALL = Statement(select(pets).order_by(pets.c.id))
NAMES = Statement(select(pets.c.name).order_by(pets.c.id), str)
BY_NAME = Statement(select(pets).where(pets.c.name == bindparam("name")))
RENAME = Statement(sa.update(pets).where(pets.c.id >= bindparam("since")).values(name=bindparam("new_name")))
PER_CENT = Statement(select(pets.c.id).where(pets.c.name.like("%00\\%", escape="\\")))

ADD_ROW = Statement(insert(rows))


def pet(key: int, **values: Any) -> dict[str, Any]:
    return {"id": key, "name": "cat", "tame": True, "picture": b"\x00\xff"} | values


@pytest.fixture
def conn(server: Server, database: str) -> Iterator[sa.Connection]:
    """A connection in a transaction, in a database with the table."""
    with make_engine(server.address(database)).connect() as conn:
        pets.create(conn)
        conn.commit()
        conn.begin()
        raw(conn).execute_now("BEGIN")
        yield conn
        conn.rollback()


class Trips:
    """How often a connection has waited since."""

    def __init__(self, conn: sa.Connection) -> None:
        self._connection: PipelinedConnection = raw(conn)
        self._before = self._connection.round_trips

    @property
    def since(self) -> int:
        before, self._before = self._before, self._connection.round_trips
        return self._before - before


def test_writes_go_along_with_the_next_statement_whose_rows_are_asked_for(conn: sa.Connection) -> None:
    """Neither the first nor later ones wait, in their order, with savepoints among them."""
    for _ in range(2):  # the second time all of them are prepared
        trips = Trips(conn)
        run_command(conn, "SAVEPOINT part")
        INSERT.run(conn, pet(1))
        INSERT.many(conn, [pet(2), pet(3)])
        RENAME.run(conn, since=3, new_name="wolf")
        assert 0 == trips.since
        assert ["cat", "cat", "wolf"] == NAMES.all(conn)
        assert 1 == trips.since
        run_command(conn, "ROLLBACK TO part")
        run_command(conn, "RELEASE part")
        assert 0 == trips.since
    assert [] == NAMES.all(conn)


def test_a_number_of_rows_is_waited_for(conn: sa.Connection) -> None:
    """`changed` has it, and what was before it is done."""
    INSERT.many(conn, [pet(1), pet(2), pet(3)])

    trips = Trips(conn)
    assert 2 == RENAME.changed(conn, since=2, new_name="wolf")
    assert 0 == RENAME.changed(conn, since=9, new_name="wolf")
    assert 2 == trips.since


def test_not_more_than_some_are_noted(conn: sa.Connection) -> None:
    """Thousands of writes take no memory without end: they are sent in parts."""
    trips = Trips(conn)
    INSERT.many(conn, [pet(key, name="x" * 2_000, picture=bytes(5_000)) for key in range(PENDING_MAX * 2)])

    assert 2 == trips.since
    assert PENDING_MAX * 2 == len(NAMES.all(conn))


def test_a_cursor_comes_after_what_is_noted(conn: sa.Connection) -> None:
    """Core's statements, and psycopg's own, see what was written before them."""
    INSERT.run(conn, pet(1))
    assert [1] == [*conn.scalars(select(pets.c.id))]
    INSERT.run(conn, pet(2))
    with raw(conn).cursor() as cursor:
        assert [(2,)] == cursor.execute("SELECT count(*) FROM pets").fetchall()
    with raw(conn).cursor(name="some") as cursor:
        cursor.itersize = 1
        cursor.execute("SELECT id FROM pets ORDER BY id")
        assert (1,) == next(cursor)
        INSERT.run(conn, pet(3))
        assert (2,) == next(cursor)
    INSERT.run(conn, pet(4))
    conn.execute(sa.update(pets).values(name="dog"))
    assert ["dog"] * 4 == NAMES.all(conn)


def test_values_are_those_of_core(conn: sa.Connection) -> None:
    """Text, numbers beyond 32 bits, truth, bytes and NULL, in and out."""
    stored = [
        pet(2**62, name="Zoë 🐈 \\ ' %s", tame=False, picture=b""),
        pet(-1, name="", tame=None, picture=None),
        pet(3, name=Kind.CAT, picture=bytes(range(256))),
    ]
    INSERT.many(conn, stored)

    found = [tuple(row) for row in conn.execute(select(pets).order_by(pets.c.id))]
    assert found == ALL.all(conn) == [*ALL.each(conn)]
    assert [[*map(type, row)] for row in found] == [[*map(type, row)] for row in ALL.all(conn)]
    assert found[0] == ALL.one(conn)
    assert (3, "cat", True, bytes(range(256))) == BY_NAME.one(conn, name=Kind.CAT)
    assert BY_NAME.one(conn, name="none") is None


def test_rows_are_read_one_by_one_while_others_are_asked_for(conn: sa.Connection) -> None:
    """A statement in between does not disturb the one that is read."""
    INSERT.many(conn, [pet(1, name="a"), pet(2, name="b"), pet(3, name="c")])
    with closing(NAMES.each(conn)) as names:
        found = [(name, len(NAMES.all(conn))) for name in names]
    assert [("a", 3), ("b", 3), ("c", 3)] == found


def test_what_stands_in_a_text_is_no_parameter(conn: sa.Connection) -> None:
    """Per cent signs and backslashes are what they are for Core."""
    INSERT.many(conn, [pet(1, name="1500%"), pet(2, name="1500")])

    assert [(1,)] == PER_CENT.all(conn)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        pytest.param({"id": 2**63}, DataError, id="beyond 64 bits"),
        pytest.param({"name": "a\x00b"}, DataError, id="NUL"),
        pytest.param({"name": "\ud800"}, UnicodeEncodeError, id="half a surrogate"),
        pytest.param({"id": None}, IntegrityError, id="NULL"),
    ],
)
def test_what_cannot_be_stored_is_refused_as_by_core(
    conn: sa.Connection, values: dict[str, Any], error: type[Exception]
) -> None:
    """By the same error, at the write or at what waits for it, and the value is not repeated."""
    with pytest.raises(error) as core, conn.begin_nested():
        conn.execute(insert(pets), pet(1, **values))
    with pytest.raises(error) as ours, conn.begin_nested():
        INSERT.changed(conn, pet(1, **values))
    assert type(core.value) is type(ours.value)
    assert getattr(getattr(core.value, "orig", None), "sqlstate", 0) == getattr(
        getattr(ours.value, "orig", None), "sqlstate", 0
    )
    assert [] == NAMES.all(conn)


def test_a_write_that_fails_is_named_by_what_waits_for_it(conn: sa.Connection) -> None:
    """The error has the text of the write, and nothing after it was done."""
    INSERT.run(conn, pet(1, name="secret"))
    INSERT.run(conn, pet(1, name="secret"))
    RENAME.run(conn, since=0, new_name="later")
    with pytest.raises(IntegrityError, match="INSERT INTO pets") as failed:
        NAMES.all(conn)

    assert "secret" not in str(failed.value).partition("DETAIL")[0]
    with pytest.raises(DBAPIError, match="current transaction is aborted"):
        NAMES.all(conn)


def test_a_statement_is_prepared_again_where_that_had_failed(conn: sa.Connection) -> None:
    """What could not be prepared, since something before it failed, is prepared by the next."""
    run_command(conn, "SAVEPOINT part")
    INSERT.run(conn, pet(1))
    INSERT.run(conn, pet(1))
    with pytest.raises(IntegrityError):
        BY_NAME.one(conn, name="cat")
    run_command(conn, "ROLLBACK TO part")
    assert BY_NAME.one(conn, name="cat") is None
    assert [] == NAMES.all(conn)


def test_psycopg_may_drop_its_prepared_statements(conn: sa.Connection) -> None:
    """It drops all of a session after a change of the schema: they are prepared once more."""
    INSERT.run(conn, pet(1))
    for _ in range(8):  # from the fifth on psycopg has one prepared
        assert ["cat"] == [*conn.scalars(select(pets.c.name))]
    conn.exec_driver_sql("ALTER TABLE pets ADD COLUMN colour text")
    assert ["cat"] == [*conn.scalars(select(pets.c.name))]
    assert ["cat"] == NAMES.all(conn)


@pytest.mark.parametrize("times", [1, 2])
def test_other_threads_run_while_a_connection_waits(server: Server, database: str, times: int) -> None:
    """One of them gives back the lock that is waited for, when it is first sent and when it is prepared."""
    take, give = Prepared("SELECT pg_advisory_lock(1)"), Prepared("SELECT pg_advisory_unlock(1)")
    waits = Prepared("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    with server.address(database).connect() as first, server.address(database).connect() as second:
        second.execute_now("SET lock_timeout = '30s'")
        for _ in range(times - 1):
            second.query(take, ())
            second.query(give, ())
        first.query(take, ())

        def give_back() -> None:
            while not first.query(waits, ()).ntuples:
                pass
            first.query(give, ())

        other = Thread(target=give_back)
        other.start()
        second.query(take, ())
        other.join()


def test_outside_of_a_transaction_nothing_waits(conn: sa.Connection) -> None:
    """A statement is a transaction of its own there, and is done when it returns."""
    raw(conn).execute_now("COMMIT")
    trips = Trips(conn)
    INSERT.run(conn, pet(1))
    assert 1 == trips.since
    with pytest.raises(IntegrityError):
        INSERT.run(conn, pet(1))


async def test_a_unit_whose_last_write_fails_fails_alone(url: str) -> None:
    """What it did not wait for fails at the end of the unit, in a batch and alone, with its own error."""

    def add(tx: Tx, key: int) -> int:
        ADD_ROW.run(tx.conn, id=key, text="row")
        return key

    def add_twice(tx: Tx) -> None:
        add(tx, 7)
        add(tx, 7)

    async with opened(url) as store:
        with pytest.raises(IntegrityError, match="INSERT INTO rows"):
            await store.of("org_1").write(add_twice)
        assert [] == await store.read(ids)
        assert 1 == await store.of("org_1").write(add, 1)
        twice, two, three = await outcomes(store, add_twice, lambda tx: add(tx, 2), lambda tx: add(tx, 3))
        assert (IntegrityError, 2, 3) == (type(twice), two, three)
        assert [1, 2, 3] == await store.read(ids)
        assert 0 == store.statistics().batches_failed


@pytest.mark.parametrize(("keys", "kept"), [([1, 2], [1, 2, 3]), ([1, 1], [3])])
async def test_a_unit_that_joins_has_no_part_in_the_failure_of_the_first(
    url: str, keys: list[int], kept: list[int]
) -> None:
    """The first waits for its writes before the other runs; where they fail, that is in the next batch."""
    begun, joined = Event(), Event()

    def first(tx: Tx) -> None:
        begun.set()
        joined.wait(60)
        for key in keys:
            ADD_ROW.run(tx.conn, id=key, text="row")

    def second(tx: Tx) -> int:
        ADD_ROW.run(tx.conn, id=3, text="row")
        return len(ids(tx.conn))

    async with opened(url, lanes=1) as store:
        found: dict[str, object] = {}

        async def write(owner: str, work: Callable[[Tx], object]) -> None:
            try:
                found[owner] = await store.of(owner).write(work)
            except IntegrityError as error:
                found[owner] = type(error)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write, "org_1", first)
            await trio.to_thread.run_sync(begun.wait)
            nursery.start_soon(write, "org_2", second)
            await trio.testing.wait_all_tasks_blocked()
            joined.set()
        assert kept == await store.read(ids)
        assert {"org_1": None if 2 in keys else IntegrityError, "org_2": len(kept)} == found


async def test_a_part_fails_by_a_write_that_it_did_not_wait_for(url: str) -> None:
    """Inside of its savepoint, where it is caught; what was before the savepoint fails before it."""

    def work(tx: Tx) -> None:
        ADD_ROW.run(tx.conn, id=1, text="row")
        with pytest.raises(IntegrityError), tx.savepoint():
            ADD_ROW.run(tx.conn, id=1, text="row")
        ADD_ROW.run(tx.conn, id=2, text="row")

    def before(tx: Tx) -> None:
        ADD_ROW.run(tx.conn, id=1, text="row")
        entered = False
        with pytest.raises(IntegrityError), tx.savepoint():
            entered = True
        assert not entered

    async with opened(url) as store:
        await store.of("org_1").write(work)
        assert [1, 2] == await store.read(ids)
        with pytest.raises(Exception, match="hidden a failure"):
            await store.of("org_1").write(before)
        assert [1, 2] == await store.read(ids)


async def test_a_unit_that_only_writes_is_lost_before_its_commit(
    server: Server, database: str, url: str
) -> None:
    """Its COMMIT was not sent, so nothing was kept, and its caller may try again."""

    def work(tx: Tx) -> None:
        ADD_ROW.run(tx.conn, id=1, text="row")
        server.end_sessions(database)

    async with opened(url) as store:
        with pytest.raises(StoreFailed):
            await store.of("org_1").write(work)
        await store.of("org_1").write(lambda tx: ADD_ROW.run(tx.conn, id=2, text="row"))
        assert [2] == await store.read(ids)


async def test_a_pooler_that_shares_sessions_is_named(url: str) -> None:
    """A session without the statements that were prepared in it is a fault, in one line that says why."""

    def forget(tx: Tx) -> None:
        raw(tx.conn).execute_now("DEALLOCATE ALL")
        ADD_ROW.run(tx.conn, id=2, text="row")

    async with opened(url) as store:
        await store.of("org_1").write(lambda tx: ADD_ROW.run(tx.conn, id=1, text="row"))
        with pytest.raises(StoreFailed, match="a pooler before the database shares its sessions"):
            await store.of("org_1").write(forget)
        await store.of("org_1").write(lambda tx: ADD_ROW.run(tx.conn, id=3, text="row"))
        assert [1, 3] == await store.read(ids)


def test_a_session_that_ends_is_a_lost_connection(conn: sa.Connection) -> None:
    """While writes are noted, and while one statement is asked for."""
    raw(conn).execute_now("SELECT 1")
    end = Statement(select(sa.func.pg_terminate_backend(sa.func.pg_backend_pid())))
    INSERT.run(conn, pet(1))
    with pytest.raises((OperationalError, psycopg.OperationalError)):
        end.one(conn)
    assert psycopg.pq.ConnStatus.OK != raw(conn).pgconn.status
    conn.invalidate()


async def test_each_statement_of_the_program_can_be_prepared(url: str) -> None:
    """Its parameters have types that the server knows, without a value."""

    def prepare_all(tx: Tx) -> int:
        plans = [statement._plan(tx.conn.dialect) for statement in STATEMENTS.values()]
        for number, plan in enumerate(plans):
            if not plan.expanding:
                raw(tx.conn).pgconn.prepare(f"test_{number}".encode(), plan.sql.encode())
                found = raw(tx.conn).pgconn.describe_prepared(f"test_{number}".encode())
                assert psycopg.pq.ExecStatus.COMMAND_OK == found.status, plan.sql
        return len(plans)

    async with open_store(url, WallClock(), lanes=1) as store:
        assert 400 < await store.alone.write(prepare_all)
