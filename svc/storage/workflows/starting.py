"""Starting runs: each with what began it, at the pace of its workflow and within the limits."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from svc.domain.changes import ResourceChanged, RunsDue
from svc.domain.identity.access import Enabler
from svc.domain.workflows import runs as rules
from svc.domain.workflows.expressions.contexts import Event
from svc.domain.workflows.limits import RUN_STARTS_MAX, RUN_STARTS_WINDOW_MS, RUNS_OPEN_MAX
from svc.domain.workflows.positions import Outline
from svc.domain.workflows.runs import depth_after
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.workflows import runs, tables
from svc.storage.workflows.run_rows import Run
from svc.storage.workflows.workflows import Workflow


class NewRun(NamedTuple):
    """A run to be started."""

    workflow_id: str
    version: int
    enabler: Enabler
    position: str | None
    """The key of the step that it begins with."""
    event: Event
    depth: int
    started_by: str | None = None
    """The event or the occurrence, if that starts one run at most."""


def new_run(
    workflow: Workflow, event: Event, *, event_depth: int = 0, started_by: str | None = None
) -> NewRun:
    """The run of the current version of a workflow that was enabled."""
    if workflow.enabler is None:
        raise LookupError(f"{workflow.id} starts a run in the name of nobody")
    first = Outline(workflow.document.steps).first
    depth = depth_after(event_depth)
    return NewRun(workflow.id, workflow.version, workflow.enabler, first, event, depth, started_by)


_runs = tables.workflow_runs
_OPEN_RUNS = Statement(
    sa.select(sa.func.count().label("count")).where(
        _runs.c.organization_id == sa.bindparam("organization_id"), _runs.c.wake_at.is_not(None)
    )
)
_KNOWN_START = Statement(
    sa.select(_runs.c.id).where(
        _runs.c.workflow_id == sa.bindparam("workflow_id"), _runs.c.started_by == sa.bindparam("started_by")
    )
)
_EARLIER_STARTS = Statement(
    sa.select(_runs.c.started_at)
    .where(_runs.c.workflow_id == sa.bindparam("workflow_id"))
    .order_by(_runs.c.id.desc())
    .limit(sa.bindparam("limit", type_=sa.Integer))
    .offset(sa.bindparam("skipped", type_=sa.Integer))
)


def start(tx: Tx, organization_id: str, wanted: Sequence[NewRun]) -> list[Run]:
    """Insert runs, each to begin as soon as the pace of its workflow allows.

    One whose event is of a run too deep, or that is beyond `RUNS_OPEN_MAX`, is inserted as failed. One whose
    event or occurrence has started a run already is left out.
    """
    if not wanted:
        return []
    open_runs = _OPEN_RUNS.all(tx.conn, organization_id=organization_id)[0].count
    pace = _Pace(tx, wanted)
    started = []
    for new in wanted:
        if new.started_by is not None and _KNOWN_START.one(
            tx.conn, workflow_id=new.workflow_id, started_by=new.started_by
        ):
            continue
        begun = rules.begun(new.position, pace.next(new.workflow_id), depth=new.depth)
        if begun.state != "failed" and open_runs >= RUNS_OPEN_MAX:
            begun = rules.failed(begun, "too_many_runs", tx.now)
        open_runs += begun.state != "failed"
        run = Run(
            id=tx.new_id("run"),
            organization_id=organization_id,
            workflow_id=new.workflow_id,
            version=new.version,
            progress=begun,
            awaited=None,
            event=new.event,
            enabler=new.enabler,
        )
        runs.insert(tx, run, started_by=new.started_by)
        started.append(run)
    announce(tx, organization_id)
    for workflow_id in {run.workflow_id: None for run in started}:
        tx.announce(ResourceChanged(organization_id, "workflow", workflow_id))
    return started


def announce(tx: Tx, organization_id: str) -> None:
    """Announce, once for all of the unit, that the organization's next run may be due sooner."""
    due = RunsDue(organization_id)
    if due not in tx.changes:
        tx.announce(due)


class _Pace:
    """When the next runs of workflows may begin: `RUN_STARTS_MAX` of each within any minute."""

    def __init__(self, tx: Tx, wanted: Iterable[NewRun]) -> None:
        self._now = tx.now
        counts = Counter(new.workflow_id for new in wanted)
        self._earlier = {
            workflow_id: _earlier_starts(tx.conn, workflow_id, count) for workflow_id, count in counts.items()
        }

    def next(self, workflow_id: str) -> int:
        """The time of the workflow's next start."""
        earlier = self._earlier[workflow_id].pop()
        return self._now if earlier is None else max(self._now, earlier + RUN_STARTS_WINDOW_MS)


def _earlier_starts(conn: sa.Connection, workflow_id: str, count: int) -> list[int | None]:
    """When the runs started that *count* new ones come `RUN_STARTS_MAX` after; the oldest last, or None."""
    rows = _EARLIER_STARTS.all(
        conn, workflow_id=workflow_id, limit=count, skipped=max(0, RUN_STARTS_MAX - count)
    )
    return [*(row.started_at for row in rows), *[None] * (count - len(rows))]
