"""The tables of channels: connections, conversations, messages, and replies on their way out."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_organization, of_record, only_where

connections: Final = sa.Table(
    "connections",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("account_kind", sa.Text, nullable=False),
    # The id of a team or a person, by `account_kind`.
    sa.Column("account_id", sa.Text),
    sa.Column("messenger", sa.Text, nullable=False),
    sa.Column("delivery", sa.Text, nullable=False),
    sa.Column("url", sa.Text),
    sa.Column("contract", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("pause_reason", sa.Text),
    sa.Column("health_state", sa.Text),
    sa.Column("health_reason", sa.Text),
    sa.Column("health_detail", sa.Text),
    sa.Column("health_at", sa.BigInteger),
    # Sealed. The previous secret signs as well, until `previous_secret_until`.
    sa.Column("secret", sa.LargeBinary),
    sa.Column("previous_secret", sa.LargeBinary),
    sa.Column("previous_secret_until", sa.BigInteger),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Index("ix_connections_organization_id_id", "organization_id", "id"),
)

channel_keys: Final = sa.Table(
    "channel_keys",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("connection_id", sa.Text, sa.ForeignKey("connections.id"), nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("visible_start", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
    sa.Index("ix_channel_keys_connection_id_id", "connection_id", "id"),
    # Unknown and revoked keys are the same failing search.
    sa.Index(
        "ix_channel_keys_live",
        "digest",
        "connection_id",
        "organization_id",
        **only_where("revoked_at IS NULL"),
    ),
)

conversations: Final = sa.Table(
    "conversations",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("connection_id", sa.Text, sa.ForeignKey("connections.id"), nullable=False),
    sa.Column("external_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("title", sa.Text),
    # The participant as the bridge described them, as JSON.
    sa.Column("evidence", sa.Text, nullable=False),
    of_record("contact_id"),
    sa.Column("held_reason", sa.Text),
    sa.Column("candidates", sa.Text),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("member_id", sa.Text, sa.ForeignKey("people.id")),
    sa.Column("team_id", sa.Text, sa.ForeignKey("teams.id")),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("last_message_at", sa.BigInteger, nullable=False),
    # Since when its connection's agent does not answer in it, and why; all None while it may.
    sa.Column("agent_silenced_at", sa.BigInteger),
    sa.Column("agent_silenced_by", sa.Text),
    # Of a message from outside: its id.
    sa.Column("agent_silencer", sa.Text),
    # Of a hand-over: what the agent said of it.
    sa.Column("agent_reason", sa.Text),
    # The id from which on the agent reads messages; None for all of them.
    sa.Column("agent_reads_from", sa.Text),
    sa.UniqueConstraint("connection_id", "external_id"),
    sa.Index(
        "ix_conversations_organization_id_last_message_at_id", "organization_id", "last_message_at", "id"
    ),
    sa.Index("ix_conversations_contact_id", "contact_id", **only_where("contact_id IS NOT NULL")),
)

messages: Final = sa.Table(
    "messages",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("connection_id", sa.Text, sa.ForeignKey("connections.id"), nullable=False),
    sa.Column("conversation_id", sa.Text, sa.ForeignKey("conversations.id"), nullable=False),
    sa.Column("direction", sa.Text, nullable=False),
    # The messenger's id of it; a reply has none until its bridge reports one.
    sa.Column("external_id", sa.Text),
    sa.Column("sender", sa.Text),
    sa.Column("author_kind", sa.Text),
    # The id of the person, or of the agent's run.
    sa.Column("author_id", sa.Text),
    sa.Column("author_name", sa.Text),
    sa.Column("text", sa.Text),
    sa.Column("attachments", sa.Text),
    # The messenger's id of the message that this one answers.
    sa.Column("reply_to", sa.Text),
    sa.Column("sent_at", sa.BigInteger),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    # A message that a bridge reports twice is stored once.
    sa.UniqueConstraint("connection_id", "conversation_id", "external_id"),
    sa.Index("ix_messages_conversation_id_id", "conversation_id", "id"),
)

OPEN: Final = "state = 'waiting' OR lease_expires_at IS NOT NULL"
"""A reply that waits, is leased or is being pushed. One that a push has delivered is not open: it does not
expire, and the next of its conversation may go out."""


def is_open(name: str) -> sa.TextClause:
    """`OPEN` for the alias *name* of replies, as literal SQL, so that the partial indexes are used."""
    return sa.text(f"({name}.state = 'waiting' OR {name}.lease_expires_at IS NOT NULL)")


IS_OPEN: Final = is_open("replies")

replies: Final = sa.Table(
    "replies",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("connection_id", sa.Text, sa.ForeignKey("connections.id"), nullable=False),
    sa.Column("conversation_id", sa.Text, sa.ForeignKey("conversations.id"), nullable=False),
    sa.Column("message_id", sa.Text, sa.ForeignKey("messages.id"), nullable=False, unique=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("offer_at", sa.BigInteger, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("lapses", sa.Integer, nullable=False),
    sa.Column("push_failures", sa.Integer, nullable=False),
    sa.Column("lease_id", sa.Text),
    sa.Column("lease_expires_at", sa.BigInteger),
    sa.Column("failure", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("changed_at", sa.BigInteger, nullable=False),
    sa.Index("ix_replies_open", "connection_id", "id", **only_where(OPEN)),
    sa.Index("ix_replies_ahead", "conversation_id", "id", **only_where(OPEN)),
)

deliveries: Final = sa.Table(
    "deliveries",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    sa.Column("connection_id", sa.Text, sa.ForeignKey("connections.id"), nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("reply_id", sa.Text, sa.ForeignKey("replies.id"), unique=True),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("attempted_at", sa.BigInteger),
    sa.Column("status_code", sa.Integer),
    sa.Column("error", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("done_at", sa.BigInteger),
    sa.Index("ix_deliveries_connection_id_id", "connection_id", "id"),
    sa.Index("ix_deliveries_due", "connection_id", **only_where("done_at IS NULL AND reply_id IS NULL")),
)
