"""The tables of webhooks: subscriptions, deliveries of events to them, and attempts at deliveries."""

from typing import Any, Final

import sqlalchemy as sa

from svc.domain.limits import SIGNING_OVERLAP_MS
from svc.domain.webhooks.limits import (
    WEBHOOK_HOLD_MS_MAX,
    WEBHOOK_RETRIES_MS,
    WEBHOOK_RETRY_AFTER_MS_MAX,
    WEBHOOK_RETRY_SPREAD,
)
from svc.storage import schema

_WAIT_MS_MAX: Final = max(
    WEBHOOK_RETRY_AFTER_MS_MAX, round(WEBHOOK_RETRIES_MS[-1] * (1 + WEBHOOK_RETRY_SPREAD))
)

webhooks: Final = schema.table(
    "webhooks",
    schema.id_(),
    schema.of_organization(),
    schema.text("name", schema.SCRUBBED, null=True),
    schema.text("url", schema.kept(schema.SETTING)),
    # JSON lists: types of events, and slugs of objects.
    schema.json("events", tuple[str, ...], schema.NOBODY),
    schema.json("object_types", tuple[str, ...], schema.NOBODY),
    schema.flag("active"),
    schema.text("disabled_reason", schema.SCRUBBED, null=True),
    schema.past("failing_since", null=True),
    schema.time("held_until", schema.Ahead(WEBHOOK_HOLD_MS_MAX), null=True),
    schema.number("max_per_second", null=True),
    schema.word("contract"),
    # Sealed. The previous secret signs as well, until `previous_secret_until`.
    schema.sealed("secret", null=True),
    schema.sealed("previous_secret", null=True),
    schema.time("previous_secret_until", schema.Ahead(SIGNING_OVERLAP_MS), null=True, stays=schema.SEALED),
    # What becomes of its deliveries that still wait, while they are ended in batches; else NULL.
    schema.word("ending", null=True, stays=schema.INTERNAL),
    schema.number("version"),
    schema.past("created_at"),
    schema.past("updated_at"),
    schema.past("removed_at", null=True),
    schema.PartialIndex(
        "ix_webhooks_organization_id_id", "organization_id", "id", where="removed_at IS NULL"
    ),
    schema.PartialIndex("ix_webhooks_ending", "id", where="ending IS NOT NULL"),
    leaves=schema.ExportFile("webhooks", "A subscription to events."),
    life=schema.KEPT,
)

WAITING: Final = "state = 'waiting'"
FIRST: Final = "state = 'waiting' AND is_first"
"""A delivery that waits, and no earlier one of its subscription and subject does."""
REPLAYED: Final = "state = 'waiting' AND replayed"

webhook_deliveries: Final = schema.table(
    "webhook_deliveries",
    schema.id_(own="deliveries"),
    schema.of_organization(),
    schema.ref("webhook_id", "webhooks.id"),
    # No foreign key: an ended delivery may be kept for longer than its event.
    schema.word("event_id", null=True),
    schema.word("type"),
    schema.word("subject"),
    # The order within a subject: the position of the event, or the newest one when there is no event.
    schema.number("place", sa.BigInteger, stays=schema.INTERNAL),
    schema.word("state"),
    # Whether it waits, and no earlier one of its subscription and subject does.
    schema.flag("is_first", stays=schema.INTERNAL),
    schema.time("next_attempt_at", schema.Ahead(_WAIT_MS_MAX, due=True), null=True),
    schema.number("attempts"),
    schema.number("failures"),
    schema.flag("replayed", note="whether it was asked for again"),
    # Of a call: the run, and the key of its step.
    schema.word("run_id", null=True),
    schema.word("call_key", null=True),
    # The `data` to be sent, as JSON, where there is no event.
    schema.json(
        "body",
        dict[str, Any],
        schema.SCRUBBED,
        null=True,
        blank=schema.ERASED_JSON,
        note="what is sent where there is no event",
    ),
    schema.past("created_at"),
    schema.past("done_at", null=True),
    schema.PartialIndex(
        "ix_webhook_deliveries_event",
        "event_id",
        "webhook_id",
        unique=True,
        where="event_id IS NOT NULL",
    ),
    schema.PartialIndex(
        "ix_webhook_deliveries_call",
        "run_id",
        "call_key",
        unique=True,
        where="run_id IS NOT NULL",
    ),
    sa.Index("ix_webhook_deliveries_webhook_id_id", "webhook_id", "id"),
    schema.PartialIndex(
        "ix_webhook_deliveries_due",
        "webhook_id",
        "replayed",
        "next_attempt_at",
        "id",
        where=FIRST,
    ),
    schema.PartialIndex(
        "ix_webhook_deliveries_waiting", "webhook_id", "subject", "place", "id", where=WAITING
    ),
    schema.PartialIndex("ix_webhook_deliveries_replayed", "webhook_id", "subject", where=REPLAYED),
    schema.PartialIndex("ix_webhook_deliveries_done_at", "done_at", where="done_at IS NOT NULL"),
    leaves=schema.ExportFile(
        "webhook_deliveries", "The delivery of an event, or of a workflow's call, to a subscription."
    ),
    life=schema.PRUNED,
)


def waiting(name: str = "webhook_deliveries") -> sa.TextClause:
    """`WAITING` for the alias *name*, as literal SQL, so that the partial indexes are used."""
    return sa.text(f"{name}.state = 'waiting'")


IS_WAITING: Final = waiting()
IS_FIRST: Final = sa.text("webhook_deliveries.state = 'waiting' AND webhook_deliveries.is_first")
IS_REPLAYED: Final = sa.text("webhook_deliveries.state = 'waiting' AND webhook_deliveries.replayed")

webhook_attempts: Final = schema.table(
    "webhook_attempts",
    schema.ref("delivery_id", "webhook_deliveries.id", primary=True, own="deliveries"),
    schema.number("number", primary=True),
    # When it ended.
    schema.past("at"),
    schema.number("status_code", null=True),
    schema.text("error", schema.SCRUBBED, null=True),
    schema.number("milliseconds"),
    schema.text("answer", schema.SCRUBBED),
    leaves=schema.ExportFile(
        "webhook_attempts", "An attempt at a delivery, with what the receiver answered."
    ),
    through="delivery_id",
    life=schema.PRUNED,
)
