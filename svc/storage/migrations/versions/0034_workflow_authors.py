"""Who saved each version of a workflow; of those that are there it is not known."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workflow_versions", sa.Column("caller_kind", sa.Text()))
    op.add_column("workflow_versions", sa.Column("caller_id", sa.Text()))
    # Alembic would add the constraint by itself, which SQLite cannot.
    reference = "CONSTRAINT fk_workflow_versions_person_id REFERENCES people (id)"
    op.execute(f"ALTER TABLE workflow_versions ADD COLUMN person_id TEXT {reference}")
