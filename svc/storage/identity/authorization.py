"""Authorization: what a caller may do, read in the transaction that does it.

A call was admitted from memory before its unit waited in the store's queue. What hands out power looks again,
at the rows, so that nothing which was committed meanwhile can be slipped past.
"""

from typing import Final

import sqlalchemy as sa

from svc.domain.errors import ConfirmationRequired, Forbidden, PersonOnly
from svc.domain.identity.callers import Call
from svc.domain.identity.roles import BUILTIN_ROLES, OWNER, Permission, Role
from svc.domain.identity.sessions import is_fresh
from svc.storage.identity import tables
from svc.storage.rows import Rows

ROLES: Final = Rows(
    tables.roles,
    Role,
    empty={"permissions": frozenset},
    beside=["organization_id", "created_at", "updated_at"],
)
"""Custom roles; unreadable permissions permit nothing."""


def require(conn: sa.Connection, call: Call, permission: Permission) -> Role:
    """The calling person's role, which has the *permission*; the operator's is an Owner's.

    Raises `PersonOnly` for any other caller, and `Forbidden`.
    """
    caller = call.caller
    if caller.kind == "operator":
        return OWNER
    if caller.kind != "person" or caller.person_id is None:
        raise PersonOnly("only a person may do this")
    role = active_role(conn, caller.organization_id, caller.person_id)
    if role is None or permission not in role.permissions:
        raise Forbidden(f"this needs the permission {permission}")
    return role


def require_fresh(call: Call, now: int) -> None:
    """Raises `ConfirmationRequired` unless the caller confirmed their identity within the last two hours.

    The operator needs none: access to the machine is the confirmation.
    """
    if call.caller.kind != "operator" and not is_fresh(call.caller.confirmed_at, now):
        raise ConfirmationRequired("confirm who you are: your sign-in is older than two hours")


def active_role(conn: sa.Connection, organization_id: str, person_id: str) -> Role | None:
    """The person's role; None for a person who is no active member, and in a closed organization."""
    row = conn.execute(
        sa.select(tables.members.c.role_id, *ROLES.columns)
        .join(tables.organizations, tables.organizations.c.id == tables.members.c.organization_id)
        .outerjoin(
            tables.roles,
            (tables.roles.c.id == tables.members.c.role_id)
            & (tables.roles.c.organization_id == tables.members.c.organization_id),
        )
        .where(
            tables.members.c.organization_id == organization_id,
            tables.members.c.person_id == person_id,
            tables.members.c.status == "active",
            tables.organizations.c.closed_at.is_(None),
        )
    ).one_or_none()
    if row is None:
        return None
    role_id, *custom = row
    if role_id in BUILTIN_ROLES:
        return BUILTIN_ROLES[role_id]
    return None if custom[0] is None else ROLES.make(custom)


def check_gift(own: Role, given: Role) -> None:
    """Raises `Forbidden` where a member with the role *own* may not give the role *given*."""
    if not own.may_give(given):
        raise Forbidden("a role that permits more than your own")
