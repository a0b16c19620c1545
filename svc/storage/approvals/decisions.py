"""Decisions: how a card ends, and what asked collects it.

What asked goes on once its card is decided. It is told after the commit (`ApprovalDecided`), and until it has
collected the card, that is stored, so that a crash in between loses nothing.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from svc.domain.approvals.cards import AskedByAgent, AskerKind, Card
from svc.domain.approvals.limits import APPROVALS_COLLECTED_MAX
from svc.domain.changes import ApprovalDecided
from svc.storage.approvals.rows import CARDS
from svc.storage.approvals.tables import approvals
from svc.storage.readable import each
from svc.storage.statements import Statement
from svc.storage.store import Tx

_UNCOLLECTED: Statement[Any] = Statement(
    CARDS.select(
        approvals.c.organization_id == sa.bindparam("organization_id"),
        approvals.c.asker_kind == sa.bindparam("asker_kind"),
        approvals.c.uncollected_since.is_not(None),
    )
    .order_by(approvals.c.uncollected_since)
    .limit(APPROVALS_COLLECTED_MAX)
)
_COLLECT = Statement(
    sa.update(approvals).where(approvals.c.id == sa.bindparam("card_id")).values(uncollected_since=None)
)


def decide(tx: Tx, card: Card) -> None:
    """Store a card that was decided, and announce it to what asked."""
    tx.conn.execute(
        CARDS.update(
            approvals.c.id == card.id,
            state=card.state,
            over_at=tx.now,
            decided_by=card.decided_by,
            decided_at=card.decided_at,
            answer=card.answer,
            error=card.error,
            rejection_reason=card.rejection_reason,
            uncollected_since=tx.now,
        )
    )
    asked_by = card.asked_by
    conversation_id = asked_by.conversation_id if isinstance(asked_by, AskedByAgent) else None
    tx.announce(ApprovalDecided(card.organization_id, card.id, conversation_id, asked_by.run_id))


def withdraw(tx: Tx, run_ids: "sa.Select[tuple[str]]") -> None:
    """Have the waiting cards of these runs expire, since what asked does not go on."""
    tx.conn.execute(
        sa.update(approvals)
        .where(approvals.c.run_id.in_(run_ids), approvals.c.state == "waiting")
        .values(
            state="expired",
            over_at=sa.case((approvals.c.over_at < tx.now, approvals.c.over_at), else_=tx.now),
        )
    )


def collect(tx: Tx, organization_id: str, kind: AskerKind) -> list[Card]:
    """The decided cards that were not collected, a batch of the oldest; each is returned once.

    Call it until it returns none. One that cannot be read is left out.
    """
    rows = _UNCOLLECTED.all(tx.conn, organization_id=organization_id, asker_kind=kind)
    _COLLECT.many(tx.conn, [{"card_id": row.id} for row in rows])
    return each(rows, CARDS.make, "approvals")


def organizations_with_uncollected(conn: sa.Connection, kind: AskerKind) -> Sequence[str]:
    """The organizations that have decided cards which were not collected."""
    of = sa.select(approvals.c.organization_id).where(
        approvals.c.asker_kind == kind, approvals.c.uncollected_since.is_not(None)
    )
    return conn.scalars(of.distinct()).all()
