"""Changes of keys that are there: their names, their tools, and the limits of gateway keys."""

from contextlib import suppress

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.changes import KeysChanged
from svc.domain.errors import Fault, InvalidInput, NotFound, Unauthenticated, at
from svc.domain.identity import gateway_limits
from svc.domain.identity.access import admit_key, digest_of
from svc.domain.identity.callers import Call, Caller
from svc.domain.identity.people import clean_name
from svc.domain.input.near_names import shown
from svc.storage.identity import access, api_keys, authorization, tables
from svc.storage.identity.api_keys import KEYS, ListedKey
from svc.storage.store import Tx


class KeyChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a key; what is unset stays, None takes a limit away."""

    name: str | UnsetType = UNSET
    tools: tuple[str, ...] | UnsetType = UNSET
    """Of a key that calls tools: the only ones that it may call from now on."""
    monthly_budget_micro_credits: int | UnsetType | None = UNSET
    models: tuple[str, ...] | UnsetType | None = UNSET


def caller_with(tx: Tx, organization_id: str, key_id: str) -> Caller | None:
    """The caller with a key, as it would be admitted now; None where it would not be."""
    facts = access.load(tx.conn, organization_id, tx.now)
    with suppress(Unauthenticated):
        return admit_key(facts, digest_of(facts, key_id), tx.now)
    return None


def update(tx: Tx, call: Call, key_id: str, changes: KeyChanges) -> ListedKey:
    """Change a key, effective with the next call.

    Raises:
        PersonOnly: a key or an agent calls.
        Forbidden: the caller lacks the permission `security`.
        NotFound: no such key.
        InvalidInput: the name is none, or the key is given what only keys of the other kind have.
    """
    authorization.require(tx.conn, call, "security")
    live = api_keys.unrevoked(call, key_id)
    key = KEYS.one(tx.conn, KEYS.select(*live))
    if key is None:
        raise NotFound(f"there is no key {shown(key_id)}")
    values = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    if key.limited_to is None:
        gateway_limits.refuse(values)
    elif changes.tools is not UNSET:
        detail = "a gateway key calls no tool, so it cannot be narrowed to some"
        raise InvalidInput([Fault("/tools", "invalid_value", detail)])
    if isinstance(changes.name, str):
        with at("/name"):
            values["name"] = clean_name(changes.name)
    if not isinstance(changes.tools, UnsetType):
        values["tools"] = gateway_limits.once(changes.tools)
    if not isinstance(changes.models, UnsetType):
        values["models"] = gateway_limits.once(changes.models)
    if values:
        changed = KEYS.update(*live, **values).returning(tables.api_keys.c.digest)
        key_digest = tx.conn.execute(changed).scalar_one()
        tx.announce(KeysChanged(call.caller.organization_id, key_digest))
    return msgspec.structs.replace(key, **values)
