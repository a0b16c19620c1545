"""Pruning: runs that ended long ago are deleted, with their steps, a few at a time."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.locale.times import DAY_MS
from svc.domain.workflows.limits import RUNS_PRUNED_MAX
from svc.storage.agent import tables
from svc.storage.approvals.tables import approvals
from svc.storage.pruning import UNTIL, Pruner, deletion
from svc.storage.store import Tx

_runs, _cards, _days = tables.agent_runs, tables.agent_cards, tables.agent_days
_ENDED: Final = (
    sa.select(_runs.c.organization_id.label("owner"), _runs.c.id)
    .where(_runs.c.ended_at <= UNTIL)
    .order_by(_runs.c.ended_at)
    .limit(RUNS_PRUNED_MAX)
)


def _delete_runs(tx: Tx, rows: Sequence[Any], _until: int) -> None:
    ended = [row.id for row in rows]
    for of_run in (tables.agent_steps.c.run_id, tables.agent_cards.c.run_id):
        tx.conn.execute(sa.delete(of_run.table).where(of_run.in_(ended)))
    tx.conn.execute(sa.delete(_runs).where(_runs.c.id.in_(ended)))


PRUNERS: Final = (
    Pruner(_ENDED, _delete_runs),
    # They go with what they show.
    deletion(_cards, _cards.c.run_id.is_(None), ~sa.exists().where(approvals.c.id == _cards.c.approval_id)),
    deletion(_days, (_days.c.day + 1) * DAY_MS <= UNTIL),
)
"""What was spent on a day is deleted as long after it as a run after its end."""
