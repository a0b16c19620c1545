"""Calls that a process left open when it ended: they are lost, and cost nothing."""

from typing import Final

import sqlalchemy as sa

from svc.domain.ai.exits import Exit
from svc.storage.ai import tables
from svc.storage.ai.calls import NewCall, Settlement, settle
from svc.storage.rows import Selection
from svc.storage.store import Tx

_column = tables.calls.c
_NEW: Final = Selection(NewCall, tables.calls)


def organizations_with_lost(conn: sa.Connection, process: str) -> list[str]:
    """The organizations with calls that were left open by others than *process*."""
    return list(conn.scalars(sa.select(_column.organization_id).where(*_left_by_others(process)).distinct()))


def settle_lost(tx: Tx, organization_id: str, process: str) -> int:
    """Settle what earlier processes left open in an organization, charged nothing; how many calls that were.

    It is done before a door opens, so nothing else settles them.
    """
    left = tx.conn.execute(
        sa.select(_column.id, _column.payer, *_NEW.columns)
        .where(_column.organization_id == organization_id, *_left_by_others(process))
        .order_by(_column.id)
    ).all()
    for call_id, payer, *new in left:
        lost = Exit(ended="lost")
        settle(tx, Settlement(new=_NEW.make(new), call_id=call_id, exit=lost, payer=payer, provider=None))
    return len(left)


def _left_by_others(process: str) -> tuple[sa.ColumnElement[bool], ...]:
    return _column.ended_at.is_(None), _column.process != process
