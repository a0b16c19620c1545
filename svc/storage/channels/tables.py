"""The tables of channels: connections, conversations, messages, and replies on their way out."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    TextClause,
    UniqueConstraint,
    text,
)

from svc.storage.schema import metadata, of_organization, of_record, only_where

connections: Final = Table(
    "connections",
    metadata,
    Column("id", Text, primary_key=True),
    of_organization(),
    Column("name", Text, nullable=False),
    Column("account_kind", Text, nullable=False),
    # A team's or a person's id: which of them, the kind says.
    Column("account_id", Text),
    Column("messenger", Text, nullable=False),
    Column("delivery", Text, nullable=False),
    Column("url", Text),
    Column("contract", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("pause_reason", Text),
    Column("health_state", Text),
    Column("health_reason", Text),
    Column("health_detail", Text),
    Column("health_at", BigInteger),
    # Sealed. The previous one signs too until its time is over.
    Column("secret", LargeBinary),
    Column("previous_secret", LargeBinary),
    Column("previous_secret_until", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("ix_connections_organization_id_id", "organization_id", "id"),
)

channel_keys: Final = Table(
    "channel_keys",
    metadata,
    Column("id", Text, primary_key=True),
    of_organization(),
    Column("connection_id", Text, ForeignKey("connections.id"), nullable=False),
    Column("digest", Text, nullable=False),
    Column("visible_start", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Index("ix_channel_keys_connection_id_id", "connection_id", "id"),
    # Unknown keys and revoked ones are the same search for an entry that is not there.
    Index(
        "ix_channel_keys_live",
        "digest",
        "connection_id",
        "organization_id",
        **only_where("revoked_at IS NULL"),
    ),
)

conversations: Final = Table(
    "conversations",
    metadata,
    Column("id", Text, primary_key=True),
    of_organization(),
    Column("connection_id", Text, ForeignKey("connections.id"), nullable=False),
    Column("external_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("title", Text),
    # Who is at the other end, in the bridge's words, as JSON.
    Column("evidence", Text, nullable=False),
    of_record("contact_id"),
    Column("held_reason", Text),
    Column("candidates", Text),
    Column("status", Text, nullable=False),
    Column("member_id", Text, ForeignKey("people.id")),
    Column("team_id", Text, ForeignKey("teams.id")),
    Column("created_at", BigInteger, nullable=False),
    Column("last_message_at", BigInteger, nullable=False),
    UniqueConstraint("connection_id", "external_id"),
    Index("ix_conversations_organization_id_last_message_at_id", "organization_id", "last_message_at", "id"),
    Index("ix_conversations_contact_id", "contact_id", **only_where("contact_id IS NOT NULL")),
)

messages: Final = Table(
    "messages",
    metadata,
    Column("id", Text, primary_key=True),
    of_organization(),
    Column("connection_id", Text, ForeignKey("connections.id"), nullable=False),
    Column("conversation_id", Text, ForeignKey("conversations.id"), nullable=False),
    Column("direction", Text, nullable=False),
    # The messenger's id of it; a reply has none until its bridge reports one.
    Column("external_id", Text),
    Column("sender", Text),
    Column("author_kind", Text),
    Column("author_id", Text),
    Column("author_name", Text),
    Column("text", Text),
    Column("attachments", Text),
    # The messenger's id of the message that this one answers.
    Column("reply_to", Text),
    Column("sent_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    # What the same bridge says twice is recorded once.
    UniqueConstraint("connection_id", "conversation_id", "external_id"),
    Index("ix_messages_conversation_id_id", "conversation_id", "id"),
)

OPEN: Final = "state = 'waiting' OR lease_expires_at IS NOT NULL"
"""That a reply waits, is leased or is being pushed. What a push has reached is not: nothing ends it, and the
next of its conversation may go."""


def is_open(name: str) -> TextClause:
    """`OPEN` of the replies that a statement calls *name*: written out, so that its indexes are used."""
    return text(f"({name}.state = 'waiting' OR {name}.lease_expires_at IS NOT NULL)")


IS_OPEN: Final = is_open("replies")

replies: Final = Table(
    "replies",
    metadata,
    Column("id", Text, primary_key=True),
    of_organization(),
    Column("connection_id", Text, ForeignKey("connections.id"), nullable=False),
    Column("conversation_id", Text, ForeignKey("conversations.id"), nullable=False),
    Column("message_id", Text, ForeignKey("messages.id"), nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("offer_at", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("lapses", Integer, nullable=False),
    Column("push_failures", Integer, nullable=False),
    Column("lease_id", Text),
    Column("lease_expires_at", BigInteger),
    Column("failure", Text),
    Column("error", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
    Index("ix_replies_open", "connection_id", "id", **only_where(OPEN)),
    Index("ix_replies_ahead", "conversation_id", "id", **only_where(OPEN)),
)

deliveries: Final = Table(
    "deliveries",
    metadata,
    Column("id", Text, primary_key=True),
    of_organization(),
    Column("connection_id", Text, ForeignKey("connections.id"), nullable=False),
    Column("event", Text, nullable=False),
    Column("reply_id", Text, ForeignKey("replies.id"), unique=True),
    Column("attempts", Integer, nullable=False),
    Column("attempted_at", BigInteger),
    Column("status_code", Integer),
    Column("error", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("done_at", BigInteger),
    Index("ix_deliveries_connection_id_id", "connection_id", "id"),
    Index("ix_deliveries_due", "connection_id", **only_where("done_at IS NULL AND reply_id IS NULL")),
)
