"""The EmbedCache: makes what an embed shows, one at a time, and publishes it for everybody to read."""

from typing import Final, NamedTuple

import msgspec
import structlog
import trio
from sqlalchemy import Connection

from svc.actors._core import Actor, ActorError, Policy, turn
from svc.actors.embeds.embed_snapshots import Rendering, Snapshot, ready
from svc.actors.records.indexer import Indexer
from svc.actors.system import System
from svc.domain.embeds import html_fragment as embed_fragment
from svc.domain.embeds.views import BlockView, shown
from svc.domain.errors import Unavailable
from svc.domain.limits import EMBED_CACHES_MAX, EMBED_FRESH_MS, EMBED_STALE_MS
from svc.domain.times import SECOND_MS
from svc.storage.embeds import embeds
from svc.storage.embeds import views as embed_views
from svc.storage.store import Owner

log = structlog.get_logger("svc.actors.embeds.embed_cache")

MAKE_SECONDS: Final = 15
"""How long a request waits for an embed of which nothing is ready."""
TRIES: Final = 3
"""How often it is made anew at once when what it is made of changes meanwhile."""
RETRY_MS: Final = 2 * SECOND_MS
"""How long nothing is read again after it failed."""


class EmbedCacheState(msgspec.Struct, kw_only=True):
    """How the making went. What was made is in the system, as `embed_snapshots`."""

    organization_id: str
    made: int = 0
    failed: int = 0
    rests_until: int = 0
    """Nothing is read before, since it failed; ms since the epoch."""


class EmbedCache(Actor[System, EmbedCacheState]):
    """One embed. Its key is the embed's public key."""

    # Its turns wait for their place among all that are made; `MAKE_SECONDS` ends that, and no crash.
    policy = Policy(mailbox_max=4_096, idle_seconds=600, turn_seconds=60, active_max=EMBED_CACHES_MAX)

    async def load(self) -> EmbedCacheState:
        """Raises `NotFound` for a key that nobody has, so that made-up keys leave nothing behind."""
        embed = await self.system.store.of(Owner.EMBEDS).read(embeds.by_key, self.key)
        return EmbedCacheState(organization_id=embed.organization_id)

    async def flush(self) -> None:
        """Nobody asked for it for longer than it may be served."""
        self.system.embed_snapshots.drop(self.key)

    @turn
    async def show(self) -> Snapshot:
        """What may be served now; it is made if need be. Raises `NotFound` and `Unavailable`."""
        kept = self.system.embed_snapshots.get(self.key)
        if kept is not None and self.system.clock.now() < kept.stale_until:
            return kept
        try:
            return await self._make()
        except Unavailable as error:
            log.warning("an embed's records cannot be shown", embed=self.key, why=repr(error))
            # What is kept is what the embed still is: a change would have dropped it.
            kept = self.system.embed_snapshots.get(self.key)
            if kept is None or kept.made is None:
                raise
            return self._keep_outline(kept, kept.made.outline)

    @turn
    async def refresh(self) -> None:
        """Make it anew while what there is is served."""
        try:
            kept = self.system.embed_snapshots.get(self.key)
            if kept is None or self.system.clock.now() >= kept.fresh_until:
                await self._make(ahead=True)
        except Unavailable as error:
            log.warning("an embed was not made anew", embed=self.key, why=repr(error))
        finally:
            self.system.embed_snapshots.uncall(self.key)

    async def _make(self, *, ahead: bool = False) -> Snapshot:
        """Make and publish a snapshot of what is committed when this returns. Raises `Unavailable`.

        One that is made *ahead*, for nobody who waits, is not begun once the service ends.
        """
        state, now = self.state, self.system.clock.now()
        if now < state.rests_until:
            raise Unavailable("it failed a moment ago", retry_after_seconds=RETRY_MS / SECOND_MS)
        try:
            return await self._make_in_time(ahead=ahead)
        except Unavailable:
            state.failed += 1
            state.rests_until = self.system.clock.now() + RETRY_MS
            raise

    async def _make_in_time(self, *, ahead: bool) -> Snapshot:
        with trio.move_on_after(MAKE_SECONDS):
            return await self._make_current(ahead=ahead)
        raise Unavailable("too much is being made already")

    async def _make_current(self, *, ahead: bool) -> Snapshot:
        snapshots = self.system.embed_snapshots
        units = self.system.store.of(self.state.organization_id)
        for _ in range(TRIES):
            # Few at a time: a reading that waits here costs nothing when its time is over.
            async with self.system.embed_pace.of(self.state.organization_id):
                if ahead and self.system.quiesced:
                    raise Unavailable("the service ends")
                ticket, now = snapshots.begin(self.key), self.system.clock.now()
                try:
                    made = await units.read_long(_make, self.key, now, self.system.base_url)
                    if snapshots.keep(self.key, ticket, made.snapshot):
                        self.state.made += 1
                        self._want(made)
                        return made.snapshot
                finally:
                    snapshots.abandon(self.key, ticket)
        raise Unavailable("it is changed faster than it is made")

    def _want(self, made: "_Made") -> None:
        """Have the keys kept that would have made this quicker, if there are such."""
        if made.unindexed:
            try:
                Indexer(self.system, made.snapshot.organization_id).index.tell(made.unindexed)
            except (ActorError, Unavailable) as error:
                log.warning("not told of an index", embed=self.key, why=repr(error))

    def _keep_outline(self, kept: Snapshot, outline: tuple[BlockView, ...]) -> Snapshot:
        """Publish the embed without its records, for a moment."""
        until = self.system.clock.now() + RETRY_MS
        snapshot = Snapshot(
            organization_id=kept.organization_id,
            domain=kept.domain,
            made=_render(outline, outline, self.system.base_url),
            fresh_until=until,
            stale_until=until,
            lasting=False,
        )
        snapshots = self.system.embed_snapshots
        snapshots.keep(self.key, snapshots.begin(self.key), snapshot)
        return snapshot


async def current(system: System, key: str) -> Snapshot:
    """What may be served of the embed with the public *key*: from what is ready, without waiting, if it can.

    Raises:
        NotFound: nobody has the key.
        Unavailable: nothing is ready, and nothing could be made.
    """
    snapshots, now = system.embed_snapshots, system.clock.now()
    snapshot = snapshots.get(key)
    if snapshot is None or now >= snapshot.stale_until:
        if not system.is_active(EmbedCache, key):
            await system.unknown_embeds.check(key)
        return await EmbedCache(system, key).show()
    if now >= snapshot.fresh_until and snapshots.call(key):
        try:
            EmbedCache(system, key).refresh.tell()
        except (ActorError, Unavailable) as error:
            snapshots.uncall(key)
            log.warning("an embed is not made anew", embed=key, why=repr(error))
    return snapshot


class _Made(NamedTuple):
    """What was made, and ids of properties whose keys would have made it quicker."""

    snapshot: Snapshot
    unindexed: tuple[str, ...]


def _make(conn: Connection, key: str, now: int, base_url: str) -> _Made:
    """All of it in the store's thread, since it takes some milliseconds: reading, writing, compressing."""
    embed, shown_now = embed_views.by_key(conn, key, now)
    made = None
    if shown_now is not None:
        made = _render(shown_now.views, embed_views.outline(shown_now.views), base_url)
    fresh_until = now + EMBED_FRESH_MS
    snapshot = Snapshot(
        organization_id=embed.organization_id,
        domain=embed.domain,
        made=made,
        fresh_until=fresh_until,
        stale_until=fresh_until + EMBED_STALE_MS,
    )
    return _Made(snapshot, shown_now.unindexed if shown_now else ())


def _render(views: tuple[BlockView, ...], outline: tuple[BlockView, ...], base_url: str) -> Rendering:
    return Rendering(
        json=ready(msgspec.json.encode(shown(views))),
        html=ready(embed_fragment.to_html(views, base_url).encode()),
        outline=outline,
    )
