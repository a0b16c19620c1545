"""What a unit of work takes from its transaction: ids, random bytes, and the time."""

import random
from pathlib import Path

import pytest
from trio.testing import MockClock

from svc.clock import VirtualClock
from svc.domain.changes import Change, DeliveriesDue
from svc.domain.ids import time_of
from svc.domain.locale.times import DAY_MS
from svc.storage.sqlite.inline import create_tables, inline_store
from svc.storage.sqlite.store import open_store
from svc.storage.store import Tx
from tests.town import START

pytestmark = pytest.mark.sqlite


def make(tx: Tx) -> str:
    """An id, which is announced."""
    made = tx.new_id("rec")
    tx.announce(DeliveriesDue(made))
    return made


def make_some(tx: Tx) -> list[str]:
    """Ids of yesterday, of today, and of yesterday again."""
    yesterday = tx.at(tx.now - DAY_MS)
    return [make(yesterday), make(tx), make(yesterday)]


def draw(tx: Tx) -> tuple[bytes, str]:
    """Random bytes, and the random part of an id."""
    return tx.random(8), tx.new_id("rec")[-16:]


def made_at(made: str) -> int:
    return time_of(made.removeprefix("rec_"))


async def test_a_unit_at_another_time_is_the_same_unit(autojump_clock: MockClock) -> None:
    """Its ids sort as they were made, and what it announces is announced with the rest, in that order."""
    async with inline_store(VirtualClock(START)) as store:
        told: list[Change] = []
        store.listen(told.append)
        made = await store.write(make_some)

    assert sorted(made) == made
    assert [START - DAY_MS, START, START] == [made_at(one) for one in made]
    assert [DeliveriesDue(one) for one in made] == told


async def test_stores_of_one_process_have_ids_of_their_own(autojump_clock: MockClock) -> None:
    """A store whose time is ahead does not move the ids of another one on."""
    async with (
        inline_store(VirtualClock(START + DAY_MS)) as ahead,
        inline_store(VirtualClock(START)) as store,
    ):
        await ahead.write(make)

        assert START == made_at(await store.write(make))


@pytest.mark.parametrize("kind", ["file", "inline"])
async def test_ids_and_random_bytes_are_made_of_the_source_of_the_store(kind: str, tmp_path: Path) -> None:
    """Units that are given the same source and time draw the same; with another one, other things."""
    drawn = []
    for number, seed in enumerate((1, 1, 2)):
        clock, source = VirtualClock(START), random.Random(seed).randbytes
        path = tmp_path / f"{number}.db"
        made = open_store(path, clock, prepare=create_tables, random=source)
        async with made if kind == "file" else inline_store(clock, random=source) as store:
            drawn.append(await store.write(draw))

    assert drawn[0] == drawn[1]
    assert not {*drawn[0]} & {*drawn[2]}
