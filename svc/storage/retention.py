"""Pruning: expired rows are deleted, a batch at a time.

The audit trail is never pruned, nor are keys: the trail names them.
"""

from typing import Final, NamedTuple

import sqlalchemy as sa

from svc.domain.limits import EVENT_LIFE_MS, IDEMPOTENCY_LIFE_MS, PRUNED_MAX, SIGN_IN_WINDOW_MS
from svc.storage import tables
from svc.storage.agent import pruning as agent_pruning
from svc.storage.approvals import pruning as approvals_pruning
from svc.storage.events import events
from svc.storage.identity import tables as identity_tables
from svc.storage.imports import pruning as imports_pruning
from svc.storage.mail import pruning as mail_pruning
from svc.storage.store import Tx
from svc.storage.webhooks import tables as webhooks_tables
from svc.storage.workflows import pruning as workflows_pruning


class _Life(NamedTuple):
    """How long the rows of a table are live."""

    since: sa.Column[int]
    life_ms: int
    """After the time in that column."""


# Idempotency, failures and events may have very many rows, and an index on the time; the others have about as
# many as there are people, and are scanned.
_LIVES: Final = (
    _Life(tables.idempotency.c.created_at, IDEMPOTENCY_LIFE_MS),
    _Life(identity_tables.sign_in_failures.c.at, SIGN_IN_WINDOW_MS),
    _Life(identity_tables.sign_in_links.c.expires_at, 0),
    _Life(identity_tables.invitations.c.expires_at, 0),
    _Life(identity_tables.sessions.c.expires_at, 0),
)
_deliveries: Final = webhooks_tables.webhook_deliveries
_attempts: Final = webhooks_tables.webhook_attempts
_EVENTS: Final = tables.events.c
_NEEDED: Final = (
    sa.select(_deliveries.c.id)
    .where(_deliveries.c.event_id == _EVENTS.id, webhooks_tables.IS_WAITING)
    .exists()
)
_MAY_GO: Final = _EVENTS.position.is_not(None) & ~_NEEDED


def prune(tx: Tx, event_life_ms: int = EVENT_LIFE_MS) -> bool:
    """Delete expired rows, at most `PRUNED_MAX` of each kind; whether there may be more.

    Events are deleted *event_life_ms* after they happened, if they were dispatched and no delivery of them
    waits; deliveries as long after they ended, with their attempts, and so are runs of workflows and agents,
    and approvals. Mails have a time of their own.
    """
    more = [_prune(tx, life) for life in _LIVES]
    more.append(_prune_events(tx, event_life_ms))
    more.append(_prune_deliveries(tx, event_life_ms))
    more.append(imports_pruning.prune(tx))
    more.append(mail_pruning.prune(tx))
    more += [
        of_noun.prune(tx, event_life_ms) for of_noun in (approvals_pruning, workflows_pruning, agent_pruning)
    ]
    return any(more)


def _prune_events(tx: Tx, life_ms: int) -> bool:
    """Readers are told up to where: times may go down where positions go up, and one that is needed stays."""
    over = tx.conn.execute(
        sa.select(_EVENTS.id, _EVENTS.organization_id, _EVENTS.position)
        .where(_MAY_GO, _EVENTS.at <= tx.now - life_ms)
        .order_by(_EVENTS.at)
        .limit(PRUNED_MAX)
    ).all()
    if over:
        tx.conn.execute(sa.delete(tables.events).where(_EVENTS.id.in_([event.id for event in over])))
    last: dict[str, int] = {}
    for event in over:
        last[event.organization_id] = max(event.position, last.get(event.organization_id, 0))
    for organization_id, position in last.items():
        events.mark_pruned(tx, organization_id, position)
    return len(over) == PRUNED_MAX


def _prune_deliveries(tx: Tx, life_ms: int) -> bool:
    done_at = _deliveries.c.done_at
    over = list(
        tx.conn.scalars(
            sa.select(_deliveries.c.id)
            .where(done_at.is_not(None), done_at <= tx.now - life_ms)
            .order_by(done_at)
            .limit(PRUNED_MAX)
        )
    )
    if over:
        tx.conn.execute(sa.delete(_attempts).where(_attempts.c.delivery_id.in_(over)))
        tx.conn.execute(sa.delete(_deliveries).where(_deliveries.c.id.in_(over)))
    return len(over) == PRUNED_MAX


def _prune(tx: Tx, life: _Life) -> bool:
    since = life.since
    key = since.table.primary_key.columns
    over = sa.select(*key).where(since <= tx.now - life.life_ms).order_by(since).limit(PRUNED_MAX)
    return tx.conn.execute(sa.delete(since.table).where(sa.tuple_(*key).in_(over))).rowcount == PRUNED_MAX
