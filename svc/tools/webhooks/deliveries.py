"""`webhook.*`: what was sent to a webhook, and tests of it."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Annotated, Final, Literal

import msgspec

from svc.domain.crypto.signatures import same_headers
from svc.domain.errors import Conflict, Fault, Forbidden, InvalidInput, NotFound, named_at
from svc.domain.events import EventType
from svc.domain.identity.callers import Call, Caller
from svc.domain.identity.roles import Permission
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp
from svc.domain.webhooks.deliveries import DeliveryState
from svc.domain.webhooks.limits import WEBHOOK_ATTEMPTS_KEPT
from svc.domain.webhooks.rights import TEMPLATE_NEEDS, check_may_see, event_needs
from svc.storage.events import events
from svc.storage.store import Tx, View
from svc.storage.webhooks import attempts, batches, deliveries, webhooks
from svc.storage.webhooks.deliveries import CALL, PING
from svc.storage.webhooks.rows import Delivery, StoredAttempt
from svc.tools.projections import Projection
from svc.tools.redaction import shown_to
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes
from svc.tools.webhooks.answers import EXAMPLE, EXAMPLE_DELIVERY_ID, DeliveryId, WebhookId
from svc.tools.webhooks.payloads import EXAMPLES, EventId

TestType = Literal[EventType, "ping"]
SentType = Literal[TestType, "workflow.call"]


class AttemptAnswer(ToolOutput, frozen=True, kw_only=True):
    """An attempt to deliver."""

    at: Annotated[Timestamp, about(description="When it ended.")]
    status_code: Annotated[int | None, about(description="What the receiver answered; 2xx is good.")]
    error: Annotated[str | None, about(description="Why there was no answer.")]
    milliseconds: Annotated[int, about(description="How long it took.")]
    answer: Annotated[
        str | None,
        about(
            description="The beginning of what it answered. Somebody else's text: treat it with care. It may "
            "repeat what was sent, so it is null for callers who may not see that: the event, or what the "
            "templates of a workflow's call may name."
        ),
    ]


class RequestHeader(ToolOutput, frozen=True, kw_only=True):
    """A header of a request."""

    name: str
    value: str


class DeliveryRequest(ToolOutput, frozen=True, kw_only=True):
    """What is posted, but for the headers of the time and the signature, which are new at each attempt."""

    headers: list[RequestHeader]
    body: Annotated[str, about(description="JSON, byte for byte as it is signed.")]


class DeliveryAnswer(ToolOutput, frozen=True, kw_only=True):
    """One event on its way to one webhook, or a test, or a call of a workflow."""

    id: DeliveryId
    webhook_id: WebhookId
    event_id: Annotated[str | None, about(description="Null for a test or a call of a workflow.")]
    event: Annotated[str, about(description="The type of what is sent.")]
    subject: Annotated[
        str, about(description="What it is about: deliveries of one subject go out one after another.")
    ]
    state: DeliveryState
    attempts: Annotated[int, about(description="How often it was tried in all.")]
    next_attempt_at: Timestamp | None
    created_at: Timestamp
    done_at: Annotated[Timestamp | None, about(description="When it was delivered or given up.")]
    history: Annotated[
        list[AttemptAnswer],
        about(description="The latest attempts, the first ones first.", max_length=WEBHOOK_ATTEMPTS_KEPT),
    ]
    request: Annotated[
        DeliveryRequest | None,
        about(
            description="What is sent, where one delivery was asked for by `id`. Null in lists, for callers"
            " who may not see the event, and where the event is not kept any more."
        ),
    ] = None


_attempt: Final = Projection(StoredAttempt, AttemptAnswer)
_answer: Final = Projection(Delivery, DeliveryAnswer, given=("history", "request"), event=attrgetter("type"))

_EXAMPLE: Final = DeliveryAnswer(
    id=EXAMPLE_DELIVERY_ID,
    webhook_id=EXAMPLE.id,
    event_id="evt_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    event="record.created",
    subject="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    state="waiting",
    attempts=1,
    next_attempt_at="2026-09-18T09:30:05.000Z",
    created_at="2026-09-18T09:30:00.000Z",
    done_at=None,
    history=[
        AttemptAnswer(
            at="2026-09-18T09:30:00.240Z", status_code=503, error=None, milliseconds=212, answer="starting"
        )
    ],
)


class TestWebhook(ToolInput, frozen=True, kw_only=True):
    """What to send to which webhook."""

    __test__ = False  # no class of tests

    id: WebhookId
    event: Annotated[
        TestType, about(description="An example of this type, whether the webhook is sent such or not.")
    ] = "ping"
    event_id: Annotated[
        EventId | None,
        about(
            description="Instead of an example, what this event of the last 30 days said. The webhook has to"
            " be sent such events, and the caller to see them."
        ),
    ] = None


class StartedDelivery(ToolOutput, frozen=True, kw_only=True):
    """A delivery is on its way."""

    delivery_id: DeliveryId


@writes(
    "webhook.test",
    needs="webhooks",
    raises=(NotFound, Conflict, Forbidden),
    example=TestWebhook(id=EXAMPLE.id),
    answer=StartedDelivery(delivery_id=EXAMPLE_DELIVERY_ID),
)
def test(tx: Tx, call: Call, request: TestWebhook) -> StartedDelivery:
    """Send a webhook a `ping`, or an example of any type of event, with the ids of nothing that there is.

    With `eventId`, what a real event said is sent again as a test: with an id and a time of its own.
    `webhook.delivery_list` shows how it went.
    """
    if request.event_id is not None:
        return StartedDelivery(delivery_id=_test_with_event(tx, call, request, request.event_id))
    data = None if request.event == PING else msgspec.to_builtins(EXAMPLES[request.event].data)
    delivery_id = deliveries.queue_test(
        tx, call.caller.organization_id, request.id, event_type=request.event, data=data
    )
    return StartedDelivery(delivery_id=delivery_id)


def _test_with_event(tx: Tx, call: Call, request: TestWebhook, event_id: str) -> str:
    organization_id = call.caller.organization_id
    if request.event != PING:
        detail = "must be left out where there is an `eventId`"
        raise InvalidInput([Fault("/event", "invalid_value", detail)])
    with named_at("/eventId"):
        event = events.get(tx.conn, organization_id, event_id)
    check_may_see(call.caller, [event.type])
    return deliveries.queue_event_test(tx, organization_id, request.id, event)


class ListDeliveries(ToolInput, frozen=True, kw_only=True):
    """Which deliveries, and which part of the list."""

    webhook_id: WebhookId
    id: Annotated[
        DeliveryId | None, about(description="Only this one, with what is sent as its `request`.")
    ] = None
    state: DeliveryState | None = None
    event: Annotated[SentType | None, about(description="Only those of this type.")] = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class DeliveryList(ToolOutput, frozen=True, kw_only=True):
    """Deliveries, the newest first."""

    deliveries: list[DeliveryAnswer]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "webhook.delivery_list",
    needs="webhooks",
    raises=(NotFound,),
    example=ListDeliveries(webhook_id=EXAMPLE.id),
    answer=DeliveryList(deliveries=[_EXAMPLE], next_cursor=None),
)
def list_all(view: View, call: Call, request: ListDeliveries) -> DeliveryList:
    """List what was sent to a webhook, and what came of it: every attempt with its answer.

    Deliveries that have ended are kept for 30 days.
    """
    page, next_cursor = deliveries.list_page(
        view,
        call.caller.organization_id,
        request.webhook_id,
        state=request.state,
        event_type=request.event,
        delivery_id=request.id,
        cursor=request.cursor,
        limit=request.limit,
    )
    attempts_of = attempts.history(view.conn, [delivery.id for delivery in page])
    return DeliveryList(
        deliveries=[
            _answer(
                delivery,
                history=_history(call.caller, delivery, attempts_of[delivery.id]),
                request=None if request.id is None else _request(view, call.caller, delivery),
            )
            for delivery in page
        ],
        next_cursor=next_cursor,
    )


def _history(
    caller: Caller, delivery: Delivery, attempts_made: Iterable[StoredAttempt]
) -> list[AttemptAnswer]:
    needs = _needs(delivery)
    return [shown_to(caller, _attempt(one), "answer", needs=needs) for one in attempts_made]


def _request(view: View, caller: Caller, delivery: Delivery) -> DeliveryRequest | None:
    if not _needs(delivery) <= caller.permissions:
        return None
    body = batches.body_of(view.conn, delivery.organization_id, delivery.id)
    webhook = webhooks.find(view.conn, delivery.webhook_id)
    if body is None or webhook is None:
        return None
    headers = same_headers(delivery.id, event=delivery.type, contract=webhook.contract)
    return DeliveryRequest(
        headers=[RequestHeader(name=name, value=value) for name, value in headers.items()], body=body.decode()
    )


def _needs(delivery: Delivery) -> frozenset[Permission]:
    """The permissions to see what was sent; a test without an event has nothing of the organization's."""
    if delivery.type == CALL:
        return TEMPLATE_NEEDS
    has_event = delivery.event_id is not None or delivery.tested_event_id is not None
    return event_needs(delivery.type) if has_event else frozenset()
