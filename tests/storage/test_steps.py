"""Work in steps: a unit does as much as it has time for, so that others' writes go on in between."""

from collections.abc import Callable
from itertools import count

import pytest

from svc.storage import steps
from svc.storage.commit.batch import STEPS_SECONDS, Batch, Fairness, Unit
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.transaction import SQLITE
from svc.storage.store import Sources, Tx

pytestmark = pytest.mark.sqlite

Work = Callable[[Tx], int]


def numbers_of_steps(*units: Work, seconds_a_look: float) -> list[int]:
    """What each unit of one batch returns, where the writer's clock goes on with every look at it."""
    looks = count()
    planned = [Unit(f"org_{number}", work, 0) for number, work in enumerate(units)]
    fairness = Fairness(0, len(units), len(units), seconds=0.0, joining=0)
    batch = Batch(planned, set(), fairness, Sources(), SQLITE, timer=lambda: next(looks) * seconds_a_look)
    with make_engine(None).connect() as conn:
        batch.commit(conn)
    return [outcome.unwrap() for outcome in batch.outcomes]


def many_steps(tx: Tx) -> int:
    """Take a step for as long as there is time."""
    taken = 1
    while tx.has_time():
        taken += 1
    return taken


def test_a_unit_stops_once_its_time_is_over():
    """However much there is to do, it holds up the batch for that long and one step."""
    [taken] = numbers_of_steps(many_steps, seconds_a_look=STEPS_SECONDS / 4)

    assert taken <= 4


def test_units_of_one_batch_share_the_time():
    """Of many such units, those behind the first take a step each: together they hold it up hardly longer."""
    first, *others = numbers_of_steps(many_steps, many_steps, many_steps, seconds_a_look=STEPS_SECONDS / 4)

    assert first > 1
    assert [1, 1] == others


def test_steps_go_on_where_they_stopped():
    """A step with more to do is taken up again, and the others are not skipped."""
    done: list[str] = []

    def step(name: str, times: int) -> steps.Step:
        left = iter([True] * (times - 1))

        def take(tx: Tx) -> bool:
            done.append(name)
            return next(left, False)

        return take

    all_steps = [step("a", 2), step("b", 1), step("c", 2)]

    def one(tx: Tx) -> None:
        tx.has_time = lambda: False
        places: list[int | None] = []
        place: int | None = 0
        while place is not None:
            place = steps.run(tx, all_steps, place)
            places.append(place)
        done.append(str(places))

    with make_engine(None).connect() as conn:
        one(Tx(conn, 0, Sources()))

    assert ["a", "a", "b", "c", "c", "[0, 1, 2, 2, None]"] == done
