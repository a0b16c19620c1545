"""The request log."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "requests",
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), primary_key=True),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("door", sa.Text(), nullable=False),
        sa.Column("caller_kind", sa.Text(), nullable=False),
        sa.Column("caller_id", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text()),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("code", sa.Text()),
        sa.Column("milliseconds", sa.Integer(), nullable=False),
        sa.Column("bytes_in", sa.BigInteger(), nullable=False),
        sa.Column("bytes_out", sa.BigInteger(), nullable=False),
        sa.Column("replayed", sa.Boolean(), nullable=False),
        sa.Column("failed_in", sa.Text()),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_requests_caller", "requests", ["caller_id", "number"])
    failed = sa.text("failed_in IS NOT NULL")
    op.create_index(
        "ix_requests_failed",
        "requests",
        ["failed_in", "number"],
        sqlite_where=failed,
        postgresql_where=failed,
    )
