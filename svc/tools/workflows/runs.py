"""`workflow.run_*`: runs of workflows, looked at and cancelled."""

from typing import Annotated

import msgspec

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.workflows.runs import RunState
from svc.storage.store import Tx, View
from svc.storage.workflows import run_steps, runs
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes
from svc.tools.workflows.run_answers import (
    EXAMPLE,
    STEP,
    RunAnswer,
    RunDetails,
    RunId,
    answer_of,
    answers_of,
    details_of,
)
from svc.tools.workflows.workflow_answers import WorkflowId


class ListRuns(ToolInput, frozen=True, kw_only=True):
    """Which runs: all that is given must hold."""

    workflow_id: WorkflowId | None = None
    state: RunState | None = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class RunList(ToolOutput, frozen=True, kw_only=True):
    """Runs, the newest first."""

    runs: Annotated[tuple[RunAnswer, ...], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "workflow.run_list",
    needs="workflows",
    example=ListRuns(workflow_id=EXAMPLE.workflow_id),
    answer=RunList(runs=(EXAMPLE,), next_cursor=None),
)
def list_all(view: View, call: Call, request: ListRuns) -> RunList:
    """List runs of workflows, the newest first. Those that ended are kept for 30 days."""
    page, next_cursor = runs.list_page(
        view,
        call.caller.organization_id,
        workflow_id=request.workflow_id,
        state=request.state,
        cursor=request.cursor,
        limit=request.limit,
    )
    return RunList(runs=answers_of(view.conn, call.caller, page), next_cursor=next_cursor)


class RunById(ToolInput, frozen=True, kw_only=True):
    """Which run."""

    id: RunId


@reads(
    "workflow.run_get",
    needs="workflows",
    raises=(NotFound,),
    example=RunById(id=EXAMPLE.id),
    answer=RunDetails(**msgspec.structs.asdict(EXAMPLE), steps=(STEP,)),
)
def get(view: View, call: Call, request: RunById) -> RunDetails:
    """Show a run, with what each of its steps was given, and what came of it."""
    run = runs.get(view.conn, call.caller.organization_id, request.id)
    return details_of(call.caller, run, run_steps.list_all(view.conn, run.id))


@writes(
    "workflow.run_cancel",
    needs="workflows",
    raises=(NotFound, Conflict),
    example=RunById(id=EXAMPLE.id),
    answer=msgspec.structs.replace(
        EXAMPLE, state="cancelled", wake_at=None, ended_at="2026-09-18T10:00:00.000Z"
    ),
)
def cancel(tx: Tx, call: Call, request: RunById) -> RunAnswer:
    """Cancel a run before its next step. What its steps have done stays."""
    return answer_of(runs.cancel(tx, call.caller.organization_id, request.id))
