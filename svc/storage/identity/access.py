"""The facts that decide whether a person enters an organization, read together."""

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa

from svc.domain.identity.access import Access, KeyFacts, Membership, MemberStatus
from svc.storage.identity import organizations, roles, tables
from svc.storage.identity.api_keys import models_of, tools_of
from svc.storage.statements import Statement


class _MemberRow(NamedTuple):
    """A member's row, and whether their home allows them keys here."""

    person_id: str
    role_id: str
    status: MemberStatus
    keys_allowed: bool


def load(conn: sa.Connection, organization_id: str, now: int) -> Access:
    """The facts as of *now*. Raises `NotFound`."""
    return Access(
        organization_id=organization_id,
        is_open=organizations.get(conn, organization_id).closed_at is None,
        roles=roles.custom(conn, organization_id),
        members=_memberships(_EVERY_MEMBER.all(conn, organization_id=organization_id)),
        keys=_keys(conn, organization_id, now),
    )


def of_person(conn: sa.Connection, organization_id: str, person_id: str) -> Access:
    """The facts about one person alone, without any key. Raises `NotFound`."""
    rows = _MEMBER.all(conn, organization_id=organization_id, person_id=person_id)
    return Access(
        organization_id=organization_id,
        is_open=organizations.get(conn, organization_id).closed_at is None,
        roles=roles.custom(conn, organization_id),
        members=_memberships(rows),
        keys={},
    )


_MEMBERS = (
    sa.select(
        tables.members.c.person_id,
        tables.members.c.role_id,
        tables.members.c.status,
        sa.or_(
            tables.organizations.c.id == tables.members.c.organization_id,
            sa.and_(tables.organizations.c.allow_keys_elsewhere, tables.organizations.c.closed_at.is_(None)),
        ).label("keys_allowed"),
    )
    .join(tables.people, tables.people.c.id == tables.members.c.person_id)
    .join(tables.organizations, tables.organizations.c.id == tables.people.c.home_organization_id)
    .where(tables.members.c.organization_id == sa.bindparam("organization_id"))
)
_EVERY_MEMBER = Statement(_MEMBERS, _MemberRow)
_MEMBER = Statement(_MEMBERS.where(tables.members.c.person_id == sa.bindparam("person_id")), _MemberRow)


def _memberships(rows: Iterable[_MemberRow]) -> dict[str, Membership]:
    return {row.person_id: Membership(row.role_id, row.status, bool(row.keys_allowed)) for row in rows}


def _keys(conn: sa.Connection, organization_id: str, now: int) -> dict[str, KeyFacts]:
    rows = conn.execute(
        sa.select(tables.api_keys).where(
            tables.api_keys.c.organization_id == organization_id,
            tables.api_keys.c.revoked_at.is_(None),
            tables.api_keys.c.expires_at > now,
        )
    )
    keys = {}
    for row in rows:
        tools, models = tools_of(row.tools, row.id), models_of(row.models, row.id)
        keys[row.digest] = KeyFacts(
            id=row.id,
            creator_id=row.creator_id,
            role_id=row.role_id,
            tools=None if tools is None else frozenset(tools),
            limited_to=row.limited_to,
            models=None if models is None else frozenset(models),
            has_budget=row.monthly_budget_micro_credits is not None,
            expires_at=row.expires_at,
            last_used_at=row.last_used_at,
        )
    return keys
