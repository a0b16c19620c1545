"""Saved views of the demo's shop."""

import msgspec

from svc.domain.identity.callers import Caller
from svc.storage.store import Tx
from svc.storage.views import views
from svc.storage.views.views import NewView


def example_views(tx: Tx, caller: Caller, id_: str) -> dict[str, dict[str, str]]:
    """Two views for all in place of *id_*, of which the second may be deleted."""
    deals = NewView(name="All deals", tool="record.list", input={"objectType": "deal"}, shared=True)
    fair = msgspec.structs.replace(deals, name="Deals of the fair")
    kept, old = (views.create(tx, caller, new).id for new in (deals, fair))
    return {"*": {id_: kept}, "view.delete": {id_: old}}
