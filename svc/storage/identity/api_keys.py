"""API keys, and gateway keys, which open the AI gateway and nothing else."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import KeysChanged
from svc.domain.crypto.keys import API_KEY, GATEWAY_KEY, digest, new_key, visible_start
from svc.domain.errors import Fault, Forbidden, InvalidInput, KeyLimit, NotFound, PersonOnly, at, named_at
from svc.domain.identity import gateway_limits
from svc.domain.identity.access import KeyKind
from svc.domain.identity.callers import Call, Limit
from svc.domain.identity.people import clean_name
from svc.domain.identity.roles import ADMIN, OWNER, Role
from svc.domain.limits import (
    API_KEY_LIVES_MS,
    EXPIRED_KEY_LISTED_MS,
    GATEWAY_KEY_LIFE_MS,
    KEY_TOOLS_MAX,
    LIVE_KEYS_MAX,
)
from svc.domain.near_names import shown
from svc.storage.identity import authorization, roles, tables
from svc.storage.readable import LenientDecoder
from svc.storage.statements import Statement
from svc.storage.store import Tx

ExpiresIn = Literal["30d", "90d", "1y"]

_tools = LenientDecoder(msgspec.json.Decoder(tuple[str, ...]), tuple, tables.api_keys.c.tools)
_models = LenientDecoder(msgspec.json.Decoder(tuple[str, ...]), tuple, tables.api_keys.c.models)


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


class MintedKey(msgspec.Struct, frozen=True, kw_only=True):
    """A new key. `key` is returned this once, and not stored. Times are ms since the epoch."""

    id: str
    name: str
    key: str
    visible_start: str
    role_id: str
    tools: tuple[str, ...] | None
    limited_to: Limit | None
    monthly_budget_micro_credits: int | None
    models: tuple[str, ...] | None
    expires_at: int


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
    expires_at: int
    revoked_at: int | None
    last_used_at: int | None

    @property
    def kind(self) -> KeyKind:
        return "api" if self.limited_to is None else "gateway"


LISTED = tuple(tables.api_keys.c[name] for name in ListedKey.__struct_fields__)


class Route(NamedTuple):
    """What a live key authenticates."""

    organization_id: str
    expires_at: int

    def lives_at(self, now: int) -> bool:
        return now < self.expires_at


_ROUTE = Statement(
    sa.select(tables.api_keys.c.organization_id, tables.api_keys.c.expires_at).where(
        tables.api_keys.c.digest == sa.bindparam("digest"),
        tables.api_keys.c.expires_at > sa.bindparam("now"),
        tables.api_keys.c.revoked_at.is_(None),
    ),
    Route,
)
_NOTE_USE = Statement(
    sa.update(tables.api_keys)
    .where(tables.api_keys.c.id == sa.bindparam("key_id"))
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
    _check_home(tx.conn, call.caller.organization_id, creator_id)
    authorization.require_fresh(call, tx.now)
    with named_at("/role"):
        role = own if new.role_id is None else roles.get(tx.conn, call.caller.organization_id, new.role_id)
    _check(own, role, new)
    if count_live(tx.conn, call.caller.organization_id, tx.now) >= LIVE_KEYS_MAX:
        raise KeyLimit(f"there are {LIVE_KEYS_MAX} live keys, which is the limit: revoke one first")
    minted, key_digest = _new(tx, role, new)
    tx.conn.execute(
        sa.insert(tables.api_keys).values(
            id=minted.id,
            organization_id=call.caller.organization_id,
            creator_id=creator_id,
            name=minted.name,
            digest=key_digest,
            visible_start=minted.visible_start,
            role_id=role.id,
            tools=stored_names(minted.tools),
            limited_to=minted.limited_to,
            monthly_budget_micro_credits=minted.monthly_budget_micro_credits,
            models=stored_names(minted.models),
            created_at=tx.now,
            expires_at=minted.expires_at,
        )
    )
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
        sa.update(tables.api_keys)
        .where(
            tables.api_keys.c.id == key_id,
            tables.api_keys.c.organization_id == call.caller.organization_id,
            tables.api_keys.c.revoked_at.is_(None),
        )
        .values(revoked_at=tx.now)
        .returning(tables.api_keys.c.digest)
    ).scalar_one_or_none()
    if key_digest is None:
        raise NotFound(f"there is no key {shown(key_id)}")
    tx.announce(KeysChanged(call.caller.organization_id, key_digest))
    return tx.now


def list_all(conn: sa.Connection, organization_id: str, now: int) -> list[ListedKey]:
    """The organization's keys that are not revoked, the oldest first; expired ones for another 90 days."""
    rows = conn.execute(
        sa.select(*LISTED)
        .where(
            tables.api_keys.c.organization_id == organization_id,
            tables.api_keys.c.revoked_at.is_(None),
            tables.api_keys.c.expires_at > now - EXPIRED_KEY_LISTED_MS,
        )
        .order_by(tables.api_keys.c.id)
    )
    return [listed(row) for row in rows]


def count_live(conn: sa.Connection, organization_id: str, now: int) -> int:
    """How many keys are neither revoked nor expired."""
    return conn.execute(
        sa.select(sa.func.count()).where(
            tables.api_keys.c.organization_id == organization_id,
            tables.api_keys.c.revoked_at.is_(None),
            tables.api_keys.c.expires_at > now,
        )
    ).scalar_one()


def route(conn: sa.Connection, key_digest: str, now: int) -> Route | None:
    return _ROUTE.one(conn, digest=key_digest, now=now)


def note_uses(tx: Tx, used_at: Mapping[str, int]) -> None:
    """Store when keys were last used, by their ids."""
    _NOTE_USE.many(tx.conn, [{"key_id": key_id, "used_at": at} for key_id, at in used_at.items()])


def tools_of(stored: str | None, key_id: str) -> tuple[str, ...] | None:
    """The tools that a key is limited to, from the column; an unreadable value limits it to none."""
    return None if stored is None else _tools.read(stored, key_id)


def models_of(stored: str | None, key_id: str) -> tuple[str, ...] | None:
    """The models that a key may name, from the column; an unreadable value limits it to none."""
    return None if stored is None else _models.read(stored, key_id)


def listed(row: sa.Row[Any]) -> ListedKey:
    """The key of a row of `LISTED`."""
    read = {"tools": tools_of(row.tools, row.id), "models": models_of(row.models, row.id)}
    return ListedKey(**(row._asdict() | read))


def stored_names(names: tuple[str, ...] | None) -> str | None:
    """*names* as a column has them."""
    return None if names is None else msgspec.json.encode(names).decode()


def _check(own: Role, role: Role, new: NewKey) -> None:
    if not own.may_give(role):
        raise Forbidden("a role that permits more than your own")
    if new.tools is not None and not 0 < len(set(new.tools)) <= KEY_TOOLS_MAX:
        raise _invalid("/tools", f"a key is narrowed to 1 to {KEY_TOOLS_MAX} tools")
    if new.limited_to is None:
        limits = {"monthly_budget_micro_credits": new.monthly_budget_micro_credits, "models": new.models}
        gateway_limits.refuse(name for name, value in limits.items() if value is not None)
        return
    if own.id not in {OWNER.id, ADMIN.id}:
        raise Forbidden("gateway keys are made by Owners and Admins")
    if new.tools is not None:
        raise _invalid("/tools", "a gateway key calls no tool, so it cannot be narrowed to some")
    if new.expires_in not in {None, "1y"}:
        raise _invalid("/expiresIn", "a gateway key lives one year")


def _invalid(pointer: str, detail: str) -> InvalidInput:
    return InvalidInput([Fault(pointer, "invalid_value", detail)])


def _check_home(conn: sa.Connection, organization_id: str, person_id: str) -> None:
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


def _new(tx: Tx, role: Role, new: NewKey) -> tuple[MintedKey, str]:
    """A key as asked, and its digest."""
    prefix = API_KEY if new.limited_to is None else GATEWAY_KEY
    life_ms = GATEWAY_KEY_LIFE_MS if new.limited_to else API_KEY_LIVES_MS[new.expires_in or "90d"]
    key = new_key(prefix, tx.random)
    with at("/name"):
        name = clean_name(new.name)
    minted = MintedKey(
        id=tx.new_id("key"),
        name=name,
        key=key,
        visible_start=visible_start(key, prefix),
        role_id=role.id,
        tools=gateway_limits.once(new.tools),
        limited_to=new.limited_to,
        monthly_budget_micro_credits=new.monthly_budget_micro_credits,
        models=gateway_limits.once(new.models),
        expires_at=tx.now + life_ms,
    )
    return minted, digest(key)
