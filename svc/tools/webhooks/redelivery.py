"""`webhook.redeliver`: sending again what was given up, or missed."""

from datetime import datetime
from typing import Annotated

from svc.domain.errors import Conflict, Fault, Gone, InvalidInput, NotFound
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp, moment_ms, rfc3339
from svc.storage.store import Tx
from svc.storage.webhooks import redelivery
from svc.storage.webhooks.redelivery import Which
from svc.tools.tool import ToolInput, ToolOutput, about, writes
from svc.tools.webhooks.answers import EXAMPLE_DELIVERY_ID, DeliveryId, WebhookId


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


class RedeliveryCount(ToolOutput, frozen=True, kw_only=True):
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
    answer=RedeliveryCount(queued=1, looked_until=None),
)
def redeliver(tx: Tx, call: Call, request: Redeliver) -> RedeliveryCount:
    """Send a delivery again, or all that were given up or missed in a range of time.

    Each keeps its id and its body, and has a new plan of retries. A range goes out behind what is new, and a
    call queues at most 10,000.
    """
    organization_id = call.caller.organization_id
    if request.delivery_id is not None:
        _check_alone(request)
        redelivery.redeliver(tx, organization_id, request.delivery_id)
        return RedeliveryCount(queued=1, looked_until=None)
    webhook_id, since = _range_of(request)
    done = redelivery.redeliver_range(
        tx,
        organization_id,
        webhook_id,
        since=since,
        until=None if request.until is None else moment_ms(request.until),
        which=request.which or "dead",
    )
    return RedeliveryCount(
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
