"""Channel keys: what a bridge shows at the channel doors. A connection may have several."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ChannelKeysChanged
from svc.domain.crypto.keys import CHANNEL_KEY, digest, new_key, visible_start
from svc.domain.errors import KeyLimit, NotFound
from svc.domain.limits import CHANNEL_KEYS_MAX
from svc.domain.near_names import shown
from svc.storage.channels import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.statements import Statement
from svc.storage.store import Tx


class ChannelKey(msgspec.Struct, frozen=True):
    """A live key as a list shows it; `created_at` is ms since the epoch."""

    id: str
    visible_start: str
    created_at: int


class MintedChannelKey(msgspec.Struct, frozen=True):
    """A new key. `key` is shown this once, and kept nowhere."""

    id: str
    key: str
    visible_start: str


class ChannelRoute(NamedTuple):
    """Where a live channel key leads."""

    id: str
    """The key's."""
    connection_id: str
    organization_id: str

    def lives_at(self, _now: int) -> bool:
        """Channel keys do not expire: they are revoked."""
        return True


_ROUTE = Statement(
    sa.select(
        tables.channel_keys.c.id, tables.channel_keys.c.connection_id, tables.channel_keys.c.organization_id
    )
    .join(
        identity_tables.organizations,
        identity_tables.organizations.c.id == tables.channel_keys.c.organization_id,
    )
    .where(
        tables.channel_keys.c.digest == sa.bindparam("digest"),
        tables.channel_keys.c.revoked_at.is_(None),
        identity_tables.organizations.c.closed_at.is_(None),
    ),
    ChannelRoute,
)


def mint(tx: Tx, organization_id: str, connection_id: str) -> MintedChannelKey:
    """Make a key for a connection that is there. Raises `KeyLimit`."""
    live = tx.conn.execute(sa.select(sa.func.count()).where(_live(connection_id))).scalar_one()
    if live >= CHANNEL_KEYS_MAX:
        raise KeyLimit(f"there are {CHANNEL_KEYS_MAX} live keys, which is the limit: revoke one first")
    key = new_key(CHANNEL_KEY, tx.random)
    minted = MintedChannelKey(tx.new_id("key"), key, visible_start(key, CHANNEL_KEY))
    tx.conn.execute(
        sa.insert(tables.channel_keys).values(
            id=minted.id,
            organization_id=organization_id,
            connection_id=connection_id,
            digest=digest(key),
            visible_start=minted.visible_start,
            created_at=tx.now,
        )
    )
    return minted


def revoke(tx: Tx, connection_id: str, key_id: str) -> None:
    """Revoke a key for good, effective with the next call. Raises `NotFound`."""
    if not _revoke(tx, _live(connection_id) & (tables.channel_keys.c.id == key_id)):
        raise NotFound(f"there is no channel key {shown(key_id)}")


def revoke_all(tx: Tx, connection_id: str) -> None:
    """Revoke every key of the connection."""
    _revoke(tx, _live(connection_id))


def of_connection(conn: sa.Connection, connection_id: str) -> list[ChannelKey]:
    """The connection's live keys, the oldest first."""
    rows = conn.execute(
        sa.select(
            tables.channel_keys.c.id, tables.channel_keys.c.visible_start, tables.channel_keys.c.created_at
        )
        .where(_live(connection_id))
        .order_by(tables.channel_keys.c.id)
    )
    return [ChannelKey(*row) for row in rows]


def route(conn: sa.Connection, key_digest: str, _now: int) -> ChannelRoute | None:
    """Where the key leads; for unknown and revoked ones the same search, which finds nothing."""
    return _ROUTE.one(conn, digest=key_digest)


def _live(connection_id: str) -> sa.ColumnElement[bool]:
    return (tables.channel_keys.c.connection_id == connection_id) & tables.channel_keys.c.revoked_at.is_(None)


def _revoke(tx: Tx, which: sa.ColumnElement[bool]) -> Sequence[str]:
    digests = tx.conn.scalars(
        sa.update(tables.channel_keys)
        .where(which)
        .values(revoked_at=tx.now)
        .returning(tables.channel_keys.c.digest)
    ).all()
    if digests:
        tx.announce(ChannelKeysChanged(tuple(digests)))
    return digests
