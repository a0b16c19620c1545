"""Views, which are lists that people save; and when a page of each site was last viewed."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "views",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("person_id", sa.Text(), sa.ForeignKey("people.id"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("input", sa.Text(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_views_organization_id", "views", ["organization_id"])
    op.add_column("sites", sa.Column("last_view_at", sa.BigInteger()))
    op.execute("UPDATE sites SET last_view_at = (SELECT max(at) FROM visits WHERE site_id = sites.id)")
