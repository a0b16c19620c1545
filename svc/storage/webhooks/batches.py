"""What of a subscription's queue is to be attempted now, with all that it takes to send it."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.attempts import Destination
from svc.domain.errors import Unreadable
from svc.domain.webhooks.payloads import payload
from svc.storage import tables as root_tables
from svc.storage.readable import tell
from svc.storage.rows import Selection
from svc.storage.statements import Statement
from svc.storage.webhooks import tables, webhooks
from svc.storage.webhooks.rows import StoredSubscription


class DueDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery to be attempted now."""

    id: str
    type: str
    subject: str
    body: bytes | None
    """None where it cannot be made: what is stored of it is unreadable, or gone."""


class DeliveryBatch(Destination, frozen=True, kw_only=True):
    """Deliveries to attempt now, with their address and signing secrets. Times are ms since the epoch."""

    max_per_second: int | None = None
    is_failing: bool = False
    """Whether the last attempt failed."""
    due: tuple[DueDelivery, ...] = ()
    more: bool = False
    """Whether more are due than were asked for."""
    next_at: int | None = None
    """When something is due next; None if nothing waits that is not due."""
    ending: bool = False
    """Whether what waits for it is to be ended: see `webhooks.end_waiting`."""


class _DueRow(msgspec.Struct, frozen=True):
    """A first delivery, and its event where it has one.

    What is sent is read as bytes: text that is no UTF-8 could not be fetched, and would fail all of them.
    """

    id: str
    event_id: str | None
    type: str
    subject: str
    created_at: int
    body: bytes | None
    data: bytes | None
    at: int | None


class _Next(NamedTuple):
    """When the earliest of the live deliveries is due, and of the replayed ones."""

    live: int | None
    replayed: int | None


_deliveries: Final = tables.webhook_deliveries
_events: Final = root_tables.events
_FIRST: Final = (_deliveries.c.webhook_id == sa.bindparam("webhook_id"), tables.IS_FIRST)
_DUE_ROWS: Final = Selection(_DueRow, _deliveries, _events)
_DUE = _DUE_ROWS.prepared(
    _DUE_ROWS.select()
    .outerjoin(_events, _events.c.id == _deliveries.c.event_id)
    .where(
        *_FIRST,
        _deliveries.c.replayed == sa.bindparam("replayed", type_=sa.Boolean),
        _deliveries.c.next_attempt_at <= sa.bindparam("now"),
    )
    .order_by(_deliveries.c.next_attempt_at, _deliveries.c.id)
    .limit(sa.bindparam("limit", type_=sa.Integer))
)


def _earliest(*, replayed: bool) -> sa.ScalarSelect[int]:
    return (
        sa.select(sa.func.min(_deliveries.c.next_attempt_at))
        .where(
            *_FIRST,
            _deliveries.c.replayed == sa.bindparam(f"replayed_{replayed}", replayed, type_=sa.Boolean),
            _deliveries.c.next_attempt_at > sa.bindparam("now"),
        )
        .scalar_subquery()
    )


_OF_DELIVERY = _DUE_ROWS.prepared(
    _DUE_ROWS.select()
    .outerjoin(_events, _events.c.id == _deliveries.c.event_id)
    .where(_deliveries.c.id == sa.bindparam("delivery_id"))
)
_NEXT = Statement(
    sa.select(_earliest(replayed=False).label("live"), _earliest(replayed=True).label("replayed")), _Next
)
_SOON = sa.select(tables.webhooks.c.id).where(
    tables.webhooks.c.active,
    tables.webhooks.c.removed_at.is_(None),
    sa.select(_deliveries.c.id)
    .where(
        _deliveries.c.webhook_id == tables.webhooks.c.id,
        tables.IS_FIRST,
        _deliveries.c.replayed.in_((False, True)),
        _deliveries.c.next_attempt_at <= sa.bindparam("until"),
    )
    .exists(),
)


def load(
    conn: sa.Connection, webhook_id: str, now: int, limit: int, busy: Collection[str] = ()
) -> DeliveryBatch | None:
    """What to attempt at *now*, at most *limit*: live deliveries before replayed ones, the longest due first.

    Of each subject there is one at most, the first. It is a pure read: *busy* are the subjects of what is
    under way already. None for a subscription that is not there.
    """
    row = webhooks.find(conn, webhook_id)
    if row is None:
        return None
    if not row.active:
        return DeliveryBatch(organization_id=row.organization_id, ending=row.ending is not None)
    if row.held_until is not None and row.held_until > now:
        return _batch(row, now, (), next_at=row.held_until)
    wanted = limit + len(busy)
    due = _due(conn, row, now, wanted, busy, replayed=False)
    if len(due) < limit:
        due += _due(conn, row, now, wanted, busy, replayed=True)
    if len(due) >= limit:
        return _batch(row, now, due[:limit], more=True)
    following = _NEXT.one(conn, webhook_id=webhook_id, now=now)
    next_at = min((at for at in following or () if at is not None), default=None)
    return _batch(row, now, due, next_at=next_at)


def webhooks_due(conn: sa.Connection, until: int) -> list[str]:
    """The subscriptions with deliveries to attempt by *until*, or to end: one look into an index for each."""
    ending = sa.select(tables.webhooks.c.id).where(tables.webhooks.c.ending.is_not(None))
    return sorted({*conn.scalars(_SOON, {"until": until}), *conn.scalars(ending)})


def body_of(conn: sa.Connection, organization_id: str, delivery_id: str) -> bytes | None:
    """What is sent of a delivery; None where it cannot be made, since its event is not kept any more."""
    row = _OF_DELIVERY.one(conn, delivery_id=delivery_id)
    return None if row is None else _body(organization_id, row)


def _due(
    conn: sa.Connection,
    row: StoredSubscription,
    now: int,
    limit: int,
    busy: Collection[str],
    *,
    replayed: bool,
) -> list[DueDelivery]:
    found = _DUE.all(conn, webhook_id=row.id, now=now, limit=limit, replayed=replayed)
    return [
        DueDelivery(id=one.id, type=one.type, subject=one.subject, body=_body(row.organization_id, one))
        for one in found
        if one.subject not in busy
    ]


def _body(organization_id: str, row: _DueRow) -> bytes | None:
    data = row.data if row.event_id is not None else row.body
    if data is None:
        return None
    at = row.created_at if row.at is None else row.at
    try:
        return payload(row.event_id or row.id, row.type, at, organization_id, data)
    except Unreadable as error:
        tell("webhook_deliveries", row.id, error)
        return None


def _batch(
    row: StoredSubscription,
    now: int,
    due: Sequence[DueDelivery],
    *,
    more: bool = False,
    next_at: int | None = None,
) -> DeliveryBatch:
    return DeliveryBatch(
        organization_id=row.organization_id,
        url=row.settings.url,
        contract=row.contract,
        sealed_secrets=row.sealed_secrets(now),
        max_per_second=row.settings.max_per_second,
        is_failing=row.failing_since is not None,
        due=tuple(due),
        more=more,
        next_at=next_at,
    )
