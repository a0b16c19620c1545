"""What a caller is told of itself: who it is, in whose name, in which role."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Forbidden
from svc.domain.identity.callers import Caller
from svc.domain.identity.organizations import Organization
from svc.domain.identity.people import Person
from svc.domain.identity.roles import BUILTIN_ROLES, Role
from svc.storage.identity import accounts, organizations, roles, tables


class CallerDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Who calls, and where."""

    name: str
    """What the key, the app, the person or the agent is called."""
    person: Person
    role: Role
    organization: Organization


_NAMES: Final = {"key": tables.api_keys.c.name, "grant": tables.grants.c.app_name}


def of(conn: sa.Connection, caller: Caller) -> CallerDetails:
    """The details of *caller*. Raises `Forbidden` for one that acts as no person."""
    if caller.person_id is None or caller.kind in {"operator", "service", "workflow"}:
        raise Forbidden("this tells keys, apps, people and agents who they are")
    person = accounts.get(conn, caller.person_id)
    return CallerDetails(
        name=_name(conn, caller) or person.name,
        person=person,
        role=_role(conn, caller),
        organization=organizations.get(conn, caller.organization_id),
    )


def _name(conn: sa.Connection, caller: Caller) -> str | None:
    column = _NAMES.get(caller.kind)
    if column is None:
        return None
    name: str | None = conn.scalar(sa.select(column).where(column.table.c.id == caller.id))
    return name


def _role(conn: sa.Connection, caller: Caller) -> Role:
    """The role of the credential, where it has one, else of the member; what is permitted may be less."""
    role_id = caller.role_id
    if role_id is None and (column := _NAMES.get(caller.kind)) is not None:
        role_id = conn.scalar(sa.select(column.table.c.role_id).where(column.table.c.id == caller.id))
    if role_id is None:
        role_id = conn.scalar(
            sa.select(tables.members.c.role_id).where(
                tables.members.c.organization_id == caller.organization_id,
                tables.members.c.person_id == caller.person_id,
            )
        )
    known = {**BUILTIN_ROLES, **roles.custom(conn, caller.organization_id)}
    return known.get(role_id or "") or Role(role_id or "", "", frozenset())
