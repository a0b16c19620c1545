"""The tables of sites and visits."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    text,
)

from svc.storage.schema import metadata, of_record
from svc.storage.schema import of_organization as _organization

sites: Final = Table(
    "sites",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("domain", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("removed_at", BigInteger),
    Index("ix_sites_organization_id", "organization_id"),
    Index("ix_sites_domain", "domain"),
)

visitor_keys: Final = Table(
    "visitor_keys",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("key", LargeBinary, nullable=False),
)

visits: Final = Table(
    "visits",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("site_id", Text, ForeignKey("sites.id"), nullable=False),
    Column("visitor", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("referrer", Text),
    Column("title", Text),
    Column("at", BigInteger, nullable=False),
    of_record("record_id"),
    Index("ix_visits_organization_id_visitor", "organization_id", "visitor"),
    Index(
        "ix_visits_record_id",
        "record_id",
        sqlite_where=text("record_id IS NOT NULL"),
        postgresql_where=text("record_id IS NOT NULL"),
    ),
)
