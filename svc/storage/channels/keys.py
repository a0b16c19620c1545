"""Channel keys: what a bridge shows at the channel doors. A connection may have several."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ChannelKeysChanged, ResourceChanged
from svc.domain.channels.limits import CHANNEL_KEYS_MAX
from svc.domain.crypto.keys import CHANNEL_KEY, digest, new_key, visible_start
from svc.domain.errors import KeyLimit, NotFound
from svc.domain.input.near_names import shown
from svc.storage.channels import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.store import Tx


class ChannelKey(msgspec.Struct, frozen=True, kw_only=True):
    """A live key as a list shows it. Times are ms since the epoch."""

    id: str
    visible_start: str
    created_at: int
    last_used_at: int | None = None
    """As exact as `CHANNEL_KEY_USE_NOTED_MS`; None until its bridge has called."""


class MintedChannelKey(ChannelKey, frozen=True, kw_only=True):
    """A new key. `key` is shown this once, and kept nowhere."""

    key: str


class ChannelRoute(NamedTuple):
    """Where a live channel key leads."""

    id: str
    """The key's."""
    connection_id: str
    organization_id: str

    def lives_at(self, _now: int) -> bool:
        """Channel keys do not expire: they are revoked."""
        return True


_KEYS: Final = Rows(tables.channel_keys, ChannelKey, beside=["organization_id", "connection_id", "digest"])
_ROUTE = Statement(
    sa.select(*(tables.channel_keys.c[name] for name in ChannelRoute._fields))
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


_NOTE_USE = Statement(
    sa.update(tables.channel_keys)
    .where(tables.channel_keys.c.id == sa.bindparam("key_id"))
    .values(last_used_at=sa.bindparam("used_at"))
)
_IS_USED = Statement(
    sa.select(tables.channel_keys.c.id).where(
        tables.channel_keys.c.id == sa.bindparam("key_id"),
        tables.channel_keys.c.last_used_at.is_not(None),
    ),
    str,
)


def mint(tx: Tx, organization_id: str, connection_id: str) -> MintedChannelKey:
    """Make a key for a connection that is there. Raises `KeyLimit`."""
    live = tx.conn.execute(sa.select(sa.func.count()).where(_live(connection_id))).scalar_one()
    if live >= CHANNEL_KEYS_MAX:
        raise KeyLimit(f"there are {CHANNEL_KEYS_MAX} live keys, which is the limit: revoke one first")
    key = new_key(CHANNEL_KEY, tx.random)
    minted = MintedChannelKey(
        id=tx.new_id("key"), key=key, visible_start=visible_start(key, CHANNEL_KEY), created_at=tx.now
    )
    _KEYS.insert(
        tx.conn,
        minted,
        organization_id=organization_id,
        connection_id=connection_id,
        digest=digest(key),
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
    return _KEYS.all(conn, _KEYS.select(_live(connection_id)).order_by(tables.channel_keys.c.id))


def note_use(tx: Tx, route: ChannelRoute, used_at: int) -> None:
    """Store when a bridge called with its key; the key's first call is told to screens that wait for it."""
    if _IS_USED.one(tx.conn, key_id=route.id) is None:
        tx.announce(ResourceChanged(route.organization_id, "connection", route.connection_id))
    _NOTE_USE.run(tx.conn, key_id=route.id, used_at=used_at)


def last_calls(conn: sa.Connection, connection_ids: Sequence[str]) -> dict[str, int]:
    """When the bridges of the connections last called, with a key that is live or revoked."""
    column = tables.channel_keys.c
    rows = conn.execute(
        sa.select(column.connection_id, sa.func.max(column.last_used_at))
        .where(column.connection_id.in_(connection_ids), column.last_used_at.is_not(None))
        .group_by(column.connection_id)
    )
    return dict(rows.tuples().all())


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
