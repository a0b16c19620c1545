"""Dispatch: what recorded events set going, in one transaction with the mark that they did."""

from svc.storage import events
from svc.storage.store import Tx
from svc.storage.workflows import triggering


def dispatch(tx: Tx, organization_id: str, limit: int = 200) -> int:
    """Start the runs of the oldest undispatched events, mark them, and return how many they were."""
    undispatched = events.undispatched(tx.conn, organization_id, limit)
    triggering.start_for(tx, organization_id, undispatched)
    events.mark_dispatched(tx, organization_id, [event.id for event in undispatched])
    return len(undispatched)
