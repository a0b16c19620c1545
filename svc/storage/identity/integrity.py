"""The invariants of members and roles, for `svc check`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import sqlalchemy as sa

from svc.domain.identity.roles import BUILTIN_ROLES, OWNER
from svc.storage.identity import tables


def _without_role(conn: sa.Connection) -> Iterator[str]:
    """Members, keys and invitations whose role is neither built in nor their organization's."""
    for table, key in (
        (tables.members, "person_id"),
        (tables.api_keys, "id"),
        (tables.invitations, "id"),
    ):
        has = sa.select(tables.roles.c.id).where(
            tables.roles.c.id == table.c.role_id,
            tables.roles.c.organization_id == table.c.organization_id,
        )
        missing = sa.select(table.c[key]).where(table.c.role_id.not_in(BUILTIN_ROLES), ~has.exists())
        for row_id in conn.scalars(missing):
            yield f"{table.name} {row_id}"


def _without_owner(conn: sa.Connection) -> Iterable[str]:
    """Organizations that have members, and no active Owner among them."""
    owner = tables.members.alias()
    has = sa.select(owner.c.person_id).where(
        owner.c.organization_id == tables.members.c.organization_id,
        owner.c.role_id == OWNER.id,
        owner.c.status == "active",
    )
    return conn.scalars(sa.select(tables.members.c.organization_id).distinct().where(~has.exists()))


INVARIANTS: Final[dict[str, Callable[[sa.Connection], Iterable[str]]]] = {
    "every member, key and invitation has a role that is there": _without_role,
    "every organization that has members has an Owner": _without_owner,
}
"""Checks by invariant."""
