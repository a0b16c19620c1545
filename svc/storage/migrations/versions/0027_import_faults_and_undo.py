"""What imports have refused, by reason; what they have written, so that it can be taken back."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("imports", sa.Column("faults", sa.Text()))
    op.add_column("imports", sa.Column("undo", sa.Text()))
    op.add_column("imports", sa.Column("undo_state", sa.Text()))
    where = sa.text("undo_state = 'running'")
    op.create_index(
        "ix_imports_undo_running",
        "imports",
        ["organization_id"],
        sqlite_where=where,
        postgresql_where=where,
    )
    op.create_table(
        "import_records",
        sa.Column("import_id", sa.Text(), sa.ForeignKey("imports.id"), primary_key=True),
        sa.Column("is_new", sa.Boolean(), primary_key=True),
        sa.Column("record_id", sa.Text(), sa.ForeignKey("records.id"), primary_key=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("left_in", sa.Integer(), nullable=False),
        sqlite_with_rowid=False,
    )
