"""The EmbedCache's rules of time, on the mock clock: fresh, stale, one refresh for all, and failures."""

import gzip
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import trio
import trio.testing

from svc.actors.embeds import embed_cache
from svc.actors.embeds.embed_cache import ATTEMPTS_MAX, RENDER_SECONDS, EmbedCache, current
from svc.actors.embeds.embed_snapshots import EmbedSnapshots, Rendering, Snapshot, compressed
from svc.actors.embeds.resources import EMBEDS_AT_ONCE
from svc.actors.system import System
from svc.domain.crypto.keys import EMBED_KEY, new_key
from svc.domain.embeds.blocks import Embed, HeroBlock
from svc.domain.embeds.limits import EMBED_FRESH_MS, EMBED_STALE_MS
from svc.domain.errors import NotFound, Unavailable
from svc.domain.randomness import SYSTEM
from svc.storage import provisioning
from svc.storage.embeds import embeds
from svc.storage.embeds.embeds import EmbedChange
from svc.storage.identity import organizations
from svc.storage.records import properties
from svc.storage.store import Store, StoreFailed
from tests import tables
from tests.lamps import LAMP, PRICES, LampTown, lamp_town

FRESH_SECONDS = EMBED_FRESH_MS / 1_000
STALE_SECONDS = EMBED_STALE_MS / 1_000


class WatchedStore:
    """The store, with the makings of embeds counted, and with a gate that they wait at."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.reads = 0
        self.broken = False
        self.gate = trio.Event()
        self.gate.set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def of(self, owner: str) -> Any:
        units = self._store.of(owner)
        return SimpleNamespace(
            read=units.read, write=units.write, read_long=partial(self._read_long, units.read_long)
        )

    async def _read_long(self, read_long: Any, fn: Any, *args: Any) -> Any:
        if fn.__module__ != embed_cache.__name__:
            return await read_long(fn, *args)
        self.reads += 1
        if self.broken:
            raise StoreFailed("the disk is gone")
        found = await read_long(fn, *args)
        await self.gate.wait()
        return found


class Place(msgspec.Struct):
    here: LampTown
    system: System
    store: WatchedStore
    embed: Embed

    @property
    def key(self) -> str:
        return self.embed.embed_key

    async def shown(self) -> dict[str, Any]:
        return decoded(await current(self.system, self.key))

    def made(self) -> int:
        """How often the embed was made."""
        return self.store.reads


def decoded(snapshot: Snapshot) -> dict[str, Any]:
    assert snapshot.rendering is not None
    found: dict[str, Any] = msgspec.json.decode(snapshot.rendering.json.plain.body)
    return found


def prices(answer: dict[str, Any]) -> list[float]:
    return [row["price"] for row in answer["blocks"][0]["rows"]]


@asynccontextmanager
async def place(*blocks: Any) -> AsyncIterator[Place]:
    async with lamp_town() as here:
        embed = await here.embed(*blocks)
        async with here.live_system() as system:
            # The index is asked for with the first making, so that it is not in the way of what is counted.
            await current(system, embed.embed_key)
            await trio.testing.wait_all_tasks_blocked()
            system.embeds.snapshots.evict(embed.embed_key)
            store = WatchedStore(here.store)
            system.store = store
            yield Place(here, system, store, embed)


async def test_a_fresh_embed_is_not_made_again(autojump_clock):
    """For 60 seconds all requests get the rendered embed, without a message to an actor."""
    async with place() as at:
        first = await current(at.system, at.key)
        await trio.sleep(FRESH_SECONDS - 0.001)
        turns = at.system.statistics()
        again = await current(at.system, at.key)

        assert first is again
        assert turns == at.system.statistics()
        assert 1 == at.made()


async def test_a_stale_embed_is_served_while_it_is_made_anew(autojump_clock):
    """From then on what there is is served at once, one refresh is made, and the next gets that."""
    async with place() as at:
        lamp = await at.here.lamp("Oak", 10)
        first = await at.shown()
        await at.here.reprice(lamp, 20)
        await trio.sleep(FRESH_SECONDS)
        stale = [await at.shown() for _ in range(3)]
        await trio.testing.wait_all_tasks_blocked()
        refreshed = await at.shown()

        assert [[10, 79.5, 95]] * 4 == [prices(one) for one in (first, *stale)]
        assert [20, 79.5, 95] == prices(refreshed)
        assert 2 == at.made()


async def test_a_thousand_waiting_requests_render_it_once(autojump_clock):
    """Requests for an embed of which nothing is ready wait for the one that is being made."""
    async with place() as at:
        at.store.gate = trio.Event()
        answers: list[Snapshot] = []

        async def ask() -> None:
            answers.append(await current(at.system, at.key))

        async with trio.open_nursery() as nursery:
            for _ in range(1_000):
                nursery.start_soon(ask)
            await trio.testing.wait_all_tasks_blocked()
            assert ([], 1) == (answers, at.made())
            at.store.gate.set()

        assert 1 == at.made()
        assert (1_000, 1) == (len(answers), len({id(one) for one in answers}))


async def test_a_thousand_stale_requests_ask_for_one_refresh(autojump_clock):
    """While a refresh runs, no request waits for it or starts another."""
    async with place() as at:
        first = await current(at.system, at.key)
        await trio.sleep(FRESH_SECONDS)
        at.store.gate = trio.Event()
        for _ in range(1_000):
            assert first is await current(at.system, at.key)
        await trio.testing.wait_all_tasks_blocked()
        (statistics,) = at.system.actors("EmbedCache")

        assert (2, 0) == (at.made(), statistics.mailbox_depth)
        at.store.gate.set()
        await trio.testing.wait_all_tasks_blocked()
        assert first is not await current(at.system, at.key)
        assert 2 == at.made()


async def test_what_is_too_old_is_not_served(autojump_clock):
    """Five minutes after it was fresh, a request waits for a new one."""
    async with place() as at:
        lamp = await at.here.lamp("Oak", 10)
        await at.shown()
        await at.here.reprice(lamp, 20)
        at.here.clock.jump(EMBED_FRESH_MS + EMBED_STALE_MS - 1)
        at.store.gate = trio.Event()
        stale = await at.shown()
        at.here.clock.jump(1)
        at.store.gate.set()

        assert [10, 79.5, 95] == prices(stale)
        assert [20, 79.5, 95] == prices(await at.shown())


async def test_a_failed_refresh_keeps_what_there_is(autojump_clock):
    """While the store fails, what is stale is served, and the next request after it tries again."""
    async with place() as at:
        first = await current(at.system, at.key)
        await trio.sleep(FRESH_SECONDS)
        at.store.broken = True
        for _ in range(10):
            assert first is await current(at.system, at.key)
            await trio.sleep(10)
        at.store.broken = False
        await current(at.system, at.key)
        await trio.testing.wait_all_tasks_blocked()

        assert first is not await current(at.system, at.key)
        assert 12 == at.made()


async def test_after_that_its_records_are_in_error(autojump_clock):
    """Once a stale embed is too old, the other blocks are shown, with headers that forbid caching."""
    async with place(HeroBlock(title="Lamps"), PRICES) as at:
        await at.shown()
        at.store.broken = True
        at.here.clock.jump(EMBED_FRESH_MS + EMBED_STALE_MS)
        failed = await current(at.system, at.key)
        html = failed.rendering and failed.rendering.html.plain.body.decode()
        hero, records = decoded(failed)["blocks"]

        assert (False, "Lamps", "error") == (failed.cacheable, hero["title"], records["refused"])
        assert ([], [], []) == (records["columns"], records["rows"], records["text"])
        assert html
        assert "cannot be shown" in html
        at.store.broken = False
        await trio.sleep(2)
        assert [79.5, 95] == [row["price"] for row in (await at.shown())["blocks"][1]["rows"]]


async def test_without_anything_to_show_it_is_refused(autojump_clock):
    """An embed that was never rendered cannot be shown while the store fails; it is retried after 2 s."""
    async with place() as at:
        at.store.broken = True
        for _ in range(5):
            with pytest.raises(Unavailable):
                await current(at.system, at.key)

        assert 1 == at.made()
        at.store.broken = False
        await trio.sleep(2)
        assert [79.5, 95] == prices(await at.shown())


async def test_a_request_that_waits_too_long_is_refused(autojump_clock):
    """When others are made for too long, the request is refused, and the actor lives."""
    async with place() as at:
        organization_id = at.here.organization.id
        async with AsyncExitStack() as others:
            for _ in range(EMBEDS_AT_ONCE):
                await others.enter_async_context(at.system.embeds.pace.of(organization_id))
            began = trio.current_time()
            with pytest.raises(Unavailable):
                await at.shown()

            assert RENDER_SECONDS == trio.current_time() - began
        assert [0] == [one.crashes for one in at.system.actors("EmbedCache")]


async def test_a_pause_takes_effect_at_once(autojump_clock):
    """From the commit on nothing of it is served; that is remembered as well, until it is resumed."""
    async with place() as at:
        await at.shown()
        await at.here.store.write(embeds.set_status, at.here.organization.id, at.embed.id, "paused")
        closed = [await current(at.system, at.key) for _ in range(3)]

        assert [None] * 3 == [one.rendering for one in closed]
        assert 2 == at.made()
        await at.here.store.write(embeds.set_status, at.here.organization.id, at.embed.id, "active")
        assert [79.5, 95] == prices(await at.shown())


async def test_the_objects_switch_takes_effect_at_once(autojump_clock):
    """Once it is off, no record of the object is served, nor a property that becomes personal."""
    async with place() as at:
        await at.shown()
        await at.here.publish(publishable=False)
        switched_off = (await at.shown())["blocks"][0]
        await at.here.publish()
        await at.shown()
        await at.here.store.write(properties.update, at.here.organization.id, LAMP, "name", personal=True)
        columns = [one["slug"] for one in (await at.shown())["blocks"][0]["columns"]]

        assert ("not_publishable", []) == (switched_off["refused"], switched_off["rows"])
        assert ["price"] == columns


async def test_a_change_takes_effect_at_once(autojump_clock):
    """An embed's own blocks are those of the last commit; a closed organization shows nothing."""
    async with place() as at:
        await at.shown()
        change = EmbedChange(blocks=(HeroBlock(title="New"),))
        await at.here.store.write(embeds.update, at.here.organization.id, at.embed.id, change)
        changed = await at.shown()
        await at.here.store.write(organizations.close, at.here.organization.id)

        assert "New" == changed["blocks"][0]["title"]
        assert (await current(at.system, at.key)).rendering is None


async def test_what_was_read_before_a_change_is_not_served_after_it(autojump_clock):
    """A change that is committed while the embed is made has it made once more."""
    async with place() as at:
        at.store.gate = trio.Event()
        answers: list[Snapshot] = []

        async def ask() -> None:
            answers.append(await current(at.system, at.key))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await trio.testing.wait_all_tasks_blocked()
            await at.here.publish(publishable=False)
            at.store.gate.set()

        assert 2 == at.made()
        assert "not_publishable" == decoded(answers[0])["blocks"][0]["refused"]


async def test_what_changes_all_the_time_is_refused(autojump_clock, monkeypatch: pytest.MonkeyPatch):
    """An embed that is changed whenever it is made does not keep others from being made."""
    async with place() as at:
        elsewhere = await at.here.store.write(provisioning.create, organizations.NewOrganization(name="B"))
        kept = at.system.embeds.snapshots.publish
        changing = at.here.organization.id

        def change_and_keep(*args: Any) -> bool:
            at.system.embeds.snapshots.evict_organization(changing)
            return kept(*args)

        monkeypatch.setattr(at.system.embeds.snapshots, "publish", change_and_keep)
        with pytest.raises(Unavailable):
            await at.shown()
        assert ATTEMPTS_MAX == at.made()
        changing = elsewhere.id
        await trio.sleep(2)

        assert [79.5, 95] == prices(await at.shown())


async def test_an_unknown_key_leaves_nothing_behind(autojump_clock):
    """A made-up key is not found; no actor lives, and nothing is kept."""
    async with place() as at:
        for _ in range(3):
            with pytest.raises(NotFound):
                await current(at.system, new_key(EMBED_KEY, SYSTEM))

        await trio.testing.wait_all_tasks_blocked()
        assert [at.key] == [one.key for one in at.system.actors("EmbedCache")]
        assert (0, 0) == (at.made(), len(at.system.embeds.snapshots))


async def test_nothing_is_kept_of_what_is_not_requested(autojump_clock):
    """An idle actor goes, and takes along what was made."""
    async with place() as at:
        await at.shown()
        await trio.sleep(601)

        assert [] == at.system.actors("EmbedCache")
        assert (0, 0) == (len(at.system.embeds.snapshots), at.system.embeds.snapshots.size)


async def test_a_crash_keeps_what_is_served(autojump_clock, monkeypatch: pytest.MonkeyPatch):
    """What goes wrong in the making is the actor's; what was made is served until it is too old."""
    async with place() as at:
        first = await current(at.system, at.key)

        def explode(*_: object) -> None:
            raise RuntimeError("a fault of ours")

        with monkeypatch.context() as broken:
            broken.setattr(embed_cache, "_render", explode)
            await trio.sleep(FRESH_SECONDS)
            assert first is await current(at.system, at.key)
            await trio.sleep(1)
            assert first is await current(at.system, at.key)
        await trio.sleep(10)
        await current(at.system, at.key)
        await trio.testing.wait_all_tasks_blocked()

        assert first is not await current(at.system, at.key)


async def test_what_it_is_read_by_is_indexed(autojump_clock):
    """The first making asks for the index that it lacked."""
    async with place() as at:
        states = {row.slug: row.index_state for row in await at.here.rows(tables.properties)}

        assert "ready" == states["price"]
        assert at.system.actors("EmbedCache")


async def test_an_operator_sees_how_it_went(autojump_clock):
    """The state of an EmbedCache is whose it is and counters, and nothing of what is shown."""
    async with place() as at:
        await at.shown()
        state = await EmbedCache(at.system, at.key).snapshot()

        organization_id = at.here.organization.id
        assert {"organization_id": organization_id, "made": 2, "failed": 0, "rests_until": 0} == state


def a_snapshot(size: int) -> Snapshot:
    rendering = Rendering(json=compressed(bytes(size)), html=compressed(b""), outline=())
    return Snapshot(organization_id="org_1", domain=None, rendering=rendering, fresh_until=1, stale_until=2)


def test_all_snapshots_together_have_a_limit():
    """Beyond it the one that was made longest ago is dropped."""
    snapshots = EmbedSnapshots(bytes_max=3 * a_snapshot(10_000).size)
    for key in ("a", "b", "c", "a", "d"):
        assert snapshots.publish(key, snapshots.begin(key), a_snapshot(10_000))

    assert [True, False, True, True] == [snapshots.get(key) is not None for key in "abcd"]
    assert 3 * a_snapshot(10_000).size == snapshots.size
    snapshots.evict("a", "e")
    snapshots.evict_organization("org_2")
    assert 2 == len(snapshots)
    snapshots.evict_organization("org_1")
    assert (0, 0) == (len(snapshots), snapshots.size)


def test_a_body_is_compressed_once():
    """Both representations say the same, under entity tags of their own."""
    found = compressed(b"lamp " * 100)

    assert found.plain.body == gzip.decompress(found.gzip.body)
    assert found.plain.etag != found.gzip.etag
    assert found == compressed(b"lamp " * 100)
    assert found.plain.etag != compressed(b"other").plain.etag
