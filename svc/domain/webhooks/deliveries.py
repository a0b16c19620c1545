"""The state machine of a delivery, as pure functions of the clock.

A delivery is one event, or one call of a workflow, on its way to one subscription::

    waiting ──► delivered           an attempt was answered 2xx
       ▲ │ ──► waiting              an attempt failed: the next one is planned
       │ ├───► dead                 the last attempt failed, or its subscription was disabled
       │ └───► cancelled            its subscription was deleted, or its run cancelled
       └────── delivered, dead      redelivery

Whether an attempt is under way is known in memory only, so there is no state for it: after a crash in the
middle of an attempt the delivery still waits, and is attempted again under the same id.
"""

from typing import Final, Literal

import msgspec

from svc.domain.attempts import AttemptOutcome
from svc.domain.retries import RetryPlan
from svc.domain.webhooks.limits import WEBHOOK_RETRIES_MS, WEBHOOK_RETRY_AFTER_MS_MAX, WEBHOOK_RETRY_SPREAD

DeliveryState = Literal["waiting", "delivered", "dead", "cancelled"]

_PLAN: Final = RetryPlan(WEBHOOK_RETRIES_MS, WEBHOOK_RETRY_SPREAD)


class DeliveryProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a delivery is. Times are ms since the epoch."""

    state: DeliveryState
    next_attempt_at: int | None
    """When it may be attempted; None unless it waits."""
    attempts: int = 0
    """All attempts that ended, those before a redelivery included."""
    failures: int = 0
    """Failed attempts since it was queued or redelivered: its place in the plan of retries."""
    done_at: int | None = None
    """When it stopped waiting."""
    replayed: bool = False
    """Whether it waits because a range of deliveries was redelivered: it goes out behind live ones."""


def queued(now: int, *, replayed: bool = False) -> DeliveryProgress:
    """A new delivery, due at once."""
    return DeliveryProgress(state="waiting", next_attempt_at=now, replayed=replayed)


def attempted(
    delivery: DeliveryProgress, outcome: AttemptOutcome, now: int, spread: float
) -> DeliveryProgress:
    """*delivery* after an attempt of it ended at *now*.

    *spread* is a random number from 0 to 1, which moves the next attempt by up to 10 % either way, so that
    deliveries that failed together are not retried together. `Retry-After` is never undercut, and honoured up
    to a day. An outcome that comes once the delivery does not wait any more counts as an attempt, and changes
    nothing else.
    """
    delivery = msgspec.structs.replace(delivery, attempts=delivery.attempts + 1)
    if delivery.state != "waiting":
        return delivery
    if outcome.reached:
        return _done(delivery, "delivered", now)
    failed = msgspec.structs.replace(delivery, failures=delivery.failures + 1)
    planned_ms = _PLAN.wait_ms(delivery.failures, spread)
    if planned_ms is None:
        return _done(failed, "dead", now)
    wait_ms = max(planned_ms, min(outcome.retry_after_ms, WEBHOOK_RETRY_AFTER_MS_MAX))
    return msgspec.structs.replace(failed, next_attempt_at=now + wait_ms)


def redelivered(delivery: DeliveryProgress, now: int, *, replayed: bool = False) -> DeliveryProgress | None:
    """*delivery*, due at once with a new plan of retries; None for a cancelled one.

    One that waits for its next attempt need not wait any longer.
    """
    if delivery.state == "cancelled":
        return None
    return DeliveryProgress(
        state="waiting", next_attempt_at=now, attempts=delivery.attempts, replayed=replayed
    )


def cancelled(delivery: DeliveryProgress, now: int) -> DeliveryProgress | None:
    """*delivery* after its subscription was deleted or its run cancelled; None if it does not wait."""
    return _done(delivery, "cancelled", now) if delivery.state == "waiting" else None


def killed(delivery: DeliveryProgress, now: int) -> DeliveryProgress | None:
    """*delivery* after its subscription was disabled; None if it does not wait."""
    return _done(delivery, "dead", now) if delivery.state == "waiting" else None


def _done(delivery: DeliveryProgress, state: DeliveryState, now: int) -> DeliveryProgress:
    return msgspec.structs.replace(delivery, state=state, next_attempt_at=None, done_at=now, replayed=False)
