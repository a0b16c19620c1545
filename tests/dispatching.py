"""Dispatching events in tests, without waiting for those who do it."""

from svc.domain.changes import EventsDispatched
from svc.storage import events
from svc.storage.store import Tx
from tests.town import Town


async def dispatch(here: Town) -> None:
    """Dispatch what has happened in the organization so far."""

    def unit(tx: Tx) -> None:
        waiting = events.undispatched(tx.conn, here.organization.id, 1_000)
        events.mark_dispatched(tx, here.organization.id, [event.id for event in waiting])
        tx.announce(EventsDispatched(here.organization.id))

    await here.store.write(unit)
