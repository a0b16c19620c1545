"""Calls that a process left open when it ended: they are lost, and cost nothing."""

import sqlalchemy as sa

from svc.domain.ai.exits import Exit
from svc.storage.ai import tables
from svc.storage.ai.calls import CallRow, NewCall, Settlement, settle
from svc.storage.store import Tx

_column = tables.calls.c


def settle_lost(tx: Tx, process: str) -> int:
    """Settle what earlier processes left open, charged nothing; how many calls that were.

    It is done before a door opens, so nothing else settles them.
    """
    left = tx.conn.execute(
        sa.select(*(_column[name] for name in CallRow._fields), _column.model, _column.streamed)
        .where(_column.ended_at.is_(None), _column.process != process)
        .order_by(_column.id)
    ).all()
    for row in left:
        new = NewCall(
            organization_id=row.organization_id,
            key_id=row.key_id,
            model=row.model,
            streamed=row.streamed,
            process=process,
            started_at=row.started_at,
        )
        lost = Settlement(new=new, call_id=row.id, exit=Exit(ended="lost"), payer=row.payer, provider=None)
        settle(tx, lost)
    return len(left)
