"""Runs of workflows: rows and nothing else, however many wait."""

from typing import Any, Final, cast

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, NotFound, Unreadable
from svc.domain.events import workflow_source
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.domain.workflows import runs as rules
from svc.domain.workflows.events import RefusedStep, RunFailed
from svc.domain.workflows.limits import LAST_RUNS_MAX
from svc.domain.workflows.runs import FailureReason, RunProgress, RunState
from svc.storage.approvals import decisions
from svc.storage.events import events
from svc.storage.identity import tables as identity_tables
from svc.storage.pages import Keyset
from svc.storage.readable import each
from svc.storage.records import rows as record_rows
from svc.storage.rows import Selection, as_bytes
from svc.storage.statements import Statement
from svc.storage.store import Tx, View
from svc.storage.webhooks import deliveries
from svc.storage.workflows import run_steps, tables
from svc.storage.workflows.contexts import record_id_of
from svc.storage.workflows.run_rows import RUNS, DueRow, Run, RunName, run_of

_runs, _versions = tables.workflow_runs, tables.workflow_versions
_OPEN: Final = _runs.c.wake_at.is_not(None)
_WAKE_TIMES: Final = (
    (_runs, _runs.c.wake_at),
    (tables.workflows, tables.workflows.c.next_at),
    (tables.workflow_bursts, tables.workflow_bursts.c.due_at),
)


_GET = RUNS.prepared(
    RUNS.select(
        _runs.c.id == sa.bindparam("run_id"), _runs.c.organization_id == sa.bindparam("organization_id")
    )
)


class LatestRun(msgspec.Struct, frozen=True, kw_only=True):
    """How a run went. Times are ms since the epoch."""

    id: str
    state: RunState
    started_at: int
    ended_at: int | None


_LATEST_RUN: Final = Selection(LatestRun, _runs)
_LATEST = Statement(
    sa.select(*_LATEST_RUN.columns)
    .where(_runs.c.workflow_id == sa.bindparam("workflow_id"))
    .order_by(_runs.c.id.desc())
    .limit(LAST_RUNS_MAX),
    _LATEST_RUN,
)
_WITH_DOCUMENT: Final = sa.select(*RUNS.columns, as_bytes(_versions.c.document)).join(
    _versions, (_versions.c.workflow_id == _runs.c.workflow_id) & (_versions.c.version == _runs.c.version)
)
_ONE_WITH_DOCUMENT = Statement(_WITH_DOCUMENT.where(_runs.c.id == sa.bindparam("run_id")))
_DUE = Statement(
    _WITH_DOCUMENT.where(
        _runs.c.organization_id == sa.bindparam("organization_id"), _runs.c.wake_at <= sa.bindparam("until")
    )
    # By nothing else: very many may be due at the same time, and no index would have them in a finer order.
    .order_by(_runs.c.wake_at)
    .limit(sa.bindparam("limit", type_=sa.Integer))
)
_PROGRESS: Final = ("state", "reason", "position", "wake_at", "awaits", "attempts", "ended_at")
_MOVE = Statement(
    sa.update(_runs)
    .where(_runs.c.id == sa.bindparam("run_id"))
    .values({name: sa.bindparam(f"new_{name}") for name in (*_PROGRESS, "awaited", "awaited_key")})
)
_NEXT_WAKE = Statement(
    sa.select(
        *(
            sa.select(sa.func.min(column))
            .where(table.c.organization_id == sa.bindparam("organization_id"), column.is_not(None))
            .scalar_subquery()
            .label(table.name)
            for table, column in _WAKE_TIMES
        )
    )
)


def insert(tx: Tx, run: Run, *, started_by: str | None = None) -> None:
    """Insert a new run, which may have failed already, of the record that its event is about."""
    about = record_id_of(run.event)
    record_id = about and record_rows.survivor_id(tx.conn, run.organization_id, about)
    RUNS.insert(tx.conn, run, started_by=started_by, record_id=record_id)
    if run.progress.state == "failed":
        note_failure(tx, run, run.progress)


def get(conn: sa.Connection, organization_id: str, run_id: str) -> Run:
    """The run. Raises `NotFound`, and `Unreadable`."""
    try:
        run = _GET.one(conn, run_id=run_id, organization_id=organization_id)
    except msgspec.DecodeError as error:
        raise Unreadable(f"what is stored of the run cannot be read: {error}") from None
    if run is None:
        raise NotFound(f"there is no run {shown(run_id)}")
    return run


def list_page(
    view: View,
    organization_id: str,
    *,
    workflow_id: str | None = None,
    state: RunState | None = None,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Run], str | None]:
    """The organization's runs, the newest first, and the cursor that goes on.

    Raises `InvalidInput` for a cursor that is none, and `TakesLong` where both filters are given and the view
    is not patient: the runs of a workflow are looked through for those in a state.
    """
    keyset = Keyset(["runs", workflow_id, state], cursor, limit)
    if workflow_id is not None and state is not None:
        view.expect_long()
    wanted = RUNS.select(_runs.c.organization_id == organization_id)
    if workflow_id is not None:
        wanted = wanted.where(_runs.c.workflow_id == workflow_id)
    if state is not None:
        wanted = wanted.where(_runs.c.state == state)
    rows, next_cursor = keyset.fetch(view.conn, wanted, _runs.c.id, newest_first=True)
    return each(rows, run_of, "workflow_runs"), next_cursor


def latest_of(conn: sa.Connection, workflow_id: str) -> list[LatestRun]:
    """The newest runs of a workflow, at most `LAST_RUNS_MAX`."""
    return _LATEST.all(conn, workflow_id=workflow_id)


def due(conn: sa.Connection, organization_id: str, until: int, limit: int) -> list[DueRow]:
    """The runs that are due, at most *limit*, those that are due for longest first."""
    return _DUE.all(conn, organization_id=organization_id, until=until, limit=limit)


def with_document(conn: sa.Connection, run_id: str) -> DueRow:
    """The row of a run that there is."""
    return cast("DueRow", _ONE_WITH_DOCUMENT.one(conn, run_id=run_id))


def move(
    tx: Tx,
    run_id: str,
    progress: RunProgress,
    *,
    awaited: str | None = None,
    awaited_key: str | None = None,
) -> None:
    """Write how far a run is by now."""
    values = {f"new_{name}": getattr(progress, name) for name in _PROGRESS}
    _MOVE.run(tx.conn, {"run_id": run_id, "new_awaited": awaited, "new_awaited_key": awaited_key, **values})


def fail(
    tx: Tx,
    run: RunName,
    progress: RunProgress,
    reason: FailureReason,
    error: dict[str, Any] | None = None,
) -> None:
    """End a run, which is at *progress*, for *reason*; its row need not be readable."""
    failed = rules.failed(progress, reason, tx.now)
    decisions.withdraw(tx, sa.select(_runs.c.id).where(_runs.c.id == run.id))
    move(tx, run.id, failed)
    note_failure(tx, run, failed, error)


def note_failure(tx: Tx, run: RunName, failed: RunProgress, error: dict[str, Any] | None = None) -> None:
    """Record the event of a run that has failed, with the code of its step's *error*, if it was at one.

    Only the code: whoever may see workflows is told of it, and a refusal's words may repeat what the step's
    templates were filled in with.
    """
    event = RunFailed(
        workflow_id=run.workflow_id,
        run_id=run.id,
        version=run.version,
        reason=cast("FailureReason", failed.reason),  # a failed run has one
        step=failed.position,
        error=None if error is None else RefusedStep(code=error["code"]),
        source=workflow_source(run.workflow_id, run.id, failed.depth),
    )
    events.record(tx, run.organization_id, [event])


def cancel(tx: Tx, organization_id: str, run_id: str) -> Run:
    """Cancel a run: its next step does not begin. Raises `NotFound`, and `Conflict` where it has ended."""
    run = get(tx.conn, organization_id, run_id)
    cancelled = rules.cancelled(run.progress, tx.now)
    if cancelled is None:
        raise Conflict(f"the run has ended already: it is {run.progress.state}")
    _cancel(tx, _runs.c.id == run_id)
    return get(tx.conn, organization_id, run_id)


def cancel_all(tx: Tx, organization_id: str, workflow_id: str | None = None) -> None:
    """Cancel the open runs of one workflow, or of all."""
    own = _runs.c.organization_id == organization_id
    _cancel(tx, own if workflow_id is None else own & (_runs.c.workflow_id == workflow_id))


def _cancel(tx: Tx, which: sa.ColumnElement[bool]) -> None:
    waiting = sa.select(_runs.c.id).where(which, _OPEN, _runs.c.state == "waiting")
    for run_id in tx.conn.scalars(waiting.where(_runs.c.awaits == "delivery")).all():
        deliveries.cancel_calls(tx, run_id)
    decisions.withdraw(tx, waiting.where(_runs.c.awaits == "approval"))
    run_steps.cancel(tx, waiting)
    tx.conn.execute(
        sa.update(_runs)
        .where(which, _OPEN)
        .values(
            state="cancelled",
            reason=None,
            wake_at=None,
            awaits=None,
            awaited=None,
            awaited_key=None,
            ended_at=tx.now,
        )
    )


def next_wake_at(conn: sa.Connection, organization_id: str) -> int | None:
    """When the next run is due, or is started by a schedule or by the end of a burst; None for never."""
    row: Any = _NEXT_WAKE.one(conn, organization_id=organization_id)
    return min((time for time in row if time is not None), default=None)


def organizations_with_runs(conn: sa.Connection, until: int) -> list[str]:
    """The organizations in which something is due by *until*: a look into three indexes for each."""
    of = identity_tables.organizations.c.id
    due_by = [
        sa.exists().where(table.c.organization_id == of, column <= until) for table, column in _WAKE_TIMES
    ]
    return list(conn.scalars(sa.select(of).where(sa.or_(*due_by))))
