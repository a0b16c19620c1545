"""The table of views."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata
from svc.storage.schema import of_organization as _organization

views: Final = sa.Table(
    "views",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("input", sa.Text, nullable=False),
    sa.Column("shared", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Index("ix_views_organization_id", "organization_id"),
)
