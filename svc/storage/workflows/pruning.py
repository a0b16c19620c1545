"""Pruning: runs that ended long ago are deleted with their steps, and with what only they needed."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.workflows.limits import RUNS_PRUNED_MAX, WORKFLOW_VERSIONS_MAX
from svc.storage.pruning import UNTIL, Pruner
from svc.storage.store import Tx
from svc.storage.workflows import tables

_workflows, _versions, _runs = tables.workflows, tables.workflow_versions, tables.workflow_runs
_ENDED: Final = (
    sa.select(_runs.c.organization_id.label("owner"), _runs.c.id, _runs.c.workflow_id)
    .where(_runs.c.ended_at <= UNTIL)
    .order_by(_runs.c.ended_at)
    .limit(RUNS_PRUNED_MAX)
)
_GONE: Final = (
    sa.select(_workflows.c.organization_id.label("owner"), _workflows.c.id)
    .where(
        _workflows.c.deleted_at <= UNTIL,
        ~sa.exists().where(_runs.c.workflow_id == _workflows.c.id),
    )
    .limit(RUNS_PRUNED_MAX)
)


def _delete_runs(tx: Tx, rows: Sequence[Any], _until: int) -> None:
    """A version that is older than those that are kept goes with its last run."""
    ids = [row.id for row in rows]
    tx.conn.execute(sa.delete(tables.workflow_steps).where(tables.workflow_steps.c.run_id.in_(ids)))
    tx.conn.execute(sa.delete(_runs).where(_runs.c.id.in_(ids)))
    for workflow_id in sorted({row.workflow_id for row in rows}):
        forget_versions(tx, workflow_id)


def forget_versions(tx: Tx, workflow_id: str) -> None:
    """Delete the versions of a workflow that no run has, but for the newest `WORKFLOW_VERSIONS_MAX`."""
    current = sa.select(_workflows.c.version).where(_workflows.c.id == workflow_id).scalar_subquery()
    has = sa.exists().where(
        _runs.c.workflow_id == _versions.c.workflow_id, _runs.c.version == _versions.c.version
    )
    tx.conn.execute(
        sa.delete(_versions).where(
            _versions.c.workflow_id == workflow_id,
            _versions.c.version <= current - WORKFLOW_VERSIONS_MAX,
            ~has,
        )
    )


def _delete_workflows(tx: Tx, rows: Sequence[Any], _until: int) -> None:
    """A deleted workflow goes with its last version."""
    gone = [row.id for row in rows]
    tx.conn.execute(sa.delete(_versions).where(_versions.c.workflow_id.in_(gone)))
    tx.conn.execute(sa.delete(_workflows).where(_workflows.c.id.in_(gone)))


PRUNERS: Final = (Pruner(_ENDED, _delete_runs), Pruner(_GONE, _delete_workflows))
