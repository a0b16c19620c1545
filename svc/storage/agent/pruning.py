"""Pruning: runs that ended long ago are deleted, with their steps, a few at a time."""

import sqlalchemy as sa

from svc.domain.limits import RUNS_PRUNED_MAX
from svc.domain.times import day_of
from svc.storage.agent import tables
from svc.storage.approvals.tables import approvals
from svc.storage.store import Tx

_runs, _cards = tables.agent_runs, tables.agent_cards


def prune(tx: Tx, life_ms: int) -> bool:
    """Delete runs that ended *life_ms* ago, at most `RUNS_PRUNED_MAX`; whether there may be more.

    What was spent on a day is deleted as long after it.
    """
    until = tx.now - life_ms
    ended = list(
        tx.conn.scalars(
            sa.select(_runs.c.id)
            .where(_runs.c.ended_at <= until)
            .order_by(_runs.c.ended_at)
            .limit(RUNS_PRUNED_MAX)
        )
    )
    if ended:
        for of_run in (tables.agent_steps.c.run_id, tables.agent_cards.c.run_id):
            tx.conn.execute(sa.delete(of_run.table).where(of_run.in_(ended)))
        tx.conn.execute(sa.delete(_runs).where(_runs.c.id.in_(ended)))
    tx.conn.execute(
        sa.delete(_cards).where(
            _cards.c.run_id.is_(None), ~sa.exists().where(approvals.c.id == _cards.c.approval_id)
        )
    )
    tx.conn.execute(sa.delete(tables.agent_days).where(tables.agent_days.c.day < day_of(until)))
    return len(ended) == RUNS_PRUNED_MAX
