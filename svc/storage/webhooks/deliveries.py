"""Deliveries: what is queued for a subscription, and how far each is."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, NotFound
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.domain.webhooks import deliveries as rules
from svc.domain.webhooks.deliveries import DeliveryState
from svc.domain.webhooks.limits import WEBHOOK_ATTEMPTS_AT_ONCE
from svc.domain.webhooks.subscriptions import Subscription, matching
from svc.storage.events import events
from svc.storage.events.events import Event
from svc.storage.pages import Keyset
from svc.storage.store import Tx, View
from svc.storage.webhooks import queues, tables, webhooks
from svc.storage.webhooks.queues import NewDelivery
from svc.storage.webhooks.rows import DELIVERIES, Delivery

CALL: Final = "workflow.call"
"""The type of what a workflow sends."""
PING: Final = "ping"

_GET = DELIVERIES.prepared(DELIVERIES.select(tables.webhook_deliveries.c.id == sa.bindparam("delivery_id")))
_FOUND_AT_ONCE: Final = WEBHOOK_ATTEMPTS_AT_ONCE
_FIND = DELIVERIES.prepared(
    DELIVERIES.select(
        tables.webhook_deliveries.c.id.in_([sa.bindparam(f"id_{place}") for place in range(_FOUND_AT_ONCE)])
    )
)
_OF_RUN = DELIVERIES.prepared(DELIVERIES.select(tables.webhook_deliveries.c.run_id == sa.bindparam("run_id")))


def queue_events(tx: Tx, subscriptions: Sequence[Subscription], dispatched: Sequence[Event]) -> int:
    """Queue one delivery of each dispatched event to each active subscription that it matches; how many.

    They must have their positions, and none of them a delivery already.
    """
    new = [
        NewDelivery(
            organization_id=event.organization_id,
            webhook_id=subscription.id,
            type=event.type,
            subject=event.subject,
            place=event.position or 0,
            event_id=event.id,
        )
        for event in dispatched
        for subscription in matching(subscriptions, event.type, event.object_type)
    ]
    queues.add(tx, new)
    return len(new)


def queue_call(tx: Tx, organization_id: str, webhook_id: str, *, run_id: str, key: str, body: object) -> str:
    """Queue what a workflow's run sends at the step *key*, and return the delivery's id.

    The same run and key are the same delivery, however often it is queued. Calls of a run go out in order.
    Raises `NotFound`, and `Conflict` where the subscription is disabled.
    """
    before = queues.call_of(tx.conn, run_id, key)
    if before is not None:
        return before.id
    _require_active(tx.conn, organization_id, webhook_id)
    new = NewDelivery(
        organization_id=organization_id,
        webhook_id=webhook_id,
        type=CALL,
        subject=run_id,
        place=events.newest_position(tx.conn, organization_id),
        run_id=run_id,
        call_key=key,
        body=msgspec.json.encode(body).decode(),
    )
    return queues.add(tx, [new])[0]


def queue_test(
    tx: Tx,
    organization_id: str,
    webhook_id: str,
    *,
    event_type: str = PING,
    data: Mapping[str, object] | None = None,
) -> str:
    """Queue a `ping`, or an example of *event_type* with that *data*, and return the delivery's id.

    It is about nothing, so it waits for no other. Raises `NotFound`, and `Conflict` where the subscription is
    disabled.
    """
    _require_active(tx.conn, organization_id, webhook_id)
    new = NewDelivery(
        organization_id=organization_id,
        webhook_id=webhook_id,
        type=event_type,
        subject=tx.new_id("tst"),
        place=0,
        body=msgspec.json.encode({"webhookId": webhook_id} if data is None else data).decode(),
    )
    return queues.add(tx, [new])[0]


def queue_event_test(tx: Tx, organization_id: str, webhook_id: str, event: Event) -> str:
    """Queue what *event* says as a test of the subscription, and return the delivery's id.

    It is sent with an id and a time of its own, so that a receiver that has had the event does not drop it.
    Its subject is the event. Raises `NotFound`, and `Conflict` where the subscription is disabled or is not
    sent such events.
    """
    _require_active(tx.conn, organization_id, webhook_id)
    subscription = webhooks.get(tx.conn, organization_id, webhook_id)
    if not subscription.settings.wants(event.type, event.object_type):
        # Real data go only where a person has them sent.
        raise Conflict(f"this webhook is not sent this event, which is {shown(event.type)}")
    new = NewDelivery(
        organization_id=organization_id,
        webhook_id=webhook_id,
        type=event.type,
        subject=event.id,
        place=0,
        body=event.data,
    )
    return queues.add(tx, [new])[0]


def get(conn: sa.Connection, organization_id: str, delivery_id: str) -> Delivery:
    """The delivery, also one to a subscription that was deleted since. Raises `NotFound`."""
    row = _GET.one(conn, delivery_id=delivery_id)
    if row is None or row.organization_id != organization_id:
        raise NotFound(f"there is no delivery {shown(delivery_id)}")
    return row


def find_all(conn: sa.Connection, delivery_ids: Sequence[str]) -> dict[str, Delivery]:
    """Those of the deliveries that there are, of any organization, by id."""
    found: dict[str, Delivery] = {}
    for begin in range(0, len(delivery_ids), _FOUND_AT_ONCE):
        ids = delivery_ids[begin : begin + _FOUND_AT_ONCE]
        places = {f"id_{place}": ids[min(place, len(ids) - 1)] for place in range(_FOUND_AT_ONCE)}
        found |= {row.id: row for row in _FIND.all(conn, places)}
    return found


def cancel_calls(tx: Tx, run_id: str) -> None:
    """Cancel the calls of a run that still wait: the run was cancelled."""
    for row in _OF_RUN.all(tx.conn, run_id=run_id):
        after = rules.cancelled(row, tx.now)
        if after is not None:
            queues.write(tx, [(row, after)])
            queues.announce(tx, [row.webhook_id])


def list_page(
    view: View,
    organization_id: str,
    webhook_id: str,
    *,
    state: DeliveryState | None = None,
    event_type: str | None = None,
    delivery_id: str | None = None,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Delivery], str | None]:
    """Deliveries to a subscription, the newest first, and the cursor that goes on.

    Raises:
        NotFound: there is no such subscription.
        InvalidInput: of the cursor.
        TakesLong: the view is not patient; by state and type they have to be looked for.
    """
    webhooks.get(view.conn, organization_id, webhook_id)
    keyset = Keyset(["webhook_deliveries", webhook_id, state, event_type, delivery_id], cursor, limit)
    column = tables.webhook_deliveries.c
    wanted = [column.state == state] if state is not None else []
    wanted += [column.type == event_type] if event_type is not None else []
    if wanted:
        view.expect_long()
    wanted += [column.id == delivery_id] if delivery_id is not None else []
    found = DELIVERIES.select(column.webhook_id == webhook_id, *wanted)
    rows, next_cursor = keyset.fetch(view.conn, found, column.id, newest_first=True)
    return [DELIVERIES.make(row) for row in rows], next_cursor


def _require_active(conn: sa.Connection, organization_id: str, webhook_id: str) -> None:
    if not webhooks.get(conn, organization_id, webhook_id).active:
        raise Conflict("this webhook is disabled: make it active first")
