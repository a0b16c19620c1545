"""What wrote each note; of those that are there it is not known."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("notes", sa.Column("source", sa.Text()))
