"""Pushes end with 2xx: what a push has reached is its bridge's for good, and holds nothing back."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Before, such a reply was held under a lease, and pushed again when that ended.
    op.execute(
        "UPDATE replies SET state = 'taken', lease_expires_at = NULL WHERE state IN ('waiting', 'taken')"
        " AND id IN (SELECT reply_id FROM deliveries WHERE done_at IS NOT NULL)"
    )
    still_open = sa.text("state = 'waiting' OR lease_expires_at IS NOT NULL")
    for name, columns in (
        ("ix_replies_ahead", ["conversation_id", "id"]),
        ("ix_replies_open", ["connection_id", "id"]),
    ):
        op.drop_index(name, "replies")
        op.create_index(name, "replies", columns, sqlite_where=still_open, postgresql_where=still_open)
