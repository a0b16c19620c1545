"""`role.*`: what members may do, and keys with them."""

from typing import Annotated, Final

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.identity.roles import BUILTIN_ROLES, VIEWER, Permission, Role
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.versions import Version
from svc.storage.identity import roles
from svc.storage.identity.roles import RoleChanges
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.tool import IfVersion, ToolInput, ToolOutput, about, reads, writes

RoleId = Annotated[
    str,
    about(
        description="A role's id: `owner`, `admin`, `viewer`, or that of a custom role.",
        examples=["viewer", "rol_01K5D3V7Q2M8Z4X6C9B1N0T5RA"],
    ),
]
_Name = Annotated[
    str,
    about(
        description="What the role is called, which no other role is: one line.",
        min_length=1,
        max_length=NAME_CHARS_MAX,
        examples=["Front desk"],
    ),
]
_Permissions = Annotated[
    tuple[Permission, ...], about(description="What it permits; nobody gives what they do not have.")
]


class RoleAnswer(ToolOutput, frozen=True, kw_only=True):
    """A role."""

    id: RoleId
    name: _Name
    permissions: _Permissions
    builtin: Annotated[bool, about(description="Whether it is there from the start and stays as it is.")]
    version: Version


answer_of: Final = Projection(
    Role,
    RoleAnswer,
    permissions=lambda role: tuple(sorted(role.permissions)),
    builtin=lambda role: role.id in BUILTIN_ROLES,
)

EXAMPLE: Final = RoleAnswer(
    id="rol_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Front desk",
    permissions=("conversations", "records.read", "records.write"),
    builtin=False,
    version=1,
)


class ListRoles(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: all are listed."""


class RoleList(ToolOutput, frozen=True, kw_only=True):
    """Roles: the built-in ones, then the custom ones, the oldest first."""

    roles: tuple[RoleAnswer, ...]


@reads("role.list", example=ListRoles(), answer=RoleList(roles=(answer_of(VIEWER), EXAMPLE)))
def list_all(view: View, call: Call, request: ListRoles) -> RoleList:  # noqa: ARG001  # every tool's
    """List the roles, with what each permits."""
    rows = roles.list_all(view.conn, call.caller.organization_id)
    return RoleList(roles=tuple(map(answer_of, rows)))


class CreateRole(ToolInput, frozen=True, kw_only=True):
    """A role to be made."""

    name: _Name
    permissions: _Permissions


@writes(
    "role.create",
    needs="settings",
    runs="person",
    raises=(Conflict,),
    example=CreateRole(name=EXAMPLE.name, permissions=EXAMPLE.permissions),
    answer=EXAMPLE,
)
def create(tx: Tx, call: Call, request: CreateRole) -> RoleAnswer:
    """Make a role: a name, and what it permits.

    Nobody makes a role that permits more than their own. An organization has 100 custom roles at most.
    """
    return answer_of(roles.create(tx, call, request.name, request.permissions))


class UpdateRole(ToolInput, frozen=True, kw_only=True):
    """What to change of a role; what is left out, or null, stays."""

    id: RoleId
    name: _Name | None = None
    permissions: _Permissions | None = None
    if_version: IfVersion = None


@writes(
    "role.update",
    needs="settings",
    runs="person",
    raises=(NotFound, Conflict),
    example=UpdateRole(id=EXAMPLE.id, permissions=EXAMPLE.permissions),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, request: UpdateRole) -> RoleAnswer:
    """Change a custom role, for everybody who has it, from their next call on.

    Nobody changes a role that permits more than their own. The built-in roles stay as they are.
    """
    changes = RoleChanges(name=request.name, permissions=request.permissions)
    return answer_of(roles.update(tx, call, request.id, changes, if_version=request.if_version))


class DeleteRole(ToolInput, frozen=True, kw_only=True):
    """Which role to delete."""

    id: RoleId


class DeletedRole(ToolOutput, frozen=True, kw_only=True):
    """A role that is there no more."""

    id: RoleId
    deleted_at: Timestamp


@writes(
    "role.delete",
    needs="settings",
    runs="person",
    raises=(NotFound, Conflict),
    example=DeleteRole(id=EXAMPLE.id),
    answer=DeletedRole(id=EXAMPLE.id, deleted_at="2026-09-18T09:30:00.000Z"),
)
def delete(tx: Tx, call: Call, request: DeleteRole) -> DeletedRole:
    """Delete a custom role that no member, no live key and no invitation has."""
    roles.delete(tx, call, request.id)
    return DeletedRole(id=request.id, deleted_at=rfc3339(tx.now))
