"""How a subscription's receiver is doing: what slows its deliveries, holds them all, or disables it."""

from collections.abc import Sequence
from typing import Literal

from svc.domain.attempts import AttemptOutcome
from svc.domain.webhooks.limits import (
    WEBHOOK_ATTEMPTS_AT_ONCE,
    WEBHOOK_FAILING_MS,
    WEBHOOK_HOLD_MS,
    WEBHOOK_HOLD_MS_MAX,
    WEBHOOK_LAST_ATTEMPTS,
)

DisabledReason = Literal["gone", "failing"]
"""Why a subscription was disabled: its address answered 410; or nothing but failures for five days."""


def failing_since(before: int | None, outcome: AttemptOutcome, now: int) -> int | None:
    """The time of the first failure since the last success, after an attempt that ended at *now*.

    *before* is that time until now; None while the last attempt succeeded, or there was none.
    """
    if outcome.reached:
        return None
    return now if before is None else before


def disabled_by(outcome: AttemptOutcome, since: int | None, now: int) -> DisabledReason | None:
    """Why an attempt that ended at *now* disables its subscription, which fails *since* then; None if not."""
    if outcome.reached:
        return None
    if outcome.gone:
        return "gone"
    return "failing" if since is not None and now - since >= WEBHOOK_FAILING_MS else None


def held_until(outcome: AttemptOutcome, now: int) -> int | None:
    """Until when nothing goes to the subscription, after an attempt that ended at *now*; None if not held.

    A receiver that answers 429, or 503 with `Retry-After`, means all of its traffic.
    """
    if not outcome.overloaded:
        return None
    return now + min(outcome.retry_after_ms or WEBHOOK_HOLD_MS, WEBHOOK_HOLD_MS_MAX)


def attempts_at_once(reached: Sequence[bool]) -> int:
    """How many attempts may be under way, after attempts that *reached* the receiver or not, latest last.

    A dead receiver costs one attempt at a time, however many deliveries wait for it.
    """
    last = reached[-WEBHOOK_LAST_ATTEMPTS:]
    return 1 if len(last) == WEBHOOK_LAST_ATTEMPTS and not any(last) else WEBHOOK_ATTEMPTS_AT_ONCE
