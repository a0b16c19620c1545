"""The tables of agents: how they are set, their runs with steps, and what they spent in a day."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_organization, only_where

agents: Final = sa.Table(
    "agents",
    metadata,
    sa.Column("connection_id", sa.Text, sa.ForeignKey("connections.id"), primary_key=True),
    of_organization(),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("instructions", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    # Of a built-in role its name; a custom one may be gone.
    sa.Column("role_id", sa.Text, nullable=False),
    # JSON; NULL where none were named.
    sa.Column("tools", sa.Text),
    sa.Column("daily_micro_credits", sa.BigInteger, nullable=False),
    sa.Column("set_by", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
)

agent_runs: Final = sa.Table(
    "agent_runs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("connection_id", sa.Text, sa.ForeignKey("connections.id"), nullable=False),
    sa.Column("conversation_id", sa.Text, sa.ForeignKey("conversations.id"), nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("reason", sa.Text),
    # When the first message came that it is to answer.
    sa.Column("first_at", sa.BigInteger, nullable=False),
    # When it begins, or is looked at again; NULL once it has ended.
    sa.Column("wake_at", sa.BigInteger),
    # Time spent at it, restarts aside.
    sa.Column("worked_ms", sa.BigInteger, nullable=False),
    sa.Column("charged_micro_credits", sa.BigInteger, nullable=False),
    # The reply that it wrote.
    sa.Column("message_id", sa.Text, sa.ForeignKey("messages.id")),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("started_at", sa.BigInteger),
    sa.Column("ended_at", sa.BigInteger),
    sa.Index("ix_agent_runs_organization_id_id", "organization_id", "id"),
    sa.Index("ix_agent_runs_conversation_id_id", "conversation_id", "id"),
    # One at a time.
    sa.Index("ix_agent_runs_open", "conversation_id", unique=True, **only_where("ended_at IS NULL")),
    sa.Index("ix_agent_runs_wake_at", "wake_at", **only_where("wake_at IS NOT NULL")),
    sa.Index("ix_agent_runs_message_id", "message_id", **only_where("message_id IS NOT NULL")),
    sa.Index("ix_agent_runs_ended_at", "ended_at", **only_where("ended_at IS NOT NULL")),
)

agent_steps: Final = sa.Table(
    "agent_steps",
    metadata,
    sa.Column("run_id", sa.Text, sa.ForeignKey("agent_runs.id"), primary_key=True),
    sa.Column("n", sa.Integer, primary_key=True),
    of_organization(),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("tool", sa.Text),
    sa.Column("call_id", sa.Text),
    # JSON, each.
    sa.Column("input", sa.Text),
    sa.Column("answer", sa.Text),
    sa.Column("charged_micro_credits", sa.BigInteger, nullable=False),
    sa.Column("read_to", sa.Text),
    sa.Column("at", sa.BigInteger, nullable=False),
)

agent_cards: Final = sa.Table(
    "agent_cards",
    metadata,
    # Approvals that were decided, to be told to the agent by the next run of their conversation. They may be
    # deleted before.
    sa.Column("approval_id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("conversation_id", sa.Text, sa.ForeignKey("conversations.id"), nullable=False),
    # NULL until a run has begun that tells it.
    sa.Column("run_id", sa.Text, sa.ForeignKey("agent_runs.id")),
    sa.Index("ix_agent_cards_conversation_id", "conversation_id", **only_where("run_id IS NULL")),
    sa.Index("ix_agent_cards_run_id", "run_id", **only_where("run_id IS NOT NULL")),
)

agent_days: Final = sa.Table(
    "agent_days",
    metadata,
    sa.Column("connection_id", sa.Text, sa.ForeignKey("connections.id"), primary_key=True),
    # Days since the epoch (UTC).
    sa.Column("day", sa.Integer, primary_key=True),
    of_organization(),
    sa.Column("charged_micro_credits", sa.BigInteger, nullable=False),
)
