"""Pruning: registrations that nobody has had connected for a while."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.grants.limits import REGISTRATION_KEPT_MS
from svc.domain.limits import PRUNED_MAX
from svc.storage.grants import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.pruning import UNTIL, Pruner, owner_of
from svc.storage.store import Tx

_app: Final = tables.registered_apps.c
_grant: Final = identity_tables.grants.c
_UNCONNECTED: Final = ~(
    sa.select(_grant.id)
    .where(_grant.app_id == _app.id, sa.func.coalesce(_grant.ended_at, _grant.expires_at) > UNTIL)
    .exists()
)
_OVER: Final = (
    sa.select(owner_of(tables.registered_apps).label("owner"), _app.id)
    .where(_app.created_at <= UNTIL, _UNCONNECTED)
    .limit(PRUNED_MAX)
)


def _remove(tx: Tx, rows: Sequence[Any], until: int) -> None:
    """One that was connected since it was found stays."""
    over = sa.delete(tables.registered_apps).where(
        _app.id.in_([row.id for row in rows]), _app.created_at <= until, _UNCONNECTED
    )
    tx.conn.execute(over, {"until": until})


PRUNERS: Final = (Pruner(_OVER, _remove, life_ms=REGISTRATION_KEPT_MS),)
