"""Saved views of the demo's shop."""

from svc.domain.identity.callers import Caller
from svc.storage.store import Tx
from svc.storage.views import views
from svc.storage.views.views import NewView


def example_views(tx: Tx, caller: Caller) -> list[str]:
    """The ids of two views for all, of which the second may be deleted."""
    return [
        views.create(
            tx, caller, NewView(name=name, tool="record.list", input={"objectType": "deal"}, shared=True)
        ).id
        for name in ("All deals", "Deals of the fair")
    ]
