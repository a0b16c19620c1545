"""Cache of rendered embeds, which the embed door serves without a turn of an actor.

`EmbedCache` publishes the snapshots; they are immutable. A change that is announced evicts them at once.
"""

import gzip
from hashlib import blake2b
from typing import Final

import msgspec

from svc.domain.embeds.limits import EMBED_SNAPSHOTS_BYTES_MAX
from svc.domain.embeds.views import BlockView

_ETAG_BYTES: Final = 16
_GZIP_LEVEL: Final = 6
SNAPSHOT_BYTES: Final = 2_048
"""Approximate overhead of a snapshot in memory, so that empty snapshots count towards the limit too."""


class Rendition(msgspec.Struct, frozen=True, gc=False):
    """One representation of an embed, and its strong entity tag."""

    body: bytes
    etag: bytes


class Format(msgspec.Struct, frozen=True):
    """An embed in one media type, uncompressed and compressed."""

    plain: Rendition
    gzip: Rendition

    @property
    def size(self) -> int:
        return len(self.plain.body) + len(self.gzip.body)


def compressed(body: bytes) -> Format:
    """*body* in both encodings. Done once for each snapshot, not for each request."""
    digest = blake2b(body, digest_size=_ETAG_BYTES).hexdigest().encode()
    return Format(
        plain=Rendition(body, b'"%b"' % digest),
        gzip=Rendition(gzip.compress(body, _GZIP_LEVEL, mtime=0), b'"%b-gzip"' % digest),
    )


class Rendering(msgspec.Struct, frozen=True):
    """A published embed in all media types."""

    json: Format
    html: Format
    outline: tuple[BlockView, ...]
    """Its blocks without their records: shown while the records cannot be read."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What is served of an embed. Times are ms since the epoch."""

    organization_id: str
    domain: str | None
    """The domain of the site that it is bound to; None if any origin may embed it."""
    rendering: Rendering | None
    """None for an embed that is not shown: paused, removed, or of a closed organization."""
    fresh_until: int
    stale_until: int
    cacheable: bool = True
    """Whether clients may cache it; False if it states that records could not be read."""

    @property
    def size(self) -> int:
        """Approximate bytes in memory."""
        rendered = self.rendering.json.size + self.rendering.html.size if self.rendering else 0
        return SNAPSHOT_BYTES + rendered


class Ticket:
    """A rendering in progress; void once a change of the embed is announced."""

    __slots__ = ("changed_organizations",)

    def __init__(self) -> None:
        self.changed_organizations: set[str] = set()
        """Ids of the organizations of which a change was announced since."""


class EmbedSnapshots:
    """The snapshots of all embeds, by embed key; at most *bytes_max* in all."""

    def __init__(self, bytes_max: int = EMBED_SNAPSHOTS_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        # In the order of publication. A snapshot in use is replaced each minute, so the first is the least
        # recently used.
        self._snapshots: dict[str, Snapshot] = {}
        self._size = 0
        self._tickets: dict[str, Ticket] = {}
        self._refreshing: set[str] = set()

    def __len__(self) -> int:
        return len(self._snapshots)

    @property
    def size(self) -> int:
        """Approximate bytes of all snapshots."""
        return self._size

    def get(self, key: str) -> Snapshot | None:
        """The last snapshot that was published, however old."""
        return self._snapshots.get(key)

    def claim_refresh(self, key: str) -> bool:
        """Whether the caller has to request a refresh: True until the claim is released."""
        if key in self._refreshing:
            return False
        self._refreshing.add(key)
        return True

    def release_refresh(self, key: str) -> None:
        """Release the claim: the refresh has ended, or was not accepted."""
        self._refreshing.discard(key)

    def begin(self, key: str) -> Ticket:
        """Begin a rendering. Call it before anything is read, so that no change is missed."""
        ticket = self._tickets[key] = Ticket()
        return ticket

    def publish(self, key: str, ticket: Ticket, snapshot: Snapshot) -> bool:
        """Publish *snapshot*, and return True; discard it if a change was announced since its *ticket*."""
        if self._tickets.get(key) is not ticket or snapshot.organization_id in ticket.changed_organizations:
            return False
        del self._tickets[key]
        self._refreshing.discard(key)
        self._remove(key)
        self._snapshots[key] = snapshot
        self._size += snapshot.size
        while self._size > self._bytes_max:
            self._remove(next(iter(self._snapshots)))
        return True

    def abandon(self, key: str, ticket: Ticket) -> None:
        """End a rendering that was not published."""
        if self._tickets.get(key) is ticket:
            del self._tickets[key]

    def evict(self, *keys: str) -> None:
        """Evict the snapshots of these embeds, and void their renderings in progress."""
        for key in keys:
            self._tickets.pop(key, None)
            self._refreshing.discard(key)
            self._remove(key)

    def evict_organization(self, organization_id: str) -> None:
        """Evict the snapshots of the organization's embeds, and void their renderings in progress."""
        for ticket in self._tickets.values():
            ticket.changed_organizations.add(organization_id)
        keys = [
            key for key, snapshot in self._snapshots.items() if snapshot.organization_id == organization_id
        ]
        self.evict(*keys)

    def _remove(self, key: str) -> None:
        snapshot = self._snapshots.pop(key, None)
        if snapshot is not None:
            self._size -= snapshot.size
