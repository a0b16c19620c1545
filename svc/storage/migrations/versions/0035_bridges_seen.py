"""The last use of channel keys; how long a push took, and what a test of it was answered."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("channel_keys", sa.Column("last_used_at", sa.BigInteger()))
    op.add_column("deliveries", sa.Column("milliseconds", sa.Integer()))
    op.add_column("deliveries", sa.Column("answer", sa.Text()))
