"""The tables of sites and visits."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_record
from svc.storage.schema import of_organization as _organization

sites: Final = sa.Table(
    "sites",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("domain", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("removed_at", sa.BigInteger),
    sa.Column("last_view_at", sa.BigInteger),
    sa.Index("ix_sites_organization_id", "organization_id"),
    sa.Index("ix_sites_domain", "domain"),
)

visitor_keys: Final = sa.Table(
    "visitor_keys",
    metadata,
    sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("key", sa.LargeBinary, nullable=False),
)

visits: Final = sa.Table(
    "visits",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("site_id", sa.Text, sa.ForeignKey("sites.id"), nullable=False),
    sa.Column("visitor", sa.Text, nullable=False),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("referrer", sa.Text),
    sa.Column("title", sa.Text),
    sa.Column("at", sa.BigInteger, nullable=False),
    of_record("record_id"),
    sa.Index("ix_visits_organization_id_visitor", "organization_id", "visitor"),
    sa.Index(
        "ix_visits_record_id",
        "record_id",
        sqlite_where=sa.text("record_id IS NOT NULL"),
        postgresql_where=sa.text("record_id IS NOT NULL"),
    ),
)
