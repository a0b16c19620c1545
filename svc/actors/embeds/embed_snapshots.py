"""What was made of embeds, ready to be sent: read by the door without asking anybody.

An `EmbedCache` puts snapshots here; they are immutable, so whoever reads one needs no turn. A change that is
announced drops them at once.
"""

import gzip
from hashlib import blake2b
from typing import Final

import msgspec

from svc.domain.embeds.views import BlockView
from svc.domain.limits import EMBED_SNAPSHOTS_BYTES_MAX

_ETAG_BYTES: Final = 16
_GZIP_LEVEL: Final = 6
SNAPSHOT_BYTES: Final = 2_048
"""What a snapshot takes beside its bytes, roughly: so many that say nothing are not for nothing either."""


class Rendition(msgspec.Struct, frozen=True, gc=False):
    """One representation of an embed, and its strong entity tag."""

    body: bytes
    etag: bytes


class Format(msgspec.Struct, frozen=True):
    """An embed in one media type, as it is and compressed."""

    plain: Rendition
    gzip: Rendition

    @property
    def size(self) -> int:
        return len(self.plain.body) + len(self.gzip.body)


def ready(body: bytes) -> Format:
    """*body*, compressed once and for all."""
    digest = blake2b(body, digest_size=_ETAG_BYTES).hexdigest().encode()
    return Format(
        plain=Rendition(body, b'"%b"' % digest),
        gzip=Rendition(gzip.compress(body, _GZIP_LEVEL, mtime=0), b'"%b-gzip"' % digest),
    )


class Rendering(msgspec.Struct, frozen=True):
    """What was made of an embed that is shown."""

    json: Format
    html: Format
    outline: tuple[BlockView, ...]
    """Its blocks without their records, so that it can be shown when those cannot be read."""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What is served of an embed. Times are ms since the epoch."""

    organization_id: str
    domain: str | None
    """The domain of the site that it is bound to; None for one that any origin may embed."""
    made: Rendering | None
    """None for an embed that is not shown: paused, removed, or of an organization that is closed."""
    fresh_until: int
    stale_until: int
    lasting: bool = True
    """Whether others may keep it too; not so when it says that something could not be read."""

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return SNAPSHOT_BYTES + (self.made.json.size + self.made.html.size if self.made else 0)


class Ticket:
    """That a snapshot is being made; it is good until a change of what it is made of is announced."""

    __slots__ = ("changed",)

    def __init__(self) -> None:
        self.changed: set[str] = set()
        """Organizations of which something was announced since."""


class EmbedSnapshots:
    """The snapshots of all embeds, by their keys; together they take *bytes_max* at most."""

    def __init__(self, bytes_max: int = EMBED_SNAPSHOTS_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        # In the order of their making. Who is asked for is made again each minute: the first is the idlest.
        self._kept: dict[str, Snapshot] = {}
        self._size = 0
        self._tickets: dict[str, Ticket] = {}
        self._called: set[str] = set()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """Bytes that all of them take."""
        return self._size

    def get(self, key: str) -> Snapshot | None:
        """What was made last, however old it is."""
        return self._kept.get(key)

    def call(self, key: str) -> bool:
        """Whether to ask for a refresh: True for the first who finds the snapshot no longer fresh."""
        if key in self._called:
            return False
        self._called.add(key)
        return True

    def uncall(self, key: str) -> None:
        """The refresh that was called for ended, or was not accepted: the next may call again."""
        self._called.discard(key)

    def begin(self, key: str) -> Ticket:
        """Say that a snapshot is being made, before anything is read for it."""
        ticket = self._tickets[key] = Ticket()
        return ticket

    def keep(self, key: str, ticket: Ticket, snapshot: Snapshot) -> bool:
        """Publish *snapshot*, unless a change was announced since its *ticket*: then it is already false."""
        if self._tickets.get(key) is not ticket or snapshot.organization_id in ticket.changed:
            return False
        del self._tickets[key]
        self._called.discard(key)
        self._remove(key)
        self._kept[key] = snapshot
        self._size += snapshot.size
        while self._size > self._bytes_max:
            self._remove(next(iter(self._kept)))
        return True

    def abandon(self, key: str, ticket: Ticket) -> None:
        """Nothing came of what was begun."""
        if self._tickets.get(key) is ticket:
            del self._tickets[key]

    def drop(self, *keys: str) -> None:
        """What was made of these, and what is being made, counts no more."""
        for key in keys:
            self._tickets.pop(key, None)
            self._called.discard(key)
            self._remove(key)

    def drop_all_of(self, organization_id: str) -> None:
        """What was made of that organization's embeds, and what is being made, counts no more."""
        for ticket in self._tickets.values():
            ticket.changed.add(organization_id)
        kept = [key for key, one in self._kept.items() if one.organization_id == organization_id]
        self.drop(*kept)

    def _remove(self, key: str) -> None:
        snapshot = self._kept.pop(key, None)
        if snapshot is not None:
            self._size -= snapshot.size
