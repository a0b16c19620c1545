"""Pruning: runs that ended long ago are deleted with their steps, and with what only they needed."""

from typing import Final

import sqlalchemy as sa

from svc.domain.limits import RUNS_PRUNED_MAX
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.workflows import tables

_workflows, _versions, _runs = tables.workflows, tables.workflow_versions, tables.workflow_runs
_ENDED: Final = Statement(
    sa.select(_runs.c.id, _runs.c.workflow_id)
    .where(_runs.c.ended_at <= sa.bindparam("until"))
    .order_by(_runs.c.ended_at)
    .limit(RUNS_PRUNED_MAX)
)


def prune(tx: Tx, life_ms: int) -> bool:
    """Delete runs that ended *life_ms* ago, at most `RUNS_PRUNED_MAX`; whether there may be more.

    A version goes with its last run, and a deleted workflow with its last version.
    """
    until = tx.now - life_ms
    ended = _ENDED.all(tx.conn, until=until)
    ids = [row.id for row in ended]
    tx.conn.execute(sa.delete(tables.workflow_steps).where(tables.workflow_steps.c.run_id.in_(ids)))
    tx.conn.execute(sa.delete(_runs).where(_runs.c.id.in_(ids)))
    for workflow_id in sorted({row.workflow_id for row in ended}):
        forget_versions(tx, workflow_id)
    _forget_deleted(tx, until)
    return len(ended) == RUNS_PRUNED_MAX


def forget_versions(tx: Tx, workflow_id: str) -> None:
    """Delete the versions of a workflow that no run has, but the current one."""
    current = sa.select(_workflows.c.version).where(_workflows.c.id == workflow_id).scalar_subquery()
    has = sa.exists().where(
        _runs.c.workflow_id == _versions.c.workflow_id, _runs.c.version == _versions.c.version
    )
    tx.conn.execute(
        sa.delete(_versions).where(
            _versions.c.workflow_id == workflow_id, _versions.c.version != current, ~has
        )
    )


def _forget_deleted(tx: Tx, until: int) -> None:
    gone = list(
        tx.conn.scalars(
            sa.select(_workflows.c.id)
            .where(
                _workflows.c.deleted_at <= until, ~sa.exists().where(_runs.c.workflow_id == _workflows.c.id)
            )
            .limit(RUNS_PRUNED_MAX)
        )
    )
    tx.conn.execute(sa.delete(_versions).where(_versions.c.workflow_id.in_(gone)))
    tx.conn.execute(sa.delete(_workflows).where(_workflows.c.id.in_(gone)))
