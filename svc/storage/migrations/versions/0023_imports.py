"""Imports, with their uploads and what they leave."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "imports",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("object_type", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("next_part", sa.Integer(), nullable=False),
        sa.Column("layout", sa.Text()),
        sa.Column("settings", sa.Text()),
        sa.Column("starter", sa.Text()),
        sa.Column("source", sa.Text()),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("at_byte", sa.BigInteger(), nullable=False),
        sa.Column("at_line", sa.BigInteger(), nullable=False),
        sa.Column("in_long_line", sa.Boolean(), nullable=False),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.Column("refusals", sa.Text(), nullable=False),
        sa.Column("failure", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
    )
    op.create_index("ix_imports_organization_id", "imports", ["organization_id", "id"])
    _partial("ix_imports_open", "organization_id", "ended_at IS NULL", unique=True)
    _partial("ix_imports_ended_at", "ended_at", "ended_at IS NOT NULL")
    _partial("ix_imports_running", "organization_id", "state = 'running'")
    op.create_table(
        "import_parts",
        sa.Column("import_id", sa.Text(), sa.ForeignKey("imports.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "import_chunks",
        sa.Column("import_id", sa.Text(), sa.ForeignKey("imports.id"), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("data", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "import_outputs",
        sa.Column("import_id", sa.Text(), sa.ForeignKey("imports.id"), primary_key=True),
        sa.Column("run", sa.Integer(), primary_key=True),
        sa.Column("kind", sa.Text(), primary_key=True),
        sa.Column("at_byte", sa.BigInteger(), primary_key=True),
        sa.Column("text", sa.Text(), nullable=False),
    )
    op.create_table(
        "import_keys",
        sa.Column("import_id", sa.Text(), sa.ForeignKey("imports.id"), primary_key=True),
        sa.Column("run", sa.Integer(), primary_key=True),
        sa.Column("digest", sa.LargeBinary(), primary_key=True),
        sa.Column("line", sa.BigInteger(), nullable=False),
        sqlite_with_rowid=False,
    )


def _partial(name: str, column: str, condition: str, *, unique: bool = False) -> None:
    where = sa.text(condition)
    op.create_index(name, "imports", [column], unique=unique, sqlite_where=where, postgresql_where=where)
