"""An organization and one of its objects, in one look: what the making of a record begins with."""

from sqlalchemy import Connection, bindparam, select

from svc.domain.identity.organizations import Organization
from svc.storage.identity import organizations
from svc.storage.identity.tables import organizations as organization_rows
from svc.storage.records import objects
from svc.storage.records.objects import StoredObject
from svc.storage.records.tables import objects as object_rows
from svc.storage.statements import Statement

_BOTH = Statement(
    select(organization_rows, *(column.label(f"of_{column.name}") for column in objects.COLUMNS))
    .join(object_rows, object_rows.c.organization_id == organization_rows.c.id)
    .where(organization_rows.c.id == bindparam("organization_id"), object_rows.c.slug == bindparam("slug"))
)
_SPLIT = len(organization_rows.c)


def find(conn: Connection, organization_id: str, slug: str) -> tuple[Organization, StoredObject]:
    """The organization, and its object of that slug. Raises `NotFound`."""
    row = _BOTH.one(conn, {"organization_id": organization_id, "slug": slug})
    if row is None:  # then one of these says which of them there is not
        return organizations.get(conn, organization_id), objects.get(conn, organization_id, slug)
    return organizations.from_row(row[:_SPLIT]), objects.with_properties(conn, row[_SPLIT:])
