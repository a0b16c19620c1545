"""Attempts: what became of each, for its delivery and for its subscription."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.limits import WEBHOOK_ATTEMPTS_KEPT
from svc.domain.webhooks import deliveries as rules
from svc.domain.webhooks import health
from svc.domain.webhooks.deliveries import AttemptOutcome
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.webhooks import batches, deliveries, queues, tables, webhooks
from svc.storage.webhooks.batches import DeliveryBatch
from svc.storage.webhooks.rows import DeliveryRow, WebhookRow

_SPREAD_BYTES: Final = 4
_SPREAD_MAX: Final = (1 << 8 * _SPREAD_BYTES) - 1


class EndedAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that has ended."""

    delivery_id: str
    url: str
    """Where it went. What an address did is not held against another one."""
    outcome: AttemptOutcome
    unsendable: bool = False
    """Whether nothing was sent, since the body cannot be made: it is the last attempt."""


class StoredAttempt(NamedTuple):
    """An attempt as it is stored. `at` is when it ended, ms since the epoch."""

    delivery_id: str
    number: int
    at: int
    status_code: int | None
    error: str | None
    milliseconds: int
    answer: str


_COLUMNS: Final = tuple(tables.webhook_attempts.c[name] for name in StoredAttempt._fields)
_INSERT = Statement(sa.insert(tables.webhook_attempts))
_FORGET = Statement(
    sa.delete(tables.webhook_attempts).where(
        tables.webhook_attempts.c.delivery_id == sa.bindparam("delivery_id"),
        tables.webhook_attempts.c.number <= sa.bindparam("until"),
    )
)


def note_attempts(tx: Tx, webhook_id: str, ended: Iterable[EndedAttempt]) -> None:
    """Store what became of attempts, in the order in which they ended.

    An outcome counts for the delivery as its row is now: one that was cancelled meanwhile stays so. A
    receiver that is gone, or that failed for too long, disables the subscription.
    """
    webhook = webhooks.row_of(tx.conn, webhook_id)
    for attempt in ended:
        row = deliveries.find(tx.conn, attempt.delivery_id)
        if row is None or webhook is None:
            continue  # pruned meanwhile
        _note(tx, row, attempt)
        if attempt.url == webhook.url and not attempt.unsendable:
            webhook = _note_health(tx, webhook, attempt.outcome)


def note_and_load(
    tx: Tx, webhook_id: str, ended: Sequence[EndedAttempt], limit: int, busy: Collection[str]
) -> DeliveryBatch | None:
    """`note_attempts`, and what to attempt next in the same unit of work: see `batches.load`."""
    note_attempts(tx, webhook_id, ended)
    return batches.load(tx.conn, webhook_id, tx.now, limit, busy)


def history(conn: sa.Connection, delivery_ids: Collection[str]) -> dict[str, list[StoredAttempt]]:
    """The attempts that are kept of some deliveries, by delivery, the first ones first."""
    column = tables.webhook_attempts.c
    rows = conn.execute(
        sa.select(*_COLUMNS)
        .where(column.delivery_id.in_(delivery_ids))
        .order_by(column.delivery_id, column.number)
    )
    found: dict[str, list[StoredAttempt]] = {delivery_id: [] for delivery_id in delivery_ids}
    for row in rows:
        found[row.delivery_id].append(StoredAttempt._make(row))
    return found


def _note(tx: Tx, row: DeliveryRow, attempt: EndedAttempt) -> None:
    outcome, before = attempt.outcome, row.progress
    if attempt.unsendable:
        counted = msgspec.structs.replace(before, attempts=before.attempts + 1)
        after = rules.killed(counted, tx.now) or counted
    else:
        after = rules.attempted(before, outcome, tx.now, _spread(tx, outcome))
    queues.write(tx, row, after)
    _INSERT.run(
        tx.conn,
        delivery_id=row.id,
        number=after.attempts,
        at=tx.now,
        status_code=outcome.status_code,
        error=outcome.error,
        milliseconds=outcome.milliseconds,
        answer=outcome.answer,
    )
    if after.attempts > WEBHOOK_ATTEMPTS_KEPT:
        _FORGET.run(tx.conn, delivery_id=row.id, until=after.attempts - WEBHOOK_ATTEMPTS_KEPT)


def _spread(tx: Tx, outcome: AttemptOutcome) -> float:
    return 0.5 if outcome.reached else int.from_bytes(tx.random(_SPREAD_BYTES), "big") / _SPREAD_MAX


def _note_health(tx: Tx, webhook: WebhookRow, outcome: AttemptOutcome) -> WebhookRow:
    """The row of the subscription after an attempt that was sent to its address."""
    since = health.failing_since(webhook.failing_since, outcome, tx.now)
    held = health.held_until(outcome, tx.now)
    held_until = webhook.held_until if held is None else max(held, webhook.held_until or 0)
    if (since, held_until) != (webhook.failing_since, webhook.held_until):
        webhooks.note_health(tx, webhook.id, failing_since=since, held_until=held_until)
    webhook = webhook._replace(failing_since=since, held_until=held_until)
    reason = health.disabled_by(outcome, since, tx.now) if webhook.active else None
    if reason is not None:
        webhooks.disable(tx, webhook.organization_id, webhook.id, reason)
        webhook = webhook._replace(active=False)
    return webhook
