"""When time will change what there is to hand out, as a pull says it without asking the rows again."""

from typing import Any

import pytest

from svc.domain.channels.limits import LEASE_MS, REPLY_LIFE_MS
from svc.storage.channels import outboxes, reply_batches
from svc.storage.channels.reply_batches import PulledBatch
from svc.storage.store import Tx
from tests.channels import a_connection, a_reply
from tests.town import Town, town

LATER_MS = 10_000


async def pulled(here: Town, connection: Any, most: int = 1) -> tuple[PulledBatch, int | None, int]:
    """What a pull gives, when the rows say that something changes, and the time of the pull."""

    def pull(tx: Tx) -> tuple[PulledBatch, int | None, int]:
        handed = outboxes.pull(tx, connection.id, most)
        assert isinstance(handed, PulledBatch)
        return handed, reply_batches._next_at(tx.conn, connection.id, tx.now, paused=False), tx.now

    return await here.store.write(pull)


async def test_the_lease_is_what_ends_next(autojump_clock):
    """Of the only reply, and of the last of several."""
    async with town() as here:
        connection = await here.store.write(a_connection, here.organization.id)
        await here.store.write(a_reply, connection)
        handed, stored, now = await pulled(here, connection)

        assert (1, now + LEASE_MS) == (len(handed.replies), handed.next_at)
        assert handed.next_at == stored


async def test_an_earlier_lease_ends_first(autojump_clock):
    """That of another conversation's reply, taken before."""
    async with town() as here:
        connection = await here.store.write(a_connection, here.organization.id)
        for conversation in ("chat-1", "chat-2"):
            await here.store.write(a_reply, connection, conversation)
        _, _, first = await pulled(here, connection)
        here.clock.jump(LATER_MS)
        handed, stored, _ = await pulled(here, connection)

        assert (1, first + LEASE_MS) == (len(handed.replies), handed.next_at)
        assert handed.next_at == stored


@pytest.mark.parametrize("before_ms", [LATER_MS, LEASE_MS, LEASE_MS + LATER_MS])
async def test_what_waits_behind_may_expire_before(autojump_clock, before_ms: int):
    """A reply whose hour ends before the lease of the one that it waits for, with it, or after it."""
    async with town() as here:
        connection = await here.store.write(a_connection, here.organization.id)
        for text in ("first", "second"):
            await here.store.write(a_reply, connection, text=text)
        here.clock.jump(REPLY_LIFE_MS - before_ms)
        handed, stored, now = await pulled(here, connection)

        assert 1 == len(handed.replies)
        assert now + min(before_ms, LEASE_MS) == pytest.approx(handed.next_at, abs=100)
        assert handed.next_at == stored


async def test_when_nothing_is_open_nothing_changes(autojump_clock):
    """And a pull is not told to look again."""
    async with town() as here:
        connection = await here.store.write(a_connection, here.organization.id)
        handed, stored, _ = await pulled(here, connection)

        assert ((), None, None) == (handed.replies, handed.next_at, stored)
