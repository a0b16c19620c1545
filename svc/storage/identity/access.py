"""What decides who enters an organization, read in one go."""

from sqlalchemy import Connection, and_, or_, select

from svc.domain.identity.access import Access, KeyFacts, Membership
from svc.storage.identity import organizations, roles
from svc.storage.identity.api_keys import tools_of
from svc.storage.identity.tables import api_keys, members, people
from svc.storage.identity.tables import organizations as homes


def of_organization(conn: Connection, organization_id: str, now: int) -> Access:
    """All that decides, as of *now*. Raises `NotFound`."""
    return Access(
        organization_id=organization_id,
        is_open=organizations.get(conn, organization_id).closed_at is None,
        roles=roles.custom(conn, organization_id),
        members=_members(conn, organization_id),
        keys=_keys(conn, organization_id, now),
    )


def _members(conn: Connection, organization_id: str) -> dict[str, Membership]:
    allowed = or_(
        homes.c.id == organization_id, and_(homes.c.allow_keys_elsewhere, homes.c.closed_at.is_(None))
    )
    rows = conn.execute(
        select(members.c.person_id, members.c.role_id, members.c.status, allowed)
        .join(people, people.c.id == members.c.person_id)
        .join(homes, homes.c.id == people.c.home_organization_id)
        .where(members.c.organization_id == organization_id)
    )
    return {person_id: Membership(role_id, status, bool(ok)) for person_id, role_id, status, ok in rows}


def _keys(conn: Connection, organization_id: str, now: int) -> dict[str, KeyFacts]:
    rows = conn.execute(
        select(api_keys).where(
            api_keys.c.organization_id == organization_id,
            api_keys.c.revoked_at.is_(None),
            api_keys.c.expires_at > now,
        )
    )
    found = {}
    for row in rows:
        tools = tools_of(row.tools, row.id)
        found[row.digest] = KeyFacts(
            id=row.id,
            creator_id=row.creator_id,
            role_id=row.role_id,
            tools=None if tools is None else frozenset(tools),
            limited_to=row.limited_to,
            expires_at=row.expires_at,
            last_used_at=row.last_used_at,
        )
    return found
