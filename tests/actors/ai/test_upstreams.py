"""Whom a provider's name keeps waiting: the organization that chose it, and nobody else."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors.ai.upstreams import Upstreams
from svc.actors.outbound.errors import NoPlace, NotConnected
from svc.actors.outbound.names import NameLookups
from svc.domain.ai.models import Candidate
from svc.domain.ai.money import FREE
from svc.domain.net.limits import OUTGOING_LOOKUPS_AT_ONCE
from tests.receivers import LOOPBACK, Resolver, answer, receiver

CALLS = 250


def provider(url: str, payer: Literal["organization", "credits"] = "organization") -> Candidate:
    return Candidate(provider=url, payer=payer, base_url=url, upstream="small", prices=FREE)


@asynccontextmanager
async def upstreams(resolver: Resolver) -> AsyncIterator[Upstreams]:
    made = Upstreams(LOOPBACK, names=NameLookups(resolver))
    async with made.live():
        yield made


async def status(clients: Upstreams, candidate: Candidate, owner: str) -> int:
    """The status that the provider answers."""
    async with clients.open(candidate, "key", b"{}", lambda: None, owner=owner) as response:
        return response.status


async def test_calls_to_an_own_provider_whose_name_is_dead_hold_up_no_other_organizations() -> None:
    """However many there are: the name is looked up once, and told as what it is."""
    resolver = Resolver()
    failures: list[str] = []

    async def call() -> None:
        with pytest.raises(NotConnected) as failed:
            await status(clients, provider("http://ai.dead.example/v1"), "org_1")
        failures.append(str(failed.value))

    async with upstreams(resolver) as clients, receiver(answer) as url:
        own = provider(url.replace("127.0.0.1", "ai.example"))
        async with trio.open_nursery() as nursery:
            for _ in range(CALLS):
                nursery.start_soon(call)
            await wait_all_tasks_blocked()
            assert 200 == await status(clients, own, "org_2")
            assert ["ai.dead.example", "ai.example"] == resolver.asked
            resolver.leads["ai.dead"] = ""
            resolver.let_go.set()

    assert {"the name leads nowhere"} == set(failures)
    assert CALLS == len(failures)


async def test_an_organization_whose_lookups_are_all_taken_gets_no_place(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Which is told from a failure of its provider."""
    async with upstreams(Resolver()) as clients, trio.open_nursery() as nursery:

        async def hang(number: int) -> None:
            with pytest.raises(NotConnected):
                await status(clients, provider(f"http://ai{number}.dead.example/v1"), "org_1")

        for number in range(OUTGOING_LOOKUPS_AT_ONCE // 2):
            nursery.start_soon(hang, number)
        await wait_all_tasks_blocked()
        with pytest.raises(NoPlace):
            await status(clients, provider("http://ai.example/v1"), "org_1")


async def test_the_operators_providers_wait_for_no_name_of_an_organization(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their names are looked up apart from those."""
    resolver, operators = Resolver(), Resolver()
    async with upstreams(resolver) as clients, receiver(answer) as url:
        monkeypatch.setattr(clients._trusted._connector._names, "_look_up", operators)
        configured = provider(url.replace("127.0.0.1", "models.example"), "credits")
        assert 200 == await status(clients, configured, "org_1")

    assert ([], ["models.example"]) == (resolver.asked, operators.asked)
