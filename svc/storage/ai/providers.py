"""Own providers of organizations, whose keys are sealed; and which models an organization may run."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.ai.limits import AI_PROVIDER_KEY_CHARS_MAX, AI_PROVIDERS_MAX
from svc.domain.ai.models import OrganizationModels, OwnModel, OwnProvider, same_place
from svc.domain.changes import ModelsChanged
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, at
from svc.domain.identity.people import clean_name
from svc.domain.input.near_names import shown
from svc.storage.ai import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.rows import Rows
from svc.storage.store import Tx

VISIBLE_CHARS: Final = 4
"""Characters of a key's end that lists show: as many as the providers' own consoles."""
_SHORT_KEY: Final = 4 * VISIBLE_CHARS
"""Of a shorter key nothing is shown: what is hidden of it would be guessed."""


class NewProvider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider to be set. The name says which: another one of the same name is replaced."""

    name: str
    base_url: str
    key: str | None
    """None keeps the stored one."""
    models: tuple[OwnModel, ...]

    def __repr__(self) -> str:
        return f"NewProvider({self.name!r})"


class _Restriction(msgspec.Struct, frozen=True):
    """The only models that an organization may run; unreadable ones allow none."""

    organization_id: str
    models: frozenset[str]


_PROVIDERS: Final = Rows(
    tables.providers, OwnProvider, empty={"models": tuple}, beside=["organization_id", "created_at"]
)
_RESTRICTIONS: Final = Rows(
    tables.restrictions, _Restriction, empty={"models": frozenset}, beside=["updated_at"]
)
_column: Final = tables.providers.c


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
    own = _PROVIDERS.select(_column.organization_id == organization_id)
    return _PROVIDERS.all(conn, own.order_by(_column.updated_at.desc(), _column.id.desc()))


def set_one(tx: Tx, organization_id: str, new: NewProvider) -> OwnProvider:
    """Make the provider, or replace the one of that name.

    Raises `InvalidInput`: there is no key, or the stored one would go to another address. `Conflict` where
    there are as many as there may be.
    """
    with at("/name"):
        name = clean_name(new.name)
    before = _PROVIDERS.one(
        tx.conn, _PROVIDERS.select(_column.organization_id == organization_id, _column.name == name)
    )
    _check_key(new.key, None if before is None else before.base_url, new.base_url)
    provider = OwnProvider(
        id=tx.new_id("prv") if before is None else before.id,
        name=name,
        base_url=new.base_url,
        sealed_key=b"" if before is None else before.sealed_key,
        key_visible_end="" if before is None else before.key_visible_end,
        models=new.models,
        updated_at=tx.now,
    )
    if new.key is not None:
        provider = msgspec.structs.replace(
            provider,
            sealed_key=tx.sealer.seal(new.key, provider.id),
            key_visible_end=new.key[-VISIBLE_CHARS:] if len(new.key) >= _SHORT_KEY else "",
        )
    if before is None:
        _check_room(tx.conn, organization_id)
        _PROVIDERS.insert(tx.conn, provider, organization_id=organization_id, created_at=tx.now)
    else:
        stored = _PROVIDERS.values(provider)
        tx.conn.execute(sa.update(tables.providers).where(_column.id == provider.id).values(stored))
    tx.announce(ModelsChanged(organization_id))
    return provider


def remove(tx: Tx, organization_id: str, provider_id: str) -> None:
    """Remove the provider and its key. Raises `NotFound`."""
    done = tx.conn.execute(
        sa.delete(tables.providers).where(
            _column.id == provider_id, _column.organization_id == organization_id
        )
    )
    if not done.rowcount:
        raise NotFound(f"there is no provider {shown(provider_id)}")
    tx.announce(ModelsChanged(organization_id))


def restriction(conn: sa.Connection, organization_id: str) -> frozenset[str] | None:
    """The only models that the organization may run; None for all. An unreadable one allows none."""
    of_organization = tables.restrictions.c.organization_id == organization_id
    found = _RESTRICTIONS.one(conn, _RESTRICTIONS.select(of_organization))
    return None if found is None else found.models


def restrict(tx: Tx, organization_id: str, models: tuple[str, ...] | None) -> None:
    """Let the organization run these models alone, or with None all."""
    of_organization = tables.restrictions.c.organization_id == organization_id
    tx.conn.execute(sa.delete(tables.restrictions).where(of_organization))
    if models is not None:
        only = _Restriction(organization_id, frozenset(models))
        _RESTRICTIONS.insert(tx.conn, only, updated_at=tx.now)
    tx.announce(ModelsChanged(organization_id))


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
