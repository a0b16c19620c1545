"""The EmbedCache: renders an embed, one rendering at a time, and publishes the snapshot that is served."""

from typing import Final, NamedTuple

import msgspec
import structlog
import trio
from sqlalchemy import Connection

from svc.actors._core import Actor, ActorError, Policy, turn
from svc.actors.embeds.embed_snapshots import Rendering, Snapshot, compressed
from svc.actors.records.indexer import Indexer
from svc.actors.system import System
from svc.domain.embeds import html_fragment as embed_fragment
from svc.domain.embeds.limits import EMBED_CACHES_MAX, EMBED_FRESH_MS, EMBED_STALE_MS
from svc.domain.embeds.views import BlockView, shown
from svc.domain.errors import Unavailable
from svc.domain.locale.times import SECOND_MS
from svc.storage.embeds import embeds
from svc.storage.embeds import views as embed_views
from svc.storage.store import Owner

log = structlog.get_logger("svc.actors.embeds.embed_cache")

RENDER_SECONDS: Final = 15
"""How long a request waits for an embed that has no snapshot."""
ATTEMPTS_MAX: Final = 3
"""Renderings in a row, if the embed changes during each of them."""
RETRY_MS: Final = 2 * SECOND_MS
"""How long to wait after a failed rendering before the next."""


class EmbedCacheState(msgspec.Struct, kw_only=True):
    """Counts of renderings. The snapshot is in `System.embed_snapshots`."""

    organization_id: str
    made: int = 0
    failed: int = 0
    rests_until: int = 0
    """No rendering before this time, since the last one failed; ms since the epoch."""


class EmbedCache(Actor[System, EmbedCacheState]):
    """Renders one embed. Its key is the embed's public key."""

    # Turns wait for `embed_pace`. `RENDER_SECONDS` ends that wait first, so the time limit causes no crash.
    policy = Policy(mailbox_max=4_096, idle_seconds=600, turn_seconds=60, active_max=EMBED_CACHES_MAX)

    async def load(self) -> EmbedCacheState:
        """Raises `NotFound` for an unknown key, so that made-up keys leave no actor behind."""
        embed = await self.system.store.of(Owner.EMBEDS).read(embeds.by_key, self.key)
        return EmbedCacheState(organization_id=embed.organization_id)

    async def flush(self) -> None:
        """Evict the snapshot: the embed was idle for longer than its stale period."""
        self.system.embeds.snapshots.evict(self.key)

    @turn
    async def show(self) -> Snapshot:
        """The snapshot to be served; rendered if there is none. Raises `NotFound` and `Unavailable`."""
        kept = self.system.embeds.snapshots.get(self.key)
        if kept is not None and self.system.clock.now() < kept.stale_until:
            return kept
        try:
            return await self._render_now()
        except Unavailable as error:
            log.warning("an embed's records cannot be shown", embed=self.key, why=error)
            # The expired snapshot still has the current outline: a change would have evicted it.
            kept = self.system.embeds.snapshots.get(self.key)
            if kept is None or kept.rendering is None:
                raise
            return self._publish_outline(kept, kept.rendering.outline)

    @turn
    async def refresh(self) -> None:
        """Render the embed again while the stale snapshot is served."""
        try:
            kept = self.system.embeds.snapshots.get(self.key)
            if kept is None or self.system.clock.now() >= kept.fresh_until:
                await self._render_now(in_background=True)
        except Unavailable as error:
            log.warning("an embed was not made anew", embed=self.key, why=error)
        finally:
            self.system.embeds.snapshots.release_refresh(self.key)

    async def _render_now(self, *, in_background: bool = False) -> Snapshot:
        """Render and publish a snapshot of what is committed when this returns. Raises `Unavailable`.

        A rendering *in_background*, which no request waits for, is not started during a shutdown.
        """
        state, now = self.state, self.system.clock.now()
        if now < state.rests_until:
            raise Unavailable("it failed a moment ago", retry_after_seconds=RETRY_MS / SECOND_MS)
        try:
            return await self._render_in_time(in_background=in_background)
        except Unavailable:
            state.failed += 1
            state.rests_until = self.system.clock.now() + RETRY_MS
            raise

    async def _render_in_time(self, *, in_background: bool) -> Snapshot:
        with trio.move_on_after(RENDER_SECONDS):
            return await self._render_current(in_background=in_background)
        raise Unavailable("too much is being made already")

    async def _render_current(self, *, in_background: bool) -> Snapshot:
        snapshots = self.system.embeds.snapshots
        units = self.system.store.of(self.state.organization_id)
        for _ in range(ATTEMPTS_MAX):
            # Wait here rather than in the store: a cancelled wait here costs no read.
            async with self.system.embeds.pace.of(self.state.organization_id):
                if in_background and self.system.quiesced:
                    raise Unavailable("the service ends")
                ticket, now = snapshots.begin(self.key), self.system.clock.now()
                try:
                    rendered = await units.read_long(_render, self.key, now, self.system.base_url)
                    if snapshots.publish(self.key, ticket, rendered.snapshot):
                        self.state.made += 1
                        self._request_indexes(rendered)
                        return rendered.snapshot
                finally:
                    snapshots.abandon(self.key, ticket)
        raise Unavailable("it is changed faster than it is made")

    def _request_indexes(self, rendered: "_Rendered") -> None:
        """Have the indexes built that would have made the rendering faster."""
        if rendered.unindexed:
            try:
                Indexer(self.system, rendered.snapshot.organization_id).index.tell(rendered.unindexed)
            except (ActorError, Unavailable) as error:
                log.warning("not told of an index", embed=self.key, why=error)

    def _publish_outline(self, kept: Snapshot, outline: tuple[BlockView, ...]) -> Snapshot:
        """Publish the embed without its records, until the next attempt."""
        until = self.system.clock.now() + RETRY_MS
        snapshot = Snapshot(
            organization_id=kept.organization_id,
            domain=kept.domain,
            rendering=_encode(outline, outline, self.system.base_url),
            fresh_until=until,
            stale_until=until,
            cacheable=False,
        )
        snapshots = self.system.embeds.snapshots
        snapshots.publish(self.key, snapshots.begin(self.key), snapshot)
        return snapshot


async def current(system: System, key: str) -> Snapshot:
    """The snapshot to be served of the embed with the public *key*, from the cache if possible.

    A stale snapshot is returned at once, and refreshed in the background. Raises `NotFound` for an unknown
    key, and `Unavailable` if there is no snapshot and the embed cannot be rendered.
    """
    snapshots, now = system.embeds.snapshots, system.clock.now()
    snapshot = snapshots.get(key)
    if snapshot is None or now >= snapshot.stale_until:
        if not system.is_active(EmbedCache, key):
            await system.embeds.unknown_keys.check(key)
        return await EmbedCache(system, key).show()
    if now >= snapshot.fresh_until and snapshots.claim_refresh(key):
        try:
            EmbedCache(system, key).refresh.tell()
        except (ActorError, Unavailable) as error:
            snapshots.release_refresh(key)
            log.warning("an embed is not made anew", embed=key, why=error)
    return snapshot


class _Rendered(NamedTuple):
    """A snapshot, and the ids of properties whose indexes would have made the rendering faster."""

    snapshot: Snapshot
    unindexed: tuple[str, ...]


def _render(conn: Connection, key: str, now: int, base_url: str) -> _Rendered:
    """Read, encode and compress an embed. Runs in the store's thread, since it takes some milliseconds."""
    embed, shown_now = embed_views.by_key(conn, key, now)
    rendering = None
    if shown_now is not None:
        rendering = _encode(shown_now.views, embed_views.outline(shown_now.views), base_url)
    fresh_until = now + EMBED_FRESH_MS
    snapshot = Snapshot(
        organization_id=embed.organization_id,
        domain=embed.domain,
        rendering=rendering,
        fresh_until=fresh_until,
        stale_until=fresh_until + EMBED_STALE_MS,
    )
    return _Rendered(snapshot, shown_now.unindexed if shown_now else ())


def _encode(views: tuple[BlockView, ...], outline: tuple[BlockView, ...], base_url: str) -> Rendering:
    return Rendering(
        json=compressed(msgspec.json.encode(shown(views))),
        html=compressed(embed_fragment.to_html(views, base_url).encode()),
        outline=outline,
    )
