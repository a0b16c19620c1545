"""Names that no server answers for, and what an organization with a hundred of them costs others: nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from svc.actors.outbound.client import OutboundHttp
from svc.actors.outbound.connection import Connection
from svc.actors.outbound.connector import Connector
from svc.actors.outbound.names import NameLookups
from svc.actors.outbound.target import Target
from svc.domain.identity.organizations import Organization
from svc.domain.net.limits import OUTGOING_LOOKUPS_AT_ONCE
from svc.domain.webhooks.limits import WEBHOOKS_MAX
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.webhooks import attempts, tables
from tests.receivers import LOOPBACK, OK, Resolver
from tests.town import town
from tests.webhooks import HookTown, a_webhook, happen

DEAD = WEBHOOKS_MAX - 1
"""Nearly as many as there are threads."""


class Answering(Connection):
    """A connection to a receiver that answers 200 at once, and closes."""

    def __init__(self, origin: str) -> None:
        self.origin = origin  # type: ignore[misc]  # instead of that of a socket

    def has_spoken_first(self) -> bool:
        return False

    async def send(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()

    async def receive(self) -> bytes:
        await trio.lowlevel.checkpoint()
        return OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")

    def has_read_ahead(self) -> bool:
        return False

    def close(self) -> None:
        """Nothing is open."""


@asynccontextmanager
async def dead_names(
    monkeypatch: pytest.MonkeyPatch, resolver: Resolver
) -> AsyncIterator[tuple[HookTown, Organization]]:
    """A town whose organization has 99 dead webhooks, each with something to send; and another one."""

    async def connect(_self: object, target: Target, _addresses: object) -> Connection:
        return Answering(target.origin)

    monkeypatch.setattr(Connector, "connect", connect)
    async with town() as made:
        here = HookTown(made.store, made.clock, made.organization)
        here.outbound_http = OutboundHttp(LOOPBACK, NameLookups(resolver))
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        for number in range(DEAD):
            url = f"https://n{number}.dead.example/hook"
            await here.store.write(a_webhook, here.organization.id, url=url)
        async with here.live_system() as here.system:
            await here.store.write(happen, here.organization.id, "rec_a", "rec_b", "rec_c")
            await trio.sleep(1)
            yield here, other


async def test_another_organizations_deliveries_arrive_at_once(autojump_clock, monkeypatch):
    """While the resolver hangs at a hundred names, for as long as it does."""
    resolver = Resolver()
    async with dead_names(monkeypatch, resolver) as (here, other):
        webhook = await here.store.write(a_webhook, other.id, url="https://alive.example/hook")
        for _ in range(15):
            await here.store.write(happen, other.id, "rec_x", "rec_y")
            await trio.sleep(1)

        rows = await here.rows(tables.webhook_deliveries, webhook_id=webhook.id)
        assert 30 == len(rows)
        assert {("delivered", 1, 0)} == {(row.state, row.attempts, row.failures) for row in rows}
        assert max(row.done_at - row.created_at for row in rows) <= 1_000
        assert 1 == resolver.asked.count("alive.example")


async def test_an_attempt_that_found_no_thread_is_none(autojump_clock, monkeypatch):
    """A healthy receiver of the same organization waits, and nothing stands against it afterwards."""
    resolver = Resolver()
    async with dead_names(monkeypatch, resolver) as (here, _):
        url = "https://alive.example/hook"
        webhook = await here.store.write(a_webhook, here.organization.id, url=url)
        await here.store.write(happen, here.organization.id, "rec_a")
        await trio.sleep(30)
        [row] = await here.rows(tables.webhook_deliveries, webhook_id=webhook.id)
        assert ("waiting", 0, 0) == (row.state, row.attempts, row.failures)

        resolver.let_go.set()
        await trio.sleep(10)
        [row] = await here.rows(tables.webhook_deliveries, webhook_id=webhook.id)
        assert ("delivered", 1, 0) == (row.state, row.attempts, row.failures)
        [attempt] = (await here.store.read(attempts.history, [row.id]))[row.id]
        assert (200, None) == (attempt.status_code, attempt.error)


async def test_the_history_of_a_dead_name_says_what_it_is(autojump_clock, monkeypatch):
    """An attempt at it counts, since nobody but its owner can mend it."""
    async with dead_names(monkeypatch, Resolver()) as (here, _):
        await trio.sleep(20)
        rows = [one for one in await here.rows(tables.webhook_deliveries) if one.attempts]
        history = await here.store.read(attempts.history, [row.id for row in rows])

        assert len(rows) >= OUTGOING_LOOKUPS_AT_ONCE // 2
        assert {"no name server has told the name's address within 8 seconds"} == {
            attempt.error for found in history.values() for attempt in found
        }
