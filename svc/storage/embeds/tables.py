"""The tables of embeds."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Table,
    Text,
)

from svc.storage.schema import metadata
from svc.storage.schema import of_organization as _organization

embeds: Final = Table(
    "embeds",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("site_id", Text, ForeignKey("sites.id")),
    Column("name", Text, nullable=False),
    Column("embed_key", Text, nullable=False, unique=True),
    Column("status", Text, nullable=False),
    Column("blocks", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("ix_embeds_organization_id_id", "organization_id", "id"),
)
