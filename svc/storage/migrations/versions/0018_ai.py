"""The AI gateway: an append-only ledger, calls, what keys use in a month, providers, restrictions.

The ledger refuses what would break it by itself, so that no fault of the program can.
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

APPEND_ONLY = (
    (
        "CREATE TRIGGER ai_ledger_in_order BEFORE INSERT ON ai_ledger"
        " WHEN EXISTS (SELECT 1 FROM ai_ledger WHERE organization_id = NEW.organization_id AND id >= NEW.id)"
        " OR NEW.balance_after <> NEW.amount + coalesce((SELECT balance_after FROM ai_ledger"
        " WHERE organization_id = NEW.organization_id ORDER BY id DESC LIMIT 1), 0)"
        " BEGIN SELECT RAISE(ABORT, 'the entry does not follow the last one'); END"
    ),
    (
        "CREATE TRIGGER ai_ledger_no_update BEFORE UPDATE ON ai_ledger"
        " BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
    ),
    (
        "CREATE TRIGGER ai_ledger_no_delete BEFORE DELETE ON ai_ledger"
        " BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
    ),
)


def upgrade() -> None:
    op.create_table(
        "ai_calls",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text()),
        sa.Column("payer", sa.Text(), nullable=False),
        sa.Column("streamed", sa.Boolean(), nullable=False),
        sa.Column("process", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("ended", sa.Text()),
        sa.Column("reserved_micro_credits", sa.BigInteger()),
        sa.Column("budgeted_micro_credits", sa.BigInteger()),
        sa.Column("estimated", sa.Boolean(), server_default=sa.text("0"), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("cost_micro_credits", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("charged_micro_credits", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("uncovered_micro_credits", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_ai_calls_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_calls")),
    )
    op.create_index(
        "ix_ai_calls_open",
        "ai_calls",
        ["organization_id", "id"],
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_index("ix_ai_calls_organization_id_started_at", "ai_calls", ["organization_id", "started_at"])

    op.create_table(
        "ai_key_months",
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("month", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("used_micro_credits", sa.BigInteger(), nullable=False),
        sa.Column("reserved_micro_credits", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_ai_key_months_organization_id")
        ),
        sa.PrimaryKeyConstraint("key_id", "month", name=op.f("pk_ai_key_months")),
    )
    op.create_table(
        "ai_providers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=False),
        sa.Column("sealed_key", sa.LargeBinary(), nullable=False),
        sa.Column("key_visible_end", sa.Text(), nullable=False),
        sa.Column("models", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_ai_providers_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_providers")),
        sa.UniqueConstraint("organization_id", "name", name=op.f("uq_ai_providers_organization_id_name")),
    )
    op.create_table(
        "ai_restrictions",
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("models", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_ai_restrictions_organization_id")
        ),
        sa.PrimaryKeyConstraint("organization_id", name=op.f("pk_ai_restrictions")),
    )
    op.create_table(
        "ai_ledger",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("balance_after", sa.BigInteger(), nullable=False),
        sa.Column("call_id", sa.Text()),
        sa.Column("note", sa.Text()),
        sa.CheckConstraint(
            "CASE kind WHEN 'grant' THEN amount > 0 AND call_id IS NULL"
            " WHEN 'reserve' THEN amount <= 0 AND call_id IS NOT NULL"
            " WHEN 'settle' THEN call_id IS NOT NULL ELSE 0 = 1 END",
            name="ck_ai_ledger_kind",
        ),
        sa.CheckConstraint("balance_after >= 0", name="ck_ai_ledger_balance"),
        sa.ForeignKeyConstraint(["call_id"], ["ai_calls.id"], name=op.f("fk_ai_ledger_call_id")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_ai_ledger_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ai_ledger")),
    )
    op.create_index("ix_ai_ledger_organization_id_id", "ai_ledger", ["organization_id", "id"])
    op.create_index(
        "ix_ai_ledger_reserve",
        "ai_ledger",
        ["call_id"],
        unique=True,
        sqlite_where=sa.text("kind = 'reserve'"),
        postgresql_where=sa.text("kind = 'reserve'"),
    )
    op.create_index(
        "ix_ai_ledger_settle",
        "ai_ledger",
        ["call_id"],
        unique=True,
        sqlite_where=sa.text("kind = 'settle'"),
        postgresql_where=sa.text("kind = 'settle'"),
    )

    for trigger in APPEND_ONLY:
        op.execute(trigger)
    op.add_column("api_keys", sa.Column("monthly_budget_micro_credits", sa.BigInteger()))
    op.add_column("api_keys", sa.Column("models", sa.Text()))
    # With a default, so that no row has to be written.
    op.add_column(
        "organizations",
        sa.Column(
            "own_provider_falls_back_to_credits", sa.Boolean(), nullable=False, server_default=sa.false()
        ),
    )
