"""Webhooks for tests: subscriptions, and events for them."""

from typing import Any

from svc.domain.events import EVENT_TYPES, NewEvent
from svc.domain.webhooks.subscriptions import Subscription, SubscriptionSettings
from svc.storage import events
from svc.storage.store import Tx
from svc.storage.webhooks import webhooks

HOOK = "https://receiver.example/hook"
API = {"kind": "api", "id": "key_1", "personId": "usr_1"}


def a_webhook(tx: Tx, /, organization_id: str, **settings: Any) -> Subscription:
    """A subscription to all events."""
    return a_webhook_with_secret(tx, organization_id, **settings)[0]


def a_webhook_with_secret(tx: Tx, /, organization_id: str, **settings: Any) -> tuple[Subscription, str]:
    """A subscription to all events, and its signing secret."""
    allowed = settings.pop("allowed", ())
    asked: dict[str, Any] = {"url": HOOK, "events": EVENT_TYPES} | settings
    return webhooks.create(tx, organization_id, SubscriptionSettings(**asked), allowed=allowed)


def happen(tx: Tx, /, organization_id: str, *subjects: str, type_: Any = "record.updated") -> None:
    """Something happens to each of the *subjects*, which are contacts."""
    happened = [
        NewEvent(
            type=type_,
            subject=subject,
            source=API,
            data={"objectType": "contact", "recordId": subject, "number": number},
        )
        for number, subject in enumerate(subjects)
    ]
    events.record(tx, organization_id, happened)
