"""Custom roles. The built-in ones are the same everywhere, and are not stored."""

from collections.abc import Iterable

import msgspec
import sqlalchemy as sa

from svc.domain.changes import RolesChanged
from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import ROLES_MAX
from svc.domain.identity.people import unique_name
from svc.domain.identity.roles import BUILTIN_ROLES, Role, permissions_of
from svc.domain.input.near_names import hint, shown
from svc.domain.versions import check_version
from svc.storage.identity import authorization, tables
from svc.storage.identity.authorization import ROLES, check_gift
from svc.storage.store import Tx


class RoleChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a role; None leaves a field as it is."""

    name: str | None = None
    permissions: tuple[str, ...] | None = None


def create(tx: Tx, call: Call, name: str, permissions: Iterable[str]) -> Role:
    """Make a role.

    Raises:
        Forbidden: the role permits more than the caller's own.
        InvalidInput, InvalidValue: the name or a permission is none.
        Conflict: the name is in use, or there are `ROLES_MAX`.
    """
    own = authorization.require(tx.conn, call, "settings")
    if len(custom(tx.conn, call.caller.organization_id)) >= ROLES_MAX:
        raise Conflict(f"there are {ROLES_MAX} roles, which is the limit: delete one first")
    made = Role(tx.new_id("rol"), _free_name(tx, call, name), permissions_of(permissions))
    check_gift(own, made)
    ROLES.insert(
        tx.conn, made, organization_id=call.caller.organization_id, created_at=tx.now, updated_at=tx.now
    )
    tx.announce(RolesChanged(call.caller.organization_id))
    return made


def update(tx: Tx, call: Call, role_id: str, changes: RoleChanges, *, if_version: int | None = None) -> Role:
    """Change a custom role, for all members who have it. Raises as `create` does, and `NotFound`.

    Also raises `Forbidden` for a role that permits more than the caller's own, and `Conflict` for one that is
    at another version than *if_version*.
    """
    own = authorization.require(tx.conn, call, "settings")
    before = _custom(tx, call, role_id)
    check_gift(own, before)
    check_version(before.version, if_version)
    after = Role(
        role_id,
        before.name if changes.name is None else _free_name(tx, call, changes.name, role_id),
        before.permissions if changes.permissions is None else permissions_of(changes.permissions),
        before.version + 1,
    )
    check_gift(own, after)
    tx.conn.execute(
        ROLES.update(
            tables.roles.c.id == role_id,
            name=after.name,
            permissions=after.permissions,
            updated_at=tx.now,
            version=after.version,
        )
    )
    tx.announce(RolesChanged(call.caller.organization_id))
    return after


def delete(tx: Tx, call: Call, role_id: str) -> None:
    """Delete an unused role.

    Raises:
        NotFound: no such role of the organization.
        Forbidden: it permits more than the caller's own.
        Conflict: it is in use.
    """
    own = authorization.require(tx.conn, call, "settings")
    role = _custom(tx, call, role_id)
    check_gift(own, role)
    in_use = sa.or_(
        sa.exists().where(tables.members.c.role_id == role_id),
        sa.exists()
        .where(tables.api_keys.c.role_id == role_id, tables.api_keys.c.revoked_at.is_(None))
        .where(tables.api_keys.c.expires_at > tx.now),
        sa.exists()
        .where(tables.invitations.c.role_id == role_id, tables.invitations.c.accepted_at.is_(None))
        .where(tables.invitations.c.expires_at > tx.now),
    )
    if tx.conn.scalar(sa.select(in_use)):
        raise Conflict("members, keys or invitations have this role: give them another first")
    tx.conn.execute(sa.delete(tables.roles).where(tables.roles.c.id == role_id))
    tx.announce(RolesChanged(call.caller.organization_id))


def get(conn: sa.Connection, organization_id: str, role_id: str) -> Role:
    """The role of that id, built-in or the organization's own. Raises `NotFound`."""
    role = BUILTIN_ROLES.get(role_id) or custom(conn, organization_id).get(role_id)
    if role is None:
        known = [one.id for one in list_all(conn, organization_id)]
        raise NotFound(f"there is no role {shown(role_id)}{hint(role_id, known)}")
    return role


def list_all(conn: sa.Connection, organization_id: str) -> list[Role]:
    """The built-in roles, then the custom ones, the oldest first."""
    return [*BUILTIN_ROLES.values(), *custom(conn, organization_id).values()]


_CUSTOM = ROLES.prepared(
    ROLES.select(tables.roles.c.organization_id == sa.bindparam("organization_id")).order_by(
        tables.roles.c.id
    )
)


def custom(conn: sa.Connection, organization_id: str) -> dict[str, Role]:
    """The custom roles by id, the oldest first."""
    return {role.id: role for role in _CUSTOM.all(conn, organization_id=organization_id)}


def _custom(tx: Tx, call: Call, role_id: str) -> Role:
    if role_id in BUILTIN_ROLES:
        raise Conflict("the built-in roles are what they are: make one of your own")
    return get(tx.conn, call.caller.organization_id, role_id)


def _free_name(tx: Tx, call: Call, text: str, role_id: str | None = None) -> str:
    roles = list_all(tx.conn, call.caller.organization_id)
    return unique_name(text, "role", (role.name for role in roles if role.id != role_id))
