"""Tracked sites."""

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update

from svc.domain.errors import NotFound
from svc.domain.ids import new_id
from svc.domain.origins import normalise_domain
from svc.storage import forms
from svc.storage.prepared import Prepared
from svc.storage.store import Tx
from svc.storage.tables import sites


class Site(msgspec.Struct, frozen=True):
    """A site whose visits are counted, and that forms can be bound to."""

    id: str
    organization_id: str
    domain: str


_ANY = Prepared(
    select(sites.c.id)
    .where(sites.c.organization_id == bindparam("organization_id"), sites.c.removed_at.is_(None))
    .limit(1)
)


def create(tx: Tx, organization_id: str, domain: str) -> Site:
    """Track *domain* for the organization. Raises `InvalidValue` for what is no domain."""
    site = Site(new_id("sit", tx.now), organization_id, normalise_domain(domain))
    tx.conn.execute(insert(sites).values(**msgspec.structs.asdict(site), created_at=tx.now))
    forms.announce_all(tx, organization_id)
    return site


def remove(tx: Tx, organization_id: str, site_id: str) -> None:
    """Stop tracking the site. Its visits stay, and a form bound to it stays bound. Raises `NotFound`."""
    done = tx.conn.execute(
        update(sites)
        .where(
            sites.c.id == site_id, sites.c.organization_id == organization_id, sites.c.removed_at.is_(None)
        )
        .values(removed_at=tx.now)
    )
    if not done.rowcount:
        raise NotFound("no such site")
    forms.announce_all(tx, organization_id)


def at_domains(conn: Connection, domains: list[str]) -> list[Site]:
    """The live sites on any of *domains*, the oldest first."""
    rows = conn.execute(
        select(sites.c.id, sites.c.organization_id, sites.c.domain)
        .where(sites.c.domain.in_(domains), sites.c.removed_at.is_(None))
        .order_by(sites.c.id)
    )
    return [Site(*row) for row in rows]


def of_organization(conn: Connection, organization_id: str) -> list[Site]:
    """The organization's live sites, the oldest first."""
    rows = conn.execute(
        select(sites.c.id, sites.c.organization_id, sites.c.domain)
        .where(sites.c.organization_id == organization_id, sites.c.removed_at.is_(None))
        .order_by(sites.c.id)
    )
    return [Site(*row) for row in rows]


def any_tracked(conn: Connection, organization_id: str) -> bool:
    """Whether the organization tracks a site now, so that there are visits to attach."""
    return _ANY.one(conn, {"organization_id": organization_id}) is not None
