"""Embeds as they are set up."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import EmbedsChanged
from svc.domain.crypto.keys import EMBED_KEY, new_key
from svc.domain.embeds import rules as embed_rules
from svc.domain.embeds.blocks import AnyBlock, Embed, EmbedStatus
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, Unreadable
from svc.domain.limits import EMBED_BLOCKS_MAX, EMBEDS_MAX, LIST_ROWS
from svc.domain.near_names import shown
from svc.domain.sites.domains import binding_faults
from svc.domain.versions import check_version
from svc.storage.embeds import tables
from svc.storage.forms import forms
from svc.storage.identity import organizations
from svc.storage.pages import Keyset
from svc.storage.readable import LenientDecoder
from svc.storage.records import objects
from svc.storage.records.objects import StoredObject
from svc.storage.sites import sites
from svc.storage.sites import tables as sites_tables
from svc.storage.statements import Statement
from svc.storage.store import Tx


class _Row(NamedTuple):
    """An embed's row, with the domain of its site."""

    id: str
    organization_id: str
    name: str
    embed_key: str
    status: EmbedStatus
    site_id: str | None
    domain: str | None
    blocks: str
    version: int
    created_at: int
    updated_at: int


_SELECT = sa.select(
    *(
        tables.embeds.c[name] if name in tables.embeds.c else sites_tables.sites.c[name]
        for name in _Row._fields
    )
).select_from(tables.embeds.outerjoin(sites_tables.sites, tables.embeds.c.site_id == sites_tables.sites.c.id))
_BY_KEY = Statement(_SELECT.where(tables.embeds.c.embed_key == sa.bindparam("embed_key")), _Row)
_decoder: Final = msgspec.json.Decoder(tuple[AnyBlock, ...])
_listed: Final = LenientDecoder(_decoder, tuple, tables.embeds.c.blocks)


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
    many = tx.conn.execute(
        sa.select(sa.func.count()).where(
            tables.embeds.c.organization_id == organization_id, tables.embeds.c.status != "removed"
        )
    ).scalar_one()
    if many >= EMBEDS_MAX:
        raise Conflict(f"an organization has at most {EMBEDS_MAX} embeds")
    embed_id = tx.new_id("emb")
    tx.conn.execute(
        sa.insert(tables.embeds).values(
            id=embed_id,
            organization_id=organization_id,
            site_id=site_id,
            name=name,
            embed_key=new_key(EMBED_KEY, tx.random),
            status="active",
            blocks=_encode(blocks),
            created_at=tx.now,
            updated_at=tx.now,
        )
    )
    made = get(tx.conn, organization_id, embed_id)
    tx.announce(EmbedsChanged(organization_id, made.embed_key))
    return made


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
    tx.conn.execute(
        sa.update(tables.embeds)
        .where(tables.embeds.c.id == kept.id)
        .values(
            name=name,
            site_id=site_id,
            blocks=_encode(blocks),
            updated_at=tx.now,
            version=tables.embeds.c.version + 1,
        )
    )
    tx.announce(EmbedsChanged(organization_id, kept.embed_key))
    return get(tx.conn, organization_id, embed_id)


def set_status(tx: Tx, organization_id: str, embed_id: str, status: EmbedStatus) -> Embed:
    """Pause, resume or remove an embed, effective with the next request. Raises `NotFound`."""
    kept = get(tx.conn, organization_id, embed_id)
    version = kept.version + 1
    tx.conn.execute(
        sa.update(tables.embeds)
        .where(tables.embeds.c.id == kept.id)
        .values(status=status, updated_at=tx.now, version=version)
    )
    tx.announce(EmbedsChanged(organization_id, kept.embed_key))
    return msgspec.structs.replace(kept, status=status, updated_at=tx.now, version=version)


def get(conn: sa.Connection, organization_id: str, embed_id: str) -> Embed:
    """The organization's embed, unless it is removed. Raises `NotFound`."""
    row = conn.execute(
        _SELECT.where(
            tables.embeds.c.id == embed_id,
            tables.embeds.c.organization_id == organization_id,
            tables.embeds.c.status != "removed",
        )
    ).one_or_none()
    if row is None:
        raise NotFound(f"there is no embed {shown(embed_id)}")
    return _from_row(_Row._make(row))


def by_key(conn: sa.Connection, embed_key: str) -> Embed:
    """The embed with the public key, whatever its status. Raises `NotFound` and `Unreadable`."""
    row = _BY_KEY.one(conn, embed_key=embed_key)
    if row is None:
        raise NotFound("no such embed")
    try:
        return _from_row(row)
    except msgspec.DecodeError as error:
        raise Unreadable(f"what is stored of the embed {row.id} cannot be read") from error


def list_page(
    conn: sa.Connection, organization_id: str, *, cursor: str | None = None, limit: int = LIST_ROWS
) -> tuple[list[Embed], str | None]:
    """The organization's embeds that are not removed, the oldest first, and the cursor of the next page.

    Unreadable blocks are left out. Raises `InvalidInput` for the cursor of another list.
    """
    keyset = Keyset("embeds", cursor, limit)
    embeds = _SELECT.where(
        tables.embeds.c.organization_id == organization_id, tables.embeds.c.status != "removed"
    )
    rows, next_cursor = keyset.fetch(conn, embeds, tables.embeds.c.id, newest_first=False)
    return [_from_row(_Row._make(row), _listed.read(row.blocks, row.id)) for row in rows], next_cursor


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


def _encode(blocks: Sequence[AnyBlock]) -> str:
    return msgspec.json.encode(blocks).decode()


def _from_row(row: _Row, readable: tuple[AnyBlock, ...] | None = None) -> Embed:
    return Embed(
        id=row.id,
        organization_id=row.organization_id,
        name=row.name,
        embed_key=row.embed_key,
        status=row.status,
        site_id=row.site_id,
        domain=row.domain,
        blocks=_decoder.decode(row.blocks) if readable is None else readable,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
