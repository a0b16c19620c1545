"""The tables of the AI gateway.

The ledger is append-only: the schema itself refuses to change or delete its entries, an amount that is not of
its kind, a balance that does not follow from the last one or is below zero, and a second reservation or
settlement of a call.
"""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_organization, only_where

ledger: Final = sa.Table(
    "ai_ledger",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("amount", sa.BigInteger, nullable=False),
    sa.Column("balance_after", sa.BigInteger, nullable=False),
    sa.Column("call_id", sa.Text, sa.ForeignKey("ai_calls.id")),
    sa.Column("note", sa.Text),
    sa.CheckConstraint("balance_after >= 0", name="ck_ai_ledger_balance"),
    sa.CheckConstraint(
        "CASE kind WHEN 'grant' THEN amount > 0 AND call_id IS NULL"
        " WHEN 'reserve' THEN amount <= 0 AND call_id IS NOT NULL"
        " WHEN 'settle' THEN call_id IS NOT NULL ELSE 0 = 1 END",
        name="ck_ai_ledger_kind",
    ),
    sa.Index("ix_ai_ledger_organization_id_id", "organization_id", "id"),
    sa.Index("ix_ai_ledger_grants", "organization_id", "id", **only_where("kind = 'grant'")),
    sa.Index("ix_ai_ledger_reserve", "call_id", unique=True, **only_where("kind = 'reserve'")),
    sa.Index("ix_ai_ledger_settle", "call_id", unique=True, **only_where("kind = 'settle'")),
)

APPEND_ONLY: Final = (
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
"""What SQLite is told to refuse; migration 0018 has the same."""

for _trigger in APPEND_ONLY:
    sa.event.listen(ledger, "after_create", sa.DDL(_trigger).execute_if(dialect="sqlite"))  # type: ignore[no-untyped-call]

calls: Final = sa.Table(
    "ai_calls",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    # The id of a key, or `agent`.
    sa.Column("key_id", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    # The id of an own provider, or the name of one of the service's; NULL until one has served it.
    sa.Column("provider", sa.Text),
    sa.Column("payer", sa.Text, nullable=False),
    sa.Column("streamed", sa.Boolean, nullable=False),
    # The run of the program that has it under way: what another one left open is lost.
    sa.Column("process", sa.Text, nullable=False),
    sa.Column("started_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger),
    sa.Column("ended", sa.Text),
    # NULL where nothing was reserved.
    sa.Column("reserved_micro_credits", sa.BigInteger),
    sa.Column("budgeted_micro_credits", sa.BigInteger),
    sa.Column("estimated", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("prompt_tokens", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("cached_tokens", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("completion_tokens", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("cost_micro_credits", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("charged_micro_credits", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("uncovered_micro_credits", sa.BigInteger, nullable=False, server_default="0"),
    sa.Index("ix_ai_calls_organization_id_started_at", "organization_id", "started_at"),
    sa.Index("ix_ai_calls_open", "organization_id", "id", **only_where("ended_at IS NULL")),
)

key_months: Final = sa.Table(
    "ai_key_months",
    metadata,
    sa.Column("key_id", sa.Text, primary_key=True),
    sa.Column("month", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("used_micro_credits", sa.BigInteger, nullable=False),
    sa.Column("reserved_micro_credits", sa.BigInteger, nullable=False),
)

providers: Final = sa.Table(
    "ai_providers",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("base_url", sa.Text, nullable=False),
    sa.Column("sealed_key", sa.LargeBinary, nullable=False),
    sa.Column("key_visible_end", sa.Text, nullable=False),
    sa.Column("models", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.UniqueConstraint("organization_id", "name"),
)

restrictions: Final = sa.Table(
    "ai_restrictions",
    metadata,
    sa.Column("organization_id", sa.Text, sa.ForeignKey("organizations.id"), primary_key=True),
    sa.Column("models", sa.Text, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
)
