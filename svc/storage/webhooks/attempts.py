"""Attempts: what became of each, for its delivery and for its subscription."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.attempts import AttemptOutcome
from svc.domain.limits import WEBHOOK_ATTEMPTS_KEPT
from svc.domain.webhooks import deliveries as rules
from svc.domain.webhooks import health
from svc.domain.webhooks.deliveries import DeliveryProgress
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


class _Noted(NamedTuple):
    """A delivery before and after an attempt, and how that went."""

    before: DeliveryRow
    after: DeliveryProgress
    outcome: AttemptOutcome


_COLUMNS: Final = tuple(tables.webhook_attempts.c[name] for name in StoredAttempt._fields)
_INSERT = Statement(sa.insert(tables.webhook_attempts))
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
    webhook = webhooks.row_of(tx.conn, webhook_id)
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
    rows = conn.execute(
        sa.select(*_COLUMNS)
        .where(column.delivery_id.in_(delivery_ids))
        .order_by(column.delivery_id, column.number)
    )
    found: dict[str, list[StoredAttempt]] = {delivery_id: [] for delivery_id in delivery_ids}
    for row in rows:
        found[row.delivery_id].append(StoredAttempt._make(row))
    return found


def _note_until_disabled(
    tx: Tx, webhook: WebhookRow, ended: Sequence[EndedAttempt]
) -> tuple[WebhookRow, Sequence[EndedAttempt]]:
    """Store outcomes up to the first that disables the subscription, which ends deliveries of the others.

    Returns its row after that, and those others. The rows of all are read and written together: a statement
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
        if attempt.url != webhook.url or attempt.unsendable:
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
    after = webhook._replace(failing_since=since, held_until=held_until, active=webhook.active and not reason)
    return after, left


def _progress_after(tx: Tx, row: DeliveryRow, attempt: EndedAttempt) -> DeliveryProgress:
    if attempt.unsendable:
        counted = msgspec.structs.replace(row.progress, attempts=row.attempts + 1)
        return rules.killed(counted, tx.now) or counted
    return rules.attempted(row.progress, attempt.outcome, tx.now, _spread(tx, attempt.outcome))


def _spread(tx: Tx, outcome: AttemptOutcome) -> float:
    return 0.5 if outcome.reached else int.from_bytes(tx.random(_SPREAD_BYTES), "big") / _SPREAD_MAX


def _latest(before: int | None, at: int | None) -> int | None:
    return before if at is None else max(at, before or 0)


def _write(tx: Tx, noted: Sequence[_Noted]) -> None:
    queues.write(tx, [(one.before, one.after) for one in noted])
    _INSERT.many(
        tx.conn,
        [
            {
                "delivery_id": one.before.id,
                "number": one.after.attempts,
                "at": tx.now,
                "status_code": one.outcome.status_code,
                "error": one.outcome.error,
                "milliseconds": one.outcome.milliseconds,
                "answer": one.outcome.answer,
            }
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
