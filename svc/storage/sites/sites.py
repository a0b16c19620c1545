"""Tracked sites."""

from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import EmbedsChanged, SitesChanged
from svc.domain.errors import Conflict, NotFound, at
from svc.domain.limits import SITE_LABELS_MAX, SITES_MAX
from svc.domain.near_names import shown
from svc.domain.sites.domains import is_shared, site_domain
from svc.storage.sites import tables
from svc.storage.statements import Statement
from svc.storage.store import Tx


class Site(msgspec.Struct, frozen=True):
    """A site whose visits are counted, and that forms can be bound to. Times are ms since the epoch."""

    id: str
    organization_id: str
    domain: str
    created_at: int
    last_view_at: int | None = None
    """When a page of it was last viewed, to the minute."""


class _SiteRow(NamedTuple):
    """A site's row."""

    id: str
    organization_id: str
    domain: str
    created_at: int
    last_view_at: int | None


class _SiteId(NamedTuple):
    """The id of a site."""

    id: str


_SITES = sa.select(*(tables.sites.c[name] for name in _SiteRow._fields))

_DOMAINS: Final = tuple(f"domain_{place}" for place in range(SITE_LABELS_MAX))
_AT_HOST = Statement(
    _SITES.where(
        sa.or_(*(tables.sites.c.domain == sa.bindparam(name) for name in _DOMAINS)),
        tables.sites.c.removed_at.is_(None),
    ).order_by(tables.sites.c.id),
    _SiteRow,
)
_ANY = Statement(
    sa.select(tables.sites.c.id)
    .where(
        tables.sites.c.organization_id == sa.bindparam("organization_id"), tables.sites.c.removed_at.is_(None)
    )
    .limit(1),
    _SiteId,
)


def create(tx: Tx, organization_id: str, domain: str) -> Site:
    """Track *domain* for the organization.

    Raises `InvalidInput` if it is no domain, or one below which strangers have their pages, and `Conflict` if
    it is tracked already, or `SITES_MAX` sites are.
    """
    name = _free_domain(tx.conn, organization_id, domain)
    if len(list_all(tx.conn, organization_id)) >= SITES_MAX:
        raise Conflict(f"an organization tracks at most {SITES_MAX} sites")
    site = Site(tx.new_id("sit"), organization_id, name, tx.now)
    tx.conn.execute(sa.insert(tables.sites).values(msgspec.structs.asdict(site)))
    tx.announce(SitesChanged(organization_id))
    return site


def update(tx: Tx, organization_id: str, site_id: str, domain: str) -> Site:
    """Change the site's *domain*: forms and embeds bound to it follow, from the next request on.

    Its visits stay. Raises as `create` does, and `NotFound`.
    """
    site = get(tx.conn, organization_id, site_id)
    name = _free_domain(tx.conn, organization_id, domain, besides=site_id)
    tx.conn.execute(sa.update(tables.sites).where(tables.sites.c.id == site_id).values(domain=name))
    tx.announce(EmbedsChanged(organization_id, None))
    tx.announce(SitesChanged(organization_id))
    return msgspec.structs.replace(site, domain=name)


def remove(tx: Tx, organization_id: str, site_id: str) -> None:
    """Stop tracking the site. Its visits stay, and a form bound to it stays bound. Raises `NotFound`."""
    get(tx.conn, organization_id, site_id)
    tx.conn.execute(sa.update(tables.sites).where(tables.sites.c.id == site_id).values(removed_at=tx.now))
    tx.announce(SitesChanged(organization_id))


def get(conn: sa.Connection, organization_id: str, site_id: str) -> Site:
    """The live site. Raises `NotFound`."""
    row = conn.execute(
        _SITES.where(
            tables.sites.c.id == site_id,
            tables.sites.c.organization_id == organization_id,
            tables.sites.c.removed_at.is_(None),
        )
    ).one_or_none()
    if row is None:
        raise NotFound(f"there is no site {shown(site_id)}")
    return Site(*row)


def at_host(conn: sa.Connection, host: str) -> list[Site]:
    """The live sites that a page at *host* belongs to, the oldest first. Raises `NotFound` without one."""
    labels = host.split(".")[-SITE_LABELS_MAX:]
    domains = [".".join(labels[start:]) for start in range(len(labels))]
    domains += [host] * (SITE_LABELS_MAX - len(domains))
    rows = _AT_HOST.all(conn, dict(zip(_DOMAINS, domains, strict=True)))
    if not rows:
        raise NotFound("nobody tracks this host")
    return [Site(*row) for row in rows]


def list_all(conn: sa.Connection, organization_id: str) -> list[Site]:
    """The organization's live sites, the oldest first."""
    rows = conn.execute(
        _SITES.where(
            tables.sites.c.organization_id == organization_id, tables.sites.c.removed_at.is_(None)
        ).order_by(tables.sites.c.id)
    )
    return [Site(*row) for row in rows]


def at_shared_domains(conn: sa.Connection) -> list[Site]:
    """Live sites of all organizations at public suffixes, from before they were refused or were suffixes."""
    rows = conn.execute(_SITES.where(tables.sites.c.removed_at.is_(None)).order_by(tables.sites.c.id))
    return [site for site in (Site(*row) for row in rows) if is_shared(site.domain)]


def any_tracked(conn: sa.Connection, organization_id: str) -> bool:
    """Whether the organization tracks a site now, so that there are visits to attach."""
    return _ANY.one(conn, organization_id=organization_id) is not None


def _free_domain(conn: sa.Connection, organization_id: str, domain: str, besides: str | None = None) -> str:
    """*domain* as it is kept, if no site of the organization other than *besides* is there."""
    with at("/domain"):
        name = site_domain(domain)
    if any(site.domain == name and site.id != besides for site in list_all(conn, organization_id)):
        raise Conflict(f"{name} is tracked already")
    return name
