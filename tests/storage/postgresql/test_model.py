"""What lanes keep apart: by thousands of random steps at once, and by two units that meet."""

import re
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random
from threading import Event
from typing import Any, Final

import psycopg
import pytest
import trio

from svc.clock import VirtualClock
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import Forbidden
from svc.domain.files.limits import FILE_UNUSED_LIFE_MS
from svc.storage import retention
from svc.storage.ai import calls, ledger
from svc.storage.files import sweeping
from svc.storage.postgresql.store import lane_of, open_store
from svc.storage.store import Store, Tx
from svc.storage.workflows.dispatch import dispatch
from tests.storage.postgresql.model import HISTORY_MS, Model, Place, join, leave, settlement, use
from tests.storage.postgresql.units import START

pytestmark = pytest.mark.postgres

SEED: Final = 20_260_901
STEPS: Final = 10_000
PLACES: Final = 24
"""Organizations: more than there are lanes, so that some share one."""
TASKS: Final = 48
WAIT_SECONDS: Final = 60
"""After which a unit that would wait for good fails."""


@asynccontextmanager
async def modelled(url: str, places: int):
    """A model over the store of the database at *url*."""
    clock = VirtualClock(START)
    async with open_store(url, clock, sealer=Sealer(b"k" * 32)) as store:
        model = Model(store, clock)
        await model.make(places)
        yield model


async def test_whatever_happens_at_once_keeps_every_promise(url: str) -> None:
    """Ledgers are whole, no event has two positions, no used file is gone, and members join as they may."""
    async with modelled(url, PLACES) as model:

        async def take_steps(number: int) -> None:
            chance = Random(SEED + number)
            for _ in range(number, STEPS, TASKS):
                await model.step(chance)

        async with trio.open_nursery() as nursery:
            for number in range(TASKS):
                nursery.start_soon(take_steps, number)
        found = await model.found()
        statistics = model.store.statistics()

    assert [] == found
    assert 0 == statistics.batches_failed
    # Every kind of step came to something.
    assert all(sum(kept) for kept in zip(*map(_kept, model.places), strict=True))


def _kept(place: Place) -> list[int]:
    """How much came of each kind of steps."""
    return [
        place.granted,
        len(place.charges),
        place.recorded,
        len(place.used),
        sum(turn.what == "join" for turn in place.turns),
        sum(turn.what == "leave" for turn in place.turns),
    ]


class Meeting:
    """Two units, of which the first has done its work and not ended when the second is handed in.

    If they are of one lane, the first then ends. Else it ends once the second has, or waits for a row.
    """

    def __init__(self, store: Store, url: str, units: "Units") -> None:
        self._store = store
        self._url = url
        self._is_one_lane = units is in_its_lane
        self._goes_on = Event()
        self._is_there = trio.Event()

    def first(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """*fn*, which stays until the second has come as far as it can."""
        token = trio.lowlevel.current_trio_token()

        def unit(tx: Tx, *args: Any) -> Any:
            result = fn(tx, *args)
            tx.conn.exec_driver_sql("SELECT 1")  # so that what it wrote has reached the server
            token.run_sync_soon(self._is_there.set)
            assert self._goes_on.wait(WAIT_SECONDS)
            return result

        return unit

    async def hold(self, first: Callable[[], Awaitable[Any]], second: Callable[[], Awaitable[Any]]) -> None:
        """Run both; each error is the model's to find."""
        is_done = trio.Event()

        async def run_second() -> None:
            try:
                await second()
            finally:
                is_done.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(first)
            with trio.fail_after(WAIT_SECONDS):
                await self._is_there.wait()
            nursery.start_soon(run_second)
            with trio.fail_after(WAIT_SECONDS), psycopg.connect(self._url, autocommit=True) as looking:
                while not (is_done.is_set() or self._waits(looking)):
                    await trio.lowlevel.checkpoint()
            self._goes_on.set()

    def _waits(self, looking: "psycopg.Connection[Any]") -> bool:
        """Whether the second unit has come as far as it can, other than to its end."""
        if self._is_one_lane:
            return self._store.statistics().queue_depth > 0
        return looking.execute(_LOCKED).fetchone() is not None


_LOCKED: Final = """
    SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"""


Units = Callable[[Store, Place], Any]
"""The owner's units under which the second of two units runs."""


def in_its_lane(store: Store, place: Place) -> Any:
    return store.of(place.id)


def outside_its_lane(store: Store, place: Place) -> Any:
    """Of another owner, whose lane is another one."""
    return store.of(next(f"org_{n}" for n in range(99) if lane_of(f"org_{n}") != lane_of(place.id)))


async def grant_beside_settlement(model: Model, place: Place, meeting: Meeting, units: Units) -> None:
    """A grant reads the balance that a settlement is about to change."""
    await model.grant(Random(SEED), place)
    await model.reserve(Random(SEED), place)
    call = place.open.pop()
    assert call.reserved  # so the settlement gives something back

    async def settle() -> None:
        settling = meeting.first(calls.settle)
        units = model.store.of(place.id)
        place.charges[call.id] = (await units.write(settling, settlement(call, 0))).charged

    async def grant() -> None:
        await units(model.store, place).write(ledger.grant, place.id, 1)
        place.granted += 1

    await meeting.hold(settle, grant)


async def pruning_beside_dispatch(model: Model, place: Place, meeting: Meeting, units: Units) -> None:
    """A pruning reads the row in which a dispatch is about to count, and writes it again."""
    await model.happen(Random(SEED), place)
    await model.dispatch(Random(SEED), place)
    model.clock.jump(HISTORY_MS)
    overdue = await model.store.read(retention.find, model.clock.now(), HISTORY_MS)
    assert overdue is not None
    [(_, rows)] = overdue.by_owner.items()
    await model.happen(Random(SEED), place)

    async def count() -> None:
        await model.store.of(place.id).write(meeting.first(dispatch), place.id)

    async def prune() -> None:
        await units(model.store, place).write(retention.prune, overdue.number, rows, HISTORY_MS)

    await meeting.hold(count, prune)


async def sweep_beside_use(model: Model, place: Place, meeting: Meeting, units: Units) -> None:
    """A sweep finds that nothing uses a file that is just being taken into use."""
    await model.upload(Random(SEED), place)
    model.clock.jump(FILE_UNUSED_LIFE_MS)
    [file_id] = place.files

    async def take() -> None:
        assert await model.store.of(place.id).write(meeting.first(use), place.id, file_id, "rec_1")
        place.used["rec_1"] = file_id

    async def sweep() -> None:
        await units(model.store, place).write(sweeping.sweep_unused, place.id, [file_id])

    await meeting.hold(take, sweep)


async def joining_beside_removal(model: Model, place: Place, meeting: Meeting, units: Units) -> None:
    """Somebody joins by the invitation of a member who is just being removed."""
    store = model.store
    for _ in range(2):
        await model.invite(Random(SEED), place)
    await model.join(Random(SEED), place)  # so another Owner is left
    [(token, inviter)] = place.links

    async def remove() -> None:
        place.turns.append(await store.of(place.id).write(meeting.first(leave), place.id, inviter))

    async def join_by_link() -> None:
        owner = store.alone if units is in_its_lane else units(store, place)
        try:
            place.turns.append(await owner.write(join, token, inviter))
        except Forbidden:
            assert units is in_its_lane

    await meeting.hold(remove, join_by_link)


PAIRS: Final = {
    grant_beside_settlement: "does not follow|the sum of each ledger",
    pruning_beside_dispatch: "2 events, and 1 positions|beyond the last",
    sweep_beside_use: "went while rec_1 used it",
    joining_beside_removal: "who had left",
}
"""What two units do to one another where they overlap, and what the model then says."""


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.__name__)
async def test_two_units_that_may_not_overlap_do_not(url: str, pair: Any) -> None:
    """The second waits in its lane for the end of the first, and all is whole."""
    async with modelled(url, 1) as model:
        await pair(model, model.places[0], Meeting(model.store, url, in_its_lane), in_its_lane)

        assert [] == await model.found()


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.__name__)
async def test_the_model_finds_a_unit_outside_its_lane(url: str, pair: Any) -> None:
    """The same two, of which the second runs in another owner's lane: so this is a test of the model."""
    async with modelled(url, 1) as model:
        await pair(model, model.places[0], Meeting(model.store, url, outside_its_lane), outside_its_lane)

        assert re.search(PAIRS[pair], "\n".join(await model.found()))
