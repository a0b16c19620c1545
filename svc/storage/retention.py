"""Pruning: expired rows are deleted, a batch at a time.

The audit trail is never pruned, nor are keys: the trail names them.
"""

from typing import Final

import sqlalchemy as sa

from svc.domain.limits import IDEMPOTENCY_LIFE_MS, PRUNED_MAX, SIGN_IN_WINDOW_MS
from svc.storage import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.store import Tx

# Idempotency and failures may have very many rows, and an index on the time; the others have about as many as
# there are people, and are scanned.
_LIVES: Final[tuple[tuple[sa.Column[int], int], ...]] = (
    (tables.idempotency.c.created_at, IDEMPOTENCY_LIFE_MS),
    (identity_tables.sign_in_failures.c.at, SIGN_IN_WINDOW_MS),
    (identity_tables.sign_in_links.c.expires_at, 0),
    (identity_tables.invitations.c.expires_at, 0),
    (identity_tables.sessions.c.expires_at, 0),
)
"""For each column, how many ms after its time the row is live."""


def prune(tx: Tx) -> bool:
    """Delete expired rows, at most `PRUNED_MAX` of each kind; whether there may be more."""
    return any(_prune(tx, since, life_ms) for since, life_ms in _LIVES)


def _prune(tx: Tx, since: sa.Column[int], life_ms: int) -> bool:
    key = since.table.primary_key.columns
    over = sa.select(*key).where(since <= tx.now - life_ms).order_by(since).limit(PRUNED_MAX)
    return tx.conn.execute(sa.delete(since.table).where(sa.tuple_(*key).in_(over))).rowcount == PRUNED_MAX
