"""Stored times that lie further ahead than they can, since a clock was wrong when they were stored.

Left alone, they would come true one day: a lease that nobody holds would keep its conversation waiting until
then, and what is over would be kept. So a start sets them to what they would be if it had all happened now.
"""

from typing import Final

import structlog
from sqlalchemy import Column, update

from svc.domain.limits import (
    INVITATION_LIFE_MS,
    LEASE_MS,
    REPLY_LIFE_MS,
    SESSION_LIFE_MS,
    SIGN_IN_LINK_LIFE_MS,
    SIGNING_OVERLAP_MS,
)
from svc.storage.channels.tables import connections, conversations, deliveries, replies
from svc.storage.clock import marks as clock_marks
from svc.storage.forms.tables import submissions
from svc.storage.identity.tables import invitations, sessions, sign_in_failures, sign_in_links
from svc.storage.records.tables import records
from svc.storage.sites.tables import visits
from svc.storage.store import Tx
from svc.storage.tables import idempotency

log = structlog.get_logger("svc.storage")

LEADS_MS: Final[tuple[tuple[Column[int], int], ...]] = (
    # When something happened.
    (submissions.c.received_at, 0),
    (submissions.c.queued_at, 0),
    (submissions.c.paced_at, 0),
    (idempotency.c.created_at, 0),
    (sign_in_failures.c.at, 0),
    (sessions.c.seen_at, 0),
    (deliveries.c.attempted_at, 0),
    # Lists are in the order of these.
    (records.c.created_at, 0),
    (records.c.updated_at, 0),
    (conversations.c.last_message_at, 0),
    (visits.c.at, 0),
    # When something ends or goes on, by how long that takes at most.
    (sessions.c.expires_at, SESSION_LIFE_MS),
    (sign_in_links.c.expires_at, SIGN_IN_LINK_LIFE_MS),
    (invitations.c.expires_at, INVITATION_LIFE_MS),
    (connections.c.previous_secret_until, SIGNING_OVERLAP_MS),
    (replies.c.expires_at, REPLY_LIFE_MS),
    (replies.c.lease_expires_at, LEASE_MS),
    (replies.c.offer_at, REPLY_LIFE_MS),
)
"""How far ahead of now a time in a column can lie, in ms; what lies further becomes that.

Of keys and trials nothing is changed: until when they are good was told to people, who can take them back.
When somebody confirmed who they are is not either: what lies in the future does not count.
"""


def put_right(tx: Tx) -> None:
    """Set what lies too far ahead to the latest that it can be, and leave the mark of this time.

    It looks at every row: seconds for millions, before anything else is done.
    """
    changed = sum(_put_right(tx, column, lead_ms) for column, lead_ms in LEADS_MS)
    log.warning("stored times that lay ahead of now were set to now", rows=changed)
    clock_marks.mark(tx)


def _put_right(tx: Tx, column: Column[int], lead_ms: int) -> int:
    latest = tx.now + lead_ms
    # What may be offered later may be offered now as well, and a first offer has no reason to wait.
    becomes = tx.now if column is replies.c.offer_at else latest
    return tx.conn.execute(
        update(column.table).where(column > latest).values({column.name: becomes})
    ).rowcount
