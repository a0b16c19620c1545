"""Rows of connections, conversations, messages and replies, as statements read them; and conversations."""

from typing import Final, NamedTuple

import msgspec

from svc.domain.channels.connections import (
    AccountKind,
    ConnectionStatus,
    Delivery,
    HealthReason,
    HealthState,
    Messenger,
    PauseReason,
)
from svc.domain.channels.messages import AuthorKind, ConversationKind, ConversationStatus, Direction
from svc.domain.channels.replies import Failure, ReplyState
from svc.domain.channels.silence import Silence, SilencedBy
from svc.domain.records.matching import HeldReason
from svc.storage.channels import tables
from svc.storage.channels.conversation_matching import Participant
from svc.storage.readable import LenientDecoder


class ConnectionRow(NamedTuple):
    """A connection's row."""

    id: str
    organization_id: str
    name: str
    account_kind: AccountKind
    account_id: str | None
    messenger: Messenger
    delivery: Delivery
    url: str | None
    contract: str
    status: ConnectionStatus
    pause_reason: PauseReason | None
    health_state: HealthState | None
    health_reason: HealthReason | None
    health_detail: str | None
    health_at: int | None
    secret: bytes | None
    previous_secret: bytes | None
    previous_secret_until: int | None
    created_at: int
    updated_at: int


class ConversationRow(NamedTuple):
    """A conversation's row."""

    id: str
    organization_id: str
    connection_id: str
    external_id: str
    kind: ConversationKind
    title: str | None
    evidence: str
    contact_id: str | None
    held_reason: HeldReason | None
    candidates: str | None
    status: ConversationStatus
    member_id: str | None
    team_id: str | None
    created_at: int
    last_message_at: int
    agent_silenced_at: int | None
    agent_silenced_by: SilencedBy | None
    agent_silencer: str | None
    agent_reason: str | None
    agent_reads_from: str | None


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation. Times are ms since the epoch."""

    id: str
    organization_id: str
    connection_id: str
    external_id: str
    kind: ConversationKind
    title: str | None
    known: Participant
    contact_id: str | None
    held_reason: HeldReason | None
    """Why no contact was chosen, where there are several that it may be."""
    candidates: tuple[str, ...]
    status: ConversationStatus
    member_id: str | None
    """The member that looks after it."""
    team_id: str | None
    created_at: int
    last_message_at: int
    silence: Silence | None = None
    """Why the connection's agent does not answer in it; None while it may."""
    agent_reads_from: str | None = None
    """The id from which on the agent reads messages; None for all of them."""


_evidence: Final = LenientDecoder(
    msgspec.json.Decoder(Participant), Participant, tables.conversations.c.evidence
)
_candidates: Final = LenientDecoder(
    msgspec.json.Decoder(tuple[str, ...]), tuple, tables.conversations.c.candidates
)


def conversation_of(row: ConversationRow) -> Conversation:
    """The conversation of a row. What of it cannot be read is left out."""
    return Conversation(
        id=row.id,
        organization_id=row.organization_id,
        connection_id=row.connection_id,
        external_id=row.external_id,
        kind=row.kind,
        title=row.title,
        contact_id=row.contact_id,
        held_reason=row.held_reason,
        status=row.status,
        member_id=row.member_id,
        team_id=row.team_id,
        created_at=row.created_at,
        last_message_at=row.last_message_at,
        silence=_silence_of(row),
        agent_reads_from=row.agent_reads_from,
        # What cannot be read is learned again: a message of the conversation must not be turned away for it.
        known=_evidence.read(row.evidence, row.id),
        candidates=_candidates.read(row.candidates, row.id),
    )


def _silence_of(row: ConversationRow) -> Silence | None:
    if row.agent_silenced_at is None or row.agent_silenced_by is None:
        return None
    return Silence(by=row.agent_silenced_by, at=row.agent_silenced_at, reason=row.agent_reason)


class MessageRow(NamedTuple):
    """A message's row, with the columns of the reply that it may be."""

    id: str
    conversation_id: str
    direction: Direction
    external_id: str | None
    sender: str | None
    author_kind: AuthorKind | None
    author_name: str | None
    text: str | None
    attachments: str | None
    reply_to: str | None
    sent_at: int | None
    created_at: int
    reply_id: str | None
    state: ReplyState | None
    failure: Failure | None
    error: str | None


class ReplyRow(NamedTuple):
    """A reply's row: its ids, and its `Dispatch`."""

    id: str
    organization_id: str
    connection_id: str
    conversation_id: str
    message_id: str
    state: ReplyState
    expires_at: int
    offer_at: int
    attempts: int
    lapses: int
    push_failures: int
    lease_id: str | None
    lease_expires_at: int | None
    failure: Failure | None


class ReplyStatusRow(NamedTuple):
    """A reply's row, with the status of its connection, on which settling depends."""

    id: str
    organization_id: str
    connection_id: str
    conversation_id: str
    message_id: str
    state: ReplyState
    expires_at: int
    offer_at: int
    attempts: int
    lapses: int
    push_failures: int
    lease_id: str | None
    lease_expires_at: int | None
    failure: Failure | None
    status: ConnectionStatus


class WaitingReplyRow(NamedTuple):
    """A reply's row, with what its bridge gets of its message."""

    id: str
    organization_id: str
    connection_id: str
    conversation_id: str
    message_id: str
    state: ReplyState
    expires_at: int
    offer_at: int
    attempts: int
    lapses: int
    push_failures: int
    lease_id: str | None
    lease_expires_at: int | None
    failure: Failure | None
    created_at: int
    external_id: str
    text: str | None
    attachments: str | None
    reply_to: str | None
    author_kind: AuthorKind
    author_name: str
