"""Pruning: what happened long ago is deleted, and so are deliveries that ended then, with their attempts."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.limits import PRUNED_MAX
from svc.storage.events import events
from svc.storage.pruning import UNTIL, Pruner
from svc.storage.store import Tx
from svc.storage.tables import events as events_table
from svc.storage.webhooks import tables

_event: Final = events_table.c
_deliveries, _attempts = tables.webhook_deliveries, tables.webhook_attempts
_NEEDED: Final = (
    sa.select(_deliveries.c.id).where(_deliveries.c.event_id == _event.id, tables.IS_WAITING).exists()
)
_OLD_EVENTS: Final = (
    sa.select(_event.organization_id.label("owner"), _event.id)
    .where(_event.position.is_not(None), ~_NEEDED, _event.at <= UNTIL)
    .order_by(_event.at)
    .limit(PRUNED_MAX)
)
_OLD_DELIVERIES: Final = (
    sa.select(_deliveries.c.organization_id.label("owner"), _deliveries.c.id)
    .where(_deliveries.c.done_at.is_not(None), _deliveries.c.done_at <= UNTIL)
    .order_by(_deliveries.c.done_at)
    .limit(PRUNED_MAX)
)


def _prune_events(tx: Tx, rows: Sequence[Any], _until: int) -> None:
    """Readers are told up to where: times may go down where positions go up, and one that is needed stays.

    The dispatcher counts in the same row. Both are units of the organization, so neither writes over the
    other. An event that a delivery waits for since it was found is needed.
    """
    positions = tx.conn.scalars(
        sa.delete(events_table)
        .where(_event.id.in_([row.id for row in rows]), ~_NEEDED)
        .returning(_event.position)
    ).all()
    if positions:
        events.mark_pruned(tx, rows[0].owner, max(position or 0 for position in positions))


def _prune_deliveries(tx: Tx, rows: Sequence[Any], until: int) -> None:
    """One that was begun again since it was found is not over."""
    found = [row.id for row in rows]
    over = tx.conn.scalars(
        sa.select(_deliveries.c.id).where(_deliveries.c.id.in_(found), _deliveries.c.done_at <= until)
    ).all()
    tx.conn.execute(sa.delete(_attempts).where(_attempts.c.delivery_id.in_(over)))
    tx.conn.execute(sa.delete(_deliveries).where(_deliveries.c.id.in_(over)))


PRUNERS: Final = (Pruner(_OLD_EVENTS, _prune_events), Pruner(_OLD_DELIVERIES, _prune_deliveries))
