"""How the outbox stands, for operators."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.locale.times import DAY_MS
from svc.storage.mail import tables

_mails: Final = tables.mails


class OutboxStatistics(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Of all organizations."""

    waiting: int
    oldest_created_at: int | None
    """When the oldest mail that waits was queued, ms since the epoch."""
    deferred: int
    """Of those that wait: how many the mail server has refused for now."""
    sent_last_day: int
    failed_last_day: int


def statistics(conn: sa.Connection, now: int) -> OutboxStatistics:
    """Count the outbox."""
    waiting, oldest, deferred = conn.execute(
        sa.select(
            sa.func.count(),
            sa.func.min(_mails.c.created_at),
            sa.func.count().filter(_mails.c.failures > 0),
        ).where(tables.IS_WAITING)
    ).one()
    ended = dict(
        conn.execute(
            sa.select(_mails.c.state, sa.func.count())
            .where(_mails.c.done_at > now - DAY_MS)
            .group_by(_mails.c.state)
        )
        .tuples()
        .all()
    )
    return OutboxStatistics(
        waiting=waiting,
        oldest_created_at=oldest,
        deferred=deferred,
        sent_last_day=ended.get("sent", 0),
        failed_last_day=ended.get("failed", 0),
    )
