"""The tables of workflows: workflows, the versions of their documents, and runs with their steps."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_organization, only_where

workflows: Final = sa.Table(
    "workflows",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    # The type of the events that may start a run of the current version; None where no event does.
    sa.Column("event_type", sa.Text),
    # Events before this start no runs.
    sa.Column("enabled_at", sa.BigInteger),
    # JSON: in whose name it runs, once it was enabled.
    sa.Column("enabler", sa.Text),
    # Of one that is enabled and has a schedule, when that comes next.
    sa.Column("next_at", sa.BigInteger),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Column("deleted_at", sa.BigInteger),
    sa.Index("ix_workflows_organization_id_id", "organization_id", "id"),
    sa.Index(
        "ix_workflows_event_type",
        "organization_id",
        "event_type",
        **only_where("enabled AND event_type IS NOT NULL"),
    ),
    sa.Index("ix_workflows_next_at", "organization_id", "next_at", **only_where("next_at IS NOT NULL")),
)

workflow_versions: Final = sa.Table(
    "workflow_versions",
    metadata,
    sa.Column("workflow_id", sa.Text, sa.ForeignKey("workflows.id"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    of_organization(),
    # JSON. It is never changed: runs keep their version.
    sa.Column("document", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
)

workflow_bursts: Final = sa.Table(
    "workflow_bursts",
    metadata,
    sa.Column("workflow_id", sa.Text, sa.ForeignKey("workflows.id"), primary_key=True),
    # The digest of what the events of the burst have in common.
    sa.Column("key", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("first_at", sa.BigInteger, nullable=False),
    sa.Column("due_at", sa.BigInteger, nullable=False),
    # JSON: the last event of it, with which the run will start.
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("event_depth", sa.Integer, nullable=False),
    sa.Index("ix_workflow_bursts_due_at", "organization_id", "due_at"),
)

workflow_runs: Final = sa.Table(
    "workflow_runs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("workflow_id", sa.Text, sa.ForeignKey("workflows.id"), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    # The event or the occurrence that started it, once for each; None where a caller did.
    sa.Column("started_by", sa.Text),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("reason", sa.Text),
    sa.Column("depth", sa.Integer, nullable=False),
    sa.Column("position", sa.Text),
    sa.Column("wake_at", sa.BigInteger),
    sa.Column("awaits", sa.Text),
    # The type of the event, or the id of the delivery or approval, that it waits for.
    sa.Column("awaited", sa.Text),
    # Of an event, the key that it has to have, such as the id of its record: see `awaited_keys`.
    sa.Column("awaited_record", sa.Text, key="awaited_key"),
    sa.Column("attempts", sa.Integer, nullable=False),
    # JSON: what started it, kept for its steps. Events are pruned, and a run may wait for a year.
    sa.Column("event", sa.Text, nullable=False),
    # JSON: in whose name it runs.
    sa.Column("enabler", sa.Text, nullable=False),
    sa.Column("started_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger),
    sa.Index("ix_workflow_runs_organization_id_id", "organization_id", "id"),
    sa.Index("ix_workflow_runs_organization_id_state_id", "organization_id", "state", "id"),
    # Also by version, since a version is kept as long as it has a run.
    sa.Index("ix_workflow_runs_workflow_id_id", "workflow_id", "id"),
    sa.Index("ix_workflow_runs_workflow_id_version", "workflow_id", "version"),
    sa.Index("ix_workflow_runs_started_by", "workflow_id", "started_by", unique=True),
    sa.Index("ix_workflow_runs_wake_at", "organization_id", "wake_at", **only_where("wake_at IS NOT NULL")),
    sa.Index(
        "ix_workflow_runs_awaited",
        "organization_id",
        "awaited",
        "awaited_key",
        **only_where("awaited IS NOT NULL"),
    ),
    sa.Index("ix_workflow_runs_ended_at", "ended_at", **only_where("ended_at IS NOT NULL")),
)

workflow_steps: Final = sa.Table(
    "workflow_steps",
    metadata,
    sa.Column("run_id", sa.Text, sa.ForeignKey("workflow_runs.id"), primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    # Its place in the run.
    sa.Column("n", sa.Integer, nullable=False),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    # JSON, each.
    sa.Column("input", sa.Text),
    sa.Column("output", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("started_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger),
)
