"""`workflow.run`: runs that are started by hand, tried, or go on where they failed."""

from typing import Annotated, Any

import msgspec

from svc.domain.errors import Conflict, Fault, Forbidden, InvalidInput, NotFound, named_at
from svc.domain.identity.callers import Call
from svc.domain.records.objects import CONTACT
from svc.domain.times import rfc3339
from svc.domain.workflows import runs as rules
from svc.domain.workflows.contexts import Event
from svc.domain.workflows.documents import (
    AnyTrigger,
    FormSubmitted,
    Manual,
    MessageReceived,
    RecordCreated,
    RecordUpdated,
    Schedule,
)
from svc.domain.workflows.positions import Outline
from svc.domain.workflows.runs import depth_after
from svc.domain.workflows.triggers import event_type_of
from svc.storage.events import events
from svc.storage.records import records
from svc.storage.store import Tx
from svc.storage.workflows import contexts, run_steps, runs, starting, triggering, workflows
from svc.storage.workflows.run_rows import Run
from svc.storage.workflows.starting import NewRun, new_run
from svc.storage.workflows.workflows import Workflow
from svc.tools.records.answers import RecordId
from svc.tools.tool import (
    ToolInput,
    about,
    writes,
)
from svc.tools.workflows import dry_runs
from svc.tools.workflows.run_answers import EXAMPLE, STEP, EventId, RunId, StartedRun, started_of, steps_of
from svc.tools.workflows.workflows import WorkflowId


class StartRun(ToolInput, frozen=True, kw_only=True):
    """Which workflow to run and with what; or which run to go on with."""

    id: WorkflowId | None = None
    record_id: Annotated[RecordId | None, about(description="The record that its steps are about.")] = None
    event_id: Annotated[EventId | None, about(description="Run as if this event started it now.")] = None
    dry_run: Annotated[
        bool,
        about(
            description="Take every step at once, in your name, and undo it all: nothing is kept, sent or "
            "waited for."
        ),
    ] = False
    retry_of: Annotated[
        RunId | None, about(description="Alone: a new run that goes on at the step where this one failed.")
    ] = None


@writes(
    "workflow.run",
    needs="workflows",
    raises=(NotFound, Conflict, Forbidden),
    example=StartRun(id=EXAMPLE.workflow_id, record_id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA", dry_run=True),
    answer=StartedRun(
        **msgspec.structs.asdict(EXAMPLE)
        | {"state": "done", "event_id": None, "wake_at": None, "ended_at": EXAMPLE.started_at},
        steps=(STEP,),
        dry_run=True,
        why_not=None,
    ),
)
def start(tx: Tx, call: Call, request: StartRun) -> StartedRun:
    """Run a workflow by hand, try one, or go on with a run that failed.

    A workflow that is run has to be enabled, and acts as the person who enabled it; its conditions are not
    judged. A dry run needs neither: it acts as you, and says of an event why it starts no run by itself.
    """
    if request.retry_of is not None:
        return _retried(tx, call, request)
    if request.id is None:
        raise InvalidInput([Fault("/id", "missing", "is required, where there is no `retryOf`")])
    workflow = workflows.get(tx.conn, call.caller.organization_id, request.id)
    event, why_not = _event(tx, workflow, request)
    if request.dry_run:
        return _tried(tx, call, workflow, event, why_not)
    if not workflow.enabled:
        raise Conflict("it is disabled: enable it first, or try it with `dryRun`")
    return _run(tx, call, new_run(workflow, event, event_depth=call.depth))


def _retried(tx: Tx, call: Call, request: StartRun) -> StartedRun:
    faults = [
        Fault(f"/{name}", "invalid_value", "does not come with `retryOf`, which says it all")
        for name, given in (
            ("id", request.id),
            ("recordId", request.record_id),
            ("eventId", request.event_id),
            ("dryRun", request.dry_run or None),
        )
        if given is not None
    ]
    if faults:
        raise InvalidInput(faults)
    organization_id = call.caller.organization_id
    with named_at("/retryOf"):
        failed = runs.get(tx.conn, organization_id, request.retry_of or "")
    workflows.get(tx.conn, organization_id, failed.workflow_id)
    again = rules.retried(failed.progress, tx.now)
    if again is None or again.position is None:
        raise Conflict(f"it did not fail at a step, where it could go on: it is {failed.progress.state}")
    new = NewRun(
        failed.workflow_id, failed.version, failed.enabler, again.position, failed.event, again.depth
    )
    return _run(tx, call, new, after=failed)


def _run(tx: Tx, call: Call, new: NewRun, *, after: Run | None = None) -> StartedRun:
    [run] = starting.start(tx, call.caller.organization_id, [new])
    if after is not None and new.position is not None:
        run_steps.copy(tx, after.id, run.id, but=new.position)
    steps = steps_of(call.caller, run, run_steps.list_all(tx.conn, run.id))
    return started_of(run, steps=steps, dry_run=False, why_not=None)


def _tried(
    tx: Tx, call: Call, workflow: Workflow, event: Event, why_not: tuple[str, ...] | None
) -> StartedRun:
    run = Run(
        id=tx.new_id("run"),
        organization_id=workflow.organization_id,
        workflow_id=workflow.id,
        version=workflow.version,
        progress=rules.begun(Outline(workflow.document.steps).first, tx.now, depth=depth_after(call.depth)),
        awaited=None,
        event=event,
        enabler=workflows.enabler_of(tx.conn, call),
    )
    tried, steps = dry_runs.attempt(tx, run)
    return started_of(tried, steps=steps_of(call.caller, tried, steps), dry_run=True, why_not=why_not)


def _event(tx: Tx, workflow: Workflow, request: StartRun) -> tuple[Event, tuple[str, ...] | None]:
    """What a run by hand is started with, and why that starts none by itself, if it is an event."""
    trigger, organization_id = workflow.document.trigger, workflow.organization_id
    if request.event_id is not None:
        if request.record_id is not None:
            raise InvalidInput([Fault("/recordId", "invalid_value", "does not come with `eventId`")])
        with named_at("/eventId"):
            row = events.get(tx.conn, organization_id, request.event_id)
        if row.type != event_type_of(trigger):
            detail = f"is of type {row.type}, and so nothing that the trigger is for"
            raise InvalidInput([Fault("/eventId", "invalid_value", detail)])
        return contexts.event_of(row), tuple(triggering.why_not(tx.conn, workflow, row))
    data: dict[str, Any] = {}
    if request.record_id is not None:
        with named_at("/recordId"):
            record = records.get(tx.conn, organization_id, None, request.record_id)
        wanted = _object_of(trigger)
        if wanted not in {None, record.object_type}:
            detail = f"is a {record.object_type}, and the workflow is about {wanted or 'no record'}"
            raise InvalidInput([Fault("/recordId", "invalid_value", detail)])
        data = {"objectType": record.object_type, "recordId": record.id}
    elif not isinstance(trigger, Manual | Schedule):
        raise InvalidInput([Fault("/recordId", "missing", "is required, or `eventId`, with this trigger")])
    event = Event(
        id=None, type="manual", timestamp=rfc3339(tx.now), organization_id=organization_id, data=data
    )
    return event, None


def _object_of(trigger: AnyTrigger) -> str | None:
    """The object of the trigger's record; None for any, and nothing for none."""
    match trigger:
        case FormSubmitted() | MessageReceived():
            return CONTACT
        case RecordCreated() | RecordUpdated():
            return trigger.object_type
        case Schedule():
            return ""
    return None
