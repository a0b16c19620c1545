"""Clients that leave while the disk has what they asked for: what is remembered is what is stored."""

from typing import Any

import pytest
import trio

from svc.domain.errors import TooManyAttempts
from svc.domain.identity.limits import PAIR_FAILURES_MAX
from svc.services.identity import sign_in
from svc.services.identity.sign_in import Browser
from svc.storage.identity import api_keys
from tests import tables
from tests.channels import channel_town
from tests.disk import Disk
from tests.people import call_of
from tests.tooling import PASSWORD, tool_town

STALL_SECONDS = 5
BROWSER = Browser("192.0.2.1", "test")


async def test_a_pull_that_comes_again_gets_what_the_first_one_took(autojump_clock):
    """Though the first is not on disk yet when the second comes: one key, one answer, nothing else taken."""
    async with channel_town() as here:
        await here.write_reply("chat-1")
        await here.write_reply("chat-2")
        disk = Disk(here.store)
        disk.seconds = STALL_SECONDS
        with trio.move_on_after(1):
            await here.ask("channel.outbox.pull", {"limit": 1}, idempotency_key="p-1")
        answers: list[Any] = []

        async def ask_again() -> None:
            answers.append(await here.ask("channel.outbox.pull", {"limit": 1}, idempotency_key="p-1"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask_again)
            await trio.sleep(1)
            disk.seconds = 0
        other = await here.ask("channel.outbox.pull", {"limit": 2}, idempotency_key="p-1")
        [left] = await here.pull()

        [again] = answers
        assert "true" == again.headers["idempotent-replayed"]
        assert ["chat-1"] == [one["conversationId"] for one in again.json()["replies"]]
        assert ("chat-2", 422) == (left["conversationId"], other.status_code)


async def test_a_tool_call_that_comes_again_is_answered_as_the_first(autojump_clock):
    """Its effect is there once, though its caller left in the middle of it."""
    async with tool_town() as here:
        asked = {"objectType": "contact", "properties": {"name": "Ada"}}
        disk = Disk(here.store)
        disk.seconds = STALL_SECONDS
        with trio.move_on_after(1):
            await here.call("record.create", asked, idempotency_key="k-1")
        again = await here.call("record.create", asked, idempotency_key="k-1")

        assert "true" == again.headers["idempotent-replayed"]
        assert (1, 1) == (await here.count(tables.records), await here.count(tables.idempotency))


async def test_a_revoked_key_stops_though_its_revoker_left(autojump_clock):
    """From the commit on, the Organization judges by what is on disk, also if the client has left."""
    async with tool_town() as here:
        key = await here.mint()
        before = await here.call("record.list", {"objectType": "contact"}, key=key)
        [_, row] = await here.rows(tables.api_keys)
        call = call_of(here.owner, here.organization.id, confirmed_at=here.clock.now())
        disk = Disk(here.store)
        disk.seconds = STALL_SECONDS
        with trio.move_on_after(1):
            await here.store.write(api_keys.revoke, call, row.id)
        on_its_way = await here.call("record.list", {"objectType": "contact"}, key=key)
        await trio.sleep(STALL_SECONDS)
        after = await here.call("record.list", {"objectType": "contact"}, key=key)

        assert [200, 200, 401] == [one.status_code for one in (before, on_its_way, after)]


async def test_right_passwords_are_not_counted_when_the_client_leaves(autojump_clock):
    """A client that leaves while its session is being stored has not guessed wrong."""
    async with tool_town() as here:
        disk = Disk(here.store)
        for _ in range(2 * PAIR_FAILURES_MAX):
            disk.seconds = STALL_SECONDS
            with trio.move_on_after(1):
                await sign_in.with_password(here.system, "owner@example.com", PASSWORD, BROWSER)
            disk.seconds = 0
            await trio.sleep(STALL_SECONDS)
        signed_in = await sign_in.with_password(here.system, "owner@example.com", PASSWORD, BROWSER)

        assert here.owner == signed_in.profile.person
        assert 0 == await here.count(tables.sign_in_failures)


async def test_wrong_passwords_are_counted_when_the_client_leaves(autojump_clock):
    """A client that leaves before it hears that it was wrong gets no more guesses."""
    async with tool_town() as here:
        disk = Disk(here.store)
        for _ in range(PAIR_FAILURES_MAX):
            disk.seconds = STALL_SECONDS
            with trio.move_on_after(1):
                await sign_in.with_password(here.system, "owner@example.com", "wrong", BROWSER)
            disk.seconds = 0
            await trio.sleep(STALL_SECONDS)
        with pytest.raises(TooManyAttempts):
            await sign_in.with_password(here.system, "owner@example.com", PASSWORD, BROWSER)

        assert PAIR_FAILURES_MAX == await here.count(tables.sign_in_failures)
