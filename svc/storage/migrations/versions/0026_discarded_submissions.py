"""Submissions that somebody has thrown away, and those that were taken back."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def _only_where(condition: str) -> dict[str, Any]:
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def upgrade() -> None:
    op.add_column("submissions", sa.Column("discarded_from", sa.Text()))
    op.add_column("submissions", sa.Column("discarded_at", sa.BigInteger()))
    op.add_column("submissions", sa.Column("discarded_by", sa.Text()))
    op.add_column("submissions", sa.Column("restored_at", sa.BigInteger()))
    discarded = _only_where("state = 'discarded'")
    op.create_index("ix_submissions_discarded", "submissions", ["form_id", "state", "id"], **discarded)
    old = _only_where("discarded_at IS NOT NULL")
    op.create_index("ix_submissions_discarded_at", "submissions", ["discarded_at"], **old)
    restored = _only_where("restored_at IS NOT NULL")
    op.create_index("ix_submissions_restored", "submissions", ["form_id", "paced_at"], **restored)
