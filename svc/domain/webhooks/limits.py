"""Limits of webhooks. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS

WEBHOOKS_MAX: Final = 100
"""Subscriptions of one organization."""
WEBHOOK_RETRIES_MS: Final = (
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
)
"""Waits after the failed attempts of one delivery; after one attempt more it is dead."""
WEBHOOK_RETRY_SPREAD: Final = 0.1
"""The part by which such a wait is longer or shorter, at random."""
WEBHOOK_RETRY_AFTER_MS_MAX: Final = DAY_MS
"""How much of a receiver's `Retry-After` is honoured for the delivery."""
WEBHOOK_HOLD_MS: Final = MINUTE_MS
"""How long a subscription is held after a 429 that does not say."""
WEBHOOK_HOLD_MS_MAX: Final = HOUR_MS
"""How long a receiver may hold its subscription with one 429 or 503."""
WEBHOOK_FAILING_MS: Final = 5 * DAY_MS
"""After so long with nothing but failures a subscription is disabled."""
WEBHOOK_SHARED_ATTEMPTS: Final = 50
"""Attempts that an organization begins in `WEBHOOK_SHARED_WINDOW_MS` while requests are served,
or an import of its own runs. Ours."""
WEBHOOK_SHARED_WINDOW_MS: Final = 100
"""The window of these: short, so that they do not come all at once."""
WEBHOOK_ATTEMPTS_AT_ONCE: Final = 8
"""Attempts of one subscription under way at once."""
WEBHOOK_LAST_ATTEMPTS: Final = 10
"""While as many last attempts of a subscription have all failed, only one is under way at once."""
WEBHOOK_FAILING_AT_ONCE_MAX: Final = 250
"""Attempts under way at once of all subscriptions whose last attempts all failed. Ours: a part of
`OUTGOING_CONNECTIONS_MAX`, so that they leave the rest to others."""
WEBHOOK_PER_SECOND_MAX: Final = 100
"""The largest `maxPerSecond` of a subscription."""
WEBHOOK_REDELIVERED_MAX: Final = 10_000
"""Deliveries that one call redelivers."""
WEBHOOK_REPLAY_EXAMINED_MAX: Final = 20_000
"""Events that one call looks at for that. Ours: some tens of milliseconds of the writer's time."""
WEBHOOK_ENDED_AT_ONCE: Final = 1_000
"""Waiting deliveries that one unit of work ends, of a subscription that was disabled or deleted. Ours."""
WEBHOOK_ATTEMPTS_KEPT: Final = 50
"""Attempts of one delivery that are kept, the latest ones. Ours: the plan has ten, each redelivery again."""
WEBHOOK_ANSWER_SECONDS: Final = 10
"""How long an attempt may take."""
DISPATCH_EVENTS_MAX: Final = 200
"""Events that one unit of work dispatches."""
DISPATCH_DELIVERIES_MAX: Final = 1_000
"""Deliveries that one unit of work queues for them. Ours: some ten milliseconds of the writer's time."""
DISPATCH_DELIVERIES_SHARED: Final = 250
"""The same while requests are served, with a pause: no more than are sent then."""
DISPATCH_JUDGED_MAX: Final = 1_000
"""Runs that are judged in one unit of work, of those that wait for an event without a key."""
