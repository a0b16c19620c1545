"""`webhook.*`: addresses that are told what happens."""

from operator import attrgetter
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, Forbidden, NotFound
from svc.domain.events import EVENT_TYPES, EventType
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.webhooks.rights import check_may_see
from svc.domain.webhooks.subscriptions import Subscription, SubscriptionSettings
from svc.storage.store import Tx, View
from svc.storage.webhooks import webhooks
from svc.storage.webhooks.webhooks import WebhookChanges
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, IfVersion, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes
from svc.tools.webhooks.answers import (
    EXAMPLE,
    EXAMPLE_FACTS,
    EXAMPLE_SECRET,
    Events,
    Name,
    ObjectTypes,
    PerSecond,
    SigningSecret,
    Url,
    WebhookAnswer,
    WebhookById,
    WebhookId,
)


class CreatedWebhook(WebhookAnswer, frozen=True, kw_only=True):
    """A new subscription, and its signing secret."""

    secret: SigningSecret


_answer: Final = Projection(
    Subscription,
    WebhookAnswer,
    name=attrgetter("settings.name"),
    url=attrgetter("settings.url"),
    events=lambda one: list(one.settings.events),
    object_types=attrgetter("settings.object_types"),
    max_per_second=attrgetter("settings.max_per_second"),
)


class ListWebhooks(ToolInput, frozen=True, kw_only=True):
    """Which part of the list."""

    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class WebhookList(ToolOutput, frozen=True, kw_only=True):
    """Subscriptions that are not deleted, the oldest first."""

    webhooks: list[WebhookAnswer]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "webhook.list",
    needs="webhooks",
    example=ListWebhooks(),
    answer=WebhookList(webhooks=[EXAMPLE], next_cursor=None),
)
def list_all(view: View, call: Call, request: ListWebhooks) -> WebhookList:
    """List the webhooks: which events are sent where, and which were disabled."""
    page, next_cursor = webhooks.list_page(
        view.conn, call.caller.organization_id, cursor=request.cursor, limit=request.limit
    )
    return WebhookList(webhooks=[_answer(one) for one in page], next_cursor=next_cursor)


@reads(
    "webhook.get",
    needs="webhooks",
    raises=(NotFound,),
    example=WebhookById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def get(view: View, call: Call, request: WebhookById) -> WebhookAnswer:
    """Show a webhook: what it is sent, whether it is active, and why it was disabled if it was."""
    return _answer(webhooks.get(view.conn, call.caller.organization_id, request.id))


class CreateWebhook(ToolInput, frozen=True, kw_only=True):
    """A subscription to be made."""

    url: Url
    events: Events
    object_types: ObjectTypes = ()
    name: Name | None = None
    max_per_second: PerSecond | None = None


@writes(
    "webhook.create",
    needs="webhooks",
    runs="person",
    raises=(Conflict, Forbidden),
    shows_secret=True,
    example=CreateWebhook(
        url=EXAMPLE.url,
        events=("record.created", "submission.filed"),
        object_types=EXAMPLE.object_types,
        name=EXAMPLE.name,
    ),
    answer=CreatedWebhook(**EXAMPLE_FACTS, secret=EXAMPLE_SECRET),
)
def create(tx: Tx, call: Call, request: CreateWebhook) -> CreatedWebhook:
    """Have events sent to an address as they happen, signed and with retries.

    The answer has the secret that they are signed with, which is not shown again. Events of records need the
    permission `records.read` as well, those of submissions `forms`, those of messages and conversations
    `conversations`, those of connections `channels`, and those of workflows `workflows`.
    """
    check_may_see(call.caller, request.events)
    subscription, secret = webhooks.create(
        tx,
        call.caller.organization_id,
        SubscriptionSettings(**msgspec.structs.asdict(request)),
        allowed=call.installation.allowed_networks,
    )
    return CreatedWebhook(**msgspec.structs.asdict(_answer(subscription)), secret=secret)


class UpdateWebhook(ToolInput, frozen=True, kw_only=True):
    """What to change about a webhook. What is left out stays; null takes away."""

    id: WebhookId
    url: Annotated[
        Url | UnsetType, about(description="Another address. Only a person may give one: no key, no agent.")
    ] = UNSET
    events: Events | UnsetType = UNSET
    object_types: ObjectTypes | UnsetType = UNSET
    name: Name | UnsetType | None = UNSET
    max_per_second: PerSecond | UnsetType | None = UNSET
    active: bool | UnsetType = UNSET
    if_version: IfVersion = None


@writes(
    "webhook.update",
    needs="webhooks",
    raises=(NotFound, Conflict, Forbidden),
    persons_give=("url",),
    example=UpdateWebhook(id=EXAMPLE.id, events=("record.created", "submission.filed"), active=True),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, request: UpdateWebhook) -> WebhookAnswer:
    """Change what is sent to a webhook, or where, or switch it off and on again.

    While it is off, events make no deliveries for it, and what waits is dead: `webhook.redeliver` sends what
    was missed. A change of the events or the address needs the permissions to see all of the events.
    """
    caller = call.caller
    before = webhooks.get(tx.conn, caller.organization_id, request.id)
    if not {request.url, request.events, request.object_types} <= {UNSET}:
        check_may_see(caller, _known(before) if request.events is UNSET else request.events)
    changes = msgspec.structs.asdict(request)
    webhook_id, if_version = changes.pop("id"), changes.pop("if_version")
    subscription = webhooks.update(
        tx,
        caller.organization_id,
        webhook_id,
        WebhookChanges(**changes),
        if_version=if_version,
        allowed=call.installation.allowed_networks,
    )
    return _answer(subscription)


def _known(subscription: Subscription) -> list[EventType]:
    """The types of events of a subscription; one of another version may have others."""
    return [event_type for event_type in EVENT_TYPES if event_type in subscription.settings.events]


class DeletedWebhook(ToolOutput, frozen=True, kw_only=True):
    """The webhook is gone."""

    id: WebhookId


@writes(
    "webhook.delete",
    needs="webhooks",
    runs="approval",
    raises=(NotFound,),
    example=WebhookById(id=EXAMPLE.id),
    answer=DeletedWebhook(id=EXAMPLE.id),
)
def delete(tx: Tx, call: Call, request: WebhookById) -> DeletedWebhook:
    """Delete a webhook for good. What waits to be sent to it is cancelled."""
    webhooks.delete(tx, call.caller.organization_id, request.id)
    return DeletedWebhook(id=request.id)


class RotatedSecret(ToolOutput, frozen=True, kw_only=True):
    """A new signing secret."""

    id: WebhookId
    secret: SigningSecret
    previous_until: Annotated[
        Timestamp,
        about(description="Until then the one before signs as well: deliveries have two signatures."),
    ]


@writes(
    "webhook.rotate_secret",
    needs="webhooks",
    runs="person",
    raises=(NotFound,),
    shows_secret=True,
    example=WebhookById(id=EXAMPLE.id),
    answer=RotatedSecret(id=EXAMPLE.id, secret=EXAMPLE_SECRET, previous_until="2026-09-19T09:30:00.000Z"),
)
def rotate_secret(tx: Tx, call: Call, request: WebhookById) -> RotatedSecret:
    """Make a new signing secret. For 24 hours both sign, so that the receiver can change when it likes."""
    secret, until = webhooks.rotate_secret(tx, call.caller.organization_id, request.id)
    return RotatedSecret(id=request.id, secret=secret, previous_until=rfc3339(until))
