"""An organization and one of its objects, read at once: the first step of creating a record."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.identity.organizations import Organization
from svc.storage.identity import organizations
from svc.storage.identity import tables as identity_tables
from svc.storage.records import objects, tables
from svc.storage.records.objects import OBJECTS, ObjectHead, StoredObject
from svc.storage.rows import Selection


class _Both(msgspec.Struct, frozen=True):
    """An organization, and one of its objects."""

    organization: Organization
    object: ObjectHead


_BOTH: Final = Selection(_Both, members={"organization": organizations.ORGANIZATIONS, "object": OBJECTS})
_FIND = _BOTH.prepared(
    _BOTH.select(
        identity_tables.organizations.c.id == sa.bindparam("organization_id"),
        tables.objects.c.slug == sa.bindparam("slug"),
    ).join(tables.objects, tables.objects.c.organization_id == identity_tables.organizations.c.id)
)


def find(conn: sa.Connection, organization_id: str, slug: str) -> tuple[Organization, StoredObject]:
    """The organization, and its object of that slug. Raises `NotFound`."""
    both = _FIND.one(conn, organization_id=organization_id, slug=slug)
    if both is None:  # one of these raises
        return organizations.get(conn, organization_id), objects.get(conn, organization_id, slug)
    return both.organization, objects.with_properties(conn, both.object)
