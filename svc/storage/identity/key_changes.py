"""Changes of keys that are there: their names, and the limits of gateway keys."""

import msgspec
import sqlalchemy as sa
from msgspec import UNSET, UnsetType

from svc.domain.changes import KeysChanged
from svc.domain.errors import NotFound, at
from svc.domain.identity import gateway_limits
from svc.domain.identity.callers import Call
from svc.domain.identity.people import clean_name
from svc.domain.near_names import shown
from svc.storage.identity import api_keys, authorization, tables
from svc.storage.identity.api_keys import ListedKey
from svc.storage.store import Tx


class KeyChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a key; what is unset stays, None takes a limit away."""

    name: str | UnsetType = UNSET
    monthly_budget_micro_credits: int | UnsetType | None = UNSET
    models: tuple[str, ...] | UnsetType | None = UNSET


def update(tx: Tx, call: Call, key_id: str, changes: KeyChanges) -> ListedKey:
    """Change a key, effective with the next call.

    Raises:
        PersonOnly: a key or an agent calls.
        Forbidden: the caller lacks the permission `security`.
        NotFound: no such key.
        InvalidInput: the name is none, or a key of tools is given what only gateway keys have.
    """
    authorization.require(tx.conn, call, "security")
    live = (
        tables.api_keys.c.id == key_id,
        tables.api_keys.c.organization_id == call.caller.organization_id,
        tables.api_keys.c.revoked_at.is_(None),
    )
    key = tx.conn.execute(sa.select(tables.api_keys).where(*live)).one_or_none()
    if key is None:
        raise NotFound(f"there is no key {shown(key_id)}")
    values = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    if key.limited_to is None:
        gateway_limits.refuse(values)
    if isinstance(changes.name, str):
        with at("/name"):
            values["name"] = clean_name(changes.name)
    if not isinstance(changes.models, UnsetType):
        values["models"] = api_keys.stored_names(gateway_limits.once(changes.models))
    if values:
        tx.conn.execute(sa.update(tables.api_keys).where(*live).values(values))
        tx.announce(KeysChanged(call.caller.organization_id, key.digest))
    return api_keys.listed(tx.conn.execute(sa.select(*api_keys.LISTED).where(*live)).one())
