"""Pruning: expired rows are deleted, a batch at a time.

The audit trail is never pruned, nor are keys: the trail names them.
"""

from typing import Final, NamedTuple

import sqlalchemy as sa

from svc.domain.limits import EVENT_LIFE_MS, IDEMPOTENCY_LIFE_MS, PRUNED_MAX, SIGN_IN_WINDOW_MS
from svc.storage import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.store import Tx
from svc.storage.workflows import pruning as workflows_pruning


class _Life(NamedTuple):
    """How long the rows of a table are live."""

    since: sa.Column[int]
    life_ms: int
    """After the time in that column."""
    where: sa.ColumnElement[bool] = sa.true()
    """What rows are pruned at all."""


# Idempotency, failures and events may have very many rows, and an index on the time; the others have about as
# many as there are people, and are scanned.
_LIVES: Final = (
    _Life(tables.idempotency.c.created_at, IDEMPOTENCY_LIFE_MS),
    _Life(identity_tables.sign_in_failures.c.at, SIGN_IN_WINDOW_MS),
    _Life(identity_tables.sign_in_links.c.expires_at, 0),
    _Life(identity_tables.invitations.c.expires_at, 0),
    _Life(identity_tables.sessions.c.expires_at, 0),
)
_DISPATCHED: Final = tables.events.c.position.is_not(None)


def prune(tx: Tx, event_life_ms: int = EVENT_LIFE_MS) -> bool:
    """Delete expired rows, at most `PRUNED_MAX` of each kind; whether there may be more.

    Events are deleted *event_life_ms* after they happened, if they were dispatched, and runs of workflows so
    long after they ended.
    """
    events = _Life(tables.events.c.at, event_life_ms, _DISPATCHED)
    return any(
        [*(_prune(tx, life) for life in (*_LIVES, events)), workflows_pruning.prune(tx, event_life_ms)]
    )


def _prune(tx: Tx, life: _Life) -> bool:
    since = life.since
    key = since.table.primary_key.columns
    over = sa.select(*key).where(life.where, since <= tx.now - life.life_ms).order_by(since).limit(PRUNED_MAX)
    return tx.conn.execute(sa.delete(since.table).where(sa.tuple_(*key).in_(over))).rowcount == PRUNED_MAX
