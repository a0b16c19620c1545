"""Files: their rows, what uses each of them, and how many an organization has."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "files",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("creator_kind", sa.Text(), nullable=False),
        sa.Column("creator_id", sa.Text(), nullable=False),
        sa.Column("unused_at", sa.BigInteger()),
        sa.Column("removed_at", sa.BigInteger()),
    )
    for name, columns, condition in (
        ("ix_files_organization_id_id", ["organization_id", "id"], "removed_at IS NULL"),
        ("ix_files_content", ["organization_id", "digest"], "digest IS NOT NULL"),
        ("ix_files_unused", ["unused_at"], "unused_at IS NOT NULL"),
        ("ix_files_removed", ["id"], "removed_at IS NOT NULL AND digest IS NOT NULL"),
    ):
        where = sa.text(condition)
        op.create_index(name, "files", columns, sqlite_where=where, postgresql_where=where)
    op.create_table(
        "file_uses",
        sa.Column("file_id", sa.Text(), sa.ForeignKey("files.id"), primary_key=True),
        sa.Column("subject_id", sa.Text(), primary_key=True),
        sa.Column("place", sa.Text(), primary_key=True),
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("noun", sa.Text(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_file_uses_subject_id", "file_uses", ["subject_id"])
    op.create_table(
        "file_totals",
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), primary_key=True),
        sa.Column("files", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
    )
