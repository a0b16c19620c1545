"""Tracked sites."""

from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import EmbedsChanged, SitesChanged
from svc.domain.errors import Conflict, NotFound, at
from svc.domain.input.near_names import shown
from svc.domain.sites.domains import is_shared, site_domain
from svc.domain.sites.limits import SITE_LABELS_MAX, SITES_MAX
from svc.storage.rows import Rows
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


class _SiteId(NamedTuple):
    """The id of a site."""

    id: str


SITES: Final = Rows(tables.sites, Site)
_LIVE: Final = tables.sites.c.removed_at.is_(None)
_OF_ORGANIZATION = SITES.prepared(
    SITES.select(tables.sites.c.organization_id == sa.bindparam("organization_id"), _LIVE).order_by(
        tables.sites.c.id
    )
)
_EVERYWHERE = SITES.prepared(SITES.select(_LIVE).order_by(tables.sites.c.id))

_DOMAINS: Final = tuple(f"domain_{place}" for place in range(SITE_LABELS_MAX))
_AT_HOST = SITES.prepared(
    SITES.select(sa.or_(*(tables.sites.c.domain == sa.bindparam(name) for name in _DOMAINS)), _LIVE).order_by(
        tables.sites.c.id
    )
)
_ANY = Statement(
    sa.select(tables.sites.c.id)
    .where(tables.sites.c.organization_id == sa.bindparam("organization_id"), _LIVE)
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
    SITES.insert(tx.conn, site)
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
    found = [site for site in list_all(conn, organization_id) if site.id == site_id]
    if not found:
        raise NotFound(f"there is no site {shown(site_id)}")
    return found[0]


def at_host(conn: sa.Connection, host: str) -> list[Site]:
    """The live sites that a page at *host* belongs to, the oldest first. Raises `NotFound` without one."""
    labels = host.split(".")[-SITE_LABELS_MAX:]
    domains = [".".join(labels[start:]) for start in range(len(labels))]
    domains += [host] * (SITE_LABELS_MAX - len(domains))
    found = _AT_HOST.all(conn, dict(zip(_DOMAINS, domains, strict=True)))
    if not found:
        raise NotFound("nobody tracks this host")
    return found


def list_all(conn: sa.Connection, organization_id: str) -> list[Site]:
    """The organization's live sites, the oldest first."""
    return _OF_ORGANIZATION.all(conn, organization_id=organization_id)


def at_shared_domains(conn: sa.Connection) -> list[Site]:
    """Live sites of all organizations at public suffixes, from before they were refused or were suffixes."""
    return [site for site in _EVERYWHERE.all(conn) if is_shared(site.domain)]


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
