"""Approvals, and in the audit trail what asked for a call that a person approved."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "approvals",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text()),
        sa.Column("input", sa.Text()),
        sa.Column("fingerprint", sa.LargeBinary()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("asker_kind", sa.Text(), nullable=False),
        sa.Column("connection_id", sa.Text()),
        sa.Column("conversation_id", sa.Text()),
        sa.Column("workflow_id", sa.Text()),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("over_at", sa.BigInteger(), nullable=False),
        sa.Column("decided_by", sa.Text()),
        sa.Column("decided_at", sa.BigInteger()),
        sa.Column("answer", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("rejection_reason", sa.Text()),
        sa.Column("uncollected_since", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connections.id"], name=op.f("fk_approvals_connection_id")
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_approvals_conversation_id")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_approvals_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
    )
    op.create_index("ix_approvals_organization_id_id", "approvals", ["organization_id", "id"])
    op.create_index("ix_approvals_organization_id_state_id", "approvals", ["organization_id", "state", "id"])
    op.create_index(
        "ix_approvals_waiting",
        "approvals",
        ["organization_id", "asker_kind", "over_at"],
        sqlite_where=sa.text("state = 'waiting'"),
        postgresql_where=sa.text("state = 'waiting'"),
    )
    op.create_index(
        "ix_approvals_conversation_id",
        "approvals",
        ["conversation_id"],
        sqlite_where=sa.text("state = 'waiting'"),
        postgresql_where=sa.text("state = 'waiting'"),
    )
    op.create_index("ix_approvals_run_id", "approvals", ["run_id"])
    op.create_index("ix_approvals_over_at", "approvals", ["over_at"])
    op.create_index(
        "ix_approvals_uncollected",
        "approvals",
        ["asker_kind", "organization_id", "uncollected_since"],
        sqlite_where=sa.text("uncollected_since IS NOT NULL"),
        postgresql_where=sa.text("uncollected_since IS NOT NULL"),
    )
    op.add_column("audit", sa.Column("asked_by", sa.Text()))
