"""An organization and one of its objects, in one look: what the making of a record begins with."""

import sqlalchemy as sa

from svc.domain.identity.organizations import Organization
from svc.storage.identity import organizations
from svc.storage.identity import tables as identity_tables
from svc.storage.records import objects, tables
from svc.storage.records.objects import StoredObject
from svc.storage.statements import Statement

_BOTH = Statement(
    sa.select(
        identity_tables.organizations, *(column.label(f"of_{column.name}") for column in objects.COLUMNS)
    )
    .join(tables.objects, tables.objects.c.organization_id == identity_tables.organizations.c.id)
    .where(
        identity_tables.organizations.c.id == sa.bindparam("organization_id"),
        tables.objects.c.slug == sa.bindparam("slug"),
    )
)
_SPLIT = len(identity_tables.organizations.c)


def find(conn: sa.Connection, organization_id: str, slug: str) -> tuple[Organization, StoredObject]:
    """The organization, and its object of that slug. Raises `NotFound`."""
    row = _BOTH.one(conn, organization_id=organization_id, slug=slug)
    if row is None:  # then one of these says which of them there is not
        return organizations.get(conn, organization_id), objects.get(conn, organization_id, slug)
    return organizations.from_row(row[:_SPLIT]), objects.with_properties(conn, row[_SPLIT:])
