"""The EventDispatcher: sets, a store that is full, and events whose announcement was lost."""

import pytest
import trio

from svc.actors import event_dispatcher
from svc.actors.batch_worker import RETRY_MS
from svc.actors.event_dispatcher import REST_MS, EventDispatcher
from svc.domain.locale.times import SECOND_MS
from svc.storage.store import Tx
from svc.storage.webhooks import tables
from svc.storage.workflows.dispatch import dispatch
from tests import tables as root_tables
from tests.actors.imports.test_importer import started
from tests.channels import Receiver
from tests.town import Town, town
from tests.webhooks import a_webhook, happen


async def positions(here: Town) -> list[int | None]:
    return [row.position for row in await here.rows(root_tables.events)]


async def test_under_load_events_are_dispatched_in_sets(autojump_clock):
    """The first at once; what happens within the rest is dispatched together after it."""
    async with town() as here, here.live_system() as system:
        system.outgoing.http = Receiver()
        await here.store.write(a_webhook, here.organization.id)
        for _ in range(10):
            await here.store.write(happen, here.organization.id, "rec_a")
            await trio.sleep(0.01)
        during_the_rest = await positions(here)
        await trio.sleep(REST_MS / SECOND_MS)

        made_at = {row.created_at for row in await here.rows(tables.webhook_deliveries)}
        assert [1, *[None] * 9] == during_the_rest
        assert list(range(1, 11)) == await positions(here)
        assert 2 == len(made_at)


async def test_what_was_not_announced_is_found(autojump_clock):
    """A crash lost it: the Reconciler's next round wakes the dispatcher, and the Webhook."""
    async with town() as here, here.live_system() as system:
        system.outgoing.http = Receiver()
        await here.store.write(a_webhook, here.organization.id)
        await here.store.write(_happen_quietly, here.organization.id)
        await trio.sleep(61)

        assert [1] == await positions(here)
        assert 1 == await here.count(tables.webhook_attempts)


async def test_a_full_disk_delays_events_and_loses_none(autojump_clock):
    """Dispatch goes on when the disk takes work again, each event once."""
    async with town() as here, here.live_system() as system:
        system.outgoing.http = Receiver()
        await here.store.write(a_webhook, here.organization.id)
        async with here.full_disk(tables.webhook_deliveries):
            await here.store.write(happen, here.organization.id, "rec_a", "rec_b")
            await trio.sleep(5)
            delayed = await positions(here)
        await trio.sleep(2 * RETRY_MS / SECOND_MS)

        assert [None, None] == delayed
        assert [1, 2] == await positions(here)
        assert 2 == await here.count(tables.webhook_deliveries)


@pytest.mark.parametrize("others", [False, True])
async def test_a_backlog_makes_way_for_requests(autojump_clock, monkeypatch: pytest.MonkeyPatch, others):
    """Alone it is dispatched without a pause; beside requests fewer at a time, with one after each."""
    monkeypatch.setattr(event_dispatcher, "DISPATCH_DELIVERIES_MAX", 8)
    monkeypatch.setattr(event_dispatcher, "DISPATCH_DELIVERIES_SHARED", 4)
    async with town() as here:
        await here.store.write(a_webhook, here.organization.id)
        async with here.live_system() as system, trio.open_nursery() as requests:
            system.outgoing.http = Receiver()
            if others:
                requests.start_soon(_ask_often, here)
            await here.store.write(happen, here.organization.id, "rec_a")
            await trio.sleep(2)
            await here.store.write(happen, here.organization.id, *(f"rec_{number}" for number in range(23)))
            await trio.sleep(1.2)
            dispatched = sum(position is not None for position in await positions(here))
            await trio.sleep(10)
            requests.cancel_scope.cancel()

            assert dispatched == (13 if others else 24)
            assert list(range(1, 25)) == sorted(place for place in await positions(here) if place)


async def test_a_backlog_makes_way_for_the_import_that_makes_it(autojump_clock):
    """There is a pause after each batch while it runs, so that what follows from it takes a share alone."""
    async with town() as here:
        await here.store.write(a_webhook, here.organization.id)
        await here.store.write(happen, here.organization.id, "rec_a", "rec_b", "rec_c")
        alone = await here.store.write(dispatch, here.organization.id, 1)
        await here.store.write(started, here.organization.id, b"name\nAda\n")
        beside = await here.store.write(dispatch, here.organization.id, 1)
        last = await here.store.write(dispatch, here.organization.id, 100)

        assert (True, False) == (alone.more, alone.import_runs)
        assert (True, True) == (beside.more, beside.import_runs)
        assert (False, False) == (last.more, last.import_runs)


async def _ask_often(here: Town) -> None:
    """As many requests would."""
    while True:
        await here.store.read(lambda _conn: None)
        await trio.sleep(0.01)


async def test_a_fault_of_ours_is_retried_with_backoff(autojump_clock, monkeypatch: pytest.MonkeyPatch):
    """It stops no actor, and operators see how often in a row."""
    tried: list[float] = []

    def fail(_tx: Tx, _organization_id: str, **_: object) -> None:
        tried.append(trio.current_time())
        raise RuntimeError("a fault of ours")

    async with town() as here, here.live_system() as system:
        monkeypatch.setattr(event_dispatcher, "dispatch", fail)
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(20)
        snapshot = await EventDispatcher(system, here.organization.id).snapshot()

    assert [0, 2, 6, 14] == [round(at - tried[0]) for at in tried]
    assert 4 == snapshot["faults"]


def _happen_quietly(tx: Tx, organization_id: str) -> None:
    happen(tx, organization_id, "rec_a")
    tx.changes.clear()
