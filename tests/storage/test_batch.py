"""How far a batch goes while others wait: without a store, an event loop or a thread.

Each unit takes a second by the clock of these tests.
"""

from collections.abc import Callable, Iterator

import pytest
from outcome import Error
from sqlalchemy import Connection

from svc.storage.commit.batch import Batch, Fairness, Unit
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.transaction import SQLITE
from svc.storage.store import Sources, StoreFailed, Tx

pytestmark = pytest.mark.sqlite


@pytest.fixture
def conn() -> Iterator[Connection]:
    with make_engine(None).connect() as conn:
        yield conn


class Clock:
    """What batches measure themselves by."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


clock = Clock()


def a_unit(name: str) -> Unit[str]:
    """A unit that returns its name, owned by the first letter of it."""

    def work(_: Tx) -> str:
        clock.now += 1
        return name

    return Unit(name[0], work, 0)


def units(*names: str) -> list[Unit[str]]:
    return [a_unit(name) for name in names]


def batch_of(
    planned: list[Unit[str]],
    *,
    first: int = 0,
    behind: int = 0,
    even: int = 0,
    seconds: float = 0,
    joining: int = 16,
) -> Batch:
    fairness = Fairness(first=first, behind=behind, even=even, seconds=seconds, joining=joining)
    return Batch(planned, {unit.owner for unit in planned}, fairness, Sources(), SQLITE, timer=clock)


def ran(batch: Batch) -> list[str]:
    return [outcome.unwrap() for outcome in batch.outcomes]


def then(unit: Unit[str], do: Callable[[], object]) -> None:
    """Have *unit* do something else as well, as if it happened meanwhile."""
    work = unit.work

    def both(tx: Tx) -> str:
        do()
        return work(tx)

    unit.work = both


def test_what_all_owners_have_alike_runs_whole(conn: Connection) -> None:
    """However long that takes, no owner is ahead of another, and none waits for a second unit of another."""
    batch = batch_of(units("a1", "b1", "a2", "b2"), first=2, even=4)
    batch.commit(conn)

    assert ["a1", "b1", "a2", "b2"] == ran(batch)
    assert not batch.left


def test_what_only_some_have_is_left_when_time_is_up(conn: Connection) -> None:
    """The many of one run as long as the first of each did; what is left then is for the next batch."""
    many = [f"a{number}" for number in range(2, 9)]
    batch = batch_of(units("a1", "b1", "z1", "z2", *many), first=2, behind=2, even=4)
    batch.commit(conn)

    assert ["a1", "b1", "z1", "z2", "a2", "a3", "a4"] == ran(batch)
    assert ["a5", "a6", "a7", "a8"] == [unit.work(Tx(conn, 0, Sources())) for unit in batch.left]


def test_while_there_is_time_all_of_it_runs(conn: Connection) -> None:
    """The limit is one of time, not of units."""
    batch = batch_of(units("a1", "b1", "a2", "a3", "a4", "a5", "a6", "a7"), first=2, even=2, seconds=4)
    batch.commit(conn)

    assert ["a1", "b1", "a2", "a3", "a4", "a5", "a6"] == ran(batch)


def test_one_owner_alone_has_no_limit_of_time(conn: Connection) -> None:
    """Without other waiting owners a shorter batch has no benefit."""
    batch = batch_of(units("a1", "a2", "a3"), first=1, even=3)
    batch.commit(conn)

    assert ["a1", "a2", "a3"] == ran(batch)


def test_a_unit_that_joins_runs_next_and_ends_the_batch(conn: Connection) -> None:
    """Another owner's unit waits for the one that runs, and for no more of a long batch."""
    planned, joining = units("a1", "a2", "a3", "a4", "a5"), a_unit("b1")
    batch = batch_of(planned, first=1, even=5)
    then(planned[2], lambda: batch.join(joining))
    batch.commit(conn)

    assert ["a1", "a2", "a3", "b1"] == ran(batch)
    assert 2 == len(batch.left)


def test_an_owner_joins_once(conn: Connection) -> None:
    """An owner that has a unit in the batch, or one that came before, must not get ahead of that."""
    batch = batch_of(units("a1"))
    again, joining, second = units("a2", "b1", "b2")

    assert [False, True, False] == [batch.join(one) for one in (again, joining, second)]


def test_few_join(conn: Connection) -> None:
    """A batch does not grow without end; and an owner that had no room does not get it with its next unit."""
    batch = batch_of(units("a1"), first=1, even=1, joining=1)
    batch.commit(conn)
    joining, refused, second = units("b1", "c1", "c2")

    assert [True, False, False] == [batch.join(one) for one in (joining, refused, second)]
    assert [joining] == list(batch.joining)


def test_a_lost_batch_loses_what_was_planned(conn: Connection) -> None:
    """Its own units fail; a unit that joined too late is for the next batch."""
    planned, joining = units("a1", "a2"), a_unit("b1")
    batch = batch_of(planned, first=1, even=2)

    def lose() -> None:
        batch.join(joining)
        conn.exec_driver_sql("ROLLBACK")

    then(planned[0], lose)
    batch.commit(conn)

    assert [Error, Error] == [type(outcome) for outcome in batch.outcomes]
    with pytest.raises(StoreFailed):
        batch.outcomes[1].unwrap()
    assert (0, 1) == (len(batch.left), len(batch.joining))


def test_what_was_left_is_not_lost_with_the_batch(conn: Connection) -> None:
    """When the commit of a batch that was cut fails, its rest goes into the next all the same."""
    planned, joining = units("a1", "a2", "a3"), a_unit("b1")
    batch = batch_of(planned, first=1, even=3)

    def join_and_end() -> None:
        batch.join(joining)
        conn.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        conn.exec_driver_sql("INSERT INTO parts VALUES (1)")

    conn.exec_driver_sql("CREATE TABLE wholes (id INTEGER PRIMARY KEY)")
    conn.exec_driver_sql("CREATE TABLE parts (whole REFERENCES wholes (id))")
    conn.commit()
    then(planned[0], join_and_end)
    batch.commit(conn)

    assert ([planned[0], joining], planned[1:]) == (batch.units, batch.left)
    assert [Error, Error] == [type(outcome) for outcome in batch.outcomes]
