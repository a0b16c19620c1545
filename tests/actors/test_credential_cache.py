"""The cache of credentials: it keeps what it found, and nothing that was changed meanwhile."""

from typing import Any

import trio

from svc.actors.credential_cache import CredentialCache
from svc.domain.locale.times import DAY_MS
from svc.storage.identity import api_keys
from svc.storage.identity.api_keys import Route
from tests.people import a_member, a_stored_key
from tests.town import START, town


async def test_a_credential_cache_keeps_what_it_found_and_nothing_else(autojump_clock):
    """Unknown, revoked and expired digests are looked for each time, and leave nothing behind."""
    async with town() as here:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        searches: list[str] = []

        def search(conn: Any, wanted: str, now: int) -> Route | None:
            searches.append(wanted)
            return api_keys.route(conn, wanted, now)

        cache = CredentialCache(here.store, here.clock, search, entries_max=2)
        end = START + DAY_MS
        for number in range(3):
            await here.store.write(a_stored_key, owner, f"live{number}", expires_at=end)
        await here.store.write(a_stored_key, owner, "revoked", expires_at=end, revoked_at=START)
        await here.store.write(a_stored_key, owner, "expired", expires_at=START)

        for _ in range(2):
            for wanted in ("live0", "unknown", "revoked", "expired"):
                await cache.find(wanted)

        dead = ["unknown", "revoked", "expired"]
        assert ["live0", *dead, *dead] == searches
        assert 1 == len(cache)
        await cache.find("live1")
        await cache.find("live2")
        assert 2 == len(cache)
        await trio.sleep(DAY_MS / 1000)
        assert await cache.find("live2") is None


async def test_a_credential_cache_does_not_keep_what_changed_under_its_search(autojump_clock):
    """A search that was under way when something was forgotten is answered, and not kept."""
    async with town() as here:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        await here.store.write(a_stored_key, owner, "live", expires_at=START + DAY_MS)

        def search(conn: Any, wanted: str, now: int) -> Route | None:
            found = api_keys.route(conn, wanted, now)
            cache.evict(wanted)
            return found

        cache: CredentialCache[Route] = CredentialCache(here.store, here.clock, search)

        assert await cache.find("live") is not None
        assert 0 == len(cache)
