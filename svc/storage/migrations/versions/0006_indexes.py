"""Indexes: which indexes of lists are being made, and an organization's suggestions by their state."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    building = sa.text("index_state = 'building'")
    op.create_index(
        "ix_properties_building",
        "properties",
        ["organization_id"],
        sqlite_where=building,
        postgresql_where=building,
    )
    op.create_index(
        "ix_suggestions_organization_id_state_id", "suggestions", ["organization_id", "state", "id"]
    )
