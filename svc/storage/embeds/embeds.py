"""Embeds as they are set up."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import EmbedsChanged
from svc.domain.crypto.keys import EMBED_KEY, new_key
from svc.domain.embeds import rules as embed_rules
from svc.domain.embeds.blocks import AnyBlock, Embed, EmbedStatus
from svc.domain.embeds.limits import EMBED_BLOCKS_MAX, EMBEDS_MAX
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, Unreadable
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.domain.sites.domains import binding_faults
from svc.domain.versions import FIRST_VERSION, check_version
from svc.storage.embeds import tables
from svc.storage.forms import forms
from svc.storage.identity import organizations
from svc.storage.pages import Keyset
from svc.storage.records import objects
from svc.storage.records.objects import StoredObject
from svc.storage.rows import Rows, Selection
from svc.storage.sites import sites
from svc.storage.sites import tables as sites_tables
from svc.storage.statements import Statement
from svc.storage.store import Tx

_column: Final = tables.embeds.c
_JOINED: Final = tables.embeds.outerjoin(sites_tables.sites, _column.site_id == sites_tables.sites.c.id)
_DOMAIN: Final = {"domain": sites_tables.sites.c.domain}
_EMBEDS: Final = Rows(tables.embeds, Embed, members=_DOMAIN)
_LISTED: Final = Selection(Embed, tables.embeds, members=_DOMAIN, empty={"blocks": tuple})
_GET = _EMBEDS.prepared(
    _EMBEDS.select(
        _column.id == sa.bindparam("embed_id"),
        _column.organization_id == sa.bindparam("organization_id"),
        _column.status != "removed",
    ).select_from(_JOINED)
)
_BY_KEY = Statement(_EMBEDS.select(_column.embed_key == sa.bindparam("embed_key")).select_from(_JOINED))


class _Known(msgspec.Struct, frozen=True):
    """What the blocks of an organization's embed may name."""

    country: str
    objects: Mapping[str, StoredObject]
    form_ids: frozenset[str]


class EmbedChange(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of an embed; an unset field stays as it is."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    site_id: str | msgspec.UnsetType | None = msgspec.UNSET
    blocks: tuple[AnyBlock, ...] | msgspec.UnsetType = msgspec.UNSET


def create(
    tx: Tx,
    organization_id: str,
    *,
    name: str,
    blocks: Sequence[AnyBlock] = (),
    site_id: str | None = None,
    blocks_max: int = EMBED_BLOCKS_MAX,
) -> Embed:
    """Make an embed with a new key.

    Raises `InvalidInput` with all that is wrong with name, site and blocks, and `Conflict` where there are
    `EMBEDS_MAX`.
    """
    _check(tx.conn, organization_id, name, site_id=site_id, blocks=blocks, blocks_max=blocks_max)
    there = tx.conn.execute(sa.select(sa.func.count()).where(*_live(organization_id)))
    if there.scalar_one() >= EMBEDS_MAX:
        raise Conflict(f"an organization has at most {EMBEDS_MAX} embeds")
    made = Embed(
        id=tx.new_id("emb"),
        organization_id=organization_id,
        name=name,
        embed_key=new_key(EMBED_KEY, tx.random),
        status="active",
        site_id=site_id,
        domain=None,
        blocks=tuple(blocks),
        version=FIRST_VERSION,
        created_at=tx.now,
        updated_at=tx.now,
    )
    _EMBEDS.insert(tx.conn, made)
    tx.announce(EmbedsChanged(organization_id, made.embed_key))
    return get(tx.conn, organization_id, made.id)


def update(
    tx: Tx,
    organization_id: str,
    embed_id: str,
    asked: EmbedChange,
    blocks_max: int = EMBED_BLOCKS_MAX,
    *,
    if_version: int | None = None,
) -> Embed:
    """Change an embed, effective at once.

    Raises:
        NotFound: no such embed.
        InvalidInput: of name, site and blocks, with all that is wrong.
        Conflict: it is at another version than *if_version*.
    """
    kept = get(tx.conn, organization_id, embed_id)
    check_version(kept.version, if_version)
    name = kept.name if asked.name is msgspec.UNSET else asked.name
    site_id = kept.site_id if asked.site_id is msgspec.UNSET else asked.site_id
    blocks = kept.blocks if asked.blocks is msgspec.UNSET else asked.blocks
    # Unchanged fields are not checked again: their site or property may have been removed since.
    _check(
        tx.conn,
        organization_id,
        name,
        site_id=site_id if site_id != kept.site_id else None,
        blocks=blocks if asked.blocks is not msgspec.UNSET else (),
        blocks_max=blocks_max,
    )
    _write(tx, kept, name=name, site_id=site_id, blocks=blocks)
    return get(tx.conn, organization_id, embed_id)


def set_status(tx: Tx, organization_id: str, embed_id: str, status: EmbedStatus) -> Embed:
    """Pause, resume or remove an embed, effective with the next request. Raises `NotFound`."""
    return _write(tx, get(tx.conn, organization_id, embed_id), status=status)


def _write(tx: Tx, embed: Embed, **members: Any) -> Embed:
    """Store other *members* of the embed, under its next version."""
    changed: dict[str, Any] = {**members, "updated_at": tx.now, "version": embed.version + 1}
    tx.conn.execute(_EMBEDS.update(_column.id == embed.id, **changed))
    tx.announce(EmbedsChanged(embed.organization_id, embed.embed_key))
    return msgspec.structs.replace(embed, **changed)


def _live(organization_id: str) -> tuple[sa.ColumnElement[bool], ...]:
    """What selects the organization's embeds that are not removed."""
    return _column.organization_id == organization_id, _column.status != "removed"


def get(conn: sa.Connection, organization_id: str, embed_id: str) -> Embed:
    """The organization's embed, unless it is removed. Raises `NotFound`."""
    embed = _GET.one(conn, embed_id=embed_id, organization_id=organization_id)
    if embed is None:
        raise NotFound(f"there is no embed {shown(embed_id)}")
    return embed


def by_key(conn: sa.Connection, embed_key: str) -> Embed:
    """The embed with the public key, whatever its status. Raises `NotFound` and `Unreadable`."""
    row = _BY_KEY.one(conn, embed_key=embed_key)
    if row is None:
        raise NotFound("no such embed")
    try:
        return _EMBEDS.make(row)
    except msgspec.DecodeError as error:
        raise Unreadable(f"what is stored of the embed {row.id} cannot be read") from error


def list_page(
    conn: sa.Connection, organization_id: str, *, cursor: str | None = None, limit: int = LIST_ROWS
) -> tuple[list[Embed], str | None]:
    """The organization's embeds that are not removed, the oldest first, and the cursor of the next page.

    Unreadable blocks are left out. Raises `InvalidInput` for the cursor of another list.
    """
    keyset = Keyset("embeds", cursor, limit)
    embeds = _LISTED.select(*_live(organization_id)).select_from(_JOINED)
    rows, next_cursor = keyset.fetch(conn, embeds, _column.id, newest_first=False)
    return list(map(_LISTED.make, rows)), next_cursor


def _check(
    conn: sa.Connection,
    organization_id: str,
    name: str,
    *,
    site_id: str | None,
    blocks: Sequence[AnyBlock],
    blocks_max: int,
) -> None:
    faults = embed_rules.name_faults(name)
    if site_id is not None:
        domains = {one.id: one.domain for one in sites.list_all(conn, organization_id)}
        if site_id in domains:
            faults += binding_faults(domains[site_id])
        else:
            faults.append(Fault("/siteId", "not_found", f"there is no site {shown(site_id)}"))
    if faults := faults + _block_faults(conn, organization_id, blocks, blocks_max):
        raise InvalidInput(faults)


def check_blocks(
    conn: sa.Connection, organization_id: str, blocks: Sequence[AnyBlock], blocks_max: int = EMBED_BLOCKS_MAX
) -> None:
    """Raises `InvalidInput` with all that is wrong with *blocks*, as when they are saved."""
    if faults := _block_faults(conn, organization_id, blocks, blocks_max):
        raise InvalidInput(faults)


def _block_faults(
    conn: sa.Connection, organization_id: str, blocks: Sequence[AnyBlock], blocks_max: int
) -> list[Fault]:
    known = _Known(
        country=organizations.get(conn, organization_id).country,
        objects={one.slug: one for one in objects.list_all(conn, organization_id)},
        form_ids=frozenset(one.id for one in forms.list_all(conn, organization_id)),
    )
    return embed_rules.block_faults(blocks, known, blocks_max)
