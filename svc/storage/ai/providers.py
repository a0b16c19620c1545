"""Own providers of organizations, whose keys are sealed; and which models an organization may run."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.ai.models import OrganizationModels, OwnModel, OwnProvider, same_place
from svc.domain.changes import ModelsChanged
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, at
from svc.domain.identity.people import clean_name
from svc.domain.limits import AI_PROVIDER_KEY_CHARS_MAX, AI_PROVIDERS_MAX
from svc.domain.near_names import shown
from svc.storage.ai import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.readable import LenientDecoder
from svc.storage.store import Tx

VISIBLE_CHARS: Final = 4
"""Characters of a key's end that lists show: as many as the providers' own consoles."""
_SHORT_KEY: Final = 4 * VISIBLE_CHARS
"""Of a shorter key nothing is shown: what is hidden of it would be guessed."""

_models: Final = LenientDecoder(msgspec.json.Decoder(tuple[OwnModel, ...]), tuple, tables.providers.c.models)
_ids: Final = LenientDecoder(msgspec.json.Decoder(frozenset[str]), frozenset, tables.restrictions.c.models)


class NewProvider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider to be set. The name says which: another one of the same name is replaced."""

    name: str
    base_url: str
    key: str | None
    """None keeps the stored one."""
    models: tuple[OwnModel, ...]

    def __repr__(self) -> str:
        return f"NewProvider({self.name!r})"


def load(conn: sa.Connection, organization_id: str) -> OrganizationModels:
    """What decides which models the organization may run, and where."""
    column = identity_tables.organizations.c
    falls_back = conn.scalar(
        sa.select(column.own_provider_falls_back_to_credits).where(column.id == organization_id)
    )
    return OrganizationModels(
        own=tuple(list_all(conn, organization_id)),
        allowed=restriction(conn, organization_id),
        falls_back=bool(falls_back),
    )


def list_all(conn: sa.Connection, organization_id: str) -> list[OwnProvider]:
    """The organization's own providers, the last set first."""
    column = tables.providers.c
    rows = conn.execute(
        sa.select(tables.providers)
        .where(column.organization_id == organization_id)
        .order_by(column.updated_at.desc(), column.id.desc())
    )
    return [_provider(row) for row in rows]


def set_one(tx: Tx, organization_id: str, new: NewProvider) -> OwnProvider:
    """Make the provider, or replace the one of that name.

    Raises `InvalidInput`: there is no key, or the stored one would go to another address. `Conflict` where
    there are as many as there may be.
    """
    with at("/name"):
        name = clean_name(new.name)
    column = tables.providers.c
    before = tx.conn.execute(
        sa.select(tables.providers).where(column.organization_id == organization_id, column.name == name)
    ).one_or_none()
    _check_key(new.key, None if before is None else before.base_url, new.base_url)
    provider_id = tx.new_id("prv") if before is None else before.id
    values: dict[str, Any] = {
        "base_url": new.base_url,
        "models": msgspec.json.encode(new.models).decode(),
        "updated_at": tx.now,
    }
    if new.key is not None:
        values["sealed_key"] = tx.sealer.seal(new.key, provider_id)
        values["key_visible_end"] = new.key[-VISIBLE_CHARS:] if len(new.key) >= _SHORT_KEY else ""
    if before is None:
        _check_room(tx.conn, organization_id)
        row = {"id": provider_id, "organization_id": organization_id, "name": name, "created_at": tx.now}
        tx.conn.execute(sa.insert(tables.providers).values(row | values))
    else:
        tx.conn.execute(sa.update(tables.providers).where(column.id == provider_id).values(values))
    tx.announce(ModelsChanged(organization_id))
    return _provider(tx.conn.execute(sa.select(tables.providers).where(column.id == provider_id)).one())


def remove(tx: Tx, organization_id: str, provider_id: str) -> None:
    """Remove the provider and its key. Raises `NotFound`."""
    column = tables.providers.c
    done = tx.conn.execute(
        sa.delete(tables.providers).where(column.id == provider_id, column.organization_id == organization_id)
    )
    if not done.rowcount:
        raise NotFound(f"there is no provider {shown(provider_id)}")
    tx.announce(ModelsChanged(organization_id))


def restriction(conn: sa.Connection, organization_id: str) -> frozenset[str] | None:
    """The only models that the organization may run; None for all. An unreadable one allows none."""
    column = tables.restrictions.c
    stored = conn.scalar(sa.select(column.models).where(column.organization_id == organization_id))
    return None if stored is None else _ids.read(stored, organization_id)


def restrict(tx: Tx, organization_id: str, models: tuple[str, ...] | None) -> None:
    """Let the organization run these models alone, or with None all."""
    column = tables.restrictions.c
    tx.conn.execute(sa.delete(tables.restrictions).where(column.organization_id == organization_id))
    if models is not None:
        row = {"organization_id": organization_id, "updated_at": tx.now}
        encoded = msgspec.json.encode(sorted(set(models))).decode()
        tx.conn.execute(sa.insert(tables.restrictions).values(row | {"models": encoded}))
    tx.announce(ModelsChanged(organization_id))


def _provider(row: Any) -> OwnProvider:
    return OwnProvider(
        id=row.id,
        name=row.name,
        base_url=row.base_url,
        sealed_key=bytes(row.sealed_key),
        key_visible_end=row.key_visible_end,
        models=_models.read(row.models, row.id),
        updated_at=row.updated_at,
    )


def _check_key(key: str | None, base_url_before: str | None, base_url: str) -> None:
    if key is None:
        if base_url_before is None:
            raise _invalid("missing", "a new provider needs its key")
        if not same_place(base_url_before, base_url):
            raise _invalid("missing", "the address leads elsewhere than before: give the key for it")
    elif not (
        0 < len(key) <= AI_PROVIDER_KEY_CHARS_MAX and key.isascii() and key.isprintable() and " " not in key
    ):
        raise _invalid("invalid_value", f"1 to {AI_PROVIDER_KEY_CHARS_MAX} visible ASCII characters")


def _check_room(conn: sa.Connection, organization_id: str) -> None:
    count = conn.execute(
        sa.select(sa.func.count()).where(tables.providers.c.organization_id == organization_id)
    ).scalar_one()
    if count >= AI_PROVIDERS_MAX:
        raise Conflict(f"an organization has at most {AI_PROVIDERS_MAX} providers: remove one first")


def _invalid(code: str, detail: str) -> InvalidInput:
    return InvalidInput([Fault("/key", code, detail)])
