"""Rolling keys: another value for a key that stays what it is."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import KeysChanged
from svc.domain.crypto.keys import API_KEY, GATEWAY_KEY, digest, new_key, visible_start
from svc.domain.errors import Forbidden, NotFound
from svc.domain.identity.callers import Call
from svc.domain.input.near_names import shown
from svc.storage.identity import api_keys, authorization, tables
from svc.storage.identity.api_keys import KEYS, MintedKey
from svc.storage.store import Tx

_key: Final = tables.api_keys.c


class RolledKey(MintedKey, frozen=True, kw_only=True):
    """A key with another value. `key` is returned this once, and not stored."""

    previous_ends_at: int
    """When the value before ends, ms since the epoch."""


def roll(tx: Tx, call: Call, key_id: str, overlap_ms: int) -> RolledKey:
    """Give a key another value, which lives as long as the key was asked for; the one before ends.

    It still opens what the key does for *overlap_ms*, but not past its own end; one that was still in an
    overlap ends at once.

    Raises:
        PersonOnly: a key or an agent calls.
        Forbidden: the caller lacks the permission `security`, did not make the key, or may have none here.
        ConfirmationRequired: the caller did not confirm their identity within the last two hours.
        NotFound: no such key, or it was revoked or has expired.
    """
    organization_id = call.caller.organization_id
    authorization.require(tx.conn, call, "security")
    authorization.require_fresh(call, tx.now)
    live = (*api_keys.unrevoked(call, key_id), _key.expires_at > tx.now)
    key = KEYS.one(tx.conn, KEYS.select(*live))
    if key is None:
        raise NotFound(f"there is no live key {shown(key_id)}")
    if key.creator_id != call.caller.person_id:
        raise Forbidden(
            "a key acts as the person who made it, who alone rolls it: revoke it, and mint your own"
        )
    api_keys.check_home(tx.conn, organization_id, key.creator_id)
    prefix = API_KEY if key.limited_to is None else GATEWAY_KEY
    value = new_key(prefix, tx.random)
    ends_at = min(tx.now + overlap_ms, key.expires_at)
    _keep_previous(tx, organization_id, key_id, ends_at)
    changes = {"visible_start": visible_start(value, prefix), "expires_at": tx.now + key.life_ms}
    tx.conn.execute(KEYS.update(*live, digest=digest(value), **changes))
    tx.announce(KeysChanged(organization_id, digest(value)))
    rolled = msgspec.structs.asdict(key) | changes
    return RolledKey(**rolled, key=value, previous_ends_at=ends_at)


def _keep_previous(tx: Tx, organization_id: str, key_id: str, ends_at: int) -> None:
    api_keys.end_previous(tx, organization_id, key_id)
    before = tx.conn.scalar(sa.select(_key.digest).where(_key.id == key_id))
    if ends_at > tx.now:
        tx.conn.execute(
            sa.insert(tables.previous_keys).values(
                key_id=key_id, organization_id=organization_id, digest=before, ends_at=ends_at
            )
        )
    tx.announce(KeysChanged(organization_id, before or ""))
