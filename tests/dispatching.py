"""Dispatching events in tests, without waiting for the actor that does it."""

from svc.storage.workflows import dispatch as dispatching
from tests.town import Town


async def dispatch(here: Town) -> None:
    """Dispatch what has happened in the organization so far."""
    while (await here.store.write(dispatching.dispatch, here.organization.id)).more:
        pass
