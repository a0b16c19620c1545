"""An index of the actions of audit trails, addresses of sessions, and addresses that mailed links prove."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_audit_organization_id_action", "audit", ["organization_id", "action"])
    op.add_column("sessions", sa.Column("last_address", sa.Text()))
    op.add_column("mailed_links", sa.Column("email", sa.Text()))
