"""Server keys: with one, each visitor that a server names is counted as its own sender."""

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update

from svc.domain.errors import NotFound
from svc.domain.ids import new_id
from svc.domain.keys import SERVER_KEY, digest, new_key, visible_start
from svc.domain.limits import SERVER_KEY_LIFE_MS
from svc.storage import forms
from svc.storage.prepared import Prepared
from svc.storage.store import Tx
from svc.storage.tables import server_keys


class MintedServerKey(msgspec.Struct, frozen=True):
    """A new server key. `key` is shown this once, and kept nowhere."""

    id: str
    key: str
    visible_start: str
    expires_at: int


def mint(tx: Tx, organization_id: str, name: str) -> MintedServerKey:
    """Make a key for the server called *name*; it lives one year."""
    key = new_key(SERVER_KEY)
    minted = MintedServerKey(
        new_id("key", tx.now), key, visible_start(key, SERVER_KEY), tx.now + SERVER_KEY_LIFE_MS
    )
    tx.conn.execute(
        insert(server_keys).values(
            id=minted.id,
            organization_id=organization_id,
            name=name,
            digest=digest(key),
            visible_start=minted.visible_start,
            created_at=tx.now,
            expires_at=minted.expires_at,
        )
    )
    forms.announce_all(tx, organization_id)
    return minted


def revoke(tx: Tx, organization_id: str, key_id: str) -> None:
    """Revoke a key for good, effective with the next submission. Raises `NotFound`."""
    done = tx.conn.execute(
        update(server_keys)
        .where(
            server_keys.c.id == key_id,
            server_keys.c.organization_id == organization_id,
            server_keys.c.revoked_at.is_(None),
        )
        .values(revoked_at=tx.now)
    )
    if not done.rowcount:
        raise NotFound("no such server key")
    forms.announce_all(tx, organization_id)


class ServerKey(msgspec.Struct, frozen=True):
    """A server key as a list shows it."""

    id: str
    name: str
    visible_start: str
    expires_at: int


def of_organization(conn: Connection, organization_id: str) -> list[ServerKey]:
    """The organization's keys that are not revoked, the oldest first."""
    rows = conn.execute(
        select(server_keys.c.id, server_keys.c.name, server_keys.c.visible_start, server_keys.c.expires_at)
        .where(server_keys.c.organization_id == organization_id, server_keys.c.revoked_at.is_(None))
        .order_by(server_keys.c.id)
    )
    return [ServerKey(*row) for row in rows]


_LIVE = Prepared(
    select(server_keys.c.digest, server_keys.c.expires_at).where(
        server_keys.c.organization_id == bindparam("organization_id"), server_keys.c.revoked_at.is_(None)
    )
)


def live(conn: Connection, organization_id: str) -> dict[str, int]:
    """The organization's keys that are not revoked: digest to the time that each expires."""
    return {row.digest: row.expires_at for row in _LIVE.all(conn, {"organization_id": organization_id})}
