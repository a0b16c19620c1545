"""The tables of agents: how they are set, their runs with steps, and what they spent in a day."""

from typing import Any, Final

import sqlalchemy as sa

from svc.domain.agent.limits import AGENT_BEGINS_MS_MAX
from svc.storage import schema

agents: Final = schema.table(
    "agents",
    schema.ref("connection_id", "connections.id", primary=True),
    schema.of_organization(),
    schema.flag("enabled"),
    schema.text("instructions", schema.SCRUBBED),
    schema.word("model"),
    # Of a built-in role its name; a custom one may be gone.
    schema.word("role_id"),
    # JSON; NULL where none were named.
    schema.json("tools", tuple[str, ...], schema.NOBODY, null=True),
    schema.number("daily_micro_credits", sa.BigInteger),
    schema.ref("set_by", "people.id"),
    schema.past("created_at"),
    schema.past("updated_at"),
    leaves=schema.ExportFile("agents", "The agent of a connection, as it was set."),
    life=schema.KEPT,
)

agent_runs: Final = schema.table(
    "agent_runs",
    schema.id_(),
    schema.of_organization(),
    schema.ref("connection_id", "connections.id"),
    schema.ref("conversation_id", "conversations.id", own="conversations"),
    schema.word("state"),
    schema.text("reason", schema.SCRUBBED, null=True),
    # When the first message came that it is to answer.
    schema.past("first_at"),
    # When it begins, or is looked at again; NULL once it has ended.
    schema.time("wake_at", schema.Ahead(AGENT_BEGINS_MS_MAX, due=True), null=True),
    # Time spent at it, restarts aside.
    schema.number("worked_ms", sa.BigInteger),
    schema.number("charged_micro_credits", sa.BigInteger),
    # The reply that it wrote.
    schema.ref("message_id", "messages.id", null=True),
    schema.past("created_at"),
    schema.past("started_at", null=True),
    schema.past("ended_at", null=True),
    sa.Index("ix_agent_runs_organization_id_id", "organization_id", "id"),
    sa.Index("ix_agent_runs_conversation_id_id", "conversation_id", "id"),
    # One at a time.
    schema.PartialIndex("ix_agent_runs_open", "conversation_id", unique=True, where="ended_at IS NULL"),
    schema.PartialIndex("ix_agent_runs_wake_at", "wake_at", where="wake_at IS NOT NULL"),
    schema.PartialIndex("ix_agent_runs_message_id", "message_id", where="message_id IS NOT NULL"),
    schema.PartialIndex("ix_agent_runs_ended_at", "ended_at", where="ended_at IS NOT NULL"),
    leaves=schema.ExportFile("agent_runs", "A run of an agent, in one conversation."),
    life=schema.PRUNED,
)

agent_steps: Final = schema.table(
    "agent_steps",
    schema.ref("run_id", "agent_runs.id", primary=True, own="agent_runs"),
    schema.number("n", primary=True, note="its place in the run"),
    schema.of_organization(),
    schema.word("kind"),
    schema.word("state"),
    schema.word("tool", null=True),
    schema.word("call_id", null=True),
    # JSON, each.
    schema.json("input", Any, schema.SCRUBBED, null=True, blank=schema.ERASED_JSON),
    schema.json("answer", Any, schema.SCRUBBED, null=True, blank=schema.ERASED_JSON),
    schema.number("charged_micro_credits", sa.BigInteger),
    schema.word("read_to", null=True, note="the last message that it had read"),
    schema.past("at"),
    leaves=schema.ExportFile("agent_steps", "A step of an agent's run: a call of the model or of a tool."),
    life=schema.PRUNED,
)

agent_cards: Final = schema.table(
    "agent_cards",
    # Approvals that were decided, to be told to the agent by the next run of their conversation. They may be
    # deleted before.
    schema.word("approval_id", primary=True),
    schema.of_organization(),
    schema.ref("conversation_id", "conversations.id", own="conversations"),
    # NULL until a run has begun that tells it.
    schema.ref("run_id", "agent_runs.id", null=True),
    schema.PartialIndex("ix_agent_cards_conversation_id", "conversation_id", where="run_id IS NULL"),
    schema.PartialIndex("ix_agent_cards_run_id", "run_id", where="run_id IS NOT NULL"),
    leaves=schema.ExportFile(
        "agent_cards", "A decided approval, which the agent is told of in its conversation."
    ),
    life=schema.PRUNED,
)

agent_days: Final = schema.table(
    "agent_days",
    schema.ref("connection_id", "connections.id", primary=True),
    # Days since the epoch (UTC).
    schema.number("day", primary=True, note="days since 1970-01-01, UTC"),
    schema.of_organization(),
    schema.number("charged_micro_credits", sa.BigInteger),
    leaves=schema.ExportFile("agent_days", "What an agent spent on a day."),
    life=schema.PRUNED,
)
