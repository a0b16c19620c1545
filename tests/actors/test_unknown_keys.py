"""Keys that do not exist: looked up once, forgotten when they are made, and bounded."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import trio
import trio.testing

from svc.actors.system import System
from svc.actors.unknown_keys import UnknownKeys
from svc.domain.crypto.keys import EMBED_KEY, FORM_KEY, new_key
from svc.domain.embeds.blocks import HeroBlock
from svc.domain.errors import NotFound
from svc.domain.limits import UNKNOWN_KEYS_MS
from svc.domain.randomness import SYSTEM
from svc.domain.sites.limits import SITE_LABELS_MAX
from svc.http.app import public_app
from svc.storage.embeds import embeds
from svc.storage.forms import forms
from svc.storage.sites import sites
from svc.storage.store import Store
from tests import tables
from tests.http.asking import client_of
from tests.town import Town, town


class WatchedStore:
    """The store, with its reads counted, and with a gate that what they found waits at."""

    def __init__(self, store: Store) -> None:
        self._units = store
        self.reads = 0
        self.gate = trio.Event()
        self.gate.set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._units, name)

    async def read(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        self.reads += 1
        try:
            return await self._units.read(fn, *args, **kwargs)
        finally:
            await self.gate.wait()


class Strangers:
    """A town whose doors strangers ask at."""

    def __init__(self, here: Town, system: System, store: WatchedStore, client: httpx.AsyncClient) -> None:
        self.here = here
        self.system = system
        self.store = store
        self.client = client

    async def view(self, host: str) -> None:
        await self.client.post("/api/t", json={"url": f"https://{host}/"})

    async def post(self, form_key: str) -> int:
        body = {"f": form_key, "v": {"email": "ada@example.com"}}
        return (await self.client.post("/api/f/s", json=body)).status_code

    async def preflight(self, form_key: str) -> int:
        asked = self.client.options(f"/api/f/s?f={form_key}", headers={"origin": "https://a.example"})
        return (await asked).status_code

    async def embed(self, embed_key: str) -> int:
        return (await self.client.get(f"/api/e/{embed_key}")).status_code


@asynccontextmanager
async def strangers() -> AsyncIterator[Strangers]:
    async with town() as here, here.live_system() as system:
        store = WatchedStore(here.store)
        for keys in (system.forms.unknown_keys, system.embeds.unknown_keys, system.sites.unknown_hosts):
            keys._units = store
        async with client_of(public_app(system)) as client:
            yield Strangers(here, system, store, client)


FORM, EMBED = new_key(FORM_KEY, SYSTEM), new_key(EMBED_KEY, SYSTEM)
ASKED: dict[str, Callable[[Strangers], Awaitable[int | None]]] = {
    "a page view": lambda at: at.view("nobody.example"),
    "a submission": lambda at: at.post(FORM),
    "a preflight": lambda at: at.preflight(FORM),
    "an embed": lambda at: at.embed(EMBED),
}


@pytest.mark.parametrize("what", ASKED)
async def test_what_is_not_there_is_looked_up_once(what, autojump_clock):
    """Whatever is asked for again within the minute costs no look-up, and never an actor."""
    async with strangers() as at:
        answers = [await ASKED[what](at) for _ in range(3)]
        await trio.testing.wait_all_tasks_blocked()

        assert 1 == at.store.reads
        assert 1 == len(set(answers))
        activations = {kind.kind: kind.activations for kind in at.system.statistics().kinds}
        assert [0, 0, 0] == [activations[kind] for kind in ("FormWindow", "SiteTraffic", "EmbedCache")]

        await trio.sleep(UNKNOWN_KEYS_MS / 1_000)
        await ASKED[what](at)
        assert 2 == at.store.reads


async def _make_site(at: Strangers) -> None:
    await at.here.store.write(sites.create, at.here.organization.id, "lamps.example")


async def _move_site(at: Strangers) -> None:
    site = await at.here.store.write(sites.create, at.here.organization.id, "elsewhere.example")
    await at.view("shop.lamps.example")
    await at.here.store.write(sites.update, at.here.organization.id, site.id, "lamps.example")


@pytest.mark.parametrize("make", [_make_site, _move_site])
async def test_a_host_is_counted_as_soon_as_it_is_tracked(make, autojump_clock):
    """A view of a page below the domain, which was not tracked a moment ago, is kept."""
    async with strangers() as at:
        await at.view("shop.lamps.example")
        assert [] == await at.here.rows(tables.visits)

        await make(at)
        await at.view("shop.lamps.example")

        assert ["https://shop.lamps.example/"] == [visit.url for visit in await at.here.rows(tables.visits)]


async def test_a_form_takes_submissions_as_soon_as_it_is_made(autojump_clock, monkeypatch):
    """Even if its key was requested a moment before."""
    monkeypatch.setattr(forms, "new_key", lambda *_: FORM)
    async with strangers() as at:
        assert 400 == await at.post(FORM)

        await at.here.form()

        assert 200 == await at.post(FORM)


async def test_an_embed_is_shown_as_soon_as_it_is_made(autojump_clock, monkeypatch):
    """Even if its key was requested a moment before."""
    monkeypatch.setattr(embeds, "new_key", lambda *_: EMBED)
    async with strangers() as at:
        assert 404 == await at.embed(EMBED)

        blocks = [HeroBlock(title="Lamps")]
        await at.here.store.write(embeds.create, at.here.organization.id, name="One", blocks=blocks)

        assert 200 == await at.embed(EMBED)


async def test_what_is_made_during_its_look_up_is_not_taken_for_unknown(autojump_clock):
    """A look-up that began before may say that there is nothing; what it says is not remembered."""
    async with strangers() as at, trio.open_nursery() as nursery:
        at.store.gate = trio.Event()
        nursery.start_soon(at.view, "lamps.example")
        await trio.testing.wait_all_tasks_blocked()
        assert 1 == at.store.reads

        await _make_site(at)
        at.store.gate.set()
        await trio.testing.wait_all_tasks_blocked()
        await at.view("lamps.example")

        assert 1 == await at.here.count(tables.visits)


async def test_no_more_are_remembered_than_may_be(autojump_clock):
    """The one that was remembered first makes room; strangers fill no memory."""
    async with town() as here:
        store = WatchedStore(here.store)
        keys = UnknownKeys(store, here.clock, sites.at_host, entries_max=3)

        async def ask(host: str) -> None:
            with pytest.raises(NotFound):
                await keys.check(host)

        for number in range(10):
            await ask(f"{number}.example")
        assert (3, 10) == (len(keys), store.reads)

        await ask("9.example")
        assert 10 == store.reads
        await ask("0.example")
        assert 11 == store.reads


async def test_a_host_of_many_labels_costs_one_look_up_of_few_domains(autojump_clock):
    """It belongs to a site all the same, and its number of labels does not make the look-up longer."""
    async with strangers() as at:
        await _make_site(at)

        await at.view("a." * 100 + "lamps.example")
        await at.view("a." * 100 + "nobody.example")

        assert 1 == await at.here.count(tables.visits)
        assert SITE_LABELS_MAX == len(sites._DOMAINS)
