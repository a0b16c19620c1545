"""The tables of the AI gateway.

The ledger is append-only: the schema itself refuses to change or delete its entries, an amount that is not of
its kind, a balance that does not follow from the last one or is below zero, and a second reservation or
settlement of a call.
"""

from typing import Final

import sqlalchemy as sa

from svc.domain.ai.models import OwnModel
from svc.storage import schema

ledger: Final = schema.table(
    "ai_ledger",
    schema.id_(),
    schema.of_organization(),
    schema.time("at", schema.Untouched("the ledger is append-only")),
    schema.word("kind"),
    schema.number("amount", sa.BigInteger),
    schema.number("balance_after", sa.BigInteger),
    schema.ref("call_id", "ai_calls.id", null=True),
    schema.text(
        "note",
        schema.kept("an entry of the ledger, which is append-only: no program can change it"),
        null=True,
    ),
    sa.CheckConstraint("balance_after >= 0", name="ck_ai_ledger_balance"),
    sa.CheckConstraint(
        "CASE kind WHEN 'grant' THEN amount > 0 AND call_id IS NULL"
        " WHEN 'reserve' THEN amount <= 0 AND call_id IS NOT NULL"
        " WHEN 'settle' THEN call_id IS NOT NULL ELSE 0 = 1 END",
        name="ck_ai_ledger_kind",
    ),
    sa.Index("ix_ai_ledger_organization_id_id", "organization_id", "id"),
    schema.PartialIndex("ix_ai_ledger_grants", "organization_id", "id", where="kind = 'grant'"),
    schema.PartialIndex("ix_ai_ledger_reserve", "call_id", unique=True, where="kind = 'reserve'"),
    schema.PartialIndex("ix_ai_ledger_settle", "call_id", unique=True, where="kind = 'settle'"),
    leaves=schema.ExportFile("ai_ledger", "An entry of the ledger of credits, in millionths of a credit."),
    life=schema.KEPT,
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

_REFUSE: Final = "RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation', MESSAGE ="
APPEND_ONLY_POSTGRESQL: Final = (
    (
        "CREATE FUNCTION ai_ledger_in_order() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"  # noqa: S608  # of constants
        " IF EXISTS (SELECT 1 FROM ai_ledger WHERE organization_id = NEW.organization_id AND id >= NEW.id)"
        " OR NEW.balance_after <> NEW.amount + coalesce((SELECT balance_after FROM ai_ledger"
        " WHERE organization_id = NEW.organization_id ORDER BY id DESC LIMIT 1), 0)"
        f" THEN {_REFUSE} 'the entry does not follow the last one'; END IF; RETURN NEW; END $$"
    ),
    (
        "CREATE FUNCTION ai_ledger_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" {_REFUSE} 'the ledger is append-only'; END $$"
    ),
    (
        "CREATE TRIGGER ai_ledger_in_order BEFORE INSERT ON ai_ledger"
        " FOR EACH ROW EXECUTE FUNCTION ai_ledger_in_order()"
    ),
    (
        "CREATE TRIGGER ai_ledger_append_only BEFORE UPDATE OR DELETE ON ai_ledger"
        " FOR EACH ROW EXECUTE FUNCTION ai_ledger_append_only()"
    ),
)
"""What PostgreSQL is told to refuse."""

for _dialect, _commands in (("sqlite", APPEND_ONLY), ("postgresql", APPEND_ONLY_POSTGRESQL)):
    for _command in _commands:
        _ddl: sa.DDL = sa.DDL(_command)  # type: ignore[no-untyped-call]  # so in SQLAlchemy
        sa.event.listen(ledger, "after_create", _ddl.execute_if(dialect=_dialect))

calls: Final = schema.table(
    "ai_calls",
    schema.id_(),
    schema.of_organization(),
    # The id of a key, or `agent`.
    schema.word("key_id"),
    schema.word("model"),
    # The id of an own provider, or the name of one of the service's; NULL until one has served it.
    schema.word("provider", null=True),
    schema.word("payer"),
    schema.flag("streamed"),
    # The run of the program that has it under way: what another one left open is lost.
    schema.word("process", stays=schema.INTERNAL),
    schema.past("started_at"),
    schema.past("ended_at", null=True),
    schema.word("ended", null=True),
    # NULL where nothing was reserved.
    schema.number("reserved_micro_credits", sa.BigInteger, null=True),
    schema.number("budgeted_micro_credits", sa.BigInteger, null=True),
    schema.flag("estimated", default=False),
    schema.number("prompt_tokens", sa.BigInteger, default="0"),
    schema.number("cached_tokens", sa.BigInteger, default="0"),
    schema.number("completion_tokens", sa.BigInteger, default="0"),
    schema.number("cost_micro_credits", sa.BigInteger, default="0"),
    schema.number("charged_micro_credits", sa.BigInteger, default="0"),
    schema.number("uncovered_micro_credits", sa.BigInteger, default="0"),
    sa.Index("ix_ai_calls_organization_id_started_at", "organization_id", "started_at"),
    schema.PartialIndex("ix_ai_calls_open", "organization_id", "id", where="ended_at IS NULL"),
    leaves=schema.ExportFile(
        "ai_calls", "A call of an AI model, without its content, which is never stored."
    ),
    life=schema.KEPT,
)

key_months: Final = schema.table(
    "ai_key_months",
    schema.word("key_id", primary=True),
    schema.word("month", primary=True),
    schema.of_organization(),
    schema.number("used_micro_credits", sa.BigInteger),
    schema.number("reserved_micro_credits", sa.BigInteger),
    leaves=schema.ExportFile("ai_key_months", "What a gateway key spent in a month."),
    life=schema.KEPT,
)

providers: Final = schema.table(
    "ai_providers",
    schema.id_(),
    schema.of_organization(),
    schema.text("name", schema.SCRUBBED),
    schema.text("base_url", schema.kept(schema.SETTING)),
    schema.sealed("sealed_key"),
    schema.word("key_visible_end"),
    schema.json("models", tuple[OwnModel, ...], schema.NOBODY),
    schema.past("created_at"),
    schema.past("updated_at"),
    sa.UniqueConstraint("organization_id", "name"),
    leaves=schema.ExportFile(
        "ai_providers", "A provider of AI models of the organization's own, without its key."
    ),
    life=schema.KEPT,
)

restrictions: Final = schema.table(
    "ai_restrictions",
    schema.of_organization(primary=True),
    schema.json("models", frozenset[str], schema.NOBODY),
    schema.past("updated_at"),
    leaves=schema.ExportFile(
        "ai_restrictions", "The only AI models that may be used, if that was restricted."
    ),
    life=schema.KEPT,
)
