"""Stepping: runs that are due, each by one step, in one unit of work.

Effect, events, the step's row and the run's position are one savepoint, so that a crash leaves all of them or
nothing, and a run that fails fails alone. In whose name a run goes, and what they may, is judged anew each
time.
"""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec
import structlog
from sqlalchemy.exc import OperationalError

from svc.domain.errors import DomainError, Forbidden, InvalidInput, Unauthenticated, Unavailable, Unreadable
from svc.domain.identity.access import Access, admit_workflow
from svc.domain.identity.callers import Call
from svc.domain.limits import STEP_RETRY_MS, UNKNOWN_STEP_RETRY_MS
from svc.domain.near_names import listed
from svc.domain.records.queries import Filter
from svc.domain.times import SECOND_MS, ms_of
from svc.domain.workflows import runs as rules
from svc.domain.workflows.conditions import Conditions, awaited_record
from svc.domain.workflows.documents import (
    Branch,
    CallWebhook,
    Document,
    Step,
    Stop,
    Trigger,
    Wait,
    decode_stored,
)
from svc.domain.workflows.inputs import step_input
from svc.domain.workflows.positions import Outline, every_step
from svc.domain.workflows.rights import step_needs, trigger_needs
from svc.domain.workflows.runs import FailureReason, RunProgress
from svc.domain.workflows.scopes import trigger_scope
from svc.storage.identity import access as access_facts
from svc.storage.readable import is_unreadable
from svc.storage.store import Tx
from svc.storage.webhooks import deliveries
from svc.storage.workflows import contexts, run_steps, runs, triggering, waking
from svc.storage.workflows.known import Known
from svc.storage.workflows.run_rows import Run, from_row, progress_of
from svc.storage.workflows.run_steps import RunStep, StepState
from svc.storage.workflows.runs import DueRow
from svc.tools.workflows import calls, effects
from svc.tools.workflows.calls import CallFailed

log = structlog.get_logger("svc.tools.workflows.stepping")


class Stepped(NamedTuple):
    """What one unit has done."""

    steps: int
    at: int
    next_at: int | None
    """When the next run is due; None for never."""


class Plan(NamedTuple):
    """A document, ready to be stepped."""

    document: Document
    outline: Outline


def step_due(tx: Tx, organization_id: str, limit: int, *, ended_since: int | None = None) -> Stepped:
    """Start the runs whose time has come, and take one step of each run that is due, at most *limit*.

    Runs whose calls have ended are due, too: since *ended_since*, or at any time.
    """
    triggering.start_due(tx, organization_id)
    waking.wake_called(tx, organization_id, ended_since)
    due = runs.due(tx.conn, organization_id, tx.now, limit)
    if due:
        stepper = Stepper(tx, organization_id)
        for row in due:
            stepper.step(row)
    return Stepped(len(due), tx.now, runs.next_wake_at(tx.conn, organization_id))


@lru_cache(maxsize=256)
def plan_of(document: bytes) -> Plan:
    """The plan of a stored document. Raises as `decode_stored`."""
    decoded = decode_stored(document)
    return Plan(decoded, Outline(decoded.steps))


class Stepper:
    """Steps runs of one organization, within one unit of work."""

    def __init__(self, tx: Tx, organization_id: str, *, dry: bool = False) -> None:
        """*dry*: nothing is waited for, and nothing sent."""
        self.tx = tx
        self.dry = dry
        self.known = Known(tx.conn, organization_id)
        self._organization_id = organization_id
        self._access: dict[str, Access] = {}
        self._conditions: dict[tuple[str, int, str], Conditions] = {}

    def step(self, row: DueRow) -> None:
        """Take the next step of a run that is due. Raises only what fails the whole unit."""
        tx, progress = self.tx, progress_of(row.run)
        try:
            try:
                turn = Turn(self, from_row(row.run), plan_of(row.document))
            except Unreadable:
                msgspec.json.decode(row.document)  # what a later program wrote is JSON, at least
                runs.move(tx, row.run.id, rules.put_off(progress, tx.now + UNKNOWN_STEP_RETRY_MS))
                return
            self._take(turn)
        except Exception as error:
            if isinstance(error, OperationalError) and not is_unreadable(error):
                raise  # a fault of the machine, not of the run: the unit is tried again later
            log.exception("a run fails, since its step cannot be taken", run=row.run.id)
            runs.fail(tx, row.run, progress, "error")

    def _take(self, turn: "Turn") -> None:
        try:
            with self.tx.savepoint():
                turn.take()
        except Unavailable as error:
            log.warning("a step has to wait", run=turn.run.id, why=repr(error))
            turn.put_off(self.tx.now + STEP_RETRY_MS)
        except (Forbidden, Unauthenticated) as error:
            turn.refuse(error, "forbidden")
        except DomainError as error:
            turn.refuse(error, "refused")

    def call_of(self, run: Run) -> Call:
        """The call of a run's step, with what it may do now. Raises `Forbidden`."""
        person_id = run.enabler.person_id
        if person_id not in self._access:
            self._access[person_id] = access_facts.of_people(self.tx.conn, self._organization_id, [person_id])
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


class Turn:
    """One step of one run."""

    def __init__(self, stepper: Stepper, run: Run, plan: Plan) -> None:
        self.run = run
        self._stepper = stepper
        self._tx = stepper.tx
        self._document, self._outline = plan
        self._step = plan.outline.steps[run.progress.position or ""]
        self._steps = run_steps.load(stepper.tx.conn, run.id)
        self._input: dict[str, Any] | None = None

    def take(self) -> None:
        """Begin the step, or finish it if it has waited. Raises `DomainError` where it is refused."""
        call = self._stepper.call_of(self.run)
        missing = {*trigger_needs(self._document.trigger), *step_needs(self._step)} - call.caller.permissions
        if missing:
            raise Forbidden(f"the person who enabled the workflow lacks the permission {listed(missing)}")
        if self.run.progress.state == "waiting":
            self._finish()
        else:
            self._begin(call)

    def put_off(self, until: int) -> None:
        """Leave the step for later: it was not refused."""
        runs.move(self._tx, self.run.id, rules.put_off(self.run.progress, until))

    def refuse(self, error: DomainError, reason: FailureReason) -> None:
        """Note the step as failed. The run fails for *reason*, or goes on after the step if that says so."""
        told = _told(error)
        self._write("failed", output=error.output if isinstance(error, CallFailed) else None, error=told)
        if isinstance(error, CallFailed):
            deliveries.cancel_calls(self._tx, self.run.id)
        if rules.resolution(error, self._step) == "continue":
            self._move(rules.moved(self.run.progress, self._outline.after(self._step.key), self._tx.now))
        else:
            runs.fail(self._tx, self.run, self.run.progress, reason, told)

    def _begin(self, call: Call) -> None:
        step, context = self._step, self._context
        self._input = filled = step_input(step, context, self._stepper.known.organization.time_zone)
        match step:
            case Branch():
                holds = self._stepper.conditions_of(self.run, self._document, step).holds(context)
                self._done({"taken": "then" if holds else "else"}, self._outline.into(step, holds=holds))
            case Stop():
                self._write("done", output={})
                self._move(rules.stopped(self.run.progress, filled.get("reason"), self._tx.now))
            case Wait():
                self._wait(step, filled)
            case CallWebhook():
                self._call(step, filled)
            case _:
                output = effects.perform(self._tx, call, step, filled, context)
                self._done(output, self._outline.after(step.key))

    def _wait(self, step: Wait, filled: Mapping[str, Any]) -> None:
        if self._stepper.dry:
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
            self._move(waiting, awaited=step.event, awaited_record=awaited_record(where))

    def _call(self, step: CallWebhook, filled: Mapping[str, Any]) -> None:
        if self._stepper.dry:
            self._done(calls.NOT_SENT, self._outline.after(step.key))
            return
        until = self._tx.now + step.seconds * SECOND_MS
        delivery_id = calls.queue(self._tx, self.run, step.key, step.webhook_id, filled.get("body"))
        self._write("waiting", output={"deliveryId": delivery_id})
        self._move(rules.waiting(self.run.progress, "delivery", until), awaited=delivery_id)

    def _finish(self) -> None:
        """End a step that has waited: for as long as it may, or for what has come."""
        output = self._steps[self._step.key].output or {}
        if isinstance(self._step, CallWebhook):
            output = calls.outcome(self._tx, self.run, output["deliveryId"])
        elif isinstance(self._step, Wait) and self._step.event is not None:
            output = {"event": None, **output}
        self._done(output, self._outline.after(self._step.key))

    @cached_property
    def _context(self) -> contexts.Seen:
        results = {key: run_steps.result_of(step) for key, step in self._steps.items()}
        return contexts.Seen(self._tx.conn, self.run.event, results, now=True)

    def _done(self, output: dict[str, Any], following: str | None) -> None:
        self._write("done", output=output)
        self._move(rules.moved(self.run.progress, following, self._tx.now))

    def _move(self, progress: RunProgress, **awaited: str | None) -> None:
        runs.move(self._tx, self.run.id, progress, **awaited)

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
        keys = [*self._steps]
        run_steps.write(self._tx, self.run.id, len(keys) if begun is None else keys.index(step.key), row)


def type_of(part: Trigger | Step) -> str:
    """The `type` of a trigger or a step, as documents have it."""
    return str(part.__struct_config__.tag)


def _told(error: DomainError) -> dict[str, Any]:
    """What a step says of its refusal."""
    told: dict[str, Any] = {"code": error.code, "detail": str(error)}
    if isinstance(error, InvalidInput):
        told["errors"] = [msgspec.to_builtins(fault) for fault in error.faults]
    return told
