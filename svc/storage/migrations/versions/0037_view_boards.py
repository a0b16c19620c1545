"""Whether a view is a board, and of which property; those that are there are tables."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("views", sa.Column("board_by", sa.Text()))
