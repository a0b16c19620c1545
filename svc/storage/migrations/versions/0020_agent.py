"""Agents, their runs with steps, and in which conversations they are silent."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "agent_days",
        sa.Column("connection_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("charged_micro_credits", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connections.id"], name=op.f("fk_agent_days_connection_id")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_agent_days_organization_id")
        ),
        sa.PrimaryKeyConstraint("connection_id", "day", name=op.f("pk_agent_days")),
    )
    op.create_table(
        "agents",
        sa.Column("connection_id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("instructions", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("role_id", sa.Text(), nullable=False),
        sa.Column("tools", sa.Text(), nullable=True),
        sa.Column("daily_micro_credits", sa.BigInteger(), nullable=False),
        sa.Column("set_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["connection_id"], ["connections.id"], name=op.f("fk_agents_connection_id")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_agents_organization_id")
        ),
        sa.ForeignKeyConstraint(["set_by"], ["people.id"], name=op.f("fk_agents_set_by")),
        sa.PrimaryKeyConstraint("connection_id", name=op.f("pk_agents")),
    )
    op.create_table(
        "agent_runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("connection_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("wake_at", sa.BigInteger(), nullable=True),
        sa.Column("worked_ms", sa.BigInteger(), nullable=False),
        sa.Column("charged_micro_credits", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["connection_id"], ["connections.id"], name=op.f("fk_agent_runs_connection_id")
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_agent_runs_conversation_id")
        ),
        sa.ForeignKeyConstraint(["message_id"], ["messages.id"], name=op.f("fk_agent_runs_message_id")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_agent_runs_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agent_runs")),
    )
    with op.batch_alter_table("agent_runs", schema=None) as batch_op:
        batch_op.create_index("ix_agent_runs_conversation_id_id", ["conversation_id", "id"], unique=False)
        batch_op.create_index(
            "ix_agent_runs_ended_at",
            ["ended_at"],
            unique=False,
            sqlite_where=sa.text("ended_at IS NOT NULL"),
            postgresql_where=sa.text("ended_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_agent_runs_message_id",
            ["message_id"],
            unique=False,
            sqlite_where=sa.text("message_id IS NOT NULL"),
            postgresql_where=sa.text("message_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_agent_runs_open",
            ["conversation_id"],
            unique=True,
            sqlite_where=sa.text("ended_at IS NULL"),
            postgresql_where=sa.text("ended_at IS NULL"),
        )
        batch_op.create_index("ix_agent_runs_organization_id_id", ["organization_id", "id"], unique=False)
        batch_op.create_index(
            "ix_agent_runs_wake_at",
            ["wake_at"],
            unique=False,
            sqlite_where=sa.text("wake_at IS NOT NULL"),
            postgresql_where=sa.text("wake_at IS NOT NULL"),
        )

    op.create_table(
        "agent_cards",
        sa.Column("approval_id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("conversation_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversations.id"], name=op.f("fk_agent_cards_conversation_id")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_agent_cards_organization_id")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["agent_runs.id"], name=op.f("fk_agent_cards_run_id")),
        sa.PrimaryKeyConstraint("approval_id", name=op.f("pk_agent_cards")),
    )
    with op.batch_alter_table("agent_cards", schema=None) as batch_op:
        batch_op.create_index(
            "ix_agent_cards_conversation_id",
            ["conversation_id"],
            unique=False,
            sqlite_where=sa.text("run_id IS NULL"),
            postgresql_where=sa.text("run_id IS NULL"),
        )
        batch_op.create_index(
            "ix_agent_cards_run_id",
            ["run_id"],
            unique=False,
            sqlite_where=sa.text("run_id IS NOT NULL"),
            postgresql_where=sa.text("run_id IS NOT NULL"),
        )

    op.create_table(
        "agent_steps",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=True),
        sa.Column("call_id", sa.Text(), nullable=True),
        sa.Column("input", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("charged_micro_credits", sa.BigInteger(), nullable=False),
        sa.Column("read_to", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_agent_steps_organization_id")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["agent_runs.id"], name=op.f("fk_agent_steps_run_id")),
        sa.PrimaryKeyConstraint("run_id", "n", name=op.f("pk_agent_steps")),
    )
    with op.batch_alter_table("conversations", schema=None) as batch_op:
        batch_op.add_column(sa.Column("agent_silenced_at", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("agent_silenced_by", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("agent_silencer", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("agent_reason", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("agent_reads_from", sa.Text(), nullable=True))
