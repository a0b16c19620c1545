"""Pruning: expired rows are deleted, a batch at a time.

The audit trail is never pruned, nor are keys: the trail names them.
"""

from collections import defaultdict
from itertools import takewhile
from typing import Final, NamedTuple

import sqlalchemy as sa

from svc.domain.limits import EVENT_LIFE_MS, IDEMPOTENCY_LIFE_MS, PRUNED_MAX, SIGN_IN_WINDOW_MS
from svc.storage import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.statements import Statement
from svc.storage.store import Tx


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
_EVENTS: Final = tables.events.c
_DISPATCHED: Final = _EVENTS.position.is_not(None)


class _Expired(NamedTuple):
    """An event whose time is over."""

    organization_id: str
    position: int


class _First(NamedTuple):
    """The position of one of an organization's first events."""

    position: int


_EXPIRED = Statement(
    sa.select(_EVENTS.organization_id, _EVENTS.position)
    .where(_DISPATCHED, _EVENTS.at <= sa.bindparam("until"))
    .order_by(_EVENTS.at)
    .limit(sa.bindparam("limit", type_=sa.Integer)),
    _Expired,
)
_FIRSTS = Statement(
    sa.select(_EVENTS.position)
    .where(_DISPATCHED, _EVENTS.organization_id == sa.bindparam("organization_id"))
    .order_by(_EVENTS.position)
    .limit(sa.bindparam("limit", type_=sa.Integer)),
    _First,
)
_DELETE_EVENTS = Statement(
    sa.delete(tables.events).where(
        _DISPATCHED,
        _EVENTS.organization_id == sa.bindparam("of_organization"),
        _EVENTS.position <= sa.bindparam("until_position"),
    )
)


def prune(tx: Tx, event_life_ms: int = EVENT_LIFE_MS) -> bool:
    """Delete expired rows, at most `PRUNED_MAX` of each kind; whether there may be more.

    Events are deleted *event_life_ms* after they happened, if they were dispatched.
    """
    return any(_prune(tx, life) for life in _LIVES) or _prune_events(tx, tx.now - event_life_ms)


def _prune_events(tx: Tx, until: int) -> bool:
    """Delete dispatched events that happened by *until*, of each organization the first ones.

    Times may go down where positions go up: a unit may wait for its commit. If one was deleted before the one
    ahead of it, a reader in between would skip it without being told that it is gone.
    """
    expired: dict[str, set[int]] = defaultdict(set)
    for event in _EXPIRED.all(tx.conn, until=until, limit=PRUNED_MAX):
        expired[event.organization_id].add(event.position)
    pruned = 0
    for organization_id, positions in expired.items():
        firsts = _FIRSTS.all(tx.conn, organization_id=organization_id, limit=len(positions))
        over = list(takewhile(positions.__contains__, (first.position for first in firsts)))
        if over:
            pruned += _DELETE_EVENTS.run(tx.conn, of_organization=organization_id, until_position=over[-1])
    return pruned == PRUNED_MAX


def _prune(tx: Tx, life: _Life) -> bool:
    since = life.since
    key = since.table.primary_key.columns
    over = sa.select(*key).where(since <= tx.now - life.life_ms).order_by(since).limit(PRUNED_MAX)
    return tx.conn.execute(sa.delete(since.table).where(sa.tuple_(*key).in_(over))).rowcount == PRUNED_MAX
