"""The first start: the link that `svc run` prints makes the organization and its owner, once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx

from svc.actors.system import System
from svc.clock import VirtualClock
from svc.domain.crypto.sealing import Sealer
from svc.domain.identity.limits import FIRST_OWNER_LIFE_MS
from svc.domain.randomness import SYSTEM
from svc.http.app import public_app
from svc.services.identity import first_owner
from svc.storage.sqlite.inline import inline_store
from tests import tables
from tests.empty_database import make_tables
from tests.http.asking import client_of
from tests.town import SECRETS, START, Town

FIRST = {
    "organization": "Lamps & Co",
    "name": "Ada Lovelace",
    "email": "Ada@example.com",
    "password": "correct horse battery",
    "timeZone": "Europe/Berlin",
}


@asynccontextmanager
async def nobody() -> AsyncIterator[tuple[Town, System, httpx.AsyncClient]]:
    """An installation without an organization."""
    clock = VirtualClock(START)
    sealer = Sealer(SECRETS.sealing, SYSTEM)
    async with inline_store(clock, prepare=make_tables, sealer=sealer, random=SYSTEM) as store:
        here = Town(store, clock, cast("Any", None))
        async with here.live_system() as system, client_of(public_app(system)) as client:
            yield here, system, client


async def _ask(client: httpx.AsyncClient, token: str | None, **changes: Any) -> httpx.Response:
    return await client.post("/app/api/first-owner", json=FIRST | {"token": token} | changes)


async def test_the_first_owner_makes_the_organization_and_is_signed_in(autojump_clock):
    """Once: after that the link, and every other, opens nothing."""
    async with nobody() as (here, system, client):
        token = await first_owner.link(system)
        made = await _ask(client, token)
        again = await _ask(client, token)
        session = await client.get("/app/api/session")
        [organization] = await here.rows(tables.organizations)
        after = await first_owner.link(system)

    assert made.status_code == 200
    assert made.json()["person"]["email"] == "ada@example.com"
    assert [one["role"] for one in session.json()["organizations"]] == ["owner"]
    assert (organization.name, organization.time_zone) == ("Lamps & Co", "Europe/Berlin")
    assert again.status_code == 401
    assert "restart the service" in again.text
    assert after is None


async def test_a_link_ends_after_half_an_hour_and_with_the_next_start(autojump_clock):
    async with nobody() as (here, system, client):
        first = await first_owner.link(system)
        second = await first_owner.link(system)
        replaced = await _ask(client, first)
        here.clock.jump(FIRST_OWNER_LIFE_MS)
        late = await _ask(client, second)
        nothing = await here.count(tables.organizations)
        fresh = await _ask(client, await first_owner.link(system))

    assert (replaced.status_code, late.status_code, nothing, fresh.status_code) == (401, 401, 0, 200)


async def test_what_is_wrong_is_said_at_its_field_and_uses_no_link_up(autojump_clock):
    wrong = {
        "/organization": {"organization": " "},
        "/name": {"name": "a\nb"},
        "/email": {"email": "nobody"},
        "/password": {"password": "short"},
        "/timeZone": {"timeZone": "Mars/Olympus"},
    }
    async with nobody() as (_, system, client):
        token = await first_owner.link(system)
        pointers = [
            (await _ask(client, token, **change)).json()["errors"][0]["pointer"] for change in wrong.values()
        ]
        unknown = await _ask(client, token, plan="enterprise")
        made = await _ask(client, token)

    assert pointers == list(wrong)
    assert unknown.status_code == 422
    assert made.status_code == 200


async def test_without_a_link_nothing_opens(autojump_clock):
    """An empty token is none, and a page of another site may not ask."""
    async with nobody() as (here, system, client):
        before = [(await _ask(client, token)).status_code for token in ("", "svcn_x")]
        token = await first_owner.link(system)
        other_site = await client.post(
            "/app/api/first-owner", json=FIRST | {"token": token}, headers={"origin": "https://evil.example"}
        )
        made = await here.count(tables.organizations)

    assert before == [401, 401]
    assert (other_site.status_code, made) == (403, 0)
