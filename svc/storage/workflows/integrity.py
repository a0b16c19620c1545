"""What must always hold of workflows and their runs, for `svc check`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.errors import Unreadable
from svc.domain.workflows.documents import decode_stored
from svc.domain.workflows.positions import Outline
from svc.domain.workflows.runs import OPEN
from svc.storage.approvals.tables import approvals
from svc.storage.rows import as_bytes
from svc.storage.workflows import tables

_workflows, _versions, _runs = tables.workflows, tables.workflow_versions, tables.workflow_runs
_steps, _approvals = tables.workflow_steps, approvals


Broken = Callable[[sa.Connection], Iterable[str]]
"""Names each violation."""


def _ids(column: "sa.Column[str]", *where: sa.ColumnElement[bool]) -> Broken:
    return lambda conn: conn.scalars(sa.select(column).where(*where))


def _without_position(conn: sa.Connection) -> Iterator[str]:
    """Open runs whose next step is not in their version of the document."""
    rows = conn.execute(
        sa.select(_runs.c.id, _runs.c.position, _runs.c.workflow_id, _runs.c.version)
        .where(_runs.c.state.in_(OPEN))
        .order_by(_runs.c.workflow_id, _runs.c.version)
        .execution_options(yield_per=1_000)
    )
    keys: dict[tuple[str, int], Iterable[str] | None] = {}
    for run_id, position, workflow_id, version in rows:
        if (workflow_id, version) not in keys:
            keys = {(workflow_id, version): _keys(conn, workflow_id, version)}
        known = keys[workflow_id, version]
        if known is not None and position not in known:
            yield run_id


def _keys(conn: sa.Connection, workflow_id: str, version: int) -> Iterable[str] | None:
    """The keys of a document's steps; None for one that only a later program knows."""
    stored: Any = conn.scalar(
        sa.select(as_bytes(_versions.c.document)).where(
            _versions.c.workflow_id == workflow_id, _versions.c.version == version
        )
    )
    if stored is None:
        return ()
    try:
        return Outline(decode_stored(stored).steps).steps.keys()
    except Unreadable:
        return None


def _unasked(conn: sa.Connection) -> Iterator[str]:
    """Runs whose approval is not theirs, and approvals of workflows that wait for nothing."""
    waits = (_runs.c.state == "waiting") & (_runs.c.awaits == "approval")
    of_run = sa.exists().where(_approvals.c.id == _runs.c.awaited, _approvals.c.run_id == _runs.c.id)
    yield from conn.scalars(sa.select(_runs.c.id).where(waits, ~of_run))
    waited_for = sa.exists().where(waits, _runs.c.awaited == _approvals.c.id)
    of_workflow = _approvals.c.asker_kind == "workflow"
    yield from conn.scalars(
        sa.select(_approvals.c.id).where(of_workflow, _approvals.c.state == "waiting", ~waited_for)
    )


_OPEN: Final = _runs.c.state.in_(OPEN)

INVARIANTS: Final[dict[str, Broken]] = {
    "every workflow has its current version, and one that is enabled says in whose name it runs": _ids(
        _workflows.c.id,
        sa.or_(
            ~sa.exists().where(
                _versions.c.workflow_id == _workflows.c.id, _versions.c.version == _workflows.c.version
            ),
            sa.and_(_workflows.c.enabled, _workflows.c.enabler.is_(None)),
            sa.and_(_workflows.c.enabled, _workflows.c.deleted_at.is_not(None)),
        ),
    ),
    "every open run has a next step, which is in its document": _without_position,
    "every run that is open has a time when it is due, and no other has": _ids(
        _runs.c.id, _runs.c.wake_at.is_not(None) != _OPEN
    ),
    "every run that has ended says when, and no other does": _ids(
        _runs.c.id, _runs.c.ended_at.is_(None) != _OPEN
    ),
    "every run that waits says for what, and its step waits, too": _ids(
        _runs.c.id,
        sa.or_(
            (_runs.c.state == "waiting") != _runs.c.awaits.is_not(None),
            sa.and_(
                _runs.c.state == "waiting",
                ~sa.exists().where(
                    _steps.c.run_id == _runs.c.id,
                    _steps.c.key == _runs.c.position,
                    _steps.c.state == "waiting",
                ),
            ),
        ),
    ),
    "every approval that a workflow's run waits for is there, and every one that waits has such a run": (
        _unasked
    ),
    "no run of a deleted workflow is open": _ids(
        _runs.c.id,
        _OPEN,
        sa.exists().where(_workflows.c.id == _runs.c.workflow_id, _workflows.c.deleted_at.is_not(None)),
    ),
}
"""Checks by invariant. Each reads all rows of its tables."""
