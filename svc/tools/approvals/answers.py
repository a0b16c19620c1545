"""What tools say of approvals: the answer that shows a card, and an example of one."""

from typing import Annotated, Any, Final

import msgspec

from svc.domain.approvals.cards import AskedBy, AskedByAgent, Card, CardState
from svc.domain.identity.callers import Caller
from svc.domain.locale.times import Timestamp
from svc.domain.webhooks.rights import TEMPLATE_NEEDS
from svc.tools.projections import Projection
from svc.tools.redaction import shown_to
from svc.tools.tool import ToolOutput, about

EXAMPLE_ID: Final = "apr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"

ApprovalId = Annotated[str, about(description="The approval's id.", examples=[EXAMPLE_ID])]


class ApprovalAnswer(ToolOutput, frozen=True, kw_only=True):
    """What an agent, or a workflow, asks a person for."""

    id: ApprovalId
    state: Annotated[
        CardState,
        about(
            description="`approved`: it was done. `failed`: it was approved, and the tool refused it, so "
            "that nothing was done. `expired`: there was no decision in time, or its run was cancelled."
        ),
    ]
    tool: Annotated[
        str | None, about(description="What is run once it is approved; null for a workflow's step.")
    ]
    input: Annotated[
        dict[str, Any] | None, about(description="What the tool is run with, exactly; null with `tool`.")
    ]
    reason: Annotated[
        str | None,
        about(
            description="Why, in the words of what asks: somebody's text, not a fact. Null on a workflow's "
            "card for callers that may not see all that its template may name: records, submissions, "
            "messages."
        ),
    ]
    asked_by: AskedBy
    created_at: Timestamp
    expires_at: Timestamp
    decided_by: Annotated[str | None, about(description="The id of the person who decided.")]
    decided_at: Timestamp | None
    rejection_reason: Annotated[str | None, about(description="Why it was rejected, if the person said so.")]
    answer: Annotated[Any, about(description="What the tool answered; null unless it is approved.")]
    error: Annotated[
        dict[str, Any] | None,
        about(description="Why the tool refused: `code`, `detail`, and `errors` with pointers into `input`."),
    ]


def _decoded(stored: bytes | None) -> Any:
    return None if stored is None else msgspec.json.decode(stored)


_FACTS: Final[dict[str, Any]] = {
    "input": lambda card: _decoded(card.input),
    "answer": lambda card: _decoded(card.answer),
}
_shown: Final = Projection(Card, ApprovalAnswer, **_FACTS)


def answer_of(caller: Caller, card: Card) -> ApprovalAnswer:
    """The card, with a reason that was filled in from records only where *caller* may see those."""
    shown = _shown(card)
    return shown if card.tool is not None else shown_to(caller, shown, "reason", needs=TEMPLATE_NEEDS)


EXAMPLE: Final = ApprovalAnswer(
    id=EXAMPLE_ID,
    state="waiting",
    tool="record.delete",
    input={"id": "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"},
    reason="The customer asks to have their data deleted.",
    asked_by=AskedByAgent(
        connection_id="con_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
        conversation_id="cnv_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
        run_id="agr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    ),
    created_at="2026-09-18T09:30:00.000Z",
    expires_at="2026-09-25T09:30:00.000Z",
    decided_by=None,
    decided_at=None,
    rejection_reason=None,
    answer=None,
    error=None,
)
