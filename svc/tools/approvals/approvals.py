"""`approval.*`: what agents and workflows ask for, and the decisions of people."""

from typing import Annotated, NoReturn

import msgspec

from svc.domain.approvals import cards
from svc.domain.approvals.cards import Card, CardState
from svc.domain.approvals.limits import APPROVAL_REASON_CHARS_MAX, APPROVALS_WAITING_MAX
from svc.domain.errors import Conflict, DomainError, Forbidden, NotFound, Unavailable
from svc.domain.identity.callers import Call, Caller
from svc.domain.limits import LIST_ROWS
from svc.domain.tool_results import StoredRefusal
from svc.storage import audit
from svc.storage.approvals import approvals, decisions
from svc.storage.store import Tx, View
from svc.tools.approvals import rights
from svc.tools.approvals.answers import EXAMPLE, EXAMPLE_ID, ApprovalAnswer, ApprovalId, answer_of
from svc.tools.registry import registry_of
from svc.tools.runner import runner_of
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes

_DECIDER = "usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"
_DECIDED_AT = "2026-09-18T09:41:00.000Z"


class ListApprovals(ToolInput, frozen=True, kw_only=True):
    """Which approvals to list."""

    state: CardState | None = None
    ended: Annotated[bool | None, about(description="Those that have ended, or those that wait.")] = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class ApprovalList(ToolOutput, frozen=True, kw_only=True):
    """Approvals, the newest first."""

    approvals: tuple[ApprovalAnswer, ...]
    next_cursor: Annotated[str | None, NextCursor]
    waiting: Annotated[
        int,
        about(
            description="How many wait that the caller may decide, whichever are listed.",
            ge=0,
            le=2 * APPROVALS_WAITING_MAX,
        ),
    ]


class NamedApproval(ToolInput, frozen=True, kw_only=True):
    """Which approval."""

    id: ApprovalId


class RejectApproval(NamedApproval, frozen=True, kw_only=True):
    """Which approval to reject, and why."""

    reason: (
        Annotated[
            str, about(max_length=APPROVAL_REASON_CHARS_MAX, description="An agent that asked reads it.")
        ]
        | None
    ) = None


@reads(
    "approval.list",
    example=ListApprovals(state="waiting"),
    answer=ApprovalList(approvals=(EXAMPLE,), next_cursor=None, waiting=1),
)
def list_some(view: View, call: Call, request: ListApprovals) -> ApprovalList:
    """List what agents and workflows ask a person for, the newest first.

    An approval is listed if the caller's role may run its tool; a workflow's, if the caller may see
    workflows.
    """
    organization_id, visible = call.caller.organization_id, rights.visible_to(call.caller, registry_of(call))
    found, next_cursor = approvals.list_page(
        view,
        organization_id,
        visible,
        state=request.state,
        ended=request.ended,
        cursor=request.cursor,
        limit=request.limit,
    )
    return ApprovalList(
        approvals=tuple(answer_of(call.caller, card) for card in found),
        next_cursor=next_cursor,
        waiting=approvals.waiting(view, organization_id, visible).many,
    )


@reads("approval.get", raises=(NotFound,), example=NamedApproval(id=EXAMPLE_ID), answer=EXAMPLE)
def get(view: View, call: Call, request: NamedApproval) -> ApprovalAnswer:
    """Look at one approval: what is to be done, with which input, and what became of it."""
    return answer_of(call.caller, _found(view, call, request.id))


@writes(
    "approval.approve",
    runs="person",
    raises=(NotFound, Conflict),
    example=NamedApproval(id=EXAMPLE_ID),
    answer=msgspec.structs.replace(
        EXAMPLE,
        state="approved",
        decided_by=_DECIDER,
        decided_at=_DECIDED_AT,
        answer={"id": "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA", "deletedAt": _DECIDED_AT},
    ),
)
def approve(tx: Tx, call: Call, request: NamedApproval) -> ApprovalAnswer:
    """Do what was asked for, once, in the name of the person who approves it.

    The tool is run with the input on the card, and whoever approves needs the permission that it takes. If
    the tool refuses, the answer is its problem, with pointers into that input: nothing of it is done, and the
    card is `failed`. A card that was decided, or has expired, is a `conflict`.
    """
    card = _found(tx, call, request.id)
    cards.check_waiting(card, tx.now)
    answer = None if card.tool is None else _run(tx, call, card)
    approved = cards.approved(card, _decider(call.caller), tx.now, answer=answer)
    decisions.decide(tx, approved)
    return answer_of(call.caller, approved)


@writes(
    "approval.reject",
    runs="person",
    raises=(NotFound, Conflict),
    example=RejectApproval(id=EXAMPLE_ID, reason="We have to keep the invoices of this customer."),
    answer=msgspec.structs.replace(
        EXAMPLE,
        state="rejected",
        decided_by=_DECIDER,
        decided_at=_DECIDED_AT,
        rejection_reason="We have to keep the invoices of this customer.",
    ),
)
def reject(tx: Tx, call: Call, request: RejectApproval) -> ApprovalAnswer:
    """Say no to what was asked for: nothing is done.

    An agent is told, with the reason; a workflow goes on with the steps of `else`. It takes the permission
    that approving would take. A card that was decided, or has expired, is a `conflict`.
    """
    card = _found(tx, call, request.id)
    rejected = cards.rejected(card, _decider(call.caller), tx.now, reason=request.reason)
    decisions.decide(tx, rejected)
    return answer_of(call.caller, rejected)


def _found(view: View, call: Call, card_id: str) -> Card:
    """The card, if the caller may see and decide it. Raises `NotFound` and `Forbidden`."""
    card = approvals.get(view.conn, call.caller.organization_id, card_id, view.now)
    rights.check(call.caller, registry_of(call), card)
    return card


def _run(tx: Tx, call: Call, card: Card) -> bytes:
    """Have the tool of *card* run as the approver, and return its answer, as JSON.

    Raises:
        Forbidden, Unavailable: not this person, or not now. Nothing is changed, and the card still waits.
        StoredRefusal: the tool refuses; nothing of it is done, and the card is `failed`.
    """
    approving = msgspec.structs.replace(call, asked_by=msgspec.to_builtins(card.asked_by))
    try:
        return runner_of(call).run_card(tx, approving, card)
    except (Forbidden, Unavailable):
        raise
    except DomainError as error:
        _fail(tx, approving, card, error)


def _fail(tx: Tx, approving: Call, card: Card, error: DomainError) -> NoReturn:
    decisions.decide(tx, cards.failed(card, _decider(approving.caller), tx.now, error))
    audit.note_refusal(tx, approving, approve.name, error.code, card.id)
    raise StoredRefusal(error)


def _decider(caller: Caller) -> str:
    return caller.person_id or caller.id
