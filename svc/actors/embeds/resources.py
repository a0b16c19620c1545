"""What embeds share."""

from typing import Final

from svc.actors.concurrency_limits import KeyedLimiter
from svc.actors.embeds.embed_snapshots import EmbedSnapshots
from svc.actors.unknown_keys import UnknownKeys
from svc.clock import Clock
from svc.domain.embeds.limits import EMBED_CACHES_MAX
from svc.storage.embeds import embeds
from svc.storage.store import Owner, Store

EMBEDS_AT_ONCE: Final = 2
"""Embeds of one organization that are rendered at once: the store renders one, and the next is ready."""


class EmbedResources:
    """Rendered embeds, and the places to render."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.snapshots = EmbedSnapshots()
        """Rendered embeds, for their door to serve."""
        self.unknown_keys = UnknownKeys(store.of(Owner.EMBEDS), clock, embeds.by_key)
        """Embed keys that do not exist."""
        self.pace = KeyedLimiter(EMBEDS_AT_ONCE, EMBED_CACHES_MAX)
        """Renderings of embeds, by organization."""
