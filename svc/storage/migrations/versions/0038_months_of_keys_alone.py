"""Months are of keys alone: agents and trials of all organizations had one row, which was the first one's."""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DELETE FROM ai_key_months WHERE key_id IN ('agent', 'trial')")
