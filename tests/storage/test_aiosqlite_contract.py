"""What our connection relies on in aiosqlite, private names included: a new version must pass this first."""

import inspect
import sqlite3
from functools import partial
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

import aiosqlite
import aiosqlite.core
import pytest
import trio
import trio.testing
from outcome import Value

from svc.storage.sqlite import _aiosqlite_trio
from svc.storage.sqlite._aiosqlite_trio import ThreadLost

pytestmark = pytest.mark.sqlite


class Report:
    """Stands where aiosqlite expects an asyncio future, and keeps what its thread does with it."""

    def __init__(self) -> None:
        self.reported: SimpleQueue[tuple[Any, ...]] = SimpleQueue()

    def get_loop(self) -> "Report":
        return self

    def call_soon_threadsafe(self, *call: Any) -> None:
        self.reported.put(call)


def connect() -> sqlite3.Connection:
    return sqlite3.connect(":memory:")


def test_the_constructor_takes_a_connector_and_a_chunk_size() -> None:
    """It makes the queue and the thread, not yet started, and no connection."""
    parameters = list(inspect.signature(aiosqlite.Connection.__init__).parameters)
    connection = aiosqlite.Connection(connect, 64)

    assert ["self", "connector", "iter_chunk_size"] == parameters[:3]
    assert isinstance(connection._tx, SimpleQueue)
    assert isinstance(connection._thread, Thread)
    assert not connection._thread.is_alive()
    assert connection._running
    assert connection._connection is None
    assert connect is connection._connector


def test_the_thread_takes_a_future_and_a_function() -> None:
    """It calls the function and reports through the loop of the future, in the order of the queue."""
    connection = aiosqlite.Connection(connect, 64)
    connection._thread.start()
    report: Any = Report()
    error = ValueError()

    def fail() -> None:
        raise error

    connection._tx.put_nowait((report, lambda: 7))
    connection._tx.put_nowait((report, fail))
    connection._tx.put_nowait((report, lambda: aiosqlite.core._STOP_RUNNING_SENTINEL))
    connection._thread.join(10)

    assert not connection._thread.is_alive()
    assert (aiosqlite.core.set_result, report, 7) == report.reported.get_nowait()
    assert (aiosqlite.core.set_exception, report, error) == report.reported.get_nowait()
    assert aiosqlite.core.set_result is report.reported.get_nowait()[0]


def test_a_report_asks_whether_the_future_is_done_and_sets_it() -> None:
    """`set_result` and `set_exception` use `done()` and the method of their own name."""
    calls: list[tuple[str, object]] = []

    class Future:
        def done(self) -> bool:
            return False

        def set_result(self, result: object) -> None:
            calls.append(("result", result))

        def set_exception(self, error: object) -> None:
            calls.append(("exception", error))

    future: Any = Future()
    error = ValueError()
    aiosqlite.core.set_result(future, 7)
    aiosqlite.core.set_exception(future, error)

    assert [("result", 7), ("exception", error)] == calls


async def test_its_own_methods_work_on_trio() -> None:
    """What is built on `_execute`, `_connect` and `stop` runs under Trio unchanged."""
    async with _aiosqlite_trio.Connection(connect, name="test") as connection:
        await connection.execute("CREATE TABLE t (id INTEGER)")
        await connection.executemany("INSERT INTO t VALUES (?)", [(1,), (2,)])
        await connection.commit()
        async with connection.execute("SELECT id FROM t ORDER BY id") as cursor:
            rows = [row async for row in cursor]

    assert [(1,), (2,)] == rows
    await trio.to_thread.run_sync(connection._thread.join)
    with pytest.raises(ValueError, match="no active connection"):
        await connection.execute("SELECT 1")


async def test_a_connection_that_fails_to_open_ends_its_thread() -> None:
    """The connector's error passes, and no thread is left."""

    def refuse() -> sqlite3.Connection:
        raise sqlite3.OperationalError("no")

    connection = _aiosqlite_trio.Connection(refuse, name="test")
    with pytest.raises(sqlite3.OperationalError, match="no"):
        await connection

    await trio.to_thread.run_sync(connection._thread.join)


async def test_a_job_that_is_reported_twice_is_answered_once() -> None:
    """Should the thread fail right after it has reported a job, it reports that job once more."""
    told: list[object] = []
    async with _aiosqlite_trio.Connection(connect, name="test") as connection:
        connection.submit(lambda: 7, told.append)
        ticket = connection._untold[-1]
        await connection.run(lambda: None)

        aiosqlite.core.set_exception(ticket, ValueError())  # type: ignore[arg-type]
        await connection.run(lambda: None)

    assert [Value(7)] == told


async def test_when_its_thread_ends_by_itself_what_is_left_is_answered() -> None:
    """Jobs in its queue raise, the owner is notified once, and closing does not wait."""
    lost: list[str] = []
    told: list[object] = []
    gate = Event()

    async def run() -> None:
        try:
            await connection.run(lambda: None)
        except ThreadLost as error:
            told.append(error)

    # Its own thread, which is lost, would close it.
    opened = sqlite3.connect(":memory:", check_same_thread=False)
    connection = _aiosqlite_trio.Connection(lambda: opened, name="test", lost=lambda: lost.append("test"))
    await connection
    async with trio.open_nursery() as nursery:
        connection.submit(partial(gate.wait, 10), told.append)
        connection._tx.put_nowait((None, lambda: aiosqlite.core._STOP_RUNNING_SENTINEL))
        for _ in range(3):
            nursery.start_soon(run)
        await trio.testing.wait_all_tasks_blocked()
        gate.set()

    assert [Value, *[ThreadLost] * 3] == [type(one) for one in told]
    assert (["test"], True) == (lost, connection.is_lost)
    with pytest.raises(ThreadLost, match="'test' has ended"):
        await connection.run(lambda: None)
    await connection.close()
    opened.close()


def test_a_run_that_ends_without_closing_leaves_a_warning_and_no_thread() -> None:
    """A forgotten connection warns, and its thread stops though no loop hears of it."""
    forgotten: list[aiosqlite.Connection] = []

    async def forget() -> None:
        forgotten.append(await _aiosqlite_trio.Connection(connect, name="test"))

    trio.run(forget)
    thread = forgotten[0]._thread
    with pytest.warns(ResourceWarning, match="deleted before being closed"):
        forgotten.clear()

    thread.join(10)
    assert not thread.is_alive()
    assert thread.daemon
