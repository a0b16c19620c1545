"""Pruning: mails that were not sent in time are given up, and those that ended long ago are deleted."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.limits import PRUNED_MAX
from svc.domain.mail.limits import MAIL_KEPT_MS
from svc.storage.mail import tables
from svc.storage.mail.outbox import NO_CONTENT
from svc.storage.pruning import UNTIL, Pruner, deletion
from svc.storage.store import Tx

EXPIRED: Final = "it could not be sent in time"
_mails, _links = tables.mails, tables.mailed_links
_TOO_LATE: Final = (
    sa.select(_mails.c.organization_id.label("owner"), _mails.c.id)
    .where(tables.IS_WAITING, _mails.c.expires_at <= UNTIL)
    .limit(PRUNED_MAX)
)


def _give_up(tx: Tx, rows: Sequence[Any], _until: int) -> None:
    """One that was sent since it was found does not wait."""
    tx.conn.execute(
        sa.update(_mails)
        .where(tables.IS_WAITING, _mails.c.id.in_([row.id for row in rows]))
        .values(
            state="failed",
            next_attempt_at=None,
            done_at=tx.now,
            reason=sa.func.coalesce(_mails.c.reason, EXPIRED),
            **NO_CONTENT,
        )
    )


PRUNERS: Final = (
    Pruner(_TOO_LATE, _give_up, life_ms=0),
    deletion(_links, _links.c.expires_at <= UNTIL, life_ms=0),
    deletion(_mails, _mails.c.done_at <= UNTIL, oldest_by=_mails.c.done_at, life_ms=MAIL_KEPT_MS),
)
