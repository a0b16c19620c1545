"""Execution of steps: one step of one run, begun or finished, and written with the run's position."""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec

from svc.domain.changes import ResourceChanged
from svc.domain.errors import DomainError, Forbidden, InvalidInput, Unauthenticated
from svc.domain.identity.access import Access, admit_workflow
from svc.domain.identity.callers import Call
from svc.domain.input.near_names import listed
from svc.domain.locale.times import SECOND_MS, ms_of
from svc.domain.records.queries import Filter
from svc.domain.workflows import runs as rules
from svc.domain.workflows.documents import (
    Approval,
    Branch,
    CallWebhook,
    Document,
    Fork,
    Stop,
    Wait,
    decode_stored,
    type_of,
)
from svc.domain.workflows.expressions.awaited_keys import awaited_key
from svc.domain.workflows.expressions.conditions import Conditions
from svc.domain.workflows.expressions.scopes import awaited_scope, trigger_scope
from svc.domain.workflows.inputs import step_input
from svc.domain.workflows.positions import Outline, every_step
from svc.domain.workflows.rights import step_needs, trigger_needs
from svc.domain.workflows.runs import FailureReason, RunProgress
from svc.runs.workflows import asking, calls, effects
from svc.runs.workflows.calls import CallFailed
from svc.storage.identity import access as access_facts
from svc.storage.records.objects import StoredObject
from svc.storage.store import Tx
from svc.storage.webhooks import deliveries
from svc.storage.workflows import contexts, run_steps, runs, waking
from svc.storage.workflows.known import StoredVocabulary
from svc.storage.workflows.run_rows import Run
from svc.storage.workflows.run_steps import RunStep, StepState


class Plan(NamedTuple):
    """A document, ready to be stepped."""

    document: Document
    outline: Outline


@lru_cache(maxsize=256)
def plan_of(document: bytes) -> Plan:
    """The plan of a stored document. Raises as `decode_stored`."""
    decoded = decode_stored(document)
    return Plan(decoded, Outline(decoded.steps))


class SharedFacts:
    """What the steps of one unit of work share: who may what, and conditions that are ready to be asked."""

    def __init__(self, tx: Tx, organization_id: str, *, dry: bool = False) -> None:
        """*dry*: nothing is waited for, and nothing sent."""
        self.tx = tx
        self.dry = dry
        self.known = StoredVocabulary(tx.conn, organization_id)
        self.objects: dict[str, StoredObject] = {}
        """Objects by id, each read with the first record of it: no step changes one."""
        self._organization_id = organization_id
        self._access: dict[str, Access] = {}
        self._conditions: dict[tuple[str, int, str], Conditions] = {}

    def call_of(self, run: Run) -> Call:
        """The call of a run's step, with what it may do now. Raises `Forbidden`."""
        person_id = run.enabler.person_id
        if person_id not in self._access:
            self._access[person_id] = access_facts.of_person(self.tx.conn, self._organization_id, person_id)
        try:
            caller = admit_workflow(self._access[person_id], run.workflow_id, run.enabler)
        except Unauthenticated:
            raise Forbidden("the person who enabled the workflow is no active member any more") from None
        return Call(caller=caller, door="inside", run_id=run.id, depth=run.progress.depth)

    def conditions_of(self, run: Run, document: Document, branch: Branch) -> Conditions:
        """The conditions of a branch. Raises `InvalidInput` where what they refer to is gone."""
        key = (run.workflow_id, run.version, branch.key)
        if key not in self._conditions:
            # Whatever the place of the branch: a step that comes later has made nothing yet.
            scope = trigger_scope(document.trigger, self.known.objects).after(every_step(document.steps))
            self._conditions[key] = Conditions(branch.conditions, scope, self.known.country)
        return self._conditions[key]


class StepExecution:
    """One step of one run."""

    def __init__(
        self, facts: SharedFacts, run: Run, plan: Plan, steps: dict[str, RunStep] | None = None
    ) -> None:
        """*steps* are those that the run has begun, where they are known already."""
        self.run = run
        self._facts = facts
        self._tx = facts.tx
        self._plan = plan
        self._document, self._outline = plan
        self._step = plan.outline.steps[run.progress.position or ""]
        self._steps = run_steps.load(facts.tx.conn, run.id) if steps is None else steps
        self._input: dict[str, Any] | None = None
        self._moved: RunProgress | None = None
        """Where the run is after this step, if the next one is taken at once."""

    def take(self) -> None:
        """Begin the step, or finish it if it has waited. Raises `DomainError` where it is refused."""
        call = self._facts.call_of(self.run)
        missing = {*trigger_needs(self._document.trigger), *step_needs(self._step)} - call.caller.permissions
        if missing:
            raise Forbidden(f"the person who enabled the workflow lacks the permission {listed(missing)}")
        if self.run.progress.state == "waiting":
            self._finish()
        else:
            self._begin(call)

    def following(self) -> "StepExecution | None":
        """The next step, if this one is done, had no effect, and the run goes on."""
        moved = self._moved
        if moved is None:
            return None
        run = msgspec.structs.replace(self.run, progress=moved, awaited=None)
        return StepExecution(self._facts, run, self._plan, self._steps)

    def put_off(self, until: int) -> None:
        """Leave the step for later: it was not refused."""
        runs.move(self._tx, self.run.id, rules.put_off(self.run.progress, until))

    def refuse(self, error: DomainError, reason: FailureReason) -> None:
        """Note the step as failed. The run fails for *reason*, or goes on after the step if that says so."""
        told = _told(error)
        self._write("failed", output=error.output if isinstance(error, CallFailed) else None, error=told)
        if isinstance(self._step, Approval):
            asking.withdraw(self._tx, self.run)
        if isinstance(error, CallFailed):
            deliveries.cancel_calls(self._tx, self.run.id)
        if rules.resolution(error, self._step) == "continue":
            self._move(rules.moved(self.run.progress, self._outline.after(self._step.key), self._tx.now))
        else:
            runs.fail(self._tx, self.run, self.run.progress, reason, told)

    def _begin(self, call: Call) -> None:
        step, context = self._step, self._context
        self._input = filled = step_input(step, context, self._facts.known.organization.time_zone)
        match step:
            case Branch():
                holds = self._facts.conditions_of(self.run, self._document, step).holds(context)
                self._done({"taken": "then" if holds else "else"}, self._outline.into(step, holds=holds))
            case Stop():
                self._write("done", output={})
                self._move(rules.stopped(self.run.progress, filled.get("reason"), self._tx.now))
            case Wait():
                self._wait(step, filled)
            case CallWebhook():
                self._call(step, filled)
            case Approval():
                self._ask(call, step, filled)
            case _:
                output = effects.perform(self._tx, call, step, filled, context)
                self._done(output, self._outline.after(step.key))

    def _wait(self, step: Wait, filled: Mapping[str, Any]) -> None:
        if self._facts.dry:
            self._done({} if step.event is None else {"event": None}, self._outline.after(step.key))
            return
        now, progress = self._tx.now, self.run.progress
        self._write("waiting")
        if "until" in filled:
            self._move(rules.waiting(progress, "time", max(now, ms_of(filled["until"]))))
            return
        until = now + filled["seconds"] * SECOND_MS
        if step.event is None:
            self._move(rules.waiting(progress, "time", until))
        else:
            where = msgspec.convert(filled["where"], tuple[Filter, ...])
            waiting = rules.waiting(progress, "event", until)
            scope = awaited_scope(step.event, self._facts.known.objects)
            key = awaited_key(step.where, where, scope, self._facts.known.country)
            if key is None:
                waking.require_room(self._tx.conn, self.run.organization_id, step.event)
            self._move(waiting, awaited=step.event, awaited_key=key)

    def _call(self, step: CallWebhook, filled: Mapping[str, Any]) -> None:
        if self._facts.dry:
            self._done(calls.NOT_SENT, self._outline.after(step.key))
            return
        until = self._tx.now + step.seconds * SECOND_MS
        delivery_id = calls.queue(self._tx, self.run, step.key, step.webhook_id, filled.get("body"))
        self._write("waiting", output={"deliveryId": delivery_id})
        self._move(rules.waiting(self.run.progress, "delivery", until), awaited=delivery_id)

    def _ask(self, call: Call, step: Approval, filled: Mapping[str, Any]) -> None:
        if self._facts.dry:
            self._done(asking.NOT_ASKED, self._outline.into(step, holds=True))
            return
        card = asking.ask(self._tx, call, self.run, filled["reason"], step.seconds)
        self._write("waiting", output={"approvalId": card.id})
        self._move(rules.waiting(self.run.progress, "approval", card.expires_at), awaited=card.id)

    def _finish(self) -> None:
        """End a step that has waited: for as long as it may, or for what has come."""
        output = self._steps[self._step.key].output or {}
        if isinstance(self._step, Approval):
            output = asking.decision(self._tx, self.run, output["approvalId"])
            holds = output["taken"] == asking.THEN
            self._done(output, self._outline.into(self._step, holds=holds))
            return
        if isinstance(self._step, CallWebhook):
            output = calls.outcome(self._tx, self.run, output["deliveryId"])
        elif isinstance(self._step, Wait) and self._step.event is not None:
            output = {"event": None, **output}
        self._done(output, self._outline.after(self._step.key))

    @cached_property
    def _context(self) -> contexts.EventContext:
        results = {key: run_steps.result_of(step) for key, step in self._steps.items()}
        return contexts.EventContext(
            self._tx.conn, self.run.event, results, now=True, read=self._facts.objects
        )

    def _done(self, output: dict[str, Any], following: str | None) -> None:
        self._write("done", output=output)
        moved = rules.moved(self.run.progress, following, self._tx.now)
        if moved.state == "running" and isinstance(self._step, Wait | CallWebhook | Fork):
            self._moved = moved  # the next step writes where the run is
        else:
            self._move(moved)

    def _move(self, progress: RunProgress, **awaited: str | None) -> None:
        runs.move(self._tx, self.run.id, progress, **awaited)
        changed = ResourceChanged(self.run.organization_id, "workflow", self.run.workflow_id)
        self._tx.announce(changed)

    def _write(
        self, state: StepState, *, output: dict[str, Any] | None = None, error: dict[str, Any] | None = None
    ) -> None:
        """Write the row of the step, which keeps its input and when it began."""
        step, begun = self._step, self._steps.get(self._step.key)
        row = RunStep(
            key=step.key,
            type=type_of(step),
            state=state,
            input=self._input if begun is None else begun.input,
            output=output,
            error=error,
            attempts=self.run.progress.attempts + 1,
            started_at=self._tx.now if begun is None else begun.started_at,
            ended_at=None if state == "waiting" else self._tx.now,
        )
        self._steps = self._steps | {step.key: row}
        run_steps.write(self._tx, self.run.id, [*self._steps].index(step.key), row)


def _told(error: DomainError) -> dict[str, Any]:
    """What a step says of its refusal."""
    told: dict[str, Any] = {"code": error.code, "detail": str(error)}
    if isinstance(error, InvalidInput):
        told["errors"] = [msgspec.to_builtins(fault) for fault in error.faults]
    return told
