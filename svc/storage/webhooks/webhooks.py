"""Subscriptions, their signing secrets, and their end: disabled or deleted, they end what waits for them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
import sqlalchemy as sa

from svc.domain.channels.connections import CONTRACT
from svc.domain.crypto.signatures import new_secret
from svc.domain.errors import Conflict, NotFound
from svc.domain.events import EVENT_TYPES
from svc.domain.identity.callers import service_call
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS, SIGNING_OVERLAP_MS
from svc.domain.mail.letters import MailData
from svc.domain.net.client_addresses import Network
from svc.domain.versions import check_version
from svc.domain.webhooks.deliveries import DeliveryState
from svc.domain.webhooks.health import DisabledReason
from svc.domain.webhooks.limits import WEBHOOKS_MAX
from svc.domain.webhooks.subscriptions import Subscription, SubscriptionSettings, checked
from svc.storage import audit
from svc.storage.mail import notices
from svc.storage.mail.notices import Notice
from svc.storage.pages import Keyset
from svc.storage.records import objects
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.webhooks import queues, tables
from svc.storage.webhooks.rows import STORED_SUBSCRIPTIONS, SUBSCRIPTIONS, StoredSubscription


class WebhookChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a subscription; what is unset stays as it is."""

    url: str | msgspec.UnsetType = msgspec.UNSET
    events: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    object_types: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    name: str | msgspec.UnsetType | None = msgspec.UNSET
    max_per_second: int | msgspec.UnsetType | None = msgspec.UNSET
    active: bool | msgspec.UnsetType = msgspec.UNSET


_OWN: Final = (
    tables.webhooks.c.organization_id == sa.bindparam("organization_id"),
    tables.webhooks.c.removed_at.is_(None),
)
_FIND = STORED_SUBSCRIPTIONS.prepared(
    STORED_SUBSCRIPTIONS.select(tables.webhooks.c.id == sa.bindparam("webhook_id"))
)
_GET = SUBSCRIPTIONS.prepared(SUBSCRIPTIONS.select(*_OWN, tables.webhooks.c.id == sa.bindparam("webhook_id")))
_OF_ORGANIZATION = SUBSCRIPTIONS.prepared(SUBSCRIPTIONS.select(*_OWN).order_by(tables.webhooks.c.id))
_NOTE_HEALTH = Statement(
    sa.update(tables.webhooks)
    .where(tables.webhooks.c.id == sa.bindparam("webhook_id"))
    .values(failing_since=sa.bindparam("new_failing_since"), held_until=sa.bindparam("new_held_until"))
)


def create(
    tx: Tx, organization_id: str, settings: SubscriptionSettings, *, allowed: Sequence[Network] = ()
) -> tuple[Subscription, str]:
    """Make a subscription; also its signing secret, which is shown this once.

    *allowed* are networks that may be reached although they are not public. Raises `InvalidInput`, and
    `Conflict` where there are `WEBHOOKS_MAX`.
    """
    settings = _checked(tx.conn, organization_id, settings, allowed)
    if len(of_organization(tx.conn, organization_id)) >= WEBHOOKS_MAX:
        raise Conflict(f"there are {WEBHOOKS_MAX} webhooks, which is the limit: delete one first")
    webhook_id, secret = tx.new_id("whk"), new_secret(tx.random)
    STORED_SUBSCRIPTIONS.insert(
        tx.conn,
        StoredSubscription(
            id=webhook_id,
            organization_id=organization_id,
            settings=settings,
            contract=CONTRACT,
            active=True,
            secret=tx.sealer.seal(secret, webhook_id),
            created_at=tx.now,
            updated_at=tx.now,
        ),
    )
    return get(tx.conn, organization_id, webhook_id), secret


def get(conn: sa.Connection, organization_id: str, webhook_id: str) -> Subscription:
    """The subscription. Raises `NotFound`, also for one that was deleted."""
    found = _GET.one(conn, organization_id=organization_id, webhook_id=webhook_id)
    if found is None:
        raise NotFound(f"there is no webhook {shown(webhook_id)}")
    return found


def find(conn: sa.Connection, webhook_id: str) -> StoredSubscription | None:
    """A subscription of any organization, also a deleted one, with its secrets."""
    return _FIND.one(conn, webhook_id=webhook_id)


def of_organization(conn: sa.Connection, organization_id: str) -> list[Subscription]:
    """The organization's subscriptions, the oldest first."""
    return _OF_ORGANIZATION.all(conn, organization_id=organization_id)


def list_page(
    conn: sa.Connection, organization_id: str, *, cursor: str | None = None, limit: int = LIST_ROWS
) -> tuple[list[Subscription], str | None]:
    """The organization's subscriptions, the oldest first, and the cursor that goes on."""
    keyset = Keyset(["webhooks", organization_id], cursor, limit)
    own = SUBSCRIPTIONS.select(
        tables.webhooks.c.organization_id == organization_id, tables.webhooks.c.removed_at.is_(None)
    )
    rows, next_cursor = keyset.fetch(conn, own, tables.webhooks.c.id, newest_first=False)
    return [SUBSCRIPTIONS.make(row) for row in rows], next_cursor


def update(
    tx: Tx,
    organization_id: str,
    webhook_id: str,
    changes: WebhookChanges,
    *,
    if_version: int | None = None,
    allowed: Sequence[Network] = (),
) -> Subscription:
    """Change a subscription. Made inactive, its waiting deliveries die; made active, it begins anew.

    Another address begins anew as well: what the last one did is not held against it.

    Raises:
        NotFound: there is no such subscription.
        InvalidInput: all that is wrong with the changes.
        Conflict: it is at another version than *if_version*; or it is to be active again while its deliveries
            are still being ended.
    """
    before = get(tx.conn, organization_id, webhook_id)
    check_version(before.version, if_version)
    given = {
        name: value
        for name in changes.__struct_fields__
        if (value := getattr(changes, name)) is not msgspec.UNSET
    }
    active = given.pop("active", before.active)
    settings = before.settings
    if given:
        changed = msgspec.structs.replace(before.settings, **given)
        settings = _checked(tx.conn, organization_id, changed, allowed, before.settings)
    values: dict[str, Any] = {"settings": settings, "version": before.version + 1}
    begins = active and not before.active
    if begins and _is_ending(tx.conn, webhook_id):
        raise Conflict("its waiting deliveries are still being ended: try again in a moment")
    if begins or settings.url != before.settings.url:
        values |= {"failing_since": None, "held_until": None}
    if active:
        _update(tx, webhook_id, values | {"active": True, "disabled_reason": None})
    else:
        _update(tx, webhook_id, values)
        _stop(tx, organization_id, webhook_id, "dead", {"active": False})
    return get(tx.conn, organization_id, webhook_id)


def rotate_secret(tx: Tx, organization_id: str, webhook_id: str) -> tuple[str, int]:
    """A new signing secret, shown this once, and until when the previous one signs beside it.

    Raises `NotFound`.
    """
    get(tx.conn, organization_id, webhook_id)
    secret, until = new_secret(tx.random), tx.now + SIGNING_OVERLAP_MS
    values = {
        "secret": tx.sealer.seal(secret, webhook_id),
        "previous_secret": tables.webhooks.c.secret,
        "previous_secret_until": until,
    }
    _update(tx, webhook_id, values)
    return secret, until


def delete(tx: Tx, organization_id: str, webhook_id: str) -> None:
    """Delete a subscription for good; what waits for it is cancelled. Raises `NotFound`."""
    get(tx.conn, organization_id, webhook_id)
    values = {"active": False, "secret": None, "previous_secret": None, "removed_at": tx.now}
    _stop(tx, organization_id, webhook_id, "cancelled", values)


def stop_all(tx: Tx, organization_id: str) -> None:
    """Stop the organization's subscriptions, which is closed: nothing of them goes out."""
    for one in of_organization(tx.conn, organization_id):
        _stop(tx, organization_id, one.id, "dead", {"active": False})


def note_health(tx: Tx, webhook_id: str, *, failing_since: int | None, held_until: int | None) -> None:
    """Store how the receiver is doing."""
    _NOTE_HEALTH.run(
        tx.conn, webhook_id=webhook_id, new_failing_since=failing_since, new_held_until=held_until
    )


def disable(tx: Tx, organization_id: str, webhook_id: str, reason: DisabledReason) -> None:
    """Disable a subscription for what its receiver did: what waits for it dies. The audit trail says so."""
    _stop(tx, organization_id, webhook_id, "dead", {"active": False, "disabled_reason": reason})
    audit.note(tx, service_call(organization_id), "webhook.disable", webhook_id)
    notices.tell(
        tx,
        organization_id,
        "webhook.disabled",
        lambda: [_disabled_notice(tx, organization_id, webhook_id, reason)],
    )


def _disabled_notice(tx: Tx, organization_id: str, webhook_id: str, reason: DisabledReason) -> Notice:
    settings = get(tx.conn, organization_id, webhook_id).settings
    # Its address may have a secret in it, so a webhook without a name is told by its host.
    name = settings.name or urlsplit(settings.url).hostname or webhook_id
    return Notice(f"{webhook_id}/{tx.now}", MailData(id=webhook_id, name=name, reason=reason, at=tx.now))


def end_waiting(tx: Tx, webhook_id: str) -> bool:
    """End a batch of what waits for a stopped subscription; whether there may be more."""
    row = find(tx.conn, webhook_id)
    if row is None or row.ending is None:
        return False
    more = queues.end(tx, row.organization_id, webhook_id, row.ending)
    if not more:
        _set(tx, webhook_id, {"ending": None})
    return more


def _is_ending(conn: sa.Connection, webhook_id: str) -> bool:
    found = find(conn, webhook_id)
    return found is not None and found.ending is not None


def _checked(
    conn: sa.Connection,
    organization_id: str,
    settings: SubscriptionSettings,
    allowed: Sequence[Network],
    before: SubscriptionSettings | None = None,
) -> SubscriptionSettings:
    slugs = objects.ids_by_slug(conn, organization_id)
    return checked(settings, event_types=EVENT_TYPES, objects=slugs, allowed=allowed, before=before)


def _stop(
    tx: Tx, organization_id: str, webhook_id: str, state: DeliveryState, values: Mapping[str, Any]
) -> None:
    """Update it, and end what waits as *state*: a batch now, the rest by `end_waiting`."""
    more = queues.end(tx, organization_id, webhook_id, state)
    _update(tx, webhook_id, {**values, "ending": state if more else None})


def _update(tx: Tx, webhook_id: str, values: Mapping[str, Any]) -> None:
    _set(tx, webhook_id, {**values, "updated_at": tx.now})
    queues.announce(tx, [webhook_id])


def _set(tx: Tx, webhook_id: str, values: Mapping[str, Any]) -> None:
    tx.conn.execute(STORED_SUBSCRIPTIONS.update(tables.webhooks.c.id == webhook_id, **values))
