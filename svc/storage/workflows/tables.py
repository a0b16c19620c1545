"""The tables of workflows: workflows, the versions of their documents, and runs with their steps."""

from typing import Any, Final

import sqlalchemy as sa

from svc.domain.identity.access import Enabler
from svc.domain.locale.times import SECOND_MS
from svc.domain.workflows.expressions.contexts import Event
from svc.domain.workflows.limits import DEBOUNCE_SECONDS_MAX, UNKNOWN_STEP_RETRY_MS, WAIT_SECONDS_MAX
from svc.storage import schema

workflows: Final = schema.table(
    "workflows",
    schema.id_(),
    schema.of_organization(),
    schema.text("name", schema.SCRUBBED),
    schema.flag("enabled"),
    schema.number("version"),
    # The type of the events that may start a run of the current version; None where no event does.
    schema.word("event_type", null=True),
    # Events before this start no runs.
    schema.past("enabled_at", null=True),
    # JSON: in whose name it runs, once it was enabled.
    schema.json("enabler", Enabler, schema.NOBODY, null=True),
    # Of one that is enabled and has a schedule, when that comes next.
    schema.time("next_at", schema.Ahead(0, due=True), null=True),
    schema.past("created_at"),
    schema.past("updated_at"),
    schema.past("deleted_at", null=True),
    sa.Index("ix_workflows_organization_id_id", "organization_id", "id"),
    schema.PartialIndex(
        "ix_workflows_event_type",
        "organization_id",
        "event_type",
        where="enabled AND event_type IS NOT NULL",
    ),
    schema.PartialIndex("ix_workflows_next_at", "organization_id", "next_at", where="next_at IS NOT NULL"),
    leaves=schema.ExportFile("workflows", "A workflow."),
    life=schema.KEPT,
)

workflow_versions: Final = schema.table(
    "workflow_versions",
    schema.ref("workflow_id", "workflows.id", primary=True),
    schema.number("version", primary=True),
    schema.of_organization(),
    # JSON. It is never changed: runs keep their version.
    schema.json("document", dict[str, Any], schema.SCRUBBED),
    # Who saved it; None of what was saved before that was noted.
    schema.word("caller_kind", null=True),
    schema.word("caller_id", null=True, note="the key or the person that saved it"),
    schema.ref("person_id", "people.id", null=True, note="the person who saved it, or whose key did"),
    schema.past("created_at"),
    leaves=schema.ExportFile("workflow_versions", "A version of a workflow: its whole document."),
    life=schema.PRUNED,
)

workflow_bursts: Final = schema.table(
    "workflow_bursts",
    schema.ref("workflow_id", "workflows.id", primary=True),
    # The digest of what the events of the burst have in common.
    schema.word("key", primary=True, note="a digest of what its events have in common"),
    schema.of_organization(),
    schema.past("first_at"),
    schema.time("due_at", schema.Ahead(DEBOUNCE_SECONDS_MAX * SECOND_MS, due=True)),
    # JSON: the last event of it, with which the run will start.
    schema.json("event", Event, schema.SCRUBBED),
    schema.number("event_depth"),
    sa.Index("ix_workflow_bursts_due_at", "organization_id", "due_at"),
    leaves=schema.ExportFile(
        "workflow_bursts", "A burst of events that a run will start with once it is over."
    ),
    life=schema.PRUNED,
)

workflow_runs: Final = schema.table(
    "workflow_runs",
    schema.id_(own="workflow_runs"),
    schema.of_organization(),
    schema.ref("workflow_id", "workflows.id"),
    schema.number("version"),
    # The event or the occurrence that started it, once for each; None where a caller did.
    schema.word("started_by", null=True),
    schema.of_record("record_id", note="the record that it is about, or the contact"),
    schema.word("state"),
    schema.text("reason", schema.SCRUBBED, null=True),
    schema.number("depth"),
    schema.word("position", null=True),
    schema.time(
        "wake_at",
        schema.AheadByRow(
            (
                schema.Ahead(UNKNOWN_STEP_RETRY_MS, due=True, where="awaits IS NULL"),
                schema.Ahead(WAIT_SECONDS_MAX * SECOND_MS, where="awaits <> 'time'"),
            ),
            others="a wait may be until a date that somebody named",
        ),
        null=True,
    ),
    schema.word("awaits", null=True),
    # The type of the event, or the id of the delivery or approval, that it waits for.
    schema.word("awaited", null=True, note="the event, delivery or approval that it waits for"),
    # Of an event, the key that it has to have, such as the id of its record: see `awaited_keys`.
    schema.word(
        "awaited_record", key="awaited_key", null=True, note="of an event, the key that it has to have"
    ),
    schema.number("attempts"),
    # JSON: what started it, kept for its steps. Events are pruned, and a run may wait for a year.
    schema.json("event", Event, schema.SCRUBBED, note="what started it"),
    # JSON: in whose name it runs.
    schema.json("enabler", Enabler, schema.NOBODY, note="in whose name it runs"),
    schema.past("started_at"),
    schema.past("ended_at", null=True),
    sa.Index("ix_workflow_runs_organization_id_id", "organization_id", "id"),
    sa.Index("ix_workflow_runs_organization_id_state_id", "organization_id", "state", "id"),
    # Also by version, since a version is kept as long as it has a run.
    sa.Index("ix_workflow_runs_workflow_id_id", "workflow_id", "id"),
    sa.Index("ix_workflow_runs_workflow_id_version", "workflow_id", "version"),
    schema.PartialIndex("ix_workflow_runs_record_id", "record_id", where="record_id IS NOT NULL"),
    sa.Index("ix_workflow_runs_started_by", "workflow_id", "started_by", unique=True),
    schema.PartialIndex(
        "ix_workflow_runs_wake_at", "organization_id", "wake_at", where="wake_at IS NOT NULL"
    ),
    schema.PartialIndex(
        "ix_workflow_runs_awaited",
        "organization_id",
        "awaited",
        "awaited_key",
        where="awaited IS NOT NULL",
    ),
    schema.PartialIndex("ix_workflow_runs_ended_at", "ended_at", where="ended_at IS NOT NULL"),
    leaves=schema.ExportFile("workflow_runs", "A run of a workflow."),
    life=schema.PRUNED,
)

workflow_steps: Final = schema.table(
    "workflow_steps",
    schema.ref("run_id", "workflow_runs.id", primary=True, own="workflow_runs"),
    schema.word("key", primary=True),
    # Its place in the run.
    schema.number("n", note="its place in the run"),
    schema.word("type"),
    schema.word("state"),
    # JSON, each.
    schema.json("input", dict[str, Any], schema.SCRUBBED, null=True),
    schema.json("output", dict[str, Any], schema.SCRUBBED, null=True),
    schema.json("error", dict[str, Any], schema.SCRUBBED, null=True),
    schema.number("attempts"),
    schema.past("started_at"),
    schema.past("ended_at", null=True),
    leaves=schema.ExportFile("workflow_steps", "A step of a run."),
    through="run_id",
    life=schema.PRUNED,
)
