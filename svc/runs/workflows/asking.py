"""Approvals that runs ask for: a card is made, and the run waits for the decision on it."""

from typing import Any, Final

import sqlalchemy as sa

from svc.domain.approvals.cards import AskedByWorkflow, Card
from svc.domain.identity.callers import Call
from svc.storage.approvals import approvals, decisions
from svc.storage.store import Tx
from svc.storage.workflows.run_rows import Run

THEN: Final = "then"
ELSE: Final = "else"

NOT_ASKED: Final[dict[str, Any]] = {
    "approvalId": None,
    "state": None,
    "taken": THEN,
    "decidedBy": None,
    "rejectionReason": None,
}
"""What a dry run has of a decision: it goes on as if the person had approved."""


def ask(tx: Tx, call: Call, run: Run, reason: str, seconds: int) -> Card:
    """Make the card of a step. Raises `InvalidInput` and `Conflict`."""
    asked_by = AskedByWorkflow(workflow_id=run.workflow_id, run_id=run.id)
    return approvals.ask(tx, call, asked_by, None, None, reason=reason, seconds=seconds)


def decision(tx: Tx, run: Run, approval_id: str) -> dict[str, Any]:
    """What was decided, as later steps see it. A card that is still undecided has expired."""
    card = approvals.get(tx.conn, run.organization_id, approval_id, tx.now)
    withdraw(tx, run)
    return {
        "approvalId": card.id,
        "state": card.state,
        "taken": THEN if card.state == "approved" else ELSE,
        "decidedBy": card.decided_by,
        "rejectionReason": card.rejection_reason,
    }


def withdraw(tx: Tx, run: Run) -> None:
    """Have the run's waiting card expire, since the run does not wait for it any more."""
    decisions.withdraw(tx, sa.select(sa.literal(run.id)))
