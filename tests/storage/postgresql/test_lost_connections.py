"""Connections that are lost: between units, inside of one, and around a COMMIT."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
import trio
from sqlalchemy import text

from svc.storage.postgresql.pipeline import raw
from svc.storage.postgresql.reconnecting import PAUSE_SECONDS_MAX, Reconnecting
from svc.storage.postgresql.transaction import RESOLVE_ATTEMPTS, PostgresDatabase
from svc.storage.store import StoreFailed, StoreLost, StoreUnreachable, Tx
from tests.postgresql_server import Server, running_server
from tests.storage.postgresql.proxy import Proxy, proxy_before
from tests.storage.postgresql.units import add, ids, opened

pytestmark = pytest.mark.postgres

_NUMBERS = count(1)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server that these tests stop and start."""
    with running_server() as server:
        yield server


@pytest.fixture
def database(server: Server) -> str:
    name = f"test_{next(_NUMBERS)}"
    server.create_database(name, "TEMPLATE template0")
    return name


@pytest.fixture
def url(server: Server, database: str) -> str:
    return server.url(database)


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    with proxy_before(server) as proxy:
        yield proxy


class Timer:
    """Seconds that the test counts."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def end_session(tx: Tx) -> None:
    """Have the server end the session of this very unit."""
    tx.conn.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))


def never(_seconds: float) -> None:
    raise AssertionError("nothing has to be waited for")


async def test_a_restart_of_the_server_between_two_units_is_not_noticed(server: Server, url: str) -> None:
    """A connection that was lost while nothing was done is made anew before the next unit or read."""
    async with opened(url) as store:
        await store.write(add, 1)
        for how in ("fast", "immediate"):
            server.stop(how)
            server.start()
            assert [1] == await store.read(ids)
            assert 1 == await store.read_long(lambda conn: len(ids(conn)))
            await store.of("org_1").write(lambda _tx: None)
        await store.write(add, 2)
        assert [1, 2] == await store.read(ids)


async def test_a_unit_whose_connection_is_lost_is_not_kept(url: str) -> None:
    """It fails with nothing kept, and so do the units of its batch; the next is written."""

    def work(tx: Tx) -> None:
        add(tx, 1)
        end_session(tx)

    async with opened(url) as store:
        with pytest.raises(StoreFailed, match="cannot be written: "):
            await store.write(work)
        assert [] == await store.read(ids)
        await store.write(add, 2)
        assert [2] == await store.read(ids)


async def test_a_read_whose_connection_is_lost_may_be_repeated(url: str) -> None:
    """It fails as one that can be tried again, and the next is answered."""

    def read(conn: Any) -> None:
        conn.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    async with opened(url) as store:
        with pytest.raises(StoreUnreachable):
            await store.read(read)
        assert [] == await store.read(ids)


async def test_while_the_server_is_away_all_is_refused_at_once(server: Server, url: str) -> None:
    """Units and reads are refused by what the last attempt said, and work once a pause is over."""
    timer = Timer()
    async with opened(url, reconnecting=Reconnecting(timer)) as store:
        await store.write(add, 1)
        server.stop("immediate")
        try:
            for _ in range(3):
                with pytest.raises(StoreFailed, match="the database cannot be reached"):
                    await store.write(add, 2)
                with pytest.raises(StoreUnreachable, match="the database cannot be reached"):
                    await store.read(ids)
            failure = store.statistics().failure
        finally:
            server.start()
        assert "the database cannot be reached" == failure
        with pytest.raises(StoreUnreachable):
            await store.read(ids)  # the pause is not over
        timer.now += PAUSE_SECONDS_MAX
        assert [1] == await store.read(ids)
        await store.write(add, 3)
        assert store.statistics().failure is None


async def test_a_commit_that_was_done_before_its_answer_was_lost_is_answered(
    proxy: Proxy, database: str
) -> None:
    """The database is asked what became of it, and the caller does not notice."""
    async with opened(proxy.url(database), database=PostgresDatabase(never)) as store:
        proxy.cuts = "after"
        assert 1 == await store.write(add, 1)
        assert [1] == await store.read(ids)
        assert 0 == store.statistics().batches_failed
        await store.write(add, 2)


async def test_a_commit_that_never_arrived_has_kept_nothing(proxy: Proxy, database: str) -> None:
    """The database is asked what became of it: its caller may try again."""
    async with opened(proxy.url(database), database=PostgresDatabase(never)) as store:
        proxy.cuts = "before"
        with pytest.raises(StoreFailed):
            await store.write(add, 1)
        assert [] == await store.read(ids)
        await store.write(add, 1)


async def test_a_commit_is_resolved_once_the_server_is_back(
    server: Server, proxy: Proxy, database: str
) -> None:
    """The server crashes after the COMMIT, and is asked when it has recovered."""
    paused = []

    def pause(seconds: float) -> None:
        paused.append(seconds)
        if len(paused) == 3:
            server.start()

    def work(tx: Tx) -> int:
        proxy.cuts = "after"
        return add(tx, 1)

    crashing = _Crashing(server, pause)
    async with opened(proxy.url(database), database=crashing) as store:
        assert 1 == await store.write(work)
    assert 3 == len(paused)
    async with opened(server.url(database)) as store:
        assert [1] == await store.read(ids)


async def test_a_commit_that_nothing_is_known_of_is_neither_kept_nor_lost(
    server: Server, proxy: Proxy, database: str
) -> None:
    """If the server stays away, its callers are told that it is unknown."""
    paused: list[float] = []

    def work(tx: Tx) -> int:
        proxy.cuts = "after"
        return add(tx, 1)

    try:
        async with opened(proxy.url(database), database=_Crashing(server, paused.append)) as store:
            with pytest.raises(StoreLost):
                await store.write(work)
    finally:
        server.start()
    assert RESOLVE_ATTEMPTS == len(paused)
    assert sorted(paused) == paused


class _Crashing(PostgresDatabase):
    """Has the server crash as soon as it is to be asked what became of a COMMIT."""

    def __init__(self, server: Server, pause: Any) -> None:
        super().__init__(pause)
        self._server = server

    def _was_committed(self, conn: Any, *rest: Any) -> bool:
        self._server.stop("immediate")
        return super()._was_committed(conn, *rest)


async def test_a_server_that_was_replaced_is_not_written_to(server: Server, url: str) -> None:
    """A copy that was promoted may lack what was committed last, so the store closes: all is read anew."""

    async def write() -> None:
        async with opened(url) as store:
            await store.write(add, 1)
            server.promote()
            with pytest.raises(StoreFailed, match="replaced by another"):
                await store.write(add, 2)
            await trio.sleep_forever()

    with pytest.raises(StoreFailed, match="replaced by another"):
        await write()
    async with opened(url) as store:
        assert [1] == await store.read(ids)


async def test_a_lane_has_its_settings_again_after_it_was_lost(server: Server, url: str) -> None:
    """A connection that was made anew waits no longer for locks than the first."""

    def settings(tx: Tx) -> tuple[int, str]:
        return raw(tx.conn).pgconn.backend_pid, str(tx.conn.scalar(text("SHOW lock_timeout")))

    async with opened(url) as store:
        first = await store.write(settings)
        with pytest.raises(StoreFailed):
            await store.write(end_session)
        second = await store.write(settings)
    assert first[0] != second[0]
    assert ("10s", "10s") == (first[1], second[1])
