"""What only the store over a file does: its threads, its file, its lock, and faults of the disk."""

import gc
import resource
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event, current_thread
from typing import Any

import pytest
import trio
import trio.testing
from aiosqlite.core import _STOP_RUNNING_SENTINEL
from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, Table, insert, select
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from svc.clock import WallClock
from svc.storage.commit.group_commit import GroupCommitStore
from svc.storage.commit.reader import OWNER_READS_MAX
from svc.storage.sqlite._aiosqlite_trio import ThreadLost
from svc.storage.sqlite.inline import create_tables
from svc.storage.sqlite.store import open_store
from svc.storage.store import Store, StoreError, StoreFailed, StoreFull, StoreInUse, StoreLost, Tx

pytestmark = pytest.mark.sqlite

tables = MetaData()
rows = Table("rows", tables, Column("id", Integer, primary_key=True), Column("blob", LargeBinary))
opened = partial(open_store, clock=WallClock(), prepare=partial(create_tables, tables=tables))

HOLDER = """
import sys, trio
from pathlib import Path
from svc.clock import WallClock
from svc.storage.sqlite.store import open_store

async def main():
    async with open_store(Path(sys.argv[1]), WallClock(), prepare=lambda conn: None):
        print("open", flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


def add(tx: Tx, key: int, size: int = 1) -> int:
    tx.conn.execute(insert(rows).values(id=key, blob=b"x" * size))
    return key


def ids(conn: Connection) -> list[int]:
    return list(conn.scalars(select(rows.c.id).order_by(rows.c.id)))


class Gate:
    """Holds a thread of the store until the test opens it."""

    def __init__(self) -> None:
        self._reached = trio.Event()
        self._token = trio.lowlevel.current_trio_token()
        self._open = Event()
        self.wait_reached = self._reached.wait

    def hold(self, _: object = None) -> None:
        self._token.run_sync_soon(self._reached.set)
        assert self._open.wait(10)

    def open(self) -> None:
        self._open.set()


async def test_units_that_wait_for_a_running_batch_share_the_next(tmp_path: Path) -> None:
    """What is handed in while the writer is busy goes into one transaction."""
    async with opened(tmp_path / "svc.db") as store, trio.open_nursery() as nursery:
        gate = Gate()
        nursery.start_soon(store.write, gate.hold)
        await gate.wait_reached()
        for key in range(10):
            nursery.start_soon(store.write, add, key)
            await trio.testing.wait_all_tasks_blocked()
        assert 10 == store.statistics().queue_depth
        gate.open()
        nursery.start_soon(store.aclose)

    assert (2, 10) == (store.statistics().batches, store.statistics().batch_units_last)


async def test_leaving_while_the_unit_runs_changes_nothing(tmp_path: Path) -> None:
    """A caller that is cancelled while its unit runs is free at once, and the unit commits."""
    async with opened(tmp_path / "svc.db") as store:
        gate = Gate()

        def add_behind_gate(tx: Tx) -> None:
            gate.hold()
            add(tx, 1)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.write, add_behind_gate)
            await gate.wait_reached()
            nursery.cancel_scope.cancel()
        gate.open()

        await store.write(add, 2)
        assert [1, 2] == await store.read(ids)


async def test_a_read_sees_one_moment(tmp_path: Path) -> None:
    """All statements of a read see the same state, though a write is committed meanwhile."""
    async with opened(tmp_path / "svc.db") as store, trio.open_nursery() as nursery:
        gate = Gate()
        seen = []

        def read_twice(conn: Connection) -> None:
            seen.append(ids(conn))
            gate.hold()
            seen.append(ids(conn))

        nursery.start_soon(store.read, read_twice)
        await gate.wait_reached()
        await store.write(add, 1)
        gate.open()

        assert [1] == await store.read(ids)
        assert [[], []] == seen


async def test_a_read_does_not_see_what_is_not_committed(tmp_path: Path) -> None:
    """The work of a unit under way is invisible."""
    async with opened(tmp_path / "svc.db") as store, trio.open_nursery() as nursery:
        gate = Gate()

        def add_and_hold(tx: Tx) -> None:
            add(tx, 1)
            gate.hold()

        nursery.start_soon(store.write, add_and_hold)
        await gate.wait_reached()
        before = await store.read(ids)
        gate.open()

        assert [] == before


async def test_a_long_read_is_not_in_the_way(tmp_path: Path) -> None:
    """Quick reads and writes go on beside a long read."""
    async with opened(tmp_path / "svc.db") as store, trio.open_nursery() as nursery:
        gate = Gate()
        nursery.start_soon(store.read_long, gate.hold)
        await gate.wait_reached()

        assert 1 == await store.write(add, 1)
        assert [1] == await store.read(ids)
        assert 1 == store.statistics().reads_waiting
        gate.open()


async def test_reads_that_wait_have_a_limit(tmp_path: Path) -> None:
    """A read beyond the limit is refused; the others are answered."""
    async with opened(tmp_path / "svc.db") as store, trio.open_nursery() as nursery:
        gate = Gate()
        nursery.start_soon(store.read, gate.hold)
        await gate.wait_reached()
        for _ in range(OWNER_READS_MAX):
            nursery.start_soon(store.read, ids)
        await trio.testing.wait_all_tasks_blocked()

        with pytest.raises(StoreFull):
            await store.read(ids)
        assert [] == await store.read_long(ids)
        gate.open()


async def test_work_is_done_in_named_threads(tmp_path: Path) -> None:
    """Each connection has its own thread, and its name says what it does."""
    async with opened(tmp_path / "svc.db") as store:
        names = [
            await store.write(lambda _: current_thread().name),
            await store.read(lambda _: current_thread().name),
            await store.read_long(lambda _: current_thread().name),
        ]

    assert ["svc writer", "svc reader", "svc long reader"] == names


async def test_the_connections_are_set_up(tmp_path: Path) -> None:
    """A write-ahead log, a sync at each commit, foreign keys, five seconds of patience."""
    asked = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5_000}

    def settings(conn: Connection) -> dict[str, object]:
        return {name: conn.exec_driver_sql(f"PRAGMA {name}").scalar() for name in asked}

    async with opened(tmp_path / "svc.db") as store:
        assert asked == await store.read(settings)
        assert asked == await store.read_long(settings)
        assert asked == await store.write(lambda tx: settings(tx.conn))


async def test_only_the_owner_can_read_the_files(tmp_path: Path) -> None:
    """The directory and every file in it are closed to other users."""
    async with opened(tmp_path / "data" / "svc.db") as store:
        await store.write(add, 1)
        modes = {
            path.name: stat.filemode(path.stat().st_mode)
            for path in [tmp_path / "data", *(tmp_path / "data").iterdir()]
        }

    files = ("svc.db", "svc.db-shm", "svc.db-wal", "svc.db.lock")
    assert {"data": "drwx------"} | dict.fromkeys(files, "-rw-------") == modes


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are seen as Linux shows them")
async def test_temporary_files_are_beside_the_data(tmp_path: Path) -> None:
    """Also where neither /tmp nor /var/tmp can be written to, or they are small; nothing of them stays."""
    place = tmp_path / "it's mine"

    def open_files(tx: Tx) -> list[str]:
        many = (
            "WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many LIMIT 500)"
            " INSERT INTO large SELECT zeroblob(4000) FROM many"
        )
        for statement in ("CREATE TEMP TABLE large (content)", "PRAGMA temp.cache_size = 1", many):
            tx.conn.exec_driver_sql(statement).close()
        found = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        tx.conn.exec_driver_sql("DROP TABLE large").close()
        return found

    async with opened(place / "svc.db") as store:
        found = await store.write(open_files)

    assert [name for name in found if name.startswith(f"{place}/etilqs_")]
    assert {"svc.db", "svc.db.lock"} == {path.name for path in place.iterdir()}


async def test_one_process_can_have_the_data(tmp_path: Path) -> None:
    """Opening what another process has open is refused, with its number; its death, however, frees it."""
    path = tmp_path / "svc.db"
    async with trio.open_nursery() as nursery:
        command = [sys.executable, "-c", HOLDER, str(path)]
        run = partial(trio.run_process, command, stdout=subprocess.PIPE, check=False)
        holder: trio.Process = await nursery.start(run)
        assert holder.stdout is not None
        async for _ in holder.stdout:
            break  # it says that it has opened the data

        with pytest.raises(StoreInUse, match=rf"svc\.db is in use by process {holder.pid}: stop it first"):
            async with opened(path):
                pass
        holder.kill()

    async with opened(path) as store:
        assert [] == await store.read(ids)


async def test_opening_twice_in_one_process_is_refused_too(tmp_path: Path) -> None:
    """The lock holds against the same program as well, and is free after the close."""
    async with opened(tmp_path / "svc.db") as store:
        with pytest.raises(StoreInUse):
            async with opened(tmp_path / "svc.db"):
                pass
        assert 1 == await store.write(add, 1)

    async with opened(tmp_path / "svc.db") as store:
        assert [1] == await store.read(ids)


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """Something else at the path is left alone, with a message that names it."""
    path = tmp_path / "svc.db"
    path.write_text("name,email\n" * 100)

    with pytest.raises(StoreFailed, match=r"svc\.db cannot be opened: file is not a database"):
        async with opened(path):
            pass

    assert "name,email\n" * 100 == path.read_text()


async def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """A directory that cannot be made is an error of the store, with the path in it."""
    (tmp_path / "data").write_text("")

    with pytest.raises(StoreFailed, match=r"data/svc\.db cannot be opened"):
        async with opened(tmp_path / "data" / "svc.db"):
            pass


async def test_opening_that_fails_lets_go_of_everything(tmp_path: Path) -> None:
    """When the schema cannot be prepared, the error passes, and the data is free again."""

    def refuse(_: Connection) -> None:
        raise StoreError

    with pytest.raises(StoreError):
        async with open_store(tmp_path / "svc.db", WallClock(), prepare=refuse):
            pass

    async with opened(tmp_path / "svc.db"):
        pass


async def _told_and_there(store: Store, sizes: dict[int, int]) -> tuple[list[int], list[int]]:
    """Hand in a unit for each key, with the size of its row; which were told as done, and which are there."""
    told = []

    async def write(key: int, size: int) -> None:
        with suppress(OperationalError, StoreFailed):
            told.append(await store.write(add, key, size))

    async with trio.open_nursery() as nursery:
        for key, size in sizes.items():
            nursery.start_soon(write, key, size)
    return sorted(told), await store.read(ids)


async def test_a_full_database_refuses_what_does_not_fit(tmp_path: Path) -> None:
    """When the disk is full, units that are reported as done are stored, and the writer continues."""
    async with opened(tmp_path / "svc.db") as store:
        await store.write(lambda tx: tx.conn.exec_driver_sql("PRAGMA max_page_count = 32").close())

        with capture_logs():
            told, there = await _told_and_there(store, {1: 10, 2: 1_000_000, 3: 10})
        assert told == there
        assert 2 not in told

        assert 4 == await store.write(add, 4)


@contextmanager
def _files_limited_to(size: int) -> Iterator[None]:
    """Writing beyond *size* bytes of any file fails, which to SQLite is an I/O error."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_an_error_of_the_disk_loses_the_batch_and_not_the_writer(tmp_path: Path) -> None:
    """When writing fails, no unit is reported as done, nothing is stored, and later writes succeed."""
    async with opened(tmp_path / "svc.db") as store:
        await store.write(add, 1)
        with capture_logs(), _files_limited_to(256 * 1024):
            told, there = await _told_and_there(store, {2: 10, 3: 1_000_000, 4: 10})

        assert ([], [1]) == (told, there)
        assert 5 == await store.write(add, 5)
        assert [1, 5] == await store.read(ids)

    async with opened(tmp_path / "svc.db") as store:
        assert [1, 5] == await store.read(ids)


async def test_a_store_that_cannot_write_says_so_and_finds_out_when_it_can(tmp_path: Path) -> None:
    """While the disk fails, an empty unit fails too; once it takes writes, that shows without other work."""
    async with opened(tmp_path / "svc.db") as store:
        await store.write(add, 1)
        with capture_logs(), _files_limited_to(0):
            with pytest.raises(StoreFailed, match="the data cannot be written: the disk fails") as failed:
                await store.write(add, 2)
            with pytest.raises(StoreFailed):
                await store.write(lambda _: None)
            failing = store.statistics()
        with capture_logs():
            await store.write(lambda _: None)

        assert ("the disk fails", None) == (failing.failure, store.statistics().failure)
        assert 5 == failed.value.retry_after_seconds
        assert [1] == await store.read(ids)


def end_thread(store: Store, lane: str) -> None:
    """Have a thread of the store end before its next job, as nothing ever should."""
    assert isinstance(store, GroupCommitStore)
    lanes: dict[str, Any] = {
        "writer": store.queues[0].lane,
        "reader": store.reader._lane,
        "long reader": store.long_reader._lane,
    }
    lanes[lane]._connection._tx.put_nowait((None, lambda: _STOP_RUNNING_SENTINEL))


async def serve_without(path: Path, lane: str, outcomes: list[Exception]) -> None:
    """Open the store, lose a thread of it, use it all the same, and wait for ever."""

    async def use(fn: Callable[[], Awaitable[object]]) -> None:
        try:
            with trio.CancelScope(shield=True):
                await fn()
        except (StoreError, ThreadLost) as error:
            outcomes.append(error)

    async with opened(path) as store, trio.open_nursery() as nursery:
        gate = Gate()
        await store.write(add, 1)
        uses: dict[str, Callable[[Callable[..., Any]], Awaitable[object]]] = {
            "writer": store.write,
            "reader": store.read,
            "long reader": store.read_long,
        }
        nursery.start_soon(use, partial(uses[lane], gate.hold))
        await gate.wait_reached()
        end_thread(store, lane)
        for _ in range(3):
            nursery.start_soon(use, partial(uses[lane], lambda _: None))
        await trio.testing.wait_all_tasks_blocked()
        gate.open()
        await trio.sleep_forever()


@pytest.fixture
def collected() -> Iterator[None]:
    """Have what a test leaves unclosed deleted with the test, which expects the warning of Python 3.13."""
    yield
    gc.collect()


@pytest.mark.usefixtures("collected")
@pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")
@pytest.mark.parametrize(
    ("lane", "kind"), [("writer", StoreLost), ("reader", ThreadLost), ("long reader", ThreadLost)]
)
async def test_when_a_thread_ends_by_itself_the_store_closes(
    tmp_path: Path, lane: str, kind: type[Exception]
) -> None:
    """Waiting callers are answered, the block is cancelled, and the error names the thread."""
    outcomes: list[Exception] = []

    with capture_logs() as logs, pytest.raises(StoreFailed, match=rf"the thread of the {lane} of .*svc\.db"):
        await serve_without(tmp_path / "svc.db", lane, outcomes)

    assert [kind] * 3 == [type(one) for one in outcomes]
    assert "a thread of the store has ended by itself; the store closes" in [one["event"] for one in logs]
    async with opened(tmp_path / "svc.db") as store:
        assert [1] == await store.read(ids)
