"""Roles: named sets of permissions. The weaker of two roles is their intersection.

Sets have no ranks, and an Owner's and an Admin's are the same. So what sets an Owner apart is a rule of its
own: only Owners make, change or stop Owners, and the last one stays.
"""

from collections.abc import Iterable
from typing import Final, Literal, get_args

import msgspec

from svc.domain.errors import InvalidValue
from svc.domain.versions import FIRST_VERSION

Permission = Literal[
    "records.read",
    "records.write",
    "forms",
    "embeds",
    "channels",
    "conversations",
    "workflows",
    "webhooks",
    "ai",
    "settings",
    "security",
]
"""`security` is "Sign-in and API keys"."""

PERMISSIONS: Final[frozenset[Permission]] = frozenset(get_args(Permission))
READ_PERMISSIONS: Final[frozenset[Permission]] = frozenset({"records.read"})
"""The permissions that allow no changes."""


class Role(msgspec.Struct, frozen=True):
    """A role of an organization. Built-in ones have their name for an id, custom ones `rol_…`."""

    id: str
    name: str
    permissions: frozenset[Permission]
    version: int = FIRST_VERSION

    def may_give(self, other: "Role") -> bool:
        """Whether members with this role may give *other*, and manage the members that have it.

        A member gives no permission beyond their own, and only an Owner makes an Owner.
        """
        return other.permissions <= self.permissions and (other.id != OWNER.id or self.id == OWNER.id)


OWNER: Final = Role("owner", "Owner", PERMISSIONS)
ADMIN: Final = Role("admin", "Admin", PERMISSIONS)
VIEWER: Final = Role("viewer", "Viewer", READ_PERMISSIONS)
BUILTIN_ROLES: Final = {role.id: role for role in (OWNER, ADMIN, VIEWER)}


def weaker(first: Role, second: Role) -> frozenset[Permission]:
    """The permissions that both roles have."""
    return first.permissions & second.permissions


def permissions_of(names: Iterable[str]) -> frozenset[Permission]:
    """The permissions called *names*. Raises `InvalidValue` for a name that is none."""
    wanted = frozenset(names)
    unknown = sorted(wanted - PERMISSIONS)
    if unknown:
        raise InvalidValue(f"no permission {unknown[0]!r}; there are {', '.join(get_args(Permission))}")
    return PERMISSIONS & wanted
