"""What the service itself has to do: filing, dispatching, runs of workflows and agents, imports, exports."""

from typing import Any, Final

import sqlalchemy as sa

from svc.storage import tables as root_tables
from svc.storage.agent import tables as agent_tables
from svc.storage.approvals import tables as approvals_tables
from svc.storage.backlog.queues import Backlog, Group, Oldest, age, backlog, times
from svc.storage.exports import tables as exports_tables
from svc.storage.forms import tables as forms_tables
from svc.storage.imports import tables as imports_tables
from svc.storage.statements import Statement
from svc.storage.workflows import tables as workflows_tables

_forms, _submissions = forms_tables.forms, forms_tables.submissions
_events: Final = root_tables.events
_runs: Final = workflows_tables.workflow_runs
_agent_runs: Final = agent_tables.agent_runs
_approvals: Final = approvals_tables.approvals
_imports: Final = imports_tables.imports
_exports: Final = exports_tables.exports

# By form first, which the index has, so that no submission is read.
_by_form: Final = (
    sa.select(
        _submissions.c.form_id,
        sa.func.count().label("number"),
        sa.func.min(_submissions.c.id).label("oldest"),
    )
    .where(_submissions.c.state == forms_tables.QUEUED)
    .group_by(_submissions.c.form_id)
    .subquery()
)
_QUEUED = Statement(
    sa.select(
        _forms.c.organization_id,
        _forms.c.form_key.label("worker"),
        _by_form.c.number,
        _by_form.c.oldest,
    ).join(_by_form, _by_form.c.form_id == _forms.c.id),
    Group,
)


def _of_organizations(id_: sa.Column[Any], organization_id: sa.Column[Any], *where: Any) -> Statement[Group]:
    """Groups of what an organization's one worker has to do."""
    return Statement(
        sa.select(
            organization_id,
            organization_id.label("worker"),
            sa.func.count().label("number"),
            sa.func.min(id_).label("oldest"),
        )
        .where(*where)
        .group_by(organization_id),
        Group,
    )


_DUE = _of_organizations(
    _submissions.c.id, _submissions.c.organization_id, _submissions.c.state == forms_tables.DUE
)
_UNDISPATCHED = _of_organizations(_events.c.id, _events.c.organization_id, _events.c.position.is_(None))
_DUE_RUNS = _of_organizations(
    _runs.c.wake_at, _runs.c.organization_id, _runs.c.wake_at <= sa.bindparam("now")
)
_AGENT_RUNS = Statement(
    sa.select(
        _agent_runs.c.organization_id,
        _agent_runs.c.conversation_id.label("worker"),
        sa.literal_column("1", sa.Integer).label("number"),
        _agent_runs.c.wake_at.label("oldest"),
    ).where(_agent_runs.c.wake_at.is_not(None), _agent_runs.c.wake_at <= sa.bindparam("now")),
    Group,
)
_APPROVALS = _of_organizations(
    _approvals.c.id,
    _approvals.c.organization_id,
    _approvals.c.state == sa.literal_column("'waiting'", sa.Text),
    _approvals.c.over_at > sa.bindparam("now"),
)
_IMPORTS = _of_organizations(
    _imports.c.id, _imports.c.organization_id, _imports.c.state == imports_tables.RUNNING
)
_UNDOS = _of_organizations(
    _imports.c.id,
    _imports.c.organization_id,
    _imports.c.undo_state == sa.literal_column("'running'", sa.Text),
)
_EXPORTS = _of_organizations(_exports.c.id, _exports.c.organization_id, _exports.c.ended_at.is_(None))

_SUBMISSION: Statement[Any] = Statement(
    sa.select(_submissions.c.state, _submissions.c.received_at, _submissions.c.queued_at).where(
        _submissions.c.id == sa.bindparam("id")
    )
)
_EVENT: Statement[Any] = Statement(
    sa.select(_events.c.at, _events.c.type).where(_events.c.id == sa.bindparam("id"))
)
_RUN: Statement[Any] = Statement(
    sa.select(_runs.c.id, _runs.c.wake_at, _runs.c.awaits, _runs.c.attempts)
    .where(_runs.c.organization_id == sa.bindparam("organization_id"), _runs.c.wake_at <= sa.bindparam("now"))
    .order_by(_runs.c.wake_at)
    .limit(1)
)
_AGENT_RUN: Statement[Any] = Statement(
    sa.select(_agent_runs.c.id, _agent_runs.c.wake_at, _agent_runs.c.state, _agent_runs.c.worked_ms).where(
        _agent_runs.c.conversation_id == sa.bindparam("conversation_id"), _agent_runs.c.ended_at.is_(None)
    )
)
_APPROVAL: Statement[Any] = Statement(
    sa.select(_approvals.c.asker_kind, _approvals.c.created_at, _approvals.c.over_at).where(
        _approvals.c.id == sa.bindparam("id")
    )
)
_IMPORT: Statement[Any] = Statement(
    sa.select(_imports.c.state, _imports.c.undo_state, _imports.c.at_line, _imports.c.updated_at).where(
        _imports.c.id == sa.bindparam("id")
    )
)
_EXPORT: Statement[Any] = Statement(
    sa.select(_exports.c.state, _exports.c.attempts, _exports.c.rows, _exports.c.created_at).where(
        _exports.c.id == sa.bindparam("id")
    )
)


def submissions(conn: sa.Connection, now: int) -> Backlog:
    """Those that are queued by their form's pace, and those that are to be filed."""
    return backlog(conn, now, "submissions", [*_QUEUED.all(conn), *_DUE.all(conn)], _submission)


def _submission(conn: sa.Connection, group: Group, _now: int) -> Oldest | None:
    row = _SUBMISSION.one(conn, id=group.oldest)
    if row is None:
        return None
    if row.state == "queued":
        why = "its form has more than it may file in a minute"
        return Oldest(str(group.oldest), row.queued_at or row.received_at, why)
    return Oldest(str(group.oldest), row.received_at, "the Filer has not come to it")


def events(conn: sa.Connection, now: int) -> Backlog:
    """Those that webhooks and workflows have not been told."""
    return backlog(conn, now, "events", _UNDISPATCHED.all(conn), _event)


def _event(conn: sa.Connection, group: Group, _now: int) -> Oldest | None:
    row = _EVENT.one(conn, id=group.oldest)
    return row and Oldest(str(group.oldest), row.at, f"{row.type} is not dispatched yet")


def runs(conn: sa.Connection, now: int) -> Backlog:
    """Runs of workflows that are due."""
    return backlog(conn, now, "runs", _DUE_RUNS.all(conn, now=now), _run)


def _run(conn: sa.Connection, group: Group, now: int) -> Oldest | None:
    row = _RUN.one(conn, organization_id=group.organization_id, now=now)
    if row is None:
        return None
    if row.awaits:
        why = f"it waited for {_AWAITED.get(row.awaits, row.awaits)}, and is due"
    elif row.attempts > 1:
        why = f"its step was begun {times(row.attempts)}"
    else:
        why = "its next step is due"
    return Oldest(row.id, row.wake_at, why)


_AWAITED: Final = {
    "time": "its time",
    "event": "an event",
    "delivery": "a delivery",
    "approval": "an approval",
}


def agent_runs(conn: sa.Connection, now: int) -> Backlog:
    """Runs of agents that are to begin, or to be looked at again."""
    return backlog(conn, now, "agentRuns", _AGENT_RUNS.all(conn, now=now), _agent_run)


def _agent_run(conn: sa.Connection, group: Group, _now: int) -> Oldest | None:
    row = _AGENT_RUN.one(conn, conversation_id=group.worker)
    if row is None or row.wake_at is None:
        return None
    begun = f"it has worked for {age(row.worked_ms)}"
    return Oldest(row.id, row.wake_at, "it has not begun" if row.state == "waiting" else begun)


def approvals(conn: sa.Connection, now: int) -> Backlog:
    """Cards that wait for a person."""
    return backlog(conn, now, "approvals", _APPROVALS.all(conn, now=now), _approval)


def _approval(conn: sa.Connection, group: Group, now: int) -> Oldest | None:
    row = _APPROVAL.one(conn, id=group.oldest)
    return row and Oldest(
        str(group.oldest),
        row.created_at,
        f"a member has not decided; what {_ASKERS.get(row.asker_kind, 'a program')} asked for"
        f" expires in {age(row.over_at - now)}",
    )


_ASKERS: Final = {"agent": "an agent", "workflow": "a workflow"}


def imports(conn: sa.Connection, now: int) -> Backlog:
    """Imports that are being read, or taken back."""
    return backlog(conn, now, "imports", [*_IMPORTS.all(conn), *_UNDOS.all(conn)], _import)


def _import(conn: sa.Connection, group: Group, now: int) -> Oldest | None:
    row = _IMPORT.one(conn, id=group.oldest)
    if row is None:
        return None
    doing = "it is taken back" if row.undo_state == "running" else f"it is at line {row.at_line:,}"
    why = f"{doing}, and moved {age(now - row.updated_at)} ago"
    return Oldest(str(group.oldest), row.updated_at, why)


def exports(conn: sa.Connection, now: int) -> Backlog:
    """Exports whose files are not there yet."""
    return backlog(conn, now, "exports", _EXPORTS.all(conn), _export)


def _export(conn: sa.Connection, group: Group, _now: int) -> Oldest | None:
    row = _EXPORT.one(conn, id=group.oldest)
    if row is None:
        return None
    begun = f"begun {times(row.attempts)}, with {row.rows:,} rows so far"
    return Oldest(str(group.oldest), row.created_at, begun if row.attempts else "it has not begun")
