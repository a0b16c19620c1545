"""Pruning in a test: all that is over, at once."""

from svc.domain.limits import EVENT_LIFE_MS
from svc.storage import retention
from svc.storage.store import Tx


def prune(tx: Tx, history_ms: int = EVENT_LIFE_MS) -> None:
    """Prune what is over, of all owners, in one unit, which the service does in one of each owner."""
    while (overdue := retention.find(tx.conn, tx.now, history_ms)) is not None:
        for rows in overdue.by_owner.values():
            retention.prune(tx, overdue.number, rows, history_ms)
