"""`workflow.*`: what workflows there are, what each does, and whether it starts by itself."""

from typing import Annotated

import msgspec

from svc.domain.errors import Conflict, Forbidden, NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.versions import Version
from svc.domain.workflows.documents import Document
from svc.storage.store import Tx, View
from svc.storage.workflows import runs, versions, workflows
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes
from svc.tools.workflows.workflow_answers import (
    DETAILS,
    EXAMPLE,
    LISTED,
    NEW,
    WorkflowAnswer,
    WorkflowConditions,
    WorkflowDetails,
    WorkflowId,
    WorkflowListed,
    WorkflowName,
    WorkflowSteps,
    WorkflowTrigger,
    answer_of,
    details_of,
    last_run_of,
    listed_of,
    version_of,
)


class ListWorkflows(ToolInput, frozen=True, kw_only=True):
    """Which part of the list."""

    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class WorkflowList(ToolOutput, frozen=True, kw_only=True):
    """Workflows, the oldest first."""

    workflows: Annotated[tuple[WorkflowListed, ...], about(description="The oldest first.")]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "workflow.list",
    needs="workflows",
    example=ListWorkflows(),
    answer=WorkflowList(workflows=(LISTED,), next_cursor=None),
)
def list_all(view: View, call: Call, request: ListWorkflows) -> WorkflowList:
    """List the workflows, with what starts each, and its last runs. `workflow.get` shows what one does."""
    page, next_cursor = workflows.list_page(
        view.conn, call.caller.organization_id, cursor=request.cursor, limit=request.limit
    )
    found = tuple(
        listed_of(one, last_runs=tuple(map(last_run_of, runs.latest_of(view.conn, one.id)))) for one in page
    )
    return WorkflowList(workflows=found, next_cursor=next_cursor)


class WorkflowById(ToolInput, frozen=True, kw_only=True):
    """Which workflow."""

    id: WorkflowId


class GetWorkflow(ToolInput, frozen=True, kw_only=True):
    """Which workflow."""

    id: WorkflowId
    version: Annotated[
        Version | None, about(description="As it was in this version; the current one by default.")
    ] = None


@reads(
    "workflow.get",
    needs="workflows",
    raises=(NotFound,),
    example=GetWorkflow(id=EXAMPLE.id),
    answer=DETAILS,
)
def get(view: View, call: Call, request: GetWorkflow) -> WorkflowDetails:
    """Show a workflow: its trigger, its conditions and its steps, and who saved which version of it."""
    found = workflows.get(view.conn, call.caller.organization_id, request.id)
    if request.version not in {None, found.version}:
        document = versions.document_of(view.conn, found.id, request.version or 0)
        found = msgspec.structs.replace(found, name=document.name, version=request.version, document=document)
    return details_of(found, versions=tuple(map(version_of, versions.list_latest(view.conn, found.id))))


class CreateWorkflow(ToolInput, frozen=True, kw_only=True):
    """What a workflow does: with `trigger`, if all `conditions` hold, its `steps` one after another."""

    name: WorkflowName
    trigger: WorkflowTrigger
    conditions: WorkflowConditions = ()
    steps: WorkflowSteps


@writes(
    "workflow.create",
    needs="workflows",
    raises=(Conflict,),
    example=CreateWorkflow(
        name=EXAMPLE.name, trigger=EXAMPLE.trigger, conditions=EXAMPLE.conditions, steps=EXAMPLE.steps
    ),
    answer=NEW,
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
    name: WorkflowName | None = None
    trigger: WorkflowTrigger | None = None
    conditions: WorkflowConditions | None = None
    steps: WorkflowSteps | None = None


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
