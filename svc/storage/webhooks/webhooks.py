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
from svc.domain.limits import LIST_ROWS, SIGNING_OVERLAP_MS, WEBHOOKS_MAX
from svc.domain.mail.letters import MailData
from svc.domain.near_names import shown
from svc.domain.net.client_addresses import Network
from svc.domain.versions import FIRST_VERSION, check_version
from svc.domain.webhooks.deliveries import DeliveryState
from svc.domain.webhooks.health import DisabledReason
from svc.domain.webhooks.subscriptions import Subscription, SubscriptionSettings, checked
from svc.storage import audit
from svc.storage.mail import notices
from svc.storage.mail.notices import Notice
from svc.storage.pages import Keyset
from svc.storage.readable import LenientDecoder
from svc.storage.records import objects
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.webhooks import queues, tables
from svc.storage.webhooks.rows import WebhookRow


class WebhookChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a subscription; what is unset stays as it is."""

    url: str | msgspec.UnsetType = msgspec.UNSET
    events: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    object_types: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    name: str | msgspec.UnsetType | None = msgspec.UNSET
    max_per_second: int | msgspec.UnsetType | None = msgspec.UNSET
    active: bool | msgspec.UnsetType = msgspec.UNSET


_COLUMNS: Final = tuple(tables.webhooks.c[name] for name in WebhookRow._fields)
_NAMES: Final = msgspec.json.Decoder(tuple[str, ...])
_EVENTS: Final = LenientDecoder(_NAMES, tuple, tables.webhooks.c.events)
_OBJECT_TYPES: Final = LenientDecoder(_NAMES, tuple, tables.webhooks.c.object_types)
_OWN: Final = (
    tables.webhooks.c.organization_id == sa.bindparam("organization_id"),
    tables.webhooks.c.removed_at.is_(None),
)
_GET = Statement(sa.select(*_COLUMNS).where(tables.webhooks.c.id == sa.bindparam("webhook_id")), WebhookRow)
_OF_ORGANIZATION = Statement(sa.select(*_COLUMNS).where(*_OWN).order_by(tables.webhooks.c.id), WebhookRow)
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
    tx.conn.execute(
        sa.insert(tables.webhooks).values(
            id=webhook_id,
            organization_id=organization_id,
            active=True,
            contract=CONTRACT,
            secret=tx.sealer.seal(secret, webhook_id),
            version=FIRST_VERSION,
            created_at=tx.now,
            updated_at=tx.now,
            **_values_of(settings),
        )
    )
    return get(tx.conn, organization_id, webhook_id), secret


def get(conn: sa.Connection, organization_id: str, webhook_id: str) -> Subscription:
    """The subscription. Raises `NotFound`, also for one that was deleted."""
    return from_row(own_row(conn, organization_id, webhook_id))


def own_row(conn: sa.Connection, organization_id: str, webhook_id: str) -> WebhookRow:
    """The row of a subscription, as `get`."""
    row = row_of(conn, webhook_id)
    if row is None or row.organization_id != organization_id or row.removed_at is not None:
        raise NotFound(f"there is no webhook {shown(webhook_id)}")
    return row


def row_of(conn: sa.Connection, webhook_id: str) -> WebhookRow | None:
    """The row of a subscription of any organization, also a deleted one."""
    return _GET.one(conn, webhook_id=webhook_id)


def of_organization(conn: sa.Connection, organization_id: str) -> list[Subscription]:
    """The organization's subscriptions, the oldest first. One whose lists are unreadable wants nothing."""
    return [from_row(row) for row in _OF_ORGANIZATION.all(conn, organization_id=organization_id)]


def list_page(
    conn: sa.Connection, organization_id: str, *, cursor: str | None = None, limit: int = LIST_ROWS
) -> tuple[list[Subscription], str | None]:
    """The organization's subscriptions, the oldest first, and the cursor that goes on."""
    keyset = Keyset(["webhooks", organization_id], cursor, limit)
    own = sa.select(*_COLUMNS).where(
        tables.webhooks.c.organization_id == organization_id, tables.webhooks.c.removed_at.is_(None)
    )
    rows, next_cursor = keyset.fetch(conn, own, tables.webhooks.c.id, newest_first=False)
    return [from_row(WebhookRow._make(row)) for row in rows], next_cursor


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
    row = own_row(tx.conn, organization_id, webhook_id)
    check_version(row.version, if_version)
    before = from_row(row)
    given = {
        name: value
        for name in changes.__struct_fields__
        if (value := getattr(changes, name)) is not msgspec.UNSET
    }
    active = given.pop("active", row.active)
    settings = before.settings
    if given:
        changed = msgspec.structs.replace(before.settings, **given)
        settings = _checked(tx.conn, organization_id, changed, allowed, before.settings)
    values = _values_of(settings) | {"version": row.version + 1}
    if active and not row.active and row.ending is not None:
        raise Conflict("its waiting deliveries are still being ended: try again in a moment")
    if settings.url != row.url or (active and not row.active):
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
    own_row(tx.conn, organization_id, webhook_id)
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
    own_row(tx.conn, organization_id, webhook_id)
    values = {"active": False, "secret": None, "previous_secret": None, "removed_at": tx.now}
    _stop(tx, organization_id, webhook_id, "cancelled", values)


def stop_all(tx: Tx, organization_id: str) -> None:
    """Stop the organization's subscriptions, which is closed: nothing of them goes out."""
    for row in _OF_ORGANIZATION.all(tx.conn, organization_id=organization_id):
        _stop(tx, organization_id, row.id, "dead", {"active": False})


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
    row = own_row(tx.conn, organization_id, webhook_id)
    # Its address may have a secret in it, so a webhook without a name is told by its host.
    name = row.name or urlsplit(row.url).hostname or webhook_id
    return Notice(f"{webhook_id}/{tx.now}", MailData(id=webhook_id, name=name, reason=reason, at=tx.now))


def end_waiting(tx: Tx, webhook_id: str) -> bool:
    """End a batch of what waits for a stopped subscription; whether there may be more."""
    row = row_of(tx.conn, webhook_id)
    if row is None or row.ending is None:
        return False
    more = queues.end(tx, row.organization_id, webhook_id, row.ending)
    if not more:
        _set(tx, webhook_id, {"ending": None})
    return more


def from_row(row: WebhookRow) -> Subscription:
    """The subscription of a row."""
    return Subscription(
        id=row.id,
        organization_id=row.organization_id,
        settings=SubscriptionSettings(
            url=row.url,
            events=_EVENTS.read(row.events, row.id),
            object_types=_OBJECT_TYPES.read(row.object_types, row.id),
            name=row.name,
            max_per_second=row.max_per_second,
        ),
        contract=row.contract,
        active=bool(row.active),
        disabled_reason=row.disabled_reason,
        failing_since=row.failing_since,
        held_until=row.held_until,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _checked(
    conn: sa.Connection,
    organization_id: str,
    settings: SubscriptionSettings,
    allowed: Sequence[Network],
    before: SubscriptionSettings | None = None,
) -> SubscriptionSettings:
    slugs = objects.ids_by_slug(conn, organization_id)
    return checked(settings, event_types=EVENT_TYPES, objects=slugs, allowed=allowed, before=before)


def _values_of(settings: SubscriptionSettings) -> dict[str, Any]:
    lists = {"events": settings.events, "object_types": settings.object_types}
    return msgspec.structs.asdict(settings) | {
        name: msgspec.json.encode(names).decode() for name, names in lists.items()
    }


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
    tx.conn.execute(sa.update(tables.webhooks).where(tables.webhooks.c.id == webhook_id).values(dict(values)))
