"""`workflow.*`: what workflows there are, what each does, and whether it starts by itself."""

from typing import Annotated, Final

import msgspec

from svc.domain.errors import Conflict, Forbidden, NotFound
from svc.domain.identity.access import Enabler
from svc.domain.identity.callers import Call
from svc.domain.limits import FILTERS_MAX, LIST_ROWS, NAME_CHARS_MAX, WORKFLOW_STEPS_MAX
from svc.domain.records.queries import Filter
from svc.domain.times import rfc3339
from svc.domain.workflows.documents import AnyStep, AnyTrigger, Document
from svc.storage.store import Tx, View
from svc.storage.workflows import workflows
from svc.storage.workflows.workflows import Workflow
from svc.tools.projections import Projection
from svc.tools.tool import (
    Cursor,
    Limit,
    NextCursor,
    Timestamp,
    ToolInput,
    ToolOutput,
    Version,
    about,
    reads,
    writes,
)

WorkflowId = Annotated[
    str, about(description="The workflow's id.", examples=["wfl_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
_Name = Annotated[str, about(description="What people call it.", min_length=1, max_length=NAME_CHARS_MAX)]
_Trigger = Annotated[AnyTrigger, about(description="What starts a run; `workflow.trigger_list` shows them.")]
_Conditions = Annotated[
    tuple[Filter, ...],
    about(
        description="Must all hold for a run to start, as filters of `record.list`. `property` is a slug of "
        "the trigger's record, or a path such as `submission.fields.topic`.",
        max_length=FILTERS_MAX,
    ),
]
_Steps = Annotated[
    tuple[AnyStep, ...],
    about(description="What a run does, one after another.", min_length=1, max_length=WORKFLOW_STEPS_MAX),
]


class ActsAs(ToolOutput, frozen=True, kw_only=True):
    """In whose name runs go: they may what this person may, at each step."""

    person_id: str
    key_id: Annotated[
        str | None, about(description="The key with which it was enabled: then no more than its role.")
    ]
    role_id: Annotated[str | None, about(description="The role of that key.")]


class WorkflowLine(ToolOutput, frozen=True, kw_only=True):
    """A workflow, without what it does."""

    id: WorkflowId
    name: _Name
    enabled: Annotated[bool, about(description="Whether its trigger starts runs.")]
    version: Version
    trigger: _Trigger
    acts_as: Annotated[ActsAs | None, about(description="Null until it was enabled.")]
    next_at: Annotated[Timestamp | None, about(description="When its schedule comes next.")]
    created_at: Timestamp
    updated_at: Timestamp


class WorkflowAnswer(WorkflowLine, frozen=True, kw_only=True):
    """A workflow."""

    conditions: _Conditions
    steps: _Steps


_acts_as: Final = Projection(Enabler, ActsAs)


def _enabler(workflow: Workflow) -> ActsAs | None:
    return None if workflow.enabler is None else _acts_as(workflow.enabler)


_line: Final = Projection(
    Workflow, WorkflowLine, trigger=lambda workflow: workflow.document.trigger, acts_as=_enabler
)
answer_of: Final = Projection(
    Workflow,
    WorkflowAnswer,
    trigger=lambda workflow: workflow.document.trigger,
    conditions=lambda workflow: workflow.document.conditions,
    steps=lambda workflow: workflow.document.steps,
    acts_as=_enabler,
)

_DOCUMENT: Final = msgspec.convert(
    {
        "name": "Repair wanted",
        "trigger": {"type": "submitted a form"},
        "conditions": [{"property": "submission.fields.topic", "op": "eq", "value": "repair"}],
        "steps": [
            {"key": "note", "type": "add_note", "body": "Wants a repair: {{submission.fields.message}}"},
            {
                "key": "deal",
                "type": "create_deal",
                "name": "Repair for {{record.name}}",
            },
            {"key": "pause", "type": "wait", "seconds": 172_800},
            {
                "key": "remind",
                "type": "add_note",
                "record": "{{steps.deal.recordId}}",
                "body": "Two days old: has anybody called {{record.name}}?",
            },
        ],
    },
    Document,
)
LINE: Final = WorkflowLine(
    id="wfl_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name=_DOCUMENT.name,
    enabled=True,
    version=1,
    trigger=_DOCUMENT.trigger,
    acts_as=ActsAs(person_id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA", key_id=None, role_id=None),
    next_at=None,
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:31:00.000Z",
)
EXAMPLE: Final = WorkflowAnswer(
    **msgspec.structs.asdict(LINE), conditions=_DOCUMENT.conditions, steps=_DOCUMENT.steps
)
_NEW: Final = msgspec.structs.replace(EXAMPLE, enabled=False, acts_as=None, updated_at=EXAMPLE.created_at)


class ListWorkflows(ToolInput, frozen=True, kw_only=True):
    """Which part of the list."""

    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class WorkflowList(ToolOutput, frozen=True, kw_only=True):
    """Workflows, the oldest first."""

    workflows: Annotated[tuple[WorkflowLine, ...], about(description="The oldest first.")]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "workflow.list",
    needs="workflows",
    example=ListWorkflows(),
    answer=WorkflowList(workflows=(LINE,), next_cursor=None),
)
def list_all(view: View, call: Call, request: ListWorkflows) -> WorkflowList:
    """List the workflows, with what starts each. `workflow.get` shows what one does."""
    page, next_cursor = workflows.list_page(
        view.conn, call.caller.organization_id, cursor=request.cursor, limit=request.limit
    )
    return WorkflowList(workflows=tuple(map(_line, page)), next_cursor=next_cursor)


class WorkflowById(ToolInput, frozen=True, kw_only=True):
    """Which workflow."""

    id: WorkflowId


@reads(
    "workflow.get",
    needs="workflows",
    raises=(NotFound,),
    example=WorkflowById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def get(view: View, call: Call, request: WorkflowById) -> WorkflowAnswer:
    """Show a workflow: its trigger, its conditions and its steps."""
    return answer_of(workflows.get(view.conn, call.caller.organization_id, request.id))


class CreateWorkflow(ToolInput, frozen=True, kw_only=True):
    """What a workflow does: with `trigger`, if all `conditions` hold, its `steps` one after another."""

    name: _Name
    trigger: _Trigger
    conditions: _Conditions = ()
    steps: _Steps


@writes(
    "workflow.create",
    needs="workflows",
    raises=(Conflict,),
    example=CreateWorkflow(
        name=EXAMPLE.name, trigger=EXAMPLE.trigger, conditions=EXAMPLE.conditions, steps=EXAMPLE.steps
    ),
    answer=_NEW,
)
def create(tx: Tx, call: Call, request: CreateWorkflow) -> WorkflowAnswer:
    """Save a workflow. It is disabled until `workflow.enable`.

    All of it is checked: paths, objects, properties and their types, ids, and whether you may do what its
    steps do. A fault has the pointer to its place. Try it with `workflow.run` and `dryRun` first.
    """
    document = Document(**msgspec.structs.asdict(request))
    return answer_of(workflows.create(tx, call, document))


class UpdateWorkflow(ToolInput, frozen=True, kw_only=True):
    """What to change of a workflow; what is left out, or null, stays."""

    id: WorkflowId
    version: Annotated[int, about(description="The `version` that the change was made from.")]
    name: _Name | None = None
    trigger: _Trigger | None = None
    conditions: _Conditions | None = None
    steps: _Steps | None = None


@writes(
    "workflow.update",
    needs="workflows",
    raises=(NotFound, Conflict, Forbidden),
    example=UpdateWorkflow(id=EXAMPLE.id, version=1, name="Repair wanted, or a spare part"),
    answer=msgspec.structs.replace(EXAMPLE, version=2, name="Repair wanted, or a spare part"),
)
def update(tx: Tx, call: Call, request: UpdateWorkflow) -> WorkflowAnswer:
    """Save a workflow's next version. Runs that were started keep theirs.

    An enabled one stays enabled, and acts as you from now on. If it was changed since `version`, nothing is
    saved: 409 `conflict`.
    """
    facts = msgspec.structs.asdict(request)
    workflow_id, version = facts.pop("id"), facts.pop("version")
    changes = {name: value for name, value in facts.items() if value is not None}
    return answer_of(workflows.update(tx, call, workflow_id, version, changes))


class DeletedWorkflow(ToolOutput, frozen=True, kw_only=True):
    """A workflow that is gone."""

    id: WorkflowId
    deleted_at: Timestamp


@writes(
    "workflow.delete",
    needs="workflows",
    runs="approval",
    raises=(NotFound,),
    example=WorkflowById(id=EXAMPLE.id),
    answer=DeletedWorkflow(id=EXAMPLE.id, deleted_at="2026-09-18T09:40:00.000Z"),
)
def delete(tx: Tx, call: Call, request: WorkflowById) -> DeletedWorkflow:
    """Delete a workflow for good, and cancel its runs, which can be looked at for 30 days more."""
    workflows.delete(tx, call.caller.organization_id, request.id)
    return DeletedWorkflow(id=request.id, deleted_at=rfc3339(tx.now))


@writes(
    "workflow.enable",
    needs="workflows",
    raises=(NotFound, Forbidden),
    example=WorkflowById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def enable(tx: Tx, call: Call, request: WorkflowById) -> WorkflowAnswer:
    """Have a workflow start by itself, in your name: its steps may what you may, judged at each.

    Its document is checked again; pointers are into what `workflow.get` shows. Enabling one that is enabled
    makes it act as you from now on, and runs that were started as before.
    """
    return answer_of(workflows.enable(tx, call, request.id))


class DisableWorkflow(ToolInput, frozen=True, kw_only=True):
    """Which workflow, and what becomes of its runs."""

    id: WorkflowId
    cancel_runs: Annotated[bool, about(description="Cancel the runs that have not ended, too.")] = False


@writes(
    "workflow.disable",
    needs="workflows",
    raises=(NotFound,),
    example=DisableWorkflow(id=EXAMPLE.id),
    answer=msgspec.structs.replace(EXAMPLE, enabled=False),
)
def disable(tx: Tx, call: Call, request: DisableWorkflow) -> WorkflowAnswer:
    """Have a workflow start no more by itself. Its runs go on, unless they are cancelled."""
    organization_id = call.caller.organization_id
    return answer_of(workflows.disable(tx, organization_id, request.id, cancel_runs=request.cancel_runs))
