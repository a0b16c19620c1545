"""`webhook.*`: what was sent to a webhook, tests of it, and sending again."""

from datetime import datetime
from operator import attrgetter
from typing import Annotated, Final, Literal

import msgspec

from svc.domain.errors import Conflict, Fault, Gone, InvalidInput, NotFound
from svc.domain.events import EventType
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS, WEBHOOK_ATTEMPTS_KEPT
from svc.domain.times import moment_ms, rfc3339
from svc.domain.webhooks.deliveries import DeliveryState
from svc.storage.store import Tx, View
from svc.storage.webhooks import attempts, deliveries, redelivery
from svc.storage.webhooks.attempts import StoredAttempt
from svc.storage.webhooks.deliveries import PING
from svc.storage.webhooks.redelivery import Which
from svc.storage.webhooks.rows import DeliveryRow
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, Timestamp, ToolInput, ToolOutput, about, reads, writes
from svc.tools.webhooks.answers import EXAMPLE, EXAMPLE_DELIVERY_ID, WebhookId
from svc.tools.webhooks.event_examples import EXAMPLES

DeliveryId = Annotated[str, about(description="The delivery's id.", examples=[EXAMPLE_DELIVERY_ID])]

TestType = Literal[EventType, "ping"]
SentType = Literal[TestType, "workflow.call"]


class AttemptAnswer(ToolOutput, frozen=True, kw_only=True):
    """An attempt to deliver."""

    at: Annotated[Timestamp, about(description="When it ended.")]
    status_code: Annotated[int | None, about(description="What the receiver answered; 2xx is good.")]
    error: Annotated[str | None, about(description="Why there was no answer.")]
    milliseconds: Annotated[int, about(description="How long it took.")]
    answer: Annotated[
        str, about(description="The beginning of what it answered. Somebody else's text: treat it with care.")
    ]


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


_attempt: Final = Projection(StoredAttempt, AttemptAnswer)
_answer: Final = Projection(DeliveryRow, DeliveryAnswer, given=("history",), event=attrgetter("type"))

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


class StartedDelivery(ToolOutput, frozen=True, kw_only=True):
    """A delivery is on its way."""

    delivery_id: DeliveryId


@writes(
    "webhook.test",
    needs="webhooks",
    raises=(NotFound, Conflict),
    example=TestWebhook(id=EXAMPLE.id),
    answer=StartedDelivery(delivery_id=EXAMPLE_DELIVERY_ID),
)
def test(tx: Tx, call: Call, request: TestWebhook) -> StartedDelivery:
    """Send a webhook a `ping`, or an example of any type of event, with the ids of nothing that there is.

    `webhook.delivery_list` shows how it went.
    """
    data = None if request.event == PING else msgspec.to_builtins(EXAMPLES[request.event].data)
    delivery_id = deliveries.queue_test(
        tx, call.caller.organization_id, request.id, event_type=request.event, data=data
    )
    return StartedDelivery(delivery_id=delivery_id)


class ListDeliveries(ToolInput, frozen=True, kw_only=True):
    """Which deliveries, and which part of the list."""

    webhook_id: WebhookId
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
        cursor=request.cursor,
        limit=request.limit,
    )
    attempts_of = attempts.history(view.conn, [delivery.id for delivery in page])
    return DeliveryList(
        deliveries=[
            _answer(delivery, history=[_attempt(attempt) for attempt in attempts_of[delivery.id]])
            for delivery in page
        ],
        next_cursor=next_cursor,
    )


class Redeliver(ToolInput, frozen=True, kw_only=True):
    """One delivery, or what happened in a range of time."""

    delivery_id: Annotated[DeliveryId | None, about(description="This one alone.")] = None
    webhook_id: Annotated[
        WebhookId | None, about(description="Of this webhook, what happened in the range.")
    ] = None
    since: Annotated[datetime, about(tz=True, description="From this time on: RFC 3339.")] | None = None
    until: Annotated[datetime, about(tz=True, description="Before this time: RFC 3339.")] | None = None
    which: Annotated[
        Which | None,
        about(
            description="`dead`, the default: what was given up. `missed`: what fits the webhook and was"
            " never to be delivered, since it was off or did not exist. `all`: both, and what was delivered."
        ),
    ] = None


class Redelivered(ToolOutput, frozen=True, kw_only=True):
    """How much is on its way."""

    queued: Annotated[int, about(description="How many deliveries.")]
    looked_until: Annotated[
        Timestamp | None,
        about(description="The range goes on with this time: call again with it as `since`. Else null."),
    ]


@writes(
    "webhook.redeliver",
    needs="webhooks",
    raises=(NotFound, Conflict, Gone),
    example=Redeliver(delivery_id=EXAMPLE_DELIVERY_ID),
    answer=Redelivered(queued=1, looked_until=None),
)
def redeliver(tx: Tx, call: Call, request: Redeliver) -> Redelivered:
    """Send a delivery again, or all that were given up or missed in a range of time.

    Each keeps its id and its body, and has a new plan of retries. A range goes out behind what is new, and a
    call queues at most 10,000.
    """
    organization_id = call.caller.organization_id
    if request.delivery_id is not None:
        _check_alone(request)
        redelivery.redeliver(tx, organization_id, request.delivery_id)
        return Redelivered(queued=1, looked_until=None)
    webhook_id, since = _range_of(request)
    done = redelivery.redeliver_range(
        tx,
        organization_id,
        webhook_id,
        since=since,
        until=None if request.until is None else moment_ms(request.until),
        which=request.which or "dead",
    )
    return Redelivered(
        queued=done.queued, looked_until=None if done.looked_until is None else rfc3339(done.looked_until)
    )


def _check_alone(request: Redeliver) -> None:
    """Raises `InvalidInput` for a range beside a single delivery."""
    names = ("webhookId", "since", "until", "which")
    given = (request.webhook_id, request.since, request.until, request.which)
    faults = [
        Fault(f"/{name}", "invalid_value", "must be left out where there is a `deliveryId`")
        for name, value in zip(names, given, strict=True)
        if value is not None
    ]
    if faults:
        raise InvalidInput(faults)


def _range_of(request: Redeliver) -> tuple[str, int]:
    """The webhook and the start of the range. Raises `InvalidInput` if one is missing."""
    if request.webhook_id is not None and request.since is not None:
        return request.webhook_id, moment_ms(request.since)
    faults = [
        Fault(pointer, "missing", "is required, or else a `deliveryId`")
        for pointer, value in (("/webhookId", request.webhook_id), ("/since", request.since))
        if value is None
    ]
    raise InvalidInput(faults)
