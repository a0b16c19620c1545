"""Approvals: cards are asked for, and read."""

from collections.abc import Collection
from hashlib import sha256
from typing import Final, NamedTuple, assert_never

import msgspec
import sqlalchemy as sa

from svc.domain.approvals import cards
from svc.domain.approvals.cards import AskedBy, AskedByAgent, Card, CardState
from svc.domain.approvals.events import ApprovalCreated
from svc.domain.approvals.limits import (
    APPROVAL_INPUT_BYTES_MAX,
    APPROVAL_REASON_CHARS_MAX,
    APPROVAL_SECONDS,
    APPROVALS_OF_CONVERSATION_MAX,
    APPROVALS_OF_RUN_MAX,
    APPROVALS_WAITING_MAX,
)
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, Unreadable
from svc.domain.identity.callers import Call
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import SECOND_MS, rfc3339
from svc.storage import audit
from svc.storage.approvals.rows import CARDS
from svc.storage.approvals.tables import approvals
from svc.storage.events import events
from svc.storage.pages import Keyset
from svc.storage.readable import each
from svc.storage.statements import Statement
from svc.storage.store import Tx, View


class Visible(msgspec.Struct, frozen=True, kw_only=True):
    """Which cards a list may show."""

    tools: Collection[str]
    """Of these tools."""
    others_but: Collection[str] | None = None
    """Also of all tools but these, such as those that there are no more; None for no others."""
    of_workflows: bool = False
    """Also those of workflows."""


class Waiting(NamedTuple):
    """Cards that wait for a decision."""

    many: int
    since: int | None
    """When the oldest of them was made; None where there are none."""


_WAITS: Final = (approvals.c.state == "waiting", approvals.c.over_at > sa.bindparam("now"))
_OWN: Final = approvals.c.organization_id == sa.bindparam("organization_id")
_GET = CARDS.prepared(CARDS.select(approvals.c.id == sa.bindparam("card_id"), _OWN))
_SAME = CARDS.prepared(
    CARDS.select(
        approvals.c.conversation_id == sa.bindparam("conversation_id"),
        approvals.c.tool == sa.bindparam("tool"),
        approvals.c.fingerprint == sa.bindparam("fingerprint"),
        *_WAITS,
    ).limit(1)
)
_OF_RUN = Statement(
    sa.select(approvals.c.id).where(approvals.c.run_id == sa.bindparam("run_id")).limit(APPROVALS_OF_RUN_MAX)
)
_OF_CONVERSATION = Statement(
    sa.select(approvals.c.id)
    .where(approvals.c.conversation_id == sa.bindparam("conversation_id"), *_WAITS)
    .limit(APPROVALS_OF_CONVERSATION_MAX)
)
_WAITING = Statement(
    sa.select(approvals.c.id)
    .where(_OWN, approvals.c.asker_kind == sa.bindparam("asker_kind"), *_WAITS)
    .limit(APPROVALS_WAITING_MAX)
)

_canonical: Final = msgspec.json.Encoder(order="sorted").encode


def ask(
    tx: Tx,
    call: Call,
    asked_by: AskedBy,
    tool_name: str | None,
    input_json: bytes | None,
    *,
    reason: str,
    seconds: int = APPROVAL_SECONDS,
) -> Card:
    """Make a card, which waits for a person for so many *seconds*; record its event, and audit it.

    The caller has decoded the input as the tool's, and checked that its role may run the tool: nothing of
    that is checked here. Where a card of the same tool, input and conversation waits, it is that one. A
    workflow's card has neither tool nor input.

    Raises `InvalidInput` where the reason or the input is too long, and `Conflict` where the agent's run has
    made as many cards as it may, or too many wait in the conversation or in the organization.
    """
    _check_size(input_json, reason)
    organization_id, kind = call.caller.organization_id, cards.kind_of(asked_by)
    fingerprint = None if input_json is None else fingerprint_of(input_json)
    if isinstance(asked_by, AskedByAgent):
        same = _SAME.one(
            tx.conn,
            conversation_id=asked_by.conversation_id,
            tool=tool_name,
            fingerprint=fingerprint,
            now=tx.now,
        )
        if same is not None:
            return same
        if len(_OF_RUN.all(tx.conn, run_id=asked_by.run_id)) >= APPROVALS_OF_RUN_MAX:
            raise Conflict(f"a run asks for at most {APPROVALS_OF_RUN_MAX} approvals")
        of_conversation = _OF_CONVERSATION.all(tx.conn, conversation_id=asked_by.conversation_id, now=tx.now)
        if len(of_conversation) >= APPROVALS_OF_CONVERSATION_MAX:
            raise Conflict(f"{APPROVALS_OF_CONVERSATION_MAX} approvals wait in this conversation already")
    waiting = _WAITING.all(tx.conn, organization_id=organization_id, asker_kind=kind, now=tx.now)
    if len(waiting) >= APPROVALS_WAITING_MAX:
        raise Conflict(
            f"{APPROVALS_WAITING_MAX} approvals that {kind}s asked for wait already: decide some of them"
        )
    card = Card(
        id=tx.new_id("apr"),
        organization_id=organization_id,
        state="waiting",
        tool=tool_name,
        input=input_json,
        reason=reason,
        asked_by=asked_by,
        created_at=tx.now,
        expires_at=tx.now + seconds * SECOND_MS,
    )
    CARDS.insert(tx.conn, card, fingerprint=fingerprint, over_at=card.expires_at)
    audit.note(tx, call, "approval.ask", card.id)
    _record(tx, call, card)
    return card


def fingerprint_of(input_json: bytes) -> bytes:
    """A digest of the value of an input, however its JSON is written."""
    return sha256(_canonical(msgspec.json.decode(input_json))).digest()


def get(conn: sa.Connection, organization_id: str, card_id: str, now: int) -> Card:
    """The card as it is at *now*. Raises `NotFound`, and `Unreadable`."""
    try:
        card = _GET.one(conn, card_id=card_id, organization_id=organization_id)
    except msgspec.DecodeError as error:
        raise Unreadable(f"what is stored of the approval cannot be read: {error}") from None
    if card is None:
        raise NotFound(f"there is no approval {shown(card_id)}")
    return cards.as_of(card, now)


def list_page(
    view: View,
    organization_id: str,
    visible: Visible,
    *,
    state: CardState | None = None,
    ended: bool | None = None,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Card], str | None]:
    """The organization's cards that are *visible*, the newest first, and the cursor that goes on.

    Raises `InvalidInput` for a cursor that is none.
    """
    keyset = Keyset(["approvals", state, *([] if ended is None else [ended])], cursor, limit)
    wanted = CARDS.select(approvals.c.organization_id == organization_id, _shown(visible))
    if state is not None:
        wanted = wanted.where(_in_state(state, view.now))
    if ended is not None:
        waits = _in_state("waiting", view.now)
        wanted = wanted.where(~waits if ended else waits)
    rows, next_cursor = keyset.fetch(view.conn, wanted, approvals.c.id, newest_first=True)
    found = each(rows, CARDS.make, "approvals")
    return [cards.as_of(card, view.now) for card in found], next_cursor


def waiting(view: View, organization_id: str, visible: Visible) -> Waiting:
    """How many of the organization's cards that are *visible* wait, and since when the oldest does."""
    counted = sa.select(sa.func.count(), sa.func.min(approvals.c.created_at)).where(
        approvals.c.organization_id == organization_id, _in_state("waiting", view.now), _shown(visible)
    )
    many, since = view.conn.execute(counted).one()
    return Waiting(many, since)


def _check_size(input_json: bytes | None, reason: str) -> None:
    faults = []
    if len(reason) > APPROVAL_REASON_CHARS_MAX:
        detail = f"must have at most {APPROVAL_REASON_CHARS_MAX:,} characters, not {len(reason):,}"
        faults.append(Fault("/reason", "invalid_value", detail))
    if input_json is not None and len(input_json) > APPROVAL_INPUT_BYTES_MAX:
        detail = f"what is approved has at most {APPROVAL_INPUT_BYTES_MAX:,} bytes, not {len(input_json):,}"
        faults.append(Fault("", "too_large", detail))
    if faults:
        raise InvalidInput(faults)


def _record(tx: Tx, call: Call, card: Card) -> None:
    """Record the event, without input and reason, which only some callers may see."""
    event = ApprovalCreated(
        approval_id=card.id,
        tool=card.tool,
        asked_by=card.asked_by,
        expires_at=rfc3339(card.expires_at),
        source=call.source(),
    )
    events.record(tx, card.organization_id, [event])


def _shown(visible: Visible) -> sa.ColumnElement[bool]:
    tool = approvals.c.tool
    shown_ = [tool.in_(sorted(visible.tools))]
    if visible.others_but is not None:
        shown_.append(tool.not_in(sorted(visible.others_but)))
    if visible.of_workflows:
        shown_.append(tool.is_(None))
    return sa.or_(*shown_)


def _in_state(state: CardState, now: int) -> sa.ColumnElement[bool]:
    stored, lapsed = approvals.c.state == state, approvals.c.over_at <= now
    match state:
        case "waiting":
            return stored & ~lapsed
        case "expired":
            return sa.or_(stored, (approvals.c.state == "waiting") & lapsed)
        case "approved" | "rejected" | "failed":
            return stored
        case _:
            assert_never(state)
