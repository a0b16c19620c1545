"""Versions of records, and of what people edit.

What is there begins at 1. Changes of before have no version: no caller has seen one that is older.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

TABLES = ("records", "objects", "properties", "forms", "embeds", "roles", "organizations")


def upgrade() -> None:
    for table in TABLES:
        # With a default, so that no row has to be written.
        op.add_column(table, sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.add_column("record_changes", sa.Column("version", sa.Integer()))
    op.create_index("ix_record_changes_record_id_version", "record_changes", ["record_id", "version"])
