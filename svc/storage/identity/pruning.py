"""Pruning: the address of a session goes with it, though its row stays for as long as it could have lived."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.identity.limits import SESSION_IDLE_MS
from svc.domain.limits import PRUNED_MAX
from svc.storage.identity import tables
from svc.storage.pruning import UNTIL, Pruner, owner_of
from svc.storage.store import Tx

_sessions: Final = tables.sessions
# As many rows as there are people, about: they are scanned.
_IDLE: Final = (
    sa.select(owner_of(_sessions).label("owner"), _sessions.c.id)
    .where(_sessions.c.last_address.is_not(None), _sessions.c.seen_at <= UNTIL)
    .limit(PRUNED_MAX)
)


def _forget_addresses(tx: Tx, rows: Sequence[Any], until: int) -> None:
    """Of sessions that have ended by not being used; one that is ended otherwise loses it at once."""
    tx.conn.execute(
        sa.update(_sessions)
        .where(_sessions.c.id.in_([row.id for row in rows]), _sessions.c.seen_at <= until)
        .values(last_address=None)
    )


PRUNERS: Final = (Pruner(_IDLE, _forget_addresses, life_ms=SESSION_IDLE_MS),)
