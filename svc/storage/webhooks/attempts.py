"""Attempts: what became of each, for its delivery and for its subscription."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
from msgspec import structs

from svc.domain.attempts import AttemptOutcome
from svc.domain.randomness import fraction
from svc.domain.webhooks import deliveries as rules
from svc.domain.webhooks import health
from svc.domain.webhooks.deliveries import DeliveryProgress
from svc.domain.webhooks.limits import WEBHOOK_ATTEMPTS_KEPT
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.webhooks import batches, deliveries, queues, tables, webhooks
from svc.storage.webhooks.batches import DeliveryBatch
from svc.storage.webhooks.rows import ATTEMPTS, Delivery, StoredAttempt, StoredSubscription


class EndedAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that has ended."""

    delivery_id: str
    url: str
    """Where it went. What an address did is not held against another one."""
    outcome: AttemptOutcome
    unsendable: bool = False
    """Whether nothing was sent, since the body cannot be made: it is the last attempt."""


class _Noted(NamedTuple):
    """A delivery before and after an attempt, and how that went."""

    before: Delivery
    after: DeliveryProgress
    outcome: AttemptOutcome


_FORGET = Statement(
    sa.delete(tables.webhook_attempts).where(
        tables.webhook_attempts.c.delivery_id == sa.bindparam("delivery_id"),
        tables.webhook_attempts.c.number <= sa.bindparam("until"),
    )
)


def note_attempts(tx: Tx, webhook_id: str, ended: Sequence[EndedAttempt]) -> None:
    """Store what became of attempts, in the order in which they ended.

    An outcome counts for the delivery as its row is now: one that was cancelled meanwhile stays so. A
    receiver that is gone, or that failed for too long, disables the subscription.
    """
    webhook = webhooks.find(tx.conn, webhook_id)
    while webhook is not None and ended:
        webhook, ended = _note_until_disabled(tx, webhook, ended)


def note_and_load(
    tx: Tx, webhook_id: str, ended: Sequence[EndedAttempt], limit: int, busy: Collection[str]
) -> DeliveryBatch | None:
    """`note_attempts`, and what to attempt next in the same unit of work: see `batches.load`."""
    note_attempts(tx, webhook_id, ended)
    return batches.load(tx.conn, webhook_id, tx.now, limit, busy)


def history(conn: sa.Connection, delivery_ids: Collection[str]) -> dict[str, list[StoredAttempt]]:
    """The attempts that are kept of some deliveries, by delivery, the first ones first."""
    column = tables.webhook_attempts.c
    of_some = ATTEMPTS.select(column.delivery_id.in_(delivery_ids))
    found: dict[str, list[StoredAttempt]] = {delivery_id: [] for delivery_id in delivery_ids}
    for attempt in ATTEMPTS.all(conn, of_some.order_by(column.delivery_id, column.number)):
        found[attempt.delivery_id].append(attempt)
    return found


def _note_until_disabled(
    tx: Tx, webhook: StoredSubscription, ended: Sequence[EndedAttempt]
) -> tuple[StoredSubscription, Sequence[EndedAttempt]]:
    """Store outcomes up to the first that disables the subscription, which ends deliveries of the others.

    Returns it after that, and those others. The rows of all are read and written together: a statement
    for each would cost as much as all else.
    """
    rows = deliveries.find_all(tx.conn, [attempt.delivery_id for attempt in ended])
    noted: list[_Noted] = []
    since, held_until, reason = webhook.failing_since, webhook.held_until, None
    left: Sequence[EndedAttempt] = ()
    for number, attempt in enumerate(ended, 1):
        row, outcome = rows.get(attempt.delivery_id), attempt.outcome
        if row is None:
            continue  # pruned meanwhile
        noted.append(_Noted(row, _progress_after(tx, row, attempt), outcome))
        if attempt.url != webhook.settings.url or attempt.unsendable:
            continue
        since = health.failing_since(since, outcome, tx.now)
        held_until = _latest(held_until, health.held_until(outcome, tx.now))
        reason = health.disabled_by(outcome, since, tx.now) if webhook.active else None
        if reason is not None:
            left = ended[number:]
            break
    _write(tx, noted)
    if (since, held_until) != (webhook.failing_since, webhook.held_until):
        webhooks.note_health(tx, webhook.id, failing_since=since, held_until=held_until)
    if reason is not None:
        webhooks.disable(tx, webhook.organization_id, webhook.id, reason)
    active = webhook.active and not reason
    return structs.replace(webhook, failing_since=since, held_until=held_until, active=active), left


def _progress_after(tx: Tx, before: Delivery, attempt: EndedAttempt) -> DeliveryProgress:
    if attempt.unsendable:
        counted = structs.replace(before, attempts=before.attempts + 1)
        return rules.killed(counted, tx.now) or counted
    spread = 0.5 if attempt.outcome.reached else fraction(tx.random)
    return rules.attempted(before, attempt.outcome, tx.now, spread)


def _latest(before: int | None, at: int | None) -> int | None:
    return before if at is None else max(at, before or 0)


def _write(tx: Tx, noted: Sequence[_Noted]) -> None:
    queues.write(tx, [(one.before, one.after) for one in noted])
    ATTEMPTS.insert_many(
        tx.conn,
        [
            StoredAttempt(
                delivery_id=one.before.id,
                number=one.after.attempts,
                at=tx.now,
                status_code=one.outcome.status_code,
                error=one.outcome.error,
                milliseconds=one.outcome.milliseconds,
                answer=one.outcome.answer,
            )
            for one in noted
        ],
    )
    _FORGET.many(
        tx.conn,
        [
            {"delivery_id": one.before.id, "until": one.after.attempts - WEBHOOK_ATTEMPTS_KEPT}
            for one in noted
            if one.after.attempts > WEBHOOK_ATTEMPTS_KEPT
        ],
    )
