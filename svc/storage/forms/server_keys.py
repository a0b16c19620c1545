"""Server keys: with one, each visitor that a server names is counted as its own sender."""

from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ServerKeysChanged
from svc.domain.crypto.keys import SERVER_KEY, digest, new_key, visible_start
from svc.domain.errors import KeyLimit, NotFound, at
from svc.domain.forms.limits import SERVER_KEY_LIFE_MS
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import EXPIRED_KEY_LISTED_MS, LIVE_SERVER_KEYS_MAX
from svc.domain.identity.people import clean_name
from svc.domain.input.near_names import shown
from svc.storage.forms import tables
from svc.storage.identity import authorization
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.store import Tx


class ServerKey(msgspec.Struct, frozen=True, kw_only=True):
    """A server key as a list shows it. Times are ms since the epoch."""

    id: str
    name: str
    visible_start: str
    created_at: int
    expires_at: int


class MintedServerKey(ServerKey, frozen=True, kw_only=True):
    """A new server key. `key` is returned this once, and not stored."""

    key: str


class _LiveKey(NamedTuple):
    """A key that is not revoked, by its digest."""

    digest: str
    expires_at: int


_KEYS: Final = Rows(tables.server_keys, ServerKey, beside=["organization_id", "digest"])
_LIVE = Statement(
    sa.select(tables.server_keys.c.digest, tables.server_keys.c.expires_at).where(
        tables.server_keys.c.organization_id == sa.bindparam("organization_id"),
        tables.server_keys.c.revoked_at.is_(None),
    ),
    _LiveKey,
)


def mint(tx: Tx, call: Call, name: str) -> MintedServerKey:
    """Make a key for the server called *name*; it lives one year, and counts from the next submission on.

    Raises:
        PersonOnly: no agent and no key makes keys.
        Forbidden: the maker lacks the permission `security`.
        ConfirmationRequired: the maker did not confirm their identity within the last two hours.
        KeyLimit: there are `LIVE_SERVER_KEYS_MAX` live ones.
        InvalidInput: the name is none.
    """
    authorization.require(tx.conn, call, "security")
    authorization.require_fresh(call, tx.now)
    organization_id = call.caller.organization_id
    with at("/name"):
        clean = clean_name(name)
    if _count_live(tx.conn, organization_id, tx.now) >= LIVE_SERVER_KEYS_MAX:
        raise KeyLimit(f"there are {LIVE_SERVER_KEYS_MAX} live server keys, which is the limit: revoke one")
    key = new_key(SERVER_KEY, tx.random)
    minted = MintedServerKey(
        id=tx.new_id("key"),
        name=clean,
        key=key,
        visible_start=visible_start(key, SERVER_KEY),
        created_at=tx.now,
        expires_at=tx.now + SERVER_KEY_LIFE_MS,
    )
    _KEYS.insert(tx.conn, minted, organization_id=organization_id, digest=digest(key))
    tx.announce(ServerKeysChanged(organization_id))
    return minted


def revoke(tx: Tx, call: Call, key_id: str) -> int:
    """Revoke a key for good, effective with the next submission, and return when: ms since the epoch.

    Raises:
        PersonOnly: a key or an agent calls.
        Forbidden: the caller lacks the permission `security`.
        NotFound: no such key.
    """
    authorization.require(tx.conn, call, "security")
    organization_id = call.caller.organization_id
    done = tx.conn.execute(
        sa.update(tables.server_keys)
        .where(tables.server_keys.c.id == key_id, *_unrevoked(organization_id))
        .values(revoked_at=tx.now)
    )
    if not done.rowcount:
        raise NotFound(f"there is no server key {shown(key_id)}")
    tx.announce(ServerKeysChanged(organization_id))
    return tx.now


def list_all(conn: sa.Connection, organization_id: str, now: int) -> list[ServerKey]:
    """The organization's keys that are not revoked, the oldest first; expired ones for another 90 days."""
    shown_since = tables.server_keys.c.expires_at > now - EXPIRED_KEY_LISTED_MS
    return _KEYS.all(
        conn, _KEYS.select(*_unrevoked(organization_id), shown_since).order_by(tables.server_keys.c.id)
    )


def live(conn: sa.Connection, organization_id: str) -> dict[str, int]:
    """The organization's keys that are not revoked: digest to the time that each expires."""
    return {row.digest: row.expires_at for row in _LIVE.all(conn, organization_id=organization_id)}


def _count_live(conn: sa.Connection, organization_id: str, now: int) -> int:
    lives = tables.server_keys.c.expires_at > now
    return conn.execute(sa.select(sa.func.count()).where(*_unrevoked(organization_id), lives)).scalar_one()


def _unrevoked(organization_id: str) -> tuple[sa.ColumnElement[bool], ...]:
    """What selects the organization's keys that are not revoked."""
    return tables.server_keys.c.organization_id == organization_id, tables.server_keys.c.revoked_at.is_(None)
