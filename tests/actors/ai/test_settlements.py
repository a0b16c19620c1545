"""Settlements: stored however a call ends, and kept while the store refuses them."""

from collections.abc import AsyncIterator

import pytest
import trio

from svc.actors.ai.settlements import RETRY_SECONDS, RETRY_SECONDS_MAX, Settlements
from svc.domain.ai.exits import Exit
from svc.domain.ai.models import Bound
from svc.domain.ai.money import MICRO, Prices
from svc.domain.ai.usage import Usage
from svc.storage.ai import calls, ledger, tables
from svc.storage.ai.calls import AGENT, NewCall, Settlement
from tests.town import Town, town

PRICES = Prices(MICRO, MICRO, MICRO)


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as opened:
        await opened.store.write(ledger.grant, opened.organization.id, 100)
        yield opened


async def a_call(here: Town, settlements: Settlements, *, reserved: bool = True) -> Settlement:
    """A call of 40 that was reserved, or not, and its end after 30."""
    new = NewCall(
        organization_id=here.organization.id,
        key_id=AGENT,
        model="m",
        streamed=True,
        process=settlements.process,
        started_at=here.clock.now(),
    )
    bound = Bound(40, 1, 0, PRICES)
    call = await here.store.write(calls.reserve, new, bound, bound) if reserved else None
    return Settlement(
        new=new,
        call_id=None if call is None else call.id,
        exit=Exit(ended="answered", usage=Usage(30, 0, 0)),
        payer="credits" if reserved else "organization",
        provider="p",
        prices=PRICES,
    )


async def free(here: Town) -> int:
    return await here.store.read(ledger.balance, here.organization.id)


async def test_a_settlement_is_stored_though_the_call_is_cancelled(here: Town, autojump_clock):
    """The client has left, and the task of its call is cancelled: the charge is stored all the same."""
    settlements = Settlements(here.store)
    await settlements.begin()
    ended = await a_call(here, settlements)

    with trio.CancelScope() as scope:
        scope.cancel()
        settled = await settlements.settle(ended)

    assert settled is not None
    assert (30, 70) == (settled.charged, await free(here))


async def test_what_the_store_refuses_is_tried_again(here: Town, autojump_clock):
    """Until it is in, at growing intervals; then the call has one settlement."""
    settlements = Settlements(here.store)
    await settlements.begin()
    async with settlements.live():
        ended = await a_call(here, settlements)
        noted = await a_call(here, settlements, reserved=False)
        async with here.full_disk(tables.ledger):
            refused = await settlements.settle(ended)
            await trio.sleep(3 * RETRY_SECONDS_MAX)
            kept = settlements.kept
        stored = await settlements.settle(noted)
        await trio.sleep(RETRY_SECONDS_MAX + RETRY_SECONDS)

        assert (None, 1, 0) == (refused, kept, settlements.kept)
        assert stored is not None
        assert 70 == await free(here)
        assert 1 == await here.count(tables.ledger, kind="settle")


async def test_what_is_kept_is_tried_once_more_at_the_end(here: Town, autojump_clock):
    """A stop does not wait for the next attempt."""
    settlements = Settlements(here.store)
    await settlements.begin()
    async with settlements.live():
        ended = await a_call(here, settlements)
        async with here.full_disk(tables.ledger):
            await settlements.settle(ended)

    assert (0, 70) == (settlements.kept, await free(here))


async def test_the_next_start_settles_what_was_left(here: Town, autojump_clock):
    """As lost, and charged nothing; a late settlement of it then changes nothing."""
    first = Settlements(here.store)
    await first.begin()
    ended = await a_call(here, first)
    second = Settlements(here.store)

    lost = await second.begin()
    late = await first.settle(ended)
    again = await Settlements(here.store).begin()

    assert (1, 0, 100) == (lost, again, await free(here))
    assert late is not None
    assert 0 == late.charged
    assert ["lost"] == [row.ended for row in await here.rows(tables.calls)]


async def test_there_is_no_call_before_the_beginning(here: Town, autojump_clock):
    """Its row would not say which process has it."""
    with pytest.raises(RuntimeError, match="`begin` comes before"):
        _ = Settlements(here.store).process
