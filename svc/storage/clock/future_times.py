"""Stored times that lie further ahead than they can, since a clock was wrong when they were stored.

Left alone, they would take effect one day: a lease without a holder would keep its conversation waiting until
then, and what is over would be kept. So a start sets them to what they would be if it had all happened now.
"""

from typing import Final

import sqlalchemy as sa
import structlog

from svc.domain.limits import (
    INVITATION_LIFE_MS,
    LEASE_MS,
    REPLY_LIFE_MS,
    SESSION_LIFE_MS,
    SIGN_IN_LINK_LIFE_MS,
    SIGNING_OVERLAP_MS,
)
from svc.storage import tables
from svc.storage.channels import tables as channels_tables
from svc.storage.clock import marks as clock_marks
from svc.storage.forms import tables as forms_tables
from svc.storage.identity import tables as identity_tables
from svc.storage.records import tables as records_tables
from svc.storage.sites import tables as sites_tables
from svc.storage.store import Tx

log = structlog.get_logger("svc.storage")

LEADS_MS: Final[tuple[tuple[sa.Column[int], int], ...]] = (
    # When something happened.
    (forms_tables.submissions.c.received_at, 0),
    (forms_tables.submissions.c.queued_at, 0),
    (forms_tables.submissions.c.paced_at, 0),
    (tables.idempotency.c.created_at, 0),
    (tables.events.c.at, 0),
    (identity_tables.sign_in_failures.c.at, 0),
    (identity_tables.sessions.c.seen_at, 0),
    (channels_tables.deliveries.c.attempted_at, 0),
    # Lists are in the order of these.
    (records_tables.records.c.created_at, 0),
    (records_tables.records.c.updated_at, 0),
    (channels_tables.conversations.c.last_message_at, 0),
    (sites_tables.visits.c.at, 0),
    # When something ends or goes on, by how long that takes at most.
    (identity_tables.sessions.c.expires_at, SESSION_LIFE_MS),
    (identity_tables.sign_in_links.c.expires_at, SIGN_IN_LINK_LIFE_MS),
    (identity_tables.invitations.c.expires_at, INVITATION_LIFE_MS),
    (channels_tables.connections.c.previous_secret_until, SIGNING_OVERLAP_MS),
    (channels_tables.replies.c.expires_at, REPLY_LIFE_MS),
    (channels_tables.replies.c.lease_expires_at, LEASE_MS),
    (channels_tables.replies.c.offer_at, REPLY_LIFE_MS),
)
"""How far ahead of now a time in a column can lie, in ms; what lies further becomes that.

Of keys and trials nothing is changed: their expiry was shown to people, who can revoke them.
Nor are confirmations of identity: one in the future does not count.
"""


def put_right(tx: Tx) -> None:
    """Set what lies too far ahead to the latest that it can be, and leave the mark of this time.

    It looks at every row: seconds for millions, before anything else is done.
    """
    changed = sum(_put_right(tx, column, lead_ms) for column, lead_ms in LEADS_MS)
    log.warning("stored times that lay ahead of now were set to now", rows=changed)
    clock_marks.mark(tx)


def _put_right(tx: Tx, column: sa.Column[int], lead_ms: int) -> int:
    latest = tx.now + lead_ms
    # What may be offered later may be offered now as well, and a first offer has no reason to wait.
    becomes = tx.now if column is channels_tables.replies.c.offer_at else latest
    return tx.conn.execute(
        sa.update(column.table).where(column > latest).values({column.name: becomes})
    ).rowcount
