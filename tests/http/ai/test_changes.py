"""Changes of models and access act on the very next call, and on one that waits for its reservation."""

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from svc.domain.identity.callers import operator_call
from svc.storage.ai import providers
from svc.storage.identity import key_changes, members, organizations
from svc.storage.identity.members import MemberChanges
from svc.storage.identity.organizations import OrganizationChanges
from svc.storage.store import Store
from tests.http.ai.gateway import COST, GRANTED, Gateway, Upstream, gateway, responds, whole
from tests.http.ai.test_exits import code_of
from tests.http.ai.test_routing import set_own
from tests.people import a_member, call_of
from tests.receivers import receiver

Change = Callable[[Gateway, str], Awaitable[None]]


class Watched:
    """The store, which keeps the names of its units, and runs *before_reserving* before a reservation."""

    def __init__(self, store: Store, before_reserving: Callable[[], Awaitable[None]] | None = None) -> None:
        self._store = store
        self._before_reserving = before_reserving
        self.ran: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def of(self, owner: str) -> Any:
        units = self._store.of(owner)

        async def read(fn: Any, *args: Any) -> Any:
            self.ran.append(fn.__name__)
            return await units.read(fn, *args)

        async def write(fn: Any, *args: Any) -> Any:
            self.ran.append(fn.__name__)
            if self._before_reserving is not None and fn.__name__ == "reserve":
                change, self._before_reserving = self._before_reserving, None
                await change()
            return await units.write(fn, *args)

        return SimpleNamespace(read=read, write=write, write_behind=units.write_behind)


def watch(here: Gateway, before_reserving: Callable[[], Awaitable[None]] | None = None) -> Watched:
    """Have the gateway's calls go through a `Watched` store from now on."""
    watched = Watched(here.store, before_reserving)
    here.system.store = watched
    return watched


async def restrict(here: Gateway, _url: str) -> None:
    await here.store.write(providers.restrict, here.organization.id, ("other",))


async def narrow_key(here: Gateway, _url: str) -> None:
    changes = key_changes.KeyChanges(models=("other",))
    call = call_of(here.owner, confirmed_at=here.clock.now())
    await here.store.write(key_changes.update, call, here.key_id, changes)


async def revoke_key(here: Gateway, _url: str) -> None:
    await here.revoke()


async def close(here: Gateway, _url: str) -> None:
    await here.store.write(organizations.close, here.organization.id)


async def fall_back(here: Gateway, *, to_credits: bool) -> None:
    changes = OrganizationChanges(own_provider_falls_back_to_credits=to_credits)
    await here.store.write(organizations.update, operator_call(here.organization.id), changes)


async def remove_own(here: Gateway) -> None:
    [own] = await here.store.read(providers.list_all, here.organization.id)
    await here.store.write(providers.remove, here.organization.id, own.id)


async def lose_right(here: Gateway, _url: str) -> None:
    other = await here.store.write(a_member, here.organization.id, "other@example.com", "owner")
    call = call_of(other, here.organization.id)
    await here.store.write(members.update, call, here.owner.id, MemberChanges(role_id="viewer"))


REFUSING: dict[str, tuple[Change, int, str]] = {
    "restricted": (restrict, 404, "model_not_found"),
    "not the key's": (narrow_key, 404, "model_not_found"),
    "revoked": (revoke_key, 401, "invalid_api_key"),
    "closed": (close, 401, "invalid_api_key"),
    "without the right": (lose_right, 403, "forbidden"),
}


async def test_a_call_without_reservation_reads_nothing() -> None:
    """Of an own provider: who calls and where it goes are in memory, after the first call."""
    own = Upstream(responds(whole()))
    async with gateway() as here, receiver(own.connections) as url:
        await set_own(here, url)
        await here.ask()
        watched = watch(here)
        reply = await here.ask()
        await here.settled()

        assert (200, [], 2) == (reply.status, watched.ran, len(own.seen))


async def test_a_call_on_credits_only_reserves() -> None:
    """Nothing is read beside that either."""
    async with gateway(Upstream(responds(whole()))) as here:
        await here.ask()
        watched = watch(here)
        await here.ask()
        await here.settled()

        assert ["reserve"] == watched.ran


async def test_a_change_acts_on_the_next_call() -> None:
    """A provider that is set, removed or restricted, and the switch to fall back on credits."""
    own, service = Upstream(responds(b"", 500)), Upstream(responds(whole()))
    async with gateway(service) as here, receiver(own.connections) as url:
        statuses = [(await here.ask()).status]
        await set_own(here, url)
        statuses.append((await here.ask()).status)
        await fall_back(here, to_credits=True)
        statuses.append((await here.ask()).status)
        await fall_back(here, to_credits=False)
        statuses.append((await here.ask()).status)
        await remove_own(here)
        statuses.append((await here.ask()).status)
        await restrict(here, url)
        statuses.append((await here.ask()).status)
        await here.store.write(providers.restrict, here.organization.id, None)
        statuses.append((await here.ask()).status)

        assert [200, 502, 200, 502, 200, 404, 200] == statuses
        # With the switch on, its own still rests, so the service's was asked first.
        assert (2, 4) == (len(own.seen), len(service.seen))


@pytest.mark.parametrize("case", REFUSING)
async def test_a_call_is_judged_again_after_its_reservation(case: str) -> None:
    """What changed while it waited refuses it: nothing is sent, nothing charged."""
    change, status, code = REFUSING[case]
    upstream = Upstream(responds(whole()))
    async with gateway(upstream) as here:
        await here.ask()
        watch(here, lambda: change(here, ""))
        reply = await here.ask()
        calls = await here.settled()

        assert (status, code) == (reply.status, code_of(reply.body))
        assert 1 == len(upstream.seen)
        assert GRANTED - COST == await here.balance()
        assert {"refused"} >= {call.ended for call in calls[1:]}


async def test_a_call_goes_where_it_leads_after_its_reservation() -> None:
    """To an own provider that was set meanwhile: the reservation is given back as a whole."""
    own, service = Upstream(responds(whole())), Upstream(responds(whole()))
    async with gateway(service) as here, receiver(own.connections) as url:
        watch(here, lambda: set_own(here, url))
        reply = await here.ask()
        [call] = await here.settled()

        assert (200, 1, 0) == (reply.status, len(own.seen), len(service.seen))
        assert ("answered", "organization", 0) == (call.ended, call.payer, call.charged_micro_credits)
        assert GRANTED == await here.balance()


async def test_credits_are_reserved_for_a_call_whose_provider_is_gone() -> None:
    """Its own was removed while it waited for the key's budget: the service's costs credits."""
    own, service = Upstream(responds(whole())), Upstream(responds(whole()))
    async with gateway(service) as here, receiver(own.connections) as url:
        await set_own(here, url)
        minted = await here.mint(monthly_budget_micro_credits=1_000_000)
        watched = watch(here, lambda: remove_own(here))
        reply = await here.ask(key=minted.key)
        [call] = await here.settled()

        assert (200, 0, 1) == (reply.status, len(own.seen), len(service.seen))
        assert ["reserve", "reserve"] == [name for name in watched.ran if name == "reserve"]
        assert ("credits", COST) == (call.payer, call.charged_micro_credits)


async def test_no_provider_is_asked_twice_after_a_change() -> None:
    """One try a provider a call: the one that failed is not asked again under its other models."""

    async def fail(stream: Any) -> None:
        await here.store.write(providers.restrict, here.organization.id, None)
        await stream.send_all(responds(b"", 500))

    first, second = Upstream(fail), Upstream(responds(whole()))
    async with gateway(first, second) as here:
        reply = await here.ask()

        assert (200, 1, 1) == (reply.status, len(first.seen), len(second.seen))
