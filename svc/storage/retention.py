"""Pruning: what has come to its end, and nobody will ask for again, is deleted, a little at a time.

The audit trail is kept, and so are keys: the trail names them.
"""

from typing import Final

import sqlalchemy as sa

from svc.domain.limits import IDEMPOTENCY_LIFE_MS, PRUNED_MAX, SIGN_IN_WINDOW_MS
from svc.storage import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.store import Tx

# Of idempotency and failures there may be very many, and an index leads to the old ones. The others are
# about as many as people: they are looked through.
_LIVES: Final[tuple[tuple[sa.Column[int], int], ...]] = (
    (tables.idempotency.c.created_at, IDEMPOTENCY_LIFE_MS),
    (identity_tables.sign_in_failures.c.at, SIGN_IN_WINDOW_MS),
    (identity_tables.sign_in_links.c.expires_at, 0),
    (identity_tables.invitations.c.expires_at, 0),
    (identity_tables.sessions.c.expires_at, 0),
)
"""For how many ms after the time in a column its row still counts for something."""


def prune(tx: Tx) -> bool:
    """Delete some of what is over, at most `PRUNED_MAX` rows of each kind; whether there may be more."""
    return any(_prune(tx, since, life_ms) for since, life_ms in _LIVES)


def _prune(tx: Tx, since: sa.Column[int], life_ms: int) -> bool:
    key = since.table.primary_key.columns
    over = sa.select(*key).where(since <= tx.now - life_ms).order_by(since).limit(PRUNED_MAX)
    return tx.conn.execute(sa.delete(since.table).where(sa.tuple_(*key).in_(over))).rowcount == PRUNED_MAX
