"""What every store does: the one over a file with its threads, and the inline ones of the tests of time."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from outcome import Outcome
from sqlalchemy import Column, Connection, ForeignKey, Integer, MetaData, Table, Text, insert, select
from sqlalchemy.exc import IntegrityError, OperationalError
from structlog.testing import capture_logs
from trio.testing import MockClock

from svc.clock import VirtualClock
from svc.domain.changes import Change, DeliveriesDue
from svc.request_id import request_id, set_request_id
from svc.storage.commit.batch import Batch, Unit
from svc.storage.commit.commit_queue import BEHIND_ALONE_MAX, BEHIND_UNITS_MAX, CommitQueue
from svc.storage.commit.group_commit import GroupCommitStore
from svc.storage.commit.slot import Slot
from svc.storage.sqlite.inline import create_tables, inline_store
from svc.storage.sqlite.store import open_store
from svc.storage.store import Store, StoreClosed, StoreFailed, StoreFull, StoreLost, Tx

pytestmark = pytest.mark.sqlite

START = 1_790_000_000_000

tables = MetaData()
rows = Table("rows", tables, Column("id", Integer, primary_key=True), Column("text", Text))
parts = Table(
    "parts",
    tables,
    Column("id", Integer, primary_key=True),
    Column("row", ForeignKey("rows.id", deferrable=True, initially="DEFERRED")),
)
prepare = partial(create_tables, tables=tables)

OpenStore = Callable[..., AbstractAsyncContextManager[Store]]


def added(key: int) -> Change:
    """What the unit that adds a row announces."""
    return DeliveriesDue(str(key))


class Refused(Exception):
    pass


def add(tx: Tx, key: int) -> int:
    tx.conn.execute(insert(rows).values(id=key, text=f"row {key}"))
    tx.announce(added(key))
    return key


def add_and_refuse(tx: Tx, key: int, error: BaseException) -> None:
    add(tx, key)
    raise error


def add_orphan(tx: Tx, key: int) -> None:
    """Break a rule that SQLite looks at when it commits."""
    tx.conn.execute(insert(parts).values(id=key, row=-1))


def add_or_end_transaction(tx: Tx, key: int) -> None:
    """Fail, if the row is there, as a full disk may: SQLite ends the whole transaction."""
    tx.conn.execute(insert(rows).prefix_with("OR ROLLBACK").values(id=key))


def ids(conn: Connection) -> list[int]:
    return list(conn.scalars(select(rows.c.id).order_by(rows.c.id)))


async def outcome_of(store: Store, fn: Callable[..., Any], *args: Any) -> Any:
    """What a write returned, or else the error that it raised."""
    try:
        return await store.write(fn, *args)
    except Exception as error:  # noqa: BLE001  # whatever it is, the test looks at it
        return error


async def outcomes_of(store: Store, *units: tuple[Any, ...]) -> list[Any]:
    """The outcomes of writes that were handed in at one moment, in their order."""
    outcomes: dict[int, Any] = {}

    async def write(place: int, unit: tuple[Any, ...]) -> None:
        outcomes[place] = await outcome_of(store, *unit)

    async with trio.open_nursery() as nursery:
        for place, unit in enumerate(units):
            nursery.start_soon(write, place, unit)
    return [outcomes[place] for place in range(len(units))]


@pytest.fixture(params=["file", "inline", "inline file"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    """Opens a store of each kind with the tables of this module."""
    clock, path = VirtualClock(START), tmp_path / "svc.db"
    if request.param == "file":
        return partial(open_store, path, clock, prepare=prepare)
    return partial(inline_store, clock, path if request.param == "inline file" else None, prepare=prepare)


@pytest.fixture
async def store(opened: OpenStore) -> AsyncIterator[Store]:
    async with opened() as store:
        yield store


async def test_a_write_returns_what_its_unit_returned_and_is_read_at_once(store: Store) -> None:
    """After `write` has returned, the next read sees its work."""
    returned = await store.write(add, 7)

    assert 7 == returned
    assert [7] == await store.read(ids)
    assert [7] == await store.read_long(ids)


async def test_arguments_reach_the_function(store: Store) -> None:
    """Positional and keyword arguments are passed on to reads and to writes."""

    def together(_: Tx | Connection, left: str, *, right: str) -> str:
        return left + right

    assert "ab" == await store.read(together, "a", right="b")
    assert "ab" == await store.write(together, "a", right="b")


async def test_a_unit_gets_the_time_when_it_was_handed_in(store: Store, mock_clock: MockClock) -> None:
    """`tx.now` is the clock's time in milliseconds."""
    mock_clock.jump(2.5)

    assert START + 2_500 == await store.write(lambda tx: tx.now)


async def test_a_failing_unit_leaves_nothing_and_its_caller_gets_the_very_exception(store: Store) -> None:
    """What a unit raises passes to its caller unchanged, and its work is undone."""
    error = Refused()

    with pytest.raises(Refused) as raised:
        await store.write(add_and_refuse, 1, error)

    assert error is raised.value
    assert [] == await store.read(ids)


async def test_a_unit_fails_alone(store: Store) -> None:
    """Units of one batch fail by themselves, and the others are committed."""
    error = Refused()

    outcomes = await outcomes_of(store, (add, 1), (add_and_refuse, 2, error), (add, 1), (add, 3))

    assert error is outcomes[1]
    assert [IntegrityError] == [type(one) for one in (outcomes[0], outcomes[2]) if one != 1]
    assert 3 == outcomes[3]
    assert [1, 3] == await store.read(ids)


async def test_units_handed_in_together_are_committed_together(store: Store) -> None:
    """Units of the same moment share one transaction."""
    await outcomes_of(store, *((add, key) for key in range(20)))

    assert (1, 20, 20) == (
        store.statistics().batches,
        store.statistics().batch_units_last,
        store.statistics().units,
    )


async def test_a_batch_has_a_limit(opened: OpenStore) -> None:
    """No more than `batch_max` units share a transaction."""
    async with opened(batch_max=8) as store:
        await outcomes_of(store, *((add, key) for key in range(20)))

        assert (3, 8, 4) == (
            store.statistics().batches,
            store.statistics().batch_units_max,
            store.statistics().batch_units_last,
        )


async def test_the_queue_has_a_limit(opened: OpenStore) -> None:
    """What exceeds the queue is refused, leaves nothing, and the rest is done."""
    async with opened(queue_max=3) as store:
        outcomes = await outcomes_of(store, *((add, key) for key in range(10)))

        done = [one for one in outcomes if not isinstance(one, StoreFull)]
        assert 3 == len(done)
        assert sorted(done) == await store.read(ids)


async def test_a_read_cannot_write(store: Store) -> None:
    """A read that tries to change something fails."""
    with pytest.raises(OperationalError, match="readonly"):
        await store.read(lambda conn: conn.execute(insert(rows).values(id=1)))

    assert [] == await store.read(ids)
    assert 1 == await store.write(add, 1)


async def test_a_failing_read_raises_to_its_caller(store: Store) -> None:
    """What a read raises passes to its caller, and the reader goes on."""

    def refuse(_: Connection) -> None:
        raise Refused

    with pytest.raises(Refused):
        await store.read(refuse)

    assert [] == await store.read(ids)


async def test_changes_are_dispatched_in_order_before_the_caller_goes_on(store: Store) -> None:
    """Listeners have heard of a unit's changes, in the order of the commits, when its write returns."""
    told: list[Change] = []
    store.listen(told.append)

    await store.write(add, 2)
    assert [added(2)] == told
    await store.write(add, 1)
    assert [added(2), added(1)] == told


async def test_a_failed_unit_announces_nothing(store: Store) -> None:
    """The changes of a unit that fails are dropped."""
    told: list[Change] = []
    store.listen(told.append)

    await outcomes_of(store, (add, 1), (add_and_refuse, 2, Refused()))

    assert [added(1)] == told


async def test_a_failing_listener_affects_no_other(store: Store) -> None:
    """A listener that raises is logged; the write and the other listeners go on."""
    told: list[Change] = []

    def broken(_: Change) -> None:
        raise Refused

    store.listen(broken)
    store.listen(told.append)
    with capture_logs() as logs:
        returned = await store.write(add, 1)

    assert 1 == returned
    assert [added(1)] == told
    assert [("listener_failed", "DeliveriesDue")] == [(entry["event"], entry["change"]) for entry in logs]


@pytest.mark.parametrize("error", [Refused(), SystemExit(), KeyboardInterrupt()])
async def test_whatever_a_listener_raises_the_writer_goes_on(store: Store, error: BaseException) -> None:
    """Nothing that a listener raises keeps callers waiting, or the next batch from being written."""

    def broken(_: Change) -> None:
        raise error

    store.listen(broken)
    with capture_logs() as logs:
        assert [1, 2] == await outcomes_of(store, (add, 1), (add, 2))
        assert 3 == await store.write(add, 3)

    assert ["listener_failed"] * 3 == [entry["event"] for entry in logs]


async def test_a_caller_that_cannot_be_answered_holds_up_no_other(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others of its batch are answered, and the next batch is written."""
    slots: list[Slot[int]] = []
    answer = Slot.set

    def fail_first(slot: Slot[int], outcome: Outcome[int]) -> None:
        slots.append(slot)
        if len(slots) == 1:
            raise Refused
        answer(slot, outcome)

    monkeypatch.setattr(Slot, "set", fail_first)
    with capture_logs() as logs:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.write, add, 1)
            await trio.testing.wait_all_tasks_blocked()
            assert [2, 3] == await outcomes_of(store, (add, 2), (add, 3))
            nursery.cancel_scope.cancel()

    assert ["caller_not_answered"] == [entry["event"] for entry in logs]


async def test_figures_that_cannot_be_counted_stop_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Statistics are no reason to stop writing."""

    def fail(*_: object) -> None:
        raise Refused

    monkeypatch.setattr(CommitQueue, "_count", fail)
    with capture_logs() as logs:
        assert [1, 2] == [await store.write(add, 1), await store.write(add, 2)]

    assert ["batch_not_counted"] * 2 == [entry["event"] for entry in logs]


async def test_a_batch_that_breaks_off_is_answered(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the writer itself fails in the middle, all callers learn that the outcome is unknown."""
    run = Batch._run
    broken: list[BaseException] = [KeyboardInterrupt()]

    def fail_once(batch: Batch, unit: Unit[Any], *args: Any) -> None:
        run(batch, unit, *args)
        if broken:
            raise broken.pop()

    monkeypatch.setattr(Batch, "_run", fail_once)
    with capture_logs():
        outcomes = await outcomes_of(store, (add, 1), (add, 2))

    assert [StoreLost, StoreLost] == [type(one) for one in outcomes]
    assert 3 == await store.write(add, 3)
    assert [3] == await store.read(ids)


async def test_a_batch_that_cannot_be_handed_over_is_answered(
    opened: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the writer takes no work, each caller hears of it, and the store closes all the same."""

    def refuse(*_: object) -> None:
        raise Refused

    async with opened() as store:
        assert isinstance(store, GroupCommitStore)
        monkeypatch.setattr(type(store.queues[0].lane), "submit", refuse)
        with capture_logs():
            outcomes = await outcomes_of(store, (add, 1), (add, 2))
        assert [StoreFailed, StoreFailed] == [type(one) for one in outcomes]


async def test_after_a_fault_the_store_is_failing_until_it_has_written(store: Store) -> None:
    """What went wrong stays in the statistics until a commit has reached the disk, even of an empty unit."""
    healthy = store.statistics()
    with capture_logs() as logs:
        await outcomes_of(store, (add_orphan, 1))
        failing = store.statistics()
        await store.write(lambda _: None)
        recovered = store.statistics()

    assert (None, None) == (healthy.failure, healthy.failing_seconds)
    assert ("a transaction was lost", True) == (failing.failure, failing.failing_seconds is not None)
    assert (None, None) == (recovered.failure, recovered.failing_seconds)
    assert ["batch_failed", "batches_succeed_again"] == [entry["event"] for entry in logs]


async def test_a_disk_that_stays_full_is_logged_once_in_a_while(store: Store) -> None:
    """The first lost batch is logged; those that follow within the minute are counted."""
    with capture_logs() as logs:
        for key in range(20):
            await outcomes_of(store, (add_orphan, key))
        await store.write(add, 1)

    assert [("batch_failed", "error"), ("batches_succeed_again", "info")] == [
        (entry["event"], entry["log_level"]) for entry in logs
    ]
    assert 19 == logs[1]["more"]


async def test_a_caller_cancelled_before_handing_in_leaves_nothing(store: Store) -> None:
    """A cancelled caller's unit is not accepted."""
    with trio.CancelScope() as scope:
        scope.cancel()
        await store.write(add, 1)

    assert scope.cancelled_caught
    assert [] == await store.read(ids)


class _CancellingClock:
    """A clock that is asked when a unit is accepted, and then cancels the unit's caller."""

    def __init__(self) -> None:
        self.scope = trio.CancelScope()

    def now(self) -> int:
        self.scope.cancel()
        return START

    wall = now

    def start_from(self, stored: Iterable[int]) -> None:
        """It always reads the same time."""


@pytest.mark.parametrize("kind", ["file", "inline"])
async def test_an_accepted_unit_outlives_its_caller(kind: str, tmp_path: Path) -> None:
    """A cancelled caller's accepted unit commits, and its changes are dispatched."""
    clock = _CancellingClock()
    told: list[Change] = []
    made = open_store(tmp_path / "svc.db", clock, prepare=prepare)
    async with made if kind == "file" else inline_store(clock, prepare=prepare) as store:
        store.listen(told.append)

        with clock.scope:
            await store.write(add, 1)
        assert clock.scope.cancelled_caught

        await store.write(add, 2)
        assert [added(1), added(2)] == told
        assert [1, 2] == await store.read(ids)


async def test_a_failure_of_an_abandoned_unit_is_logged(tmp_path: Path) -> None:
    """The error of a unit whose caller has left goes to the log."""
    clock = _CancellingClock()
    with capture_logs() as logs:
        async with inline_store(clock, prepare=prepare) as store:
            with clock.scope:
                await store.write(add_and_refuse, 1, Refused())

    assert [("abandoned_unit_failed", "Refused")] == [(entry["event"], entry["error"]) for entry in logs]


async def test_a_unit_may_use_savepoints(store: Store) -> None:
    """A part of a unit's work can fail and be undone while the unit goes on."""

    def add_what_is_new(tx: Tx, *keys: int) -> None:
        for key in keys:
            with suppress(IntegrityError), tx.conn.begin_nested():
                add(tx, key)

    await outcomes_of(store, (add, 0), (add_what_is_new, 1, 2, 1, 3), (add, 4))

    assert [0, 1, 2, 3, 4] == await store.read(ids)


async def test_a_failed_commit_fails_the_whole_batch(store: Store) -> None:
    """When COMMIT fails, no unit is reported as done, nothing is stored, and the writer continues."""
    told: list[Change] = []
    store.listen(told.append)
    error = Refused()

    with capture_logs():
        outcomes = await outcomes_of(store, (add, 1), (add_orphan, 1), (add_and_refuse, 2, error), (add, 3))

    assert error is outcomes.pop(2)
    assert [StoreFailed] * 3 == [type(one) for one in outcomes]
    assert 3 == len({id(one) for one in outcomes})
    assert all("FOREIGN KEY" in str(one.__cause__) for one in outcomes)
    assert [] == await store.read(ids)
    assert [] == told
    assert 1 == await store.write(add, 1)


async def test_a_lost_transaction_fails_the_whole_batch(store: Store) -> None:
    """When an error ends the transaction, all of its batch hear of the loss, with that error as the cause."""
    told: list[Change] = []
    await store.write(add, 1)
    store.listen(told.append)

    with capture_logs() as logs:
        outcomes = await outcomes_of(store, (add, 2), (add_or_end_transaction, 1), (add, 3))

    assert [StoreFailed, StoreFailed, StoreFailed] == [type(one) for one in outcomes]
    assert [1] == await store.read(ids)
    assert [] == told
    assert ["batch_failed"] == [entry["event"] for entry in logs]
    assert 2 == await store.write(add, 2)


async def test_a_unit_that_hides_a_lost_transaction_is_not_reported_as_done(store: Store) -> None:
    """A unit that catches the error which ended the transaction fails all the same."""

    def hide(tx: Tx) -> None:
        with pytest.raises(IntegrityError):
            add_or_end_transaction(tx, 1)

    await store.write(add, 1)

    with capture_logs():
        outcomes = await outcomes_of(store, (add, 2), (hide,))

    assert all(isinstance(one, Exception) for one in outcomes)
    assert [1] == await store.read(ids)


async def test_statistics_count_what_was_done(store: Store) -> None:
    """Committed, failed and lost units are counted, and the time that commits took."""
    await store.write(add, 1)
    await outcomes_of(store, (add, 2), (add_and_refuse, 3, Refused()))
    with capture_logs():
        await outcomes_of(store, (add, 4), (add_orphan, 1))

    seen = store.statistics()
    assert (2, 1) == (seen.batches, seen.batches_failed)
    assert (2, 3) == (seen.units, seen.units_failed)
    assert (0, 0) == (seen.queue_depth, seen.reads_waiting)
    assert 0 < seen.commit_seconds_max <= seen.commit_seconds


async def test_a_closed_store_refuses(opened: OpenStore) -> None:
    """Use after the end raises `StoreClosed`, and closing again does nothing."""
    async with opened() as store:
        pass

    await store.aclose()
    with pytest.raises(StoreClosed):
        await store.read(ids)
    with pytest.raises(StoreClosed):
        await store.read_long(ids)
    with pytest.raises(StoreClosed):
        await store.write(add, 1)


@pytest.mark.parametrize("kind", ["file", "inline"])
async def test_closing_finishes_what_was_accepted(kind: str, tmp_path: Path) -> None:
    """While a store closes, each write is either refused or done."""
    path = tmp_path / "svc.db"
    clock = VirtualClock(START)

    def opened() -> AbstractAsyncContextManager[Store]:
        if kind == "file":
            return open_store(path, clock, prepare=prepare)
        return inline_store(clock, path, prepare=prepare)

    async with opened() as closing, trio.open_nursery() as nursery:
        nursery.start_soon(closing.aclose)
        outcomes = await outcomes_of(closing, *((add, key) for key in range(10)))

    done = [one for one in outcomes if not isinstance(one, StoreClosed)]
    async with opened() as again:
        assert done == await again.read(ids)


async def test_an_exception_passes_through_the_context(opened: OpenStore) -> None:
    """What is raised inside leaves as it is, and the store is closed."""
    error = Refused()

    with pytest.raises(Refused) as raised:
        async with opened() as store:
            raise error

    assert error is raised.value
    with pytest.raises(StoreClosed):
        await store.read(ids)


async def test_a_clock_that_jumps_does_not_jump_over_inline_work(autojump_clock: MockClock) -> None:
    """Work of the inline store takes no time by the mock clock, however many tasks wait for it."""
    async with inline_store(VirtualClock(START), prepare=prepare) as store:
        with trio.fail_after(1):
            await outcomes_of(store, *((add, key) for key in range(300)))
            assert 300 == len(await store.read(ids))

        assert 0 == trio.current_time()


async def test_background_units_join_a_few_at_a_time(store: Store) -> None:
    """A pile of `write_behind` takes several commits; a `write` that comes after it is in the first."""
    told: list[Change] = []
    store.listen(told.append)

    async with trio.open_nursery() as nursery:
        for key in range(20):
            nursery.start_soon(store.write_behind, add, key)
        nursery.start_soon(store.write, add, 1_000)

    assert added(1_000) in told[: BEHIND_UNITS_MAX + 1]
    assert 21 == len(told)
    assert store.statistics().batches > 20 // BEHIND_ALONE_MAX


async def test_what_is_done_for_a_request_has_its_id_wherever_it_runs(tmp_path: Path) -> None:
    """In the threads of the store, and in what hears of the commit; each unit of a batch has its own."""
    heard: list[tuple[Change, bytes | None]] = []

    def write(tx: Tx, key: int) -> bytes | None:
        add(tx, key)
        return request_id()

    async with open_store(tmp_path / "svc.db", VirtualClock(START), prepare=prepare) as store:
        store.listen(lambda change: heard.append((change, request_id())))
        found: dict[int, list[bytes | None]] = {}

        async def work(key: int, request: bytes | None) -> None:
            set_request_id(request)
            found[key] = [
                await store.write(write, key),
                await store.read(lambda _: request_id()),
                await store.read_long(lambda _: request_id()),
                request_id(),
            ]

        async with trio.open_nursery() as nursery:
            for key, request in ((1, b"one"), (2, None), (3, b"three")):
                nursery.start_soon(work, key, request)

    assert {1: [b"one"] * 4, 2: [None] * 4, 3: [b"three"] * 4} == found
    assert {(added(1), b"one"), (added(2), None), (added(3), b"three")} == set(heard)
