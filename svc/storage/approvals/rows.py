"""Rows of approvals, and the cards that they are."""

from typing import Final

from svc.domain.approvals.cards import AskedBy, AskedByAgent, AskedByWorkflow, AskerKind, Card
from svc.storage.approvals.tables import approvals
from svc.storage.rows import Computed, Rows


def _asked_by(
    kind: AskerKind, connection: str | None, conversation: str | None, workflow: str | None, run_id: str
) -> AskedBy:
    if kind == "agent":
        return AskedByAgent(connection_id=connection or "", conversation_id=conversation or "", run_id=run_id)
    return AskedByWorkflow(workflow_id=workflow or "", run_id=run_id)


def _asker(asked_by: AskedBy) -> tuple[AskerKind, str | None, str | None, str | None, str]:
    if isinstance(asked_by, AskedByAgent):
        return "agent", asked_by.connection_id, asked_by.conversation_id, None, asked_by.run_id
    return "workflow", None, None, asked_by.workflow_id, asked_by.run_id


CARDS: Final = Rows(
    approvals,
    Card,
    members={
        "asked_by": Computed(
            [
                approvals.c[name]
                for name in ("asker_kind", "connection_id", "conversation_id", "workflow_id", "run_id")
            ],
            _asked_by,
            _asker,
        )
    },
    beside=["fingerprint", "over_at"],
    alone=True,
)
"""As they were last decided. Beside a card is a digest of its input, and when it is over."""
