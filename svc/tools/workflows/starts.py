"""`workflow.run`: runs that are started by hand, tried, or go on where they failed."""

from typing import Annotated, Any, Literal, assert_never

import msgspec

from svc.domain.errors import Conflict, Fault, Forbidden, InvalidInput, NotFound, named_at
from svc.domain.identity.callers import Call
from svc.domain.input.near_names import hint, shown
from svc.domain.locale.times import rfc3339
from svc.domain.records.answers import RecordId
from svc.domain.records.objects import CONTACT
from svc.domain.workflows import runs as rules
from svc.domain.workflows.documents import (
    AnyTrigger,
    Document,
    FormSubmitted,
    Manual,
    MessageReceived,
    RecordCreated,
    RecordUpdated,
    Schedule,
)
from svc.domain.workflows.expressions.contexts import Event
from svc.domain.workflows.positions import Outline, every_step
from svc.domain.workflows.runs import depth_after
from svc.domain.workflows.triggers import event_type_of
from svc.storage.events import events
from svc.storage.records import records
from svc.storage.store import Tx
from svc.storage.workflows import contexts, run_steps, runs, starting, triggering, versions, workflows
from svc.storage.workflows.run_rows import Run
from svc.storage.workflows.starting import NewRun, new_run
from svc.storage.workflows.workflows import Workflow
from svc.tools.runner import runner_of
from svc.tools.tool import ToolInput, about, writes
from svc.tools.workflows import drafts
from svc.tools.workflows.run_answers import EXAMPLE, STEP, EventId, RunId, StartedRun, started_of
from svc.tools.workflows.workflow_answers import WorkflowId
from svc.tools.workflows.workflows import CreateWorkflow

RetriedVersion = Literal["same", "newest"]


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
    draft: Annotated[
        CreateWorkflow | None,
        about(
            description="With `dryRun`: try this document, which is not saved, as the next version of the "
            "workflow, or as a new one."
        ),
    ] = None
    retry_of: Annotated[
        RunId | None,
        about(
            description="A new run that goes on at the step where this one failed, with what its other steps "
            "have made."
        ),
    ] = None
    version: Annotated[
        RetriedVersion,
        about(description="With `retryOf`: the version that the run had, or the workflow's newest."),
    ] = "same"
    from_step: Annotated[
        str | None,
        about(
            description="With `retryOf`, of any run that has ended: the key of the step where it goes on. "
            "Steps before it keep their outcomes."
        ),
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
    faults = [
        Fault(f"/{name}", "invalid_value", "comes with `retryOf`")
        for name, given in (("version", request.version != "same"), ("fromStep", request.from_step))
        if given
    ]
    if request.draft is not None and not request.dry_run:
        faults.append(Fault("/dryRun", "invalid_value", "must be true: a draft is tried, and never run"))
    if request.id is None and request.draft is None:
        faults.append(Fault("/id", "missing", "is required, where there is no `retryOf`"))
    if faults:
        raise InvalidInput(faults)
    if request.draft is not None:
        return drafts.tried(tx, call, request.draft, request.id, lambda one: _tried(tx, call, one, request))
    workflow = workflows.get(tx.conn, call.caller.organization_id, request.id or "")
    if request.dry_run:
        return _tried(tx, call, workflow, request)
    event, _ = _event(tx, workflow, request)
    if not workflow.enabled:
        raise Conflict("it is disabled: enable it first, or try it with `dryRun`")
    return _run(tx, call, new_run(workflow, event, event_depth=call.depth))


def _retried(tx: Tx, call: Call, request: StartRun) -> StartedRun:
    faults = [
        Fault(f"/{name}", "invalid_value", "does not come with `retryOf`")
        for name, given in (
            ("id", request.id),
            ("recordId", request.record_id),
            ("eventId", request.event_id),
            ("dryRun", request.dry_run or None),
            ("draft", request.draft),
        )
        if given is not None
    ]
    if faults:
        raise InvalidInput(faults)
    organization_id = call.caller.organization_id
    with named_at("/retryOf"):
        ended = runs.get(tx.conn, organization_id, request.retry_of or "")
    workflow = workflows.get(tx.conn, organization_id, ended.workflow_id)
    again = rules.retried(ended.progress, tx.now, request.from_step)
    if again is None or again.position is None:
        raise Conflict(
            f"it did not fail at a step, where it could go on: it is {ended.progress.state}; "
            "`fromStep` says where a run that has ended goes on"
        )
    version, enabler = ended.version, ended.enabler
    if request.version == "newest":
        # In the name of who has enabled that: the run's own person has not, and need not know its steps.
        if not workflow.enabled or workflow.enabler is None:
            raise Conflict("it is disabled: enable it first, or go on with the run's own version")
        version, enabler = workflow.version, workflow.enabler
    document = versions.document_of(tx.conn, workflow.id, version)
    before = _keys_before(document, again.position)
    new = NewRun(workflow.id, version, enabler, again.position, ended.event, again.depth)
    [run] = starting.start(tx, organization_id, [new])
    run_steps.copy(tx, ended.id, run.id, before)
    return started_of(call.caller, run, run_steps.list_all(tx.conn, run.id))


def _keys_before(document: Document, position: str) -> list[str]:
    """The keys of the steps that stand before the one with the key *position*. Raises `InvalidInput`."""
    keys = [step.key for step in every_step(document.steps)]
    if position not in keys:
        detail = f"there is no step {shown(position)} in this version{hint(position, keys)}"
        raise InvalidInput([Fault("/fromStep", "not_found", detail)])
    return keys[: keys.index(position)]


def _run(tx: Tx, call: Call, new: NewRun) -> StartedRun:
    [run] = starting.start(tx, call.caller.organization_id, [new])
    return started_of(call.caller, run, run_steps.list_all(tx.conn, run.id))


def _tried(tx: Tx, call: Call, workflow: Workflow, request: StartRun) -> StartedRun:
    event, why_not = _event(tx, workflow, request)
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
    tried, steps = runner_of(call).try_run(tx, run)
    return started_of(call.caller, tried, steps, dry_run=True, why_not=why_not)


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
        case Manual():
            return None
        case _:
            assert_never(trigger)
