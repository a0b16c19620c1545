"""What must always hold of approvals, for `svc check`."""

from collections.abc import Callable, Iterable
from typing import Final

import sqlalchemy as sa

from svc.domain.approvals.cards import DECIDED
from svc.storage.approvals.tables import approvals
from svc.storage.tables import audit

Broken = Callable[[sa.Connection], Iterable[str]]
"""Names each violation."""

_STATE: Final = approvals.c.state


def _ids(*where: sa.ColumnElement[bool]) -> Broken:
    return lambda conn: conn.scalars(sa.select(approvals.c.id).where(*where))


def _audited(action: str, outcome: str) -> sa.ColumnElement[bool]:
    """Whether the trail says so of the card. The trail is searched once for all of them."""
    said = sa.select(audit.c.target).where(
        audit.c.action == action, audit.c.outcome == outcome, audit.c.asked_by.is_not(None)
    )
    return approvals.c.id.in_(said.where(audit.c.target.is_not(None)))


INVARIANTS: Final[dict[str, Broken]] = {
    "every approval that was decided says by whom and when, and no other does": _ids(
        sa.or_(
            _STATE.in_(DECIDED) != approvals.c.decided_by.is_not(None),
            _STATE.in_(DECIDED) != approvals.c.decided_at.is_not(None),
            sa.and_(approvals.c.uncollected_since.is_not(None), _STATE.not_in(DECIDED)),
        )
    ),
    "every decision on an approval is in the audit trail, with what asked for it": _ids(
        sa.or_(
            (_STATE == "approved") & ~_audited("approval.approve", "done"),
            (_STATE == "failed") & ~_audited("approval.approve", "refused"),
            (_STATE == "rejected") & ~_audited("approval.reject", "done"),
        )
    ),
    "an approval has the answer of its tool where it is approved, and its refusal where it failed": _ids(
        sa.or_(
            approvals.c.answer.is_not(None) != sa.and_(_STATE == "approved", approvals.c.tool.is_not(None)),
            approvals.c.error.is_not(None) != (_STATE == "failed"),
        )
    ),
    "every agent's approval is of a tool and a conversation, every workflow's of a run alone": _ids(
        sa.or_(
            *(
                (approvals.c.asker_kind == "agent") != column.is_not(None)
                for column in (
                    approvals.c.tool,
                    approvals.c.input,
                    approvals.c.fingerprint,
                    approvals.c.connection_id,
                    approvals.c.conversation_id,
                )
            ),
            (approvals.c.asker_kind == "workflow") != approvals.c.workflow_id.is_not(None),
        )
    ),
}
"""Checks by invariant. Each reads all rows of its tables."""
