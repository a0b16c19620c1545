"""Pruning: what has come to its end, and nobody will ask for again, is deleted, a little at a time.

The audit trail is kept, and so are keys: the trail names them.
"""

from typing import Final

from sqlalchemy import Column, delete, select, tuple_

from svc.domain.limits import IDEMPOTENCY_LIFE_MS, PRUNED_MAX, SIGN_IN_WINDOW_MS
from svc.storage.identity.tables import invitations, sessions, sign_in_failures, sign_in_links
from svc.storage.store import Tx
from svc.storage.tables import idempotency

# Of idempotency and failures there may be very many, and an index leads to the old ones. The others are
# about as many as people: they are looked through.
_LIVES: Final[tuple[tuple[Column[int], int], ...]] = (
    (idempotency.c.created_at, IDEMPOTENCY_LIFE_MS),
    (sign_in_failures.c.at, SIGN_IN_WINDOW_MS),
    (sign_in_links.c.expires_at, 0),
    (invitations.c.expires_at, 0),
    (sessions.c.expires_at, 0),
)
"""For how many ms after the time in a column its row still counts for something."""


def prune(tx: Tx) -> bool:
    """Delete some of what is over, at most `PRUNED_MAX` rows of each kind; whether there may be more."""
    return any(_prune(tx, since, life_ms) for since, life_ms in _LIVES)


def _prune(tx: Tx, since: Column[int], life_ms: int) -> bool:
    key = since.table.primary_key.columns
    over = select(*key).where(since <= tx.now - life_ms).order_by(since).limit(PRUNED_MAX)
    return tx.conn.execute(delete(since.table).where(tuple_(*key).in_(over))).rowcount == PRUNED_MAX
