"""Blocks of submissions' texts, in which a search looks; they are built when a search first wants them."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "submission_blocks",
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), primary_key=True),
        sa.Column("first_id", sa.Text(), primary_key=True),
        sa.Column("end_id", sa.Text(), nullable=False),
        sa.Column("texts", sa.LargeBinary(), nullable=False),
        sa.Column("ids", sa.LargeBinary(), nullable=False),
        sqlite_with_rowid=False,
    )
