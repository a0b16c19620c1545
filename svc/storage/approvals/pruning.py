"""Pruning: cards that ended long ago are deleted."""

import sqlalchemy as sa

from svc.domain.limits import PRUNED_MAX
from svc.storage.approvals.tables import approvals
from svc.storage.store import Tx


def prune(tx: Tx, life_ms: int) -> bool:
    """Delete cards that ended *life_ms* ago, at most `PRUNED_MAX`; whether there may be more.

    One that is needed stays: it was decided, and what asked has not gone on from it; or a workflow's run has
    yet to see that it expired.
    """
    needed = sa.or_(
        approvals.c.uncollected_since.is_not(None),
        (approvals.c.asker_kind == "workflow") & (approvals.c.state == "waiting"),
    )
    over = list(
        tx.conn.scalars(
            sa.select(approvals.c.id)
            .where(approvals.c.over_at <= tx.now - life_ms, ~needed)
            .order_by(approvals.c.over_at)
            .limit(PRUNED_MAX)
        )
    )
    tx.conn.execute(sa.delete(approvals).where(approvals.c.id.in_(over)))
    return len(over) == PRUNED_MAX
