"""Triggering: which runs start by events as they are dispatched, at the end of bursts, and by schedules."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa
import structlog

from svc.domain.errors import InvalidInput, InvalidValue, Unreadable
from svc.domain.locale.times import rfc3339
from svc.domain.workflows.documents import Debounce, EventTrigger, Schedule
from svc.domain.workflows.expressions.conditions import Conditions
from svc.domain.workflows.expressions.contexts import Context, Event
from svc.domain.workflows.expressions.scopes import trigger_scope
from svc.domain.workflows.schedules import Timetable
from svc.domain.workflows.triggers import Burst, burst_key, extended, starts
from svc.storage import readable
from svc.storage.events import events as event_rows
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace
from svc.storage.workflows import contexts, tables, workflows
from svc.storage.workflows.known import StoredVocabulary
from svc.storage.workflows.starting import NewRun, announce, new_run, start
from svc.storage.workflows.workflows import Workflow

log = structlog.get_logger("svc.storage.workflows.triggering")

DUE_MAX: Final = 50
"""Schedules and bursts that start their runs in one unit, at most."""


SCHEDULE: Final = "schedule"
"""The type of the event that an occurrence is to a workflow."""


class TriggeredWorkflow(NamedTuple):
    """A workflow that events start."""

    id: str
    event_type: str


class _BurstRow(NamedTuple):
    """A burst of events that has not started its run."""

    workflow_id: str
    key: str
    first_at: int
    due_at: int
    event: str
    event_depth: int


_workflows, _bursts = tables.workflows, tables.workflow_bursts
_TRIGGERED = Statement(
    sa.select(_workflows.c.id, _workflows.c.event_type).where(
        _workflows.c.organization_id == sa.bindparam("organization_id"),
        # As literal SQL, so that the partial index is used.
        sa.text("workflows.enabled"),
        _workflows.c.event_type.is_not(None),
    ),
    TriggeredWorkflow,
)
_BURST_COLUMNS: Final = tuple(_bursts.c[name] for name in _BurstRow._fields)
_BURST = Statement(
    sa.select(*_BURST_COLUMNS).where(
        _bursts.c.workflow_id == sa.bindparam("workflow_id"), _bursts.c.key == sa.bindparam("key")
    ),
    _BurstRow,
)
_DUE_BURSTS = Statement(
    sa.select(*_BURST_COLUMNS)
    .where(
        _bursts.c.organization_id == sa.bindparam("organization_id"), _bursts.c.due_at <= sa.bindparam("now")
    )
    .order_by(_bursts.c.due_at)
    .limit(DUE_MAX),
    _BurstRow,
)
_WRITE_BURST = Statement(insert_or_replace(_bursts, ["workflow_id", "key"]))
_DELETE_BURST = Statement(
    sa.delete(_bursts).where(
        _bursts.c.workflow_id == sa.bindparam("of_workflow"), _bursts.c.key == sa.bindparam("of_key")
    )
)
_DUE_SCHEDULES = Statement(
    sa.select(_workflows.c.id, _workflows.c.next_at)
    .where(
        _workflows.c.organization_id == sa.bindparam("organization_id"),
        _workflows.c.next_at <= sa.bindparam("now"),
    )
    .order_by(_workflows.c.next_at)
    .limit(DUE_MAX)
)
_PLAN = Statement(
    sa.update(_workflows)
    .where(_workflows.c.id == sa.bindparam("workflow_id"))
    .values(next_at=sa.bindparam("new_next_at"))
)
_encode: Final = msgspec.json.Encoder().encode
_decode_event: Final = msgspec.json.Decoder(Event).decode


def of_organization(conn: sa.Connection, organization_id: str) -> Sequence[TriggeredWorkflow]:
    """The enabled workflows that events start."""
    # In Python: for the sake of the order another index would be read, with workflows that are deleted.
    return sorted(_TRIGGERED.all(conn, organization_id=organization_id))


def start_for(
    tx: Tx, organization_id: str, triggered: Sequence[TriggeredWorkflow], events: Sequence[event_rows.Event]
) -> None:
    """Start the runs of the workflows *triggered* that *events* start.

    It is called in the unit that dispatches them, so that each starts one run of each workflow at most.
    """
    by_type = defaultdict(list)
    for workflow in triggered:
        by_type[workflow.event_type].append(workflow.id)
    matching = _Matching(tx, organization_id)
    wanted: list[NewRun] = []
    for row in events:
        if row.type in by_type:
            happened = _Happened(tx.conn, row)
            for workflow_id in by_type[row.type]:
                wanted += matching.runs_of(workflow_id, happened)
    start(tx, organization_id, wanted)


def start_due(tx: Tx, organization_id: str) -> None:
    """Start the runs of schedules and bursts whose time has come, at most `DUE_MAX` of each."""
    wanted = [*_of_schedules(tx, organization_id), *_of_bursts(tx, organization_id)]
    start(tx, organization_id, wanted)


def why_not(conn: sa.Connection, workflow: Workflow, row: event_rows.Event) -> list[str]:
    """Why the event in *row* starts no run of *workflow* by itself, for a person; empty where it does."""
    document, happened = workflow.document, _Happened(conn, row)
    why = [] if workflow.enabled else ["the workflow is disabled"]
    if workflow.enabled_at is not None and row.at < workflow.enabled_at:
        why.append(f"the workflow was enabled after it, at {rfc3339(workflow.enabled_at)}")
    if not starts(document.trigger, happened.event):
        why.append(f"its trigger is not for this event, which is {row.type} {row.id}")
        return why
    known = StoredVocabulary(conn, workflow.organization_id)
    scope = trigger_scope(document.trigger, known.objects)
    for place, condition in enumerate(document.conditions):
        try:
            holds = Conditions([condition], scope, known.country).holds(happened.context)
        except (InvalidInput, InvalidValue) as error:
            why.append(f"/conditions/{place} cannot be judged: {error}")
        else:
            if not holds:
                asked = " or ".join(f"{plain.property} {plain.op}" for plain in condition.plain())
                why.append(f"/conditions/{place} does not hold: {asked}")
    return why


class _Happened:
    """An event while workflows are matched to it: decoded once, and only if one asks."""

    def __init__(self, conn: sa.Connection, row: event_rows.Event) -> None:
        self._conn = conn
        self.row = row

    @cached_property
    def event(self) -> Event:
        return contexts.event_of(self.row)

    @cached_property
    def context(self) -> Context:
        return contexts.EventContext(self._conn, self.event)


class _Matching:
    """The workflows of an organization while events are matched to them, each read once."""

    def __init__(self, tx: Tx, organization_id: str) -> None:
        self._tx = tx
        self._organization_id = organization_id
        self._known = StoredVocabulary(tx.conn, organization_id)
        self._workflows: dict[str, Workflow | None] = {}
        self._conditions: dict[str, Conditions | None] = {}

    def runs_of(self, workflow_id: str, happened: _Happened) -> list[NewRun]:
        """The runs of the workflow that an event starts: its own, or one of an earlier burst that is over."""
        if workflow_id not in self._workflows:
            self._workflows[workflow_id] = _readable(self._tx, self._organization_id, workflow_id)
        workflow = self._workflows[workflow_id]
        if workflow is None or happened.row.at < (workflow.enabled_at or 0):
            return []
        trigger = workflow.document.trigger
        if not isinstance(trigger, EventTrigger) or not starts(trigger, happened.event):
            return []
        if not self._conditions_hold(workflow, happened):
            return []
        if trigger.debounce is None:
            row = happened.row
            return [new_run(workflow, happened.event, event_depth=row.depth, started_by=row.id)]
        return self._debounced(workflow, trigger.debounce, happened)

    def _debounced(self, workflow: Workflow, debounce: Debounce, happened: _Happened) -> list[NewRun]:
        """Add an event to its burst; the run of an earlier burst with the same key, if that is over."""
        key, row = burst_key(debounce, happened.context), happened.row
        known = _BURST.one(self._tx.conn, workflow_id=workflow.id, key=key)
        burst = None if known is None else Burst(known.first_at, known.due_at)
        after = extended(debounce, burst, row.at)
        _WRITE_BURST.run(
            self._tx.conn,
            workflow_id=workflow.id,
            key=key,
            organization_id=self._organization_id,
            first_at=after.first_at,
            due_at=after.due_at,
            event=_encode(happened.event).decode(),
            event_depth=row.depth,
        )
        announce(self._tx, self._organization_id)
        return [_of_burst(workflow, known)] if known is not None and known.due_at <= row.at else []

    def _conditions_hold(self, workflow: Workflow, happened: _Happened) -> bool:
        if not workflow.document.conditions:
            return True
        if workflow.id not in self._conditions:
            self._conditions[workflow.id] = self._compiled(workflow)
        conditions = self._conditions[workflow.id]
        try:
            return conditions is not None and conditions.holds(happened.context)
        except InvalidValue:
            return False  # what is compared with does not fit

    def _compiled(self, workflow: Workflow) -> Conditions | None:
        """The conditions of the trigger; None where they refer to what is gone, so that nothing matches."""
        document = workflow.document
        scope = trigger_scope(document.trigger, self._known.objects)
        try:
            return Conditions(document.conditions, scope, self._known.country)
        except InvalidInput as error:
            # Not the details, in which there may be values that conditions compare with.
            why = [f"{fault.pointer} {fault.code}" for fault in error.faults]
            log.warning("conditions cannot be judged any more", workflow=workflow.id, why=why)
            return None


def _of_schedules(tx: Tx, organization_id: str) -> list[NewRun]:
    """The runs of the occurrences that have come; the schedules are planned on."""
    wanted = []
    for row in _DUE_SCHEDULES.all(tx.conn, organization_id=organization_id, now=tx.now):
        workflow = _readable(tx, organization_id, row.id)
        trigger = None if workflow is None else workflow.document.trigger
        next_at = None
        if workflow is not None and isinstance(trigger, Schedule):
            timetable = Timetable(trigger.cron, trigger.time_zone)
            next_at = timetable.next_after(tx.now)
            occurrence = timetable.due(row.next_at, tx.now)
            if occurrence is not None:
                at = rfc3339(occurrence.at)
                event = Event(
                    id=None,
                    type=SCHEDULE,
                    timestamp=at,
                    organization_id=organization_id,
                    data={"late": True} if occurrence.late else {},
                )
                wanted.append(new_run(workflow, event, started_by=at))
        _PLAN.run(tx.conn, workflow_id=row.id, new_next_at=next_at)
    return wanted


def _of_bursts(tx: Tx, organization_id: str) -> list[NewRun]:
    """The runs of the bursts that are over."""
    wanted = []
    for row in _DUE_BURSTS.all(tx.conn, organization_id=organization_id, now=tx.now):
        workflow = _readable(tx, organization_id, row.workflow_id)
        if workflow is not None:
            wanted.append(_of_burst(workflow, row))
        _DELETE_BURST.run(tx.conn, of_workflow=row.workflow_id, of_key=row.key)
    return wanted


def _of_burst(workflow: Workflow, row: _BurstRow) -> NewRun:
    event = _decode_event(row.event)
    return new_run(workflow, event, event_depth=row.event_depth, started_by=event.id)


def _readable(tx: Tx, organization_id: str, workflow_id: str) -> Workflow | None:
    """The workflow; None for one that cannot be read, which is logged and starts nothing."""
    try:
        return workflows.get(tx.conn, organization_id, workflow_id)
    except Unreadable as error:
        readable.tell("workflows", workflow_id, error)
        return None
