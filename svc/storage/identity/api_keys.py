"""API keys, and gateway keys, which open the AI gateway and nothing else."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import KeysChanged
from svc.domain.crypto.keys import API_KEY, GATEWAY_KEY, digest, new_key, visible_start
from svc.domain.errors import Fault, Forbidden, InvalidInput, KeyLimit, NotFound, PersonOnly, at, named_at
from svc.domain.identity import gateway_limits
from svc.domain.identity.access import KeyKind
from svc.domain.identity.callers import GATEWAY_NEEDS, Call, Limit
from svc.domain.identity.limits import (
    API_KEY_LIVES_MS,
    EXPIRED_KEY_LISTED_MS,
    GATEWAY_KEY_LIFE_MS,
    KEY_TOOLS_MAX,
    LIVE_KEYS_MAX,
    ExpiresIn,
)
from svc.domain.identity.people import clean_name
from svc.domain.identity.roles import ADMIN, OWNER, Role
from svc.domain.input.near_names import shown
from svc.storage.identity import authorization, key_states, roles, tables
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.store import Tx


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key to be made. Its role is the maker's own unless a weaker one is named."""

    name: str
    expires_in: ExpiresIn | None = None
    """90 days unless said otherwise; a gateway key lives one year, and may be asked for nothing else."""
    role_id: str | None = None
    tools: tuple[str, ...] | None = None
    limited_to: Limit | None = None
    monthly_budget_micro_credits: int | None = None
    """Of a gateway key alone; None for no budget."""
    models: tuple[str, ...] | None = None
    """The only models that a gateway key may name; None for all."""


class ListedKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key as a list shows it. Times are ms since the epoch."""

    id: str
    name: str
    visible_start: str
    role_id: str
    tools: tuple[str, ...] | None
    limited_to: Limit | None
    monthly_budget_micro_credits: int | None
    models: tuple[str, ...] | None
    creator_id: str
    created_at: int
    life_ms: int
    """How long it was asked for to live; a roll begins that anew."""
    expires_at: int
    revoked_at: int | None
    last_used_at: int | None

    @property
    def kind(self) -> KeyKind:
        return "api" if self.limited_to is None else "gateway"


class MintedKey(ListedKey, frozen=True, kw_only=True):
    """A new key. `key` is returned this once, and not stored."""

    key: str


_key: Final = tables.api_keys.c
_previous: Final = tables.previous_keys.c
KEYS: Final = Rows(
    tables.api_keys,
    ListedKey,
    empty={"tools": tuple, "models": tuple},  # what cannot be read limits a key to nothing
    beside=["organization_id", "digest"],
)


class Route(NamedTuple):
    """What a live key authenticates."""

    organization_id: str
    expires_at: int

    def lives_at(self, now: int) -> bool:
        return now < self.expires_at


_ROUTE = Statement(
    sa.select(_key.organization_id, _key.expires_at)
    .where(
        _key.digest == sa.bindparam("digest"),
        _key.expires_at > sa.bindparam("now"),
        _key.revoked_at.is_(None),
    )
    .union_all(
        sa.select(_previous.organization_id, _previous.ends_at).where(
            _previous.digest == sa.bindparam("digest"), _previous.ends_at > sa.bindparam("now")
        )
    ),
    Route,
)
_NOTE_USE = Statement(
    sa.update(tables.api_keys)
    .where(_key.id == sa.bindparam("key_id"))
    .values(last_used_at=sa.bindparam("used_at"))
)


def mint(tx: Tx, call: Call, new: NewKey) -> MintedKey:
    """Make a key that acts as its maker, never above.

    Raises:
        PersonOnly: no agent and no key makes keys.
        Forbidden: the maker lacks the permission `security`, gives a role above their own, has a home that
            does not allow it, or asks for a gateway key without being an Owner or Admin.
        ConfirmationRequired: the maker did not confirm their identity within the last two hours.
        KeyLimit: there are 20 live keys.
        InvalidInput: what is asked for makes no sense, or is not there.
    """
    own = authorization.require(tx.conn, call, "security")
    creator_id = call.caller.person_id
    if creator_id is None:
        raise PersonOnly("a key acts as the person who made it: sign in to make one")
    check_home(tx.conn, call.caller.organization_id, creator_id)
    authorization.require_fresh(call, tx.now)
    with named_at("/role"):
        role = own if new.role_id is None else roles.get(tx.conn, call.caller.organization_id, new.role_id)
    _check(own, role, new)
    if key_states.count_live(tx.conn, call.caller.organization_id, tx.now) >= LIVE_KEYS_MAX:
        raise KeyLimit(f"there are {LIVE_KEYS_MAX} live keys, which is the limit: revoke one first")
    minted = _new(tx, creator_id, role, new)
    key_digest = digest(minted.key)
    KEYS.insert(tx.conn, minted, organization_id=call.caller.organization_id, digest=key_digest)
    tx.announce(KeysChanged(call.caller.organization_id, key_digest))
    return minted


def revoke(tx: Tx, call: Call, key_id: str) -> int:
    """Revoke a key for good, effective with the next call, and return when: ms since the epoch.

    Raises:
        PersonOnly: a key or an agent calls.
        Forbidden: the caller lacks the permission `security`.
        NotFound: no such key.
    """
    authorization.require(tx.conn, call, "security")
    key_digest = tx.conn.execute(
        KEYS.update(*unrevoked(call, key_id), revoked_at=tx.now).returning(_key.digest)
    ).scalar_one_or_none()
    if key_digest is None:
        raise NotFound(f"there is no key {shown(key_id)}")
    tx.announce(KeysChanged(call.caller.organization_id, key_digest))
    end_previous(tx, call.caller.organization_id, key_id)
    return tx.now


def end_previous(tx: Tx, organization_id: str, key_id: str) -> None:
    """End the value of the key before its last, where it is still in its overlap."""
    ended = sa.delete(tables.previous_keys).where(_previous.key_id == key_id).returning(_previous.digest)
    for previous in tx.conn.scalars(ended):
        tx.announce(KeysChanged(organization_id, previous))


def unrevoked(call: Call, key_id: str) -> tuple[sa.ColumnElement[bool], ...]:
    """What selects the key, if it is of the caller's organization and not revoked."""
    return (
        _key.id == key_id,
        _key.organization_id == call.caller.organization_id,
        _key.revoked_at.is_(None),
    )


def list_all(conn: sa.Connection, organization_id: str, now: int) -> list[ListedKey]:
    """The organization's keys that are not revoked, the oldest first; expired ones for another 90 days."""
    listed = (
        _key.organization_id == organization_id,
        _key.revoked_at.is_(None),
        _key.expires_at > now - EXPIRED_KEY_LISTED_MS,
    )
    return KEYS.all(conn, KEYS.select(*listed).order_by(_key.id))


def ids_of_person(conn: sa.Connection, organization_id: str, person_id: str) -> tuple[str, ...]:
    """The organization's keys that act as the person, revoked and expired ones too."""
    own = (_key.organization_id == organization_id, _key.creator_id == person_id)
    return tuple(conn.scalars(sa.select(_key.id).where(*own).order_by(_key.id)))


def route(conn: sa.Connection, key_digest: str, now: int) -> Route | None:
    return _ROUTE.one(conn, digest=key_digest, now=now)


def note_uses(tx: Tx, used_at: Mapping[str, int]) -> None:
    """Store when keys were last used, by their ids."""
    _NOTE_USE.many(tx.conn, [{"key_id": key_id, "used_at": at} for key_id, at in used_at.items()])


def _check(own: Role, role: Role, new: NewKey) -> None:
    authorization.check_gift(own, role)
    if new.tools is not None and not 0 < len(set(new.tools)) <= KEY_TOOLS_MAX:
        raise _invalid("/tools", f"a key is narrowed to 1 to {KEY_TOOLS_MAX} tools")
    if new.limited_to is None:
        limits = {"monthly_budget_micro_credits": new.monthly_budget_micro_credits, "models": new.models}
        gateway_limits.refuse(name for name, value in limits.items() if value is not None)
        return
    if own.id not in {OWNER.id, ADMIN.id}:
        raise Forbidden("gateway keys are made by Owners and Admins")
    if GATEWAY_NEEDS not in role.permissions:
        raise _invalid("/role", f"a gateway key needs a role with the permission {GATEWAY_NEEDS}")
    if new.tools is not None:
        raise _invalid("/tools", "a gateway key calls no tool, so it cannot be narrowed to some")
    if new.expires_in not in {None, "1y"}:
        raise _invalid("/expiresIn", "a gateway key lives one year")


def _invalid(pointer: str, detail: str) -> InvalidInput:
    return InvalidInput([Fault(pointer, "invalid_value", detail)])


def check_home(conn: sa.Connection, organization_id: str, person_id: str) -> None:
    """Raises `Forbidden` for a person whose home is elsewhere, and does not let its people have keys here."""
    home = conn.execute(
        sa.select(
            tables.organizations.c.id,
            tables.organizations.c.allow_keys_elsewhere,
            tables.organizations.c.closed_at,
        )
        .join(tables.people, tables.people.c.home_organization_id == tables.organizations.c.id)
        .where(tables.people.c.id == person_id)
    ).one()
    if home.id != organization_id and not (home.allow_keys_elsewhere and home.closed_at is None):
        raise Forbidden("your home organization does not allow its people to make keys elsewhere")


def _new(tx: Tx, creator_id: str, role: Role, new: NewKey) -> MintedKey:
    prefix = API_KEY if new.limited_to is None else GATEWAY_KEY
    life_ms = GATEWAY_KEY_LIFE_MS if new.limited_to else API_KEY_LIVES_MS[new.expires_in or "90d"]
    key = new_key(prefix, tx.random)
    with at("/name"):
        name = clean_name(new.name)
    return MintedKey(
        id=tx.new_id("key"),
        name=name,
        key=key,
        visible_start=visible_start(key, prefix),
        role_id=role.id,
        tools=gateway_limits.once(new.tools),
        limited_to=new.limited_to,
        monthly_budget_micro_credits=new.monthly_budget_micro_credits,
        models=gateway_limits.once(new.models),
        creator_id=creator_id,
        created_at=tx.now,
        life_ms=life_ms,
        expires_at=tx.now + life_ms,
        revoked_at=None,
        last_used_at=None,
    )
