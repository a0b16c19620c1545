"""Rows of approvals, and the cards that they are."""

from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.approvals.cards import AskedBy, AskedByAgent, AskedByWorkflow, AskerKind, Card, CardState
from svc.storage.approvals.tables import approvals


class CardRow(NamedTuple):
    """The row of a card."""

    id: str
    organization_id: str
    state: CardState
    tool: str | None
    input: bytes | None
    reason: str
    asker_kind: AskerKind
    connection_id: str | None
    conversation_id: str | None
    workflow_id: str | None
    run_id: str
    created_at: int
    expires_at: int
    decided_by: str | None
    decided_at: int | None
    answer: bytes | None
    error: bytes | None
    rejection_reason: str | None


_AS_BYTES: Final = frozenset({"input", "answer", "error"})
# JSON as bytes, so that text that is no UTF-8 fails alone.
COLUMNS: Final = tuple(
    sa.cast(approvals.c[name], sa.LargeBinary).label(name) if name in _AS_BYTES else approvals.c[name]
    for name in CardRow._fields
)
_decode_error: Final = msgspec.json.Decoder(dict[str, Any]).decode


def from_row(row: CardRow) -> Card:
    """The card of a row, as it was last decided. Raises `DecodeError`."""
    asked_by: AskedBy
    if row.asker_kind == "agent":
        asked_by = AskedByAgent(
            connection_id=row.connection_id or "",
            conversation_id=row.conversation_id or "",
            run_id=row.run_id,
        )
    else:
        asked_by = AskedByWorkflow(workflow_id=row.workflow_id or "", run_id=row.run_id)
    return Card(
        id=row.id,
        organization_id=row.organization_id,
        state=row.state,
        tool=row.tool,
        input=row.input,
        reason=row.reason,
        asked_by=asked_by,
        created_at=row.created_at,
        expires_at=row.expires_at,
        decided_by=row.decided_by,
        decided_at=row.decided_at,
        answer=row.answer,
        error=None if row.error is None else _decode_error(row.error),
        rejection_reason=row.rejection_reason,
    )
