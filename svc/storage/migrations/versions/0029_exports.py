"""Exports: jobs whose files are beside the database."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def _only_where(condition: str) -> dict[str, Any]:
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def upgrade() -> None:
    op.create_table(
        "exports",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("object_type", sa.Text()),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("starter", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text()),
        sa.Column("failure", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
    )
    op.create_index("ix_exports_organization_id", "exports", ["organization_id", "id"])
    is_open = _only_where("ended_at IS NULL")
    op.create_index("ix_exports_open", "exports", ["organization_id", "id"], **is_open)
    ended = _only_where("ended_at IS NOT NULL")
    op.create_index("ix_exports_ended_at", "exports", ["ended_at"], **ended)
