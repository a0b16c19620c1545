"""An organization and one of its objects, read at once: the first step of creating a record."""

from typing import NamedTuple

import sqlalchemy as sa

from svc.domain.identity.organizations import Organization, Plan
from svc.storage.identity import organizations
from svc.storage.identity import tables as identity_tables
from svc.storage.identity.organizations import OrganizationRow
from svc.storage.records import objects, tables
from svc.storage.records.objects import ObjectRow, StoredObject
from svc.storage.statements import Statement


class _Row(NamedTuple):
    """An organization's row, with the row of one of its objects."""

    id: str
    name: str
    country: str
    currency: str
    locale: str
    time_zone: str
    plan: Plan
    trial_ends_at: int | None
    marketing_hub: bool
    created_at: int
    closed_at: int | None
    allow_keys_elsewhere: bool
    own_provider_falls_back_to_credits: bool
    version: int
    of_id: str
    of_organization_id: str
    of_slug: str
    of_label: str
    of_label_plural: str
    of_publishable: bool
    of_version: int
    of_created_at: int


_BOTH = Statement(
    sa.select(*organizations.COLUMNS, *(column.label(f"of_{column.name}") for column in objects.COLUMNS))
    .join(tables.objects, tables.objects.c.organization_id == identity_tables.organizations.c.id)
    .where(
        identity_tables.organizations.c.id == sa.bindparam("organization_id"),
        tables.objects.c.slug == sa.bindparam("slug"),
    ),
    _Row,
)
_SPLIT = len(OrganizationRow._fields)


def find(conn: sa.Connection, organization_id: str, slug: str) -> tuple[Organization, StoredObject]:
    """The organization, and its object of that slug. Raises `NotFound`."""
    row = _BOTH.one(conn, organization_id=organization_id, slug=slug)
    if row is None:  # one of these raises
        return organizations.get(conn, organization_id), objects.get(conn, organization_id, slug)
    return (
        organizations.from_row(OrganizationRow._make(row[:_SPLIT])),
        objects.with_properties(conn, ObjectRow._make(row[_SPLIT:])),
    )
