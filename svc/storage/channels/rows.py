"""Rows of connections, conversations, messages and replies, as statements read them."""

from typing import NamedTuple

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
from svc.domain.records.matching import HeldReason


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
