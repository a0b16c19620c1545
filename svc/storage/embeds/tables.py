"""The tables of embeds."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata
from svc.storage.schema import of_organization as _organization

embeds: Final = sa.Table(
    "embeds",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("site_id", sa.Text, sa.ForeignKey("sites.id")),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("embed_key", sa.Text, nullable=False, unique=True),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("blocks", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Column("version", sa.Integer, nullable=False, server_default="1"),
    sa.Index("ix_embeds_organization_id_id", "organization_id", "id"),
)
