"""Redelivery: of one delivery, or of what happened in a range of time, behind live deliveries."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, Fault, Gone, InvalidInput
from svc.domain.webhooks import deliveries as rules
from svc.domain.webhooks.deliveries import DeliveryState
from svc.domain.webhooks.limits import WEBHOOK_REDELIVERED_MAX, WEBHOOK_REPLAY_EXAMINED_MAX
from svc.domain.webhooks.subscriptions import Subscription
from svc.storage import tables as root_tables
from svc.storage.events import events, spans
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.webhooks import deliveries, queues, tables, webhooks
from svc.storage.webhooks.queues import NewDelivery

Which = Literal["dead", "missed", "all"]
"""Which events of the range: those whose delivery is dead; those that match and have none, since the
subscription was inactive or new; or both, and those that were delivered."""


class Redelivery(msgspec.Struct, frozen=True):
    """What a range of time came to."""

    queued: int
    """How many deliveries."""
    looked_until: int | None = None
    """The time from which the range goes on, ms since the epoch: of the earliest event not looked at."""


class _Happened(NamedTuple):
    """An event, and its delivery to the subscription if it has one."""

    id: str
    type: str
    subject: str
    object_type: str | None
    position: int
    at: int
    delivery_id: str | None
    state: DeliveryState | None


_events: Final = root_tables.events
_deliveries: Final = tables.webhook_deliveries
_HAPPENED = Statement(
    sa.select(
        _events.c.id,
        _events.c.type,
        _events.c.subject,
        _events.c.object_type,
        _events.c.position,
        _events.c.at,
        _deliveries.c.id.label("delivery_id"),
        _deliveries.c.state,
    )
    .outerjoin(
        _deliveries,
        (_deliveries.c.event_id == _events.c.id) & (_deliveries.c.webhook_id == sa.bindparam("webhook_id")),
    )
    .where(
        _events.c.organization_id == sa.bindparam("organization_id"),
        _events.c.position >= sa.bindparam("first"),
        _events.c.position < sa.bindparam("end"),
        _events.c.position.is_not(None),
        # Positions are of the order of dispatch: near the bounds, it is not that of the times.
        _events.c.at >= sa.bindparam("since"),
        _events.c.at < sa.bindparam("until"),
    )
    .order_by(_events.c.position)
    .limit(sa.bindparam("limit", type_=sa.Integer)),
    _Happened,
)
_AGAIN = Statement(
    sa.update(_deliveries)
    .where(_deliveries.c.id == sa.bindparam("delivery_id"))
    .values(
        state="waiting",
        is_first=sa.false(),
        next_attempt_at=sa.bindparam("now"),
        failures=0,
        replayed=sa.true(),
        done_at=sa.null(),
    )
)
_REPLAYED = Statement(
    sa.select(_deliveries.c.id)
    .where(_deliveries.c.webhook_id == sa.bindparam("webhook_id"), tables.IS_REPLAYED)
    .limit(1)
)


def redeliver(tx: Tx, organization_id: str, delivery_id: str) -> None:
    """Queue a delivery again, with a new plan of retries; one that waits is due at once.

    Raises:
        NotFound: there is no such delivery, or its subscription was deleted.
        Conflict: the subscription is disabled, or the delivery was cancelled.
        Gone: its event is not kept any more.
    """
    before = deliveries.get(tx.conn, organization_id, delivery_id)
    _active(tx, organization_id, before.webhook_id)
    after = rules.redelivered(before, tx.now)
    if after is None:
        raise Conflict("this delivery was cancelled: its workflow's run was")
    if before.event_id is not None and not events.is_kept(tx.conn, before.event_id):
        raise Gone("the event of this delivery is not kept any more")
    queues.write(tx, [(before, after)])
    queues.reorder(tx, before.webhook_id, [before.subject])
    queues.announce(tx, [before.webhook_id])


def redeliver_range(
    tx: Tx,
    organization_id: str,
    webhook_id: str,
    *,
    since: int,
    until: int | None = None,
    which: Which = "dead",
) -> Redelivery:
    """Queue the events that happened from *since* on and before *until* again, the oldest first.

    At most `WEBHOOK_REDELIVERED_MAX`, which go behind live deliveries, save that those of one subject keep
    their order. What waits anyway stays as it is, and so do calls of workflows and tests.

    Raises:
        NotFound: there is no such subscription.
        InvalidInput: the range is empty.
        Conflict: the subscription is disabled, or a range of before still waits.
    """
    subscription = _active(tx, organization_id, webhook_id)
    if until is not None and until <= since:
        raise InvalidInput([Fault("/until", "invalid_value", "must be after `since`")])
    if _REPLAYED.one(tx.conn, webhook_id=webhook_id) is not None:
        raise Conflict("what was redelivered before still waits: try again when it is over")
    span = spans.span(tx.conn, organization_id, since, until)
    looked_at = _HAPPENED.all(
        tx.conn,
        {"webhook_id": webhook_id, "limit": WEBHOOK_REPLAY_EXAMINED_MAX} | span._asdict(),
    )
    wanted = [one for one in looked_at if _is_wanted(subscription, one, which)]
    chosen = wanted[:WEBHOOK_REDELIVERED_MAX]
    _queue(tx, subscription, chosen)
    if len(wanted) == len(chosen) and len(looked_at) < WEBHOOK_REPLAY_EXAMINED_MAX:
        return Redelivery(len(chosen))
    last = chosen[-1] if len(wanted) > len(chosen) else looked_at[-1]
    return Redelivery(len(chosen), spans.earliest(tx.conn, span._replace(first=last.position + 1)))


def _active(tx: Tx, organization_id: str, webhook_id: str) -> Subscription:
    subscription = webhooks.get(tx.conn, organization_id, webhook_id)
    if not subscription.active:
        raise Conflict("this webhook is disabled: make it active first")
    return subscription


def _is_wanted(subscription: Subscription, happened: _Happened, which: Which) -> bool:
    if happened.state is None:
        wants = subscription.settings.wants(happened.type, happened.object_type)
        return which in {"missed", "all"} and wants
    if happened.state == "dead":
        return which in {"dead", "all"}
    return which == "all" and happened.state == "delivered"


def _queue(tx: Tx, subscription: Subscription, chosen: Sequence[_Happened]) -> None:
    again = [one.delivery_id for one in chosen if one.delivery_id is not None]
    _AGAIN.many(tx.conn, [{"delivery_id": delivery_id, "now": tx.now} for delivery_id in again])
    missed = [
        NewDelivery(
            organization_id=subscription.organization_id,
            webhook_id=subscription.id,
            type=one.type,
            subject=one.subject,
            place=one.position,
            event_id=one.id,
            replayed=True,
        )
        for one in chosen
        if one.delivery_id is None
    ]
    queues.add(tx, missed)
    queues.reorder(tx, subscription.id, (one.subject for one in chosen))
    queues.announce(tx, [subscription.id])
