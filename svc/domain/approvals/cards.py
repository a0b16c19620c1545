"""The state machine of an approval card, as pure functions of the clock.

::

    waiting ──► approved     a person said yes, and what was asked for is done
       ├──────► failed       a person said yes, and the tool refused it: nothing of it is done
       ├──────► rejected     a person said no
       └──────► expired      no decision in time; or its run was cancelled

A card expires by the clock when it is looked at, so that no timer has to be right.
"""

from typing import Any, Final, Literal, TypeAlias

import msgspec

from svc.domain.errors import Conflict, DomainError, InvalidInput

CardState = Literal["waiting", "approved", "rejected", "expired", "failed"]

DECIDED: Final[frozenset[CardState]] = frozenset({"approved", "rejected", "failed"})
"""The states that a person's decision leads to."""


class AskedByAgent(msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="kind", tag="agent"):
    """An agent's run, in a conversation."""

    connection_id: str
    conversation_id: str
    run_id: str


class AskedByWorkflow(
    msgspec.Struct, frozen=True, kw_only=True, rename="camel", tag_field="kind", tag="workflow"
):
    """A workflow's run, at a step `approval`."""

    workflow_id: str
    run_id: str


AskedBy: TypeAlias = AskedByAgent | AskedByWorkflow

AskerKind = Literal["agent", "workflow"]


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """A card. Times are ms since the epoch."""

    id: str
    organization_id: str
    state: CardState
    """As of when it was last decided: see `state_at`."""
    tool: str | None
    """The tool to run; None for a workflow's card, where the decision is all there is."""
    input: bytes | None
    """What it is to be run with, as JSON."""
    reason: str
    asked_by: AskedBy
    created_at: int
    expires_at: int
    decided_by: str | None = None
    """The id of the person."""
    decided_at: int | None = None
    answer: bytes | None = None
    """The tool's answer, as JSON, once it is approved."""
    error: dict[str, Any] | None = None
    """Why the tool refused."""
    rejection_reason: str | None = None


def kind_of(asked_by: AskedBy) -> AskerKind:
    """The kind of what asked."""
    return "agent" if isinstance(asked_by, AskedByAgent) else "workflow"


def state_at(card: Card, now: int) -> CardState:
    """The state of *card* at *now*: one that waits expires when its time is over."""
    return "expired" if card.state == "waiting" and card.expires_at <= now else card.state


def as_of(card: Card, now: int) -> Card:
    """*card* as it is at *now*."""
    return msgspec.structs.replace(card, state=state_at(card, now))


def approved(card: Card, by: str, now: int, *, answer: bytes | None = None) -> Card:
    """*card*, approved *by* a person, with what the tool answered. Raises `Conflict` if it does not wait."""
    return msgspec.structs.replace(_decided(card, "approved", by, now), answer=answer)


def failed(card: Card, by: str, now: int, error: DomainError) -> Card:
    """*card*, approved *by* a person, and refused by the tool. Raises `Conflict` if it does not wait."""
    return msgspec.structs.replace(_decided(card, "failed", by, now), error=error_of(error))


def rejected(card: Card, by: str, now: int, *, reason: str | None = None) -> Card:
    """*card*, rejected *by* a person. Raises `Conflict` if it does not wait."""
    return msgspec.structs.replace(_decided(card, "rejected", by, now), rejection_reason=reason)


def check_waiting(card: Card, now: int) -> None:
    """Raises `Conflict` unless *card* waits for a decision."""
    state = state_at(card, now)
    if state != "waiting":
        raise Conflict(f"the card is decided already: it is {state}" if state in DECIDED else _EXPIRED)


def error_of(error: DomainError) -> dict[str, Any]:
    """What a card says of the tool's refusal."""
    told: dict[str, Any] = {"code": error.code, "detail": str(error)}
    if isinstance(error, InvalidInput):
        told["errors"] = [msgspec.to_builtins(fault) for fault in error.faults]
    return told


_EXPIRED: Final = "the card has expired: nothing is done by it any more"


def _decided(card: Card, state: CardState, by: str, now: int) -> Card:
    check_waiting(card, now)
    return msgspec.structs.replace(card, state=state, decided_by=by, decided_at=now)
