"""Pruning: mails that were not sent in time are given up, and those that ended long ago are deleted."""

from typing import Final

import sqlalchemy as sa

from svc.domain.limits import MAIL_KEPT_MS, PRUNED_MAX
from svc.storage.mail import tables
from svc.storage.store import Tx

EXPIRED: Final = "it could not be sent in time"
_mails: Final = tables.mails


def prune(tx: Tx) -> bool:
    """Give up what has expired, and delete old mails and expired links; whether there may be more."""
    tx.conn.execute(
        sa.update(_mails)
        .where(tables.IS_WAITING, _mails.c.expires_at <= tx.now)
        .values(
            state="failed",
            next_attempt_at=None,
            done_at=tx.now,
            reason=sa.func.coalesce(_mails.c.reason, EXPIRED),
            data=None,
            token=None,
            address=None,
        )
    )
    tx.conn.execute(sa.delete(tables.mailed_links).where(tables.mailed_links.c.expires_at <= tx.now))
    over = (
        sa.select(_mails.c.id)
        .where(_mails.c.done_at <= tx.now - MAIL_KEPT_MS)
        .order_by(_mails.c.done_at)
        .limit(PRUNED_MAX)
    )
    deleted = tx.conn.execute(sa.delete(_mails).where(_mails.c.id.in_(over)))
    return deleted.rowcount == PRUNED_MAX
