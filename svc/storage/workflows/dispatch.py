"""Dispatch: an organization's new events become deliveries and runs of workflows, in one unit of work."""

from collections.abc import Sequence

import msgspec

from svc.domain.changes import EventsDispatched
from svc.domain.webhooks.limits import DISPATCH_DELIVERIES_MAX, DISPATCH_EVENTS_MAX
from svc.storage.events import events
from svc.storage.events.events import Event
from svc.storage.imports import rows as import_rows
from svc.storage.store import Tx
from svc.storage.webhooks import deliveries, webhooks
from svc.storage.workflows import triggering
from svc.storage.workflows.waking import Waking


class DispatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one unit of work has dispatched."""

    events: int
    deliveries: int
    more: bool
    """Whether there may be more events to dispatch."""
    import_runs: bool = False
    """Whether there are, while an import of the organization makes more."""


def dispatch(
    tx: Tx,
    organization_id: str,
    limit: int = DISPATCH_EVENTS_MAX,
    *,
    deliveries_max: int = DISPATCH_DELIVERIES_MAX,
) -> DispatchResult:
    """Dispatch the organization's oldest undispatched events, at most *limit*, as about *deliveries_max* runs
    and deliveries.

    Each gets its position, one delivery to each active subscription that it matches, and one run of each
    enabled workflow, and wakes the runs that wait for it. One unit of work does all of it, so that a crash
    neither loses one nor doubles one.
    """
    subscriptions = [one for one in webhooks.of_organization(tx.conn, organization_id) if one.active]
    triggered = triggering.of_organization(tx.conn, organization_id)
    limit = min(limit, max(1, deliveries_max // max(1, len(subscriptions) + len(triggered))))
    waiting = events.undispatched(tx.conn, organization_id, limit)
    if not waiting:
        return DispatchResult(events=0, deliveries=0, more=False)
    waking = Waking(tx, organization_id, waiting)
    bounded = waking.bounded()
    dispatched = _marked(tx, organization_id, bounded)
    queued = deliveries.queue_events(tx, subscriptions, dispatched)
    waking.wake_for(dispatched)
    triggering.start_for(tx, organization_id, triggered, dispatched)
    more = len(bounded) < len(waiting) or events.is_full(waiting, limit)
    tx.announce(EventsDispatched(organization_id))
    import_runs = more and import_rows.is_running(tx.conn, organization_id)
    return DispatchResult(events=len(dispatched), deliveries=queued, more=more, import_runs=import_runs)


def _marked(tx: Tx, organization_id: str, waiting: Sequence[Event]) -> list[Event]:
    """The events with the positions that they get."""
    positions = events.mark_dispatched(tx, organization_id, [event.id for event in waiting])
    numbered = zip(waiting, positions, strict=True)
    return [msgspec.structs.replace(event, position=place) for event, place in numbered]
