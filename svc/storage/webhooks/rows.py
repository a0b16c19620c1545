"""Subscriptions, deliveries and attempts as they are stored. Times are ms since the epoch."""

from typing import Final

import msgspec

from svc.domain.webhooks.deliveries import DeliveryProgress, DeliveryState
from svc.domain.webhooks.subscriptions import Subscription, SubscriptionSettings
from svc.storage.rows import Rows, Selection
from svc.storage.webhooks import tables


class StoredSubscription(Subscription, frozen=True, kw_only=True):
    """A subscription with its sealed secrets, and with its end."""

    secret: bytes | None
    previous_secret: bytes | None = None
    """It signs as well, until `previous_secret_until`."""
    ending: DeliveryState | None = None
    """What becomes of its deliveries that still wait, while they are ended in batches."""
    removed_at: int | None = None

    def sealed_secrets(self, now: int) -> tuple[bytes, ...]:
        """The secrets that sign at *now*, sealed for its id; the newest first."""
        if self.secret is None:
            return ()
        if self.previous_secret is None or (self.previous_secret_until or 0) <= now:
            return (self.secret,)
        return self.secret, self.previous_secret


_SETTINGS: Final = Selection(
    SubscriptionSettings, tables.webhooks, empty={"events": tuple, "object_types": tuple}
)
SUBSCRIPTIONS: Final = Selection(Subscription, tables.webhooks, members={"settings": _SETTINGS})
"""Subscriptions without what nobody is shown. One whose lists are unreadable wants nothing."""
STORED_SUBSCRIPTIONS: Final = Rows(tables.webhooks, StoredSubscription, members={"settings": _SETTINGS})


class Delivery(DeliveryProgress, frozen=True, kw_only=True):
    """A delivery, and how far it is."""

    id: str
    organization_id: str
    webhook_id: str
    event_id: str | None
    type: str
    subject: str
    place: int
    """Its place in the order of its subject: the event's position."""
    run_id: str | None
    created_at: int

    @property
    def tested_event_id(self) -> str | None:
        """The event whose data a test has: its subject. None of an example, and of what is no test."""
        return self.subject if self.subject.startswith("evt_") else None


DELIVERIES: Final = Selection(Delivery, tables.webhook_deliveries)


class StoredAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt. `at` is when it ended."""

    delivery_id: str
    number: int
    at: int
    status_code: int | None
    error: str | None
    milliseconds: int
    answer: str


ATTEMPTS: Final = Rows(tables.webhook_attempts, StoredAttempt)
