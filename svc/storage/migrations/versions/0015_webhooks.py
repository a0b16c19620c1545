"""Webhooks: subscriptions, deliveries of events to them, and attempts at these."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("object_types", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("failing_since", sa.BigInteger(), nullable=True),
        sa.Column("held_until", sa.BigInteger(), nullable=True),
        sa.Column("max_per_second", sa.Integer(), nullable=True),
        sa.Column("contract", sa.Text(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=True),
        sa.Column("previous_secret", sa.LargeBinary(), nullable=True),
        sa.Column("previous_secret_until", sa.BigInteger(), nullable=True),
        sa.Column("ending", sa.Text(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_webhooks_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    with op.batch_alter_table("webhooks", schema=None) as batch_op:
        batch_op.create_index(
            "ix_webhooks_ending",
            ["id"],
            unique=False,
            sqlite_where=sa.text("ending IS NOT NULL"),
            postgresql_where=sa.text("ending IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_webhooks_organization_id_id",
            ["organization_id", "id"],
            unique=False,
            sqlite_where=sa.text("removed_at IS NULL"),
            postgresql_where=sa.text("removed_at IS NULL"),
        )

    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("webhook_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=True),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("is_first", sa.Boolean(), nullable=False),
        sa.Column("next_attempt_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("replayed", sa.Boolean(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("call_key", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_webhook_deliveries_organization_id")
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhooks.id"], name=op.f("fk_webhook_deliveries_webhook_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
    )
    with op.batch_alter_table("webhook_deliveries", schema=None) as batch_op:
        batch_op.create_index(
            "ix_webhook_deliveries_call",
            ["run_id", "call_key"],
            unique=True,
            sqlite_where=sa.text("run_id IS NOT NULL"),
            postgresql_where=sa.text("run_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_webhook_deliveries_done_at",
            ["done_at"],
            unique=False,
            sqlite_where=sa.text("done_at IS NOT NULL"),
            postgresql_where=sa.text("done_at IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_webhook_deliveries_due",
            ["webhook_id", "replayed", "next_attempt_at", "id"],
            unique=False,
            sqlite_where=sa.text("state = 'waiting' AND is_first"),
            postgresql_where=sa.text("state = 'waiting' AND is_first"),
        )
        batch_op.create_index(
            "ix_webhook_deliveries_event",
            ["event_id", "webhook_id"],
            unique=True,
            sqlite_where=sa.text("event_id IS NOT NULL"),
            postgresql_where=sa.text("event_id IS NOT NULL"),
        )
        batch_op.create_index(
            "ix_webhook_deliveries_replayed",
            ["webhook_id", "subject"],
            unique=False,
            sqlite_where=sa.text("state = 'waiting' AND replayed"),
            postgresql_where=sa.text("state = 'waiting' AND replayed"),
        )
        batch_op.create_index(
            "ix_webhook_deliveries_waiting",
            ["webhook_id", "subject", "place", "id"],
            unique=False,
            sqlite_where=sa.text("state = 'waiting'"),
            postgresql_where=sa.text("state = 'waiting'"),
        )
        batch_op.create_index("ix_webhook_deliveries_webhook_id_id", ["webhook_id", "id"], unique=False)

    op.create_table(
        "webhook_attempts",
        sa.Column("delivery_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("milliseconds", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["delivery_id"], ["webhook_deliveries.id"], name=op.f("fk_webhook_attempts_delivery_id")
        ),
        sa.PrimaryKeyConstraint("delivery_id", "number", name=op.f("pk_webhook_attempts")),
    )
