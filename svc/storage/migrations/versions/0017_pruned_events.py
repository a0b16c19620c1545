"""Up to which position the events of an organization were pruned.

Until now the first one that is stored told it, though one behind it may have been pruned before.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("event_positions", sa.Column("pruned", sa.BigInteger(), nullable=False, server_default="0"))
    op.execute(
        "UPDATE event_positions SET pruned = coalesce((SELECT min(position) - 1 FROM events"
        " WHERE events.organization_id = event_positions.organization_id AND position IS NOT NULL), newest)"
    )
