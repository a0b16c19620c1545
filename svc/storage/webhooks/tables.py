"""The tables of webhooks: subscriptions, deliveries of events to them, and attempts at deliveries."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_organization, only_where

webhooks: Final = sa.Table(
    "webhooks",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("name", sa.Text),
    sa.Column("url", sa.Text, nullable=False),
    # JSON lists: types of events, and slugs of objects.
    sa.Column("events", sa.Text, nullable=False),
    sa.Column("object_types", sa.Text, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("disabled_reason", sa.Text),
    sa.Column("failing_since", sa.BigInteger),
    sa.Column("held_until", sa.BigInteger),
    sa.Column("max_per_second", sa.Integer),
    sa.Column("contract", sa.Text, nullable=False),
    # Sealed. The previous secret signs as well, until `previous_secret_until`.
    sa.Column("secret", sa.LargeBinary),
    sa.Column("previous_secret", sa.LargeBinary),
    sa.Column("previous_secret_until", sa.BigInteger),
    # What becomes of its deliveries that still wait, while they are ended in batches; else NULL.
    sa.Column("ending", sa.Text),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Column("removed_at", sa.BigInteger),
    sa.Index("ix_webhooks_organization_id_id", "organization_id", "id", **only_where("removed_at IS NULL")),
    sa.Index("ix_webhooks_ending", "id", **only_where("ending IS NOT NULL")),
)

WAITING: Final = "state = 'waiting'"
FIRST: Final = "state = 'waiting' AND is_first"
"""A delivery that waits, and no earlier one of its subscription and subject does."""
REPLAYED: Final = "state = 'waiting' AND replayed"

webhook_deliveries: Final = sa.Table(
    "webhook_deliveries",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("webhook_id", sa.Text, sa.ForeignKey("webhooks.id"), nullable=False),
    # No foreign key: an ended delivery may be kept for longer than its event.
    sa.Column("event_id", sa.Text),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    # The order within a subject: the position of the event, or the newest one when there is no event.
    sa.Column("place", sa.BigInteger, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    # Whether it waits, and no earlier one of its subscription and subject does.
    sa.Column("is_first", sa.Boolean, nullable=False),
    sa.Column("next_attempt_at", sa.BigInteger),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("replayed", sa.Boolean, nullable=False),
    # Of a call: the run, and the key of its step.
    sa.Column("run_id", sa.Text),
    sa.Column("call_key", sa.Text),
    # The `data` to be sent, as JSON, where there is no event.
    sa.Column("body", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("done_at", sa.BigInteger),
    sa.Index(
        "ix_webhook_deliveries_event",
        "event_id",
        "webhook_id",
        unique=True,
        **only_where("event_id IS NOT NULL"),
    ),
    sa.Index(
        "ix_webhook_deliveries_call", "run_id", "call_key", unique=True, **only_where("run_id IS NOT NULL")
    ),
    sa.Index("ix_webhook_deliveries_webhook_id_id", "webhook_id", "id"),
    sa.Index(
        "ix_webhook_deliveries_due", "webhook_id", "replayed", "next_attempt_at", "id", **only_where(FIRST)
    ),
    sa.Index("ix_webhook_deliveries_waiting", "webhook_id", "subject", "place", "id", **only_where(WAITING)),
    sa.Index("ix_webhook_deliveries_replayed", "webhook_id", "subject", **only_where(REPLAYED)),
    sa.Index("ix_webhook_deliveries_done_at", "done_at", **only_where("done_at IS NOT NULL")),
)


def waiting(name: str = "webhook_deliveries") -> sa.TextClause:
    """`WAITING` for the alias *name*, as literal SQL, so that the partial indexes are used."""
    return sa.text(f"{name}.state = 'waiting'")


IS_WAITING: Final = waiting()
IS_FIRST: Final = sa.text("webhook_deliveries.state = 'waiting' AND webhook_deliveries.is_first")
IS_REPLAYED: Final = sa.text("webhook_deliveries.state = 'waiting' AND webhook_deliveries.replayed")

webhook_attempts: Final = sa.Table(
    "webhook_attempts",
    metadata,
    sa.Column("delivery_id", sa.Text, sa.ForeignKey("webhook_deliveries.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    # When it ended.
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("status_code", sa.Integer),
    sa.Column("error", sa.Text),
    sa.Column("milliseconds", sa.Integer, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
)
