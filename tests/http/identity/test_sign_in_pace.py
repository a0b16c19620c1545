"""Guessing a password slows down the guesser, not the account's owner nor others behind the same proxy."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from svc.actors.system import System
from svc.domain.identity.limits import ACCOUNT_FAILURES_MAX, ACCOUNT_SPACING_MS, PAIR_FAILURES_MAX
from svc.domain.net.client_addresses import parse_networks
from svc.http.app import public_app
from tests.http.asking import ADDRESS, client_of
from tests.people import a_member
from tests.town import HASHER, Town, town

ADA, PASSWORD = "ada@example.com", "correct horse battery"
ATTACKERS, OWNERS = "198.51.100.66", "203.0.113.7"


class Street(Town):
    """A town whose doors are behind a proxy: each request says which address it came from."""

    system: System
    client: httpx.AsyncClient

    async def sign_in(
        self, address: str, password: str = PASSWORD, email: str = ADA, mark: str | None = None
    ) -> httpx.Response:
        """From a browser that has nothing, or shows a *mark*."""
        self.client.cookies.clear()
        headers = {"x-forwarded-for": address} | ({} if mark is None else {"cookie": f"svc_browser={mark}"})
        body = {"email": email, "password": password}
        return await self.client.post("/app/api/sign-in", json=body, headers=headers)

    async def hammer(self, address: str, times: int, email: str = ADA) -> list[int]:
        return [(await self.sign_in(address, "wrong", email)).status_code for _ in range(times)]


@asynccontextmanager
async def street(*, trusted: bool = True) -> AsyncIterator[Street]:
    async with town() as here, here.live_system() as system:
        made = Street(here.store, here.clock, here.organization)
        made.system = system
        hashed = HASHER.hash(PASSWORD)
        for email in (ADA, "bob@example.com"):
            await here.store.write(a_member, here.organization.id, email, password_hash=hashed)
        proxies = parse_networks((f"{ADDRESS}/32",) if trusted else ())
        async with client_of(public_app(system, trusted_proxies=proxies)) as made.client:
            yield made


async def test_the_owner_gets_in_while_an_attacker_hammers(autojump_clock):
    """From another address, every time, and confirms too; the attacker waits."""
    async with street() as here:
        attack, owner = [], []
        for _ in range(20):
            attack += await here.hammer(ATTACKERS, 5)
            signed_in = await here.sign_in(OWNERS)
            confirmed = await here.client.post(
                "/app/api/confirm",
                json={"password": PASSWORD},
                headers={"x-csrf-token": signed_in.json()["csrfToken"], "x-forwarded-for": ATTACKERS},
            )
            owner.append((signed_in.status_code, confirmed.status_code))

        assert [401] * PAIR_FAILURES_MAX + [429] * (100 - PAIR_FAILURES_MAX) == attack
        assert [(200, 204)] * 20 == owner


async def test_addresses_do_not_affect_each_other(autojump_clock):
    """One that has failed ten times at an account waits with it, and tries another; a second one does not."""
    async with street() as here:
        await here.hammer(ATTACKERS, PAIR_FAILURES_MAX)
        waits = await here.sign_in(ATTACKERS)

        assert 429 == waits.status_code
        assert 15 * 60 == int(waits.headers["retry-after"])
        assert 200 == (await here.sign_in(ATTACKERS, email="bob@example.com")).status_code
        assert [401] * (PAIR_FAILURES_MAX - 1) == await here.hammer(OWNERS, PAIR_FAILURES_MAX - 1)
        assert 200 == (await here.sign_in(OWNERS)).status_code


async def test_from_everywhere_at_once_strangers_are_slowed_down(autojump_clock):
    """A known browser is not, wherever it is by then; a new one waits for half a minute, not for ever."""
    async with street() as here:
        mark = (await here.sign_in(OWNERS)).cookies["svc_browser"]
        for number in range(ACCOUNT_FAILURES_MAX):
            await here.hammer(f"198.51.100.{number}", 1)
        new, known = await here.sign_in(OWNERS), await here.sign_in("192.0.2.200", mark=mark)
        here.clock.jump(ACCOUNT_SPACING_MS)
        later = await here.sign_in(OWNERS)

        assert (429, ACCOUNT_SPACING_MS // 1_000) == (new.status_code, int(new.headers["retry-after"]))
        assert (200, 200) == (known.status_code, later.status_code)


async def test_behind_a_proxy_that_is_not_trusted_known_browsers_get_in(autojump_clock):
    """All clients have the proxy's address there, so guesses slow down others too, at that account alone."""
    async with street(trusted=False) as here:
        mark = (await here.sign_in(OWNERS)).cookies["svc_browser"]
        attack = await here.hammer(ATTACKERS, 60)
        new, known = await here.sign_in(OWNERS), await here.sign_in(OWNERS, mark=mark)
        others = await here.sign_in(OWNERS, email="bob@example.com")

        assert [401] * PAIR_FAILURES_MAX + [429] * (60 - PAIR_FAILURES_MAX) == attack
        assert [429, 200, 200] == [one.status_code for one in (new, known, others)]


@pytest.mark.parametrize("email", [ADA, "nobody@example.com"])
async def test_an_unknown_account_is_paced_as_a_known_one(email, autojump_clock):
    """Status, body and time to wait are the same at every step."""
    async with street() as here:
        told = []
        for number in range(ACCOUNT_FAILURES_MAX + PAIR_FAILURES_MAX + 2):
            address = ATTACKERS if number <= PAIR_FAILURES_MAX else f"192.0.2.{number}"
            answer = await here.sign_in(address, "wrong", email)
            body = answer.json()
            told.append((answer.status_code, body["code"], body["detail"], answer.headers.get("retry-after")))

        refused = (401, "wrong_credentials", "no such account, or another password", None)
        assert [refused] * PAIR_FAILURES_MAX == told[:PAIR_FAILURES_MAX]
        assert (429, "rate_limited", "too many sign-ins failed", "900") == told[PAIR_FAILURES_MAX]
        assert [refused] * (ACCOUNT_FAILURES_MAX - PAIR_FAILURES_MAX) == told[PAIR_FAILURES_MAX + 1 : -11]
        assert [(429, "rate_limited", "too many sign-ins failed", "30")] * 11 == told[-11:]
