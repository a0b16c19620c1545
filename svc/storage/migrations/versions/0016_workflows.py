"""Workflows: the versions of their documents, and runs with their steps."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "workflows",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("event_type", sa.Text()),
        sa.Column("enabled_at", sa.BigInteger()),
        sa.Column("enabler", sa.Text()),
        sa.Column("next_at", sa.BigInteger()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_workflows_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workflows")),
    )
    with op.batch_alter_table("workflows") as table:
        table.create_index(
            "ix_workflows_event_type",
            ["organization_id", "event_type"],
            sqlite_where=sa.text("enabled AND event_type IS NOT NULL"),
            postgresql_where=sa.text("enabled AND event_type IS NOT NULL"),
        )
        table.create_index(
            "ix_workflows_next_at",
            ["organization_id", "next_at"],
            sqlite_where=sa.text("next_at IS NOT NULL"),
            postgresql_where=sa.text("next_at IS NOT NULL"),
        )
        table.create_index("ix_workflows_organization_id_id", ["organization_id", "id"])

    op.create_table(
        "workflow_bursts",
        sa.Column("workflow_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("event_depth", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_workflow_bursts_organization_id")
        ),
        sa.ForeignKeyConstraint(
            ["workflow_id"], ["workflows.id"], name=op.f("fk_workflow_bursts_workflow_id")
        ),
        sa.PrimaryKeyConstraint("workflow_id", "key", name=op.f("pk_workflow_bursts")),
    )
    with op.batch_alter_table("workflow_bursts") as table:
        table.create_index("ix_workflow_bursts_due_at", ["organization_id", "due_at"])

    op.create_table(
        "workflow_runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("workflow_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("started_by", sa.Text()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("position", sa.Text()),
        sa.Column("wake_at", sa.BigInteger()),
        sa.Column("awaits", sa.Text()),
        sa.Column("awaited", sa.Text()),
        sa.Column("awaited_record", sa.Text()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("enabler", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_workflow_runs_organization_id")
        ),
        sa.ForeignKeyConstraint(["workflow_id"], ["workflows.id"], name=op.f("fk_workflow_runs_workflow_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workflow_runs")),
    )
    with op.batch_alter_table("workflow_runs") as table:
        table.create_index(
            "ix_workflow_runs_awaited",
            ["organization_id", "awaited", "awaited_record"],
            sqlite_where=sa.text("awaited IS NOT NULL"),
            postgresql_where=sa.text("awaited IS NOT NULL"),
        )
        table.create_index(
            "ix_workflow_runs_ended_at",
            ["ended_at"],
            sqlite_where=sa.text("ended_at IS NOT NULL"),
            postgresql_where=sa.text("ended_at IS NOT NULL"),
        )
        table.create_index("ix_workflow_runs_organization_id_id", ["organization_id", "id"])
        table.create_index("ix_workflow_runs_organization_id_state_id", ["organization_id", "state", "id"])
        table.create_index("ix_workflow_runs_started_by", ["workflow_id", "started_by"], unique=True)
        table.create_index(
            "ix_workflow_runs_wake_at",
            ["organization_id", "wake_at"],
            sqlite_where=sa.text("wake_at IS NOT NULL"),
            postgresql_where=sa.text("wake_at IS NOT NULL"),
        )
        table.create_index("ix_workflow_runs_workflow_id_id", ["workflow_id", "id"])
        table.create_index("ix_workflow_runs_workflow_id_version", ["workflow_id", "version"])

    op.create_table(
        "workflow_versions",
        sa.Column("workflow_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_workflow_versions_organization_id")
        ),
        sa.ForeignKeyConstraint(
            ["workflow_id"], ["workflows.id"], name=op.f("fk_workflow_versions_workflow_id")
        ),
        sa.PrimaryKeyConstraint("workflow_id", "version", name=op.f("pk_workflow_versions")),
    )
    op.create_table(
        "workflow_steps",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("input", sa.Text()),
        sa.Column("output", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.ForeignKeyConstraint(["run_id"], ["workflow_runs.id"], name=op.f("fk_workflow_steps_run_id")),
        sa.PrimaryKeyConstraint("run_id", "key", name=op.f("pk_workflow_steps")),
    )
