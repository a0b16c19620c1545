"""Webhooks for tests: subscriptions, and events for them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from svc.actors.outbound.client import PostResult
from svc.actors.outbound.errors import NotSent
from svc.actors.system import System
from svc.domain.events import EVENT_TYPES
from svc.domain.webhooks.subscriptions import Subscription, SubscriptionSettings
from svc.storage.events import events
from svc.storage.store import Tx
from svc.storage.webhooks import webhooks
from tests.channels import Receiver
from tests.events import free_event
from tests.town import Town, town

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
        free_event(type_, subject, API, {"objectType": "contact", "recordId": subject, "number": number})
        for number, subject in enumerate(subjects)
    ]
    events.record(tx, organization_id, happened)


class HookTown(Town):
    """A town with a subscription, and a running system."""

    system: System


@asynccontextmanager
async def hook_town(
    *answers: PostResult | NotSent, **settings: Any
) -> AsyncIterator[tuple[HookTown, Subscription, Receiver]]:
    """A town with a subscription as *settings*, whose receiver has these answers."""
    receiver = Receiver(*answers)
    async with town() as made:
        here = HookTown(made.store, made.clock, made.organization)
        here.outbound_http = receiver
        webhook = await here.store.write(a_webhook, here.organization.id, **settings)
        async with here.live_system() as here.system:
            yield here, webhook, receiver
