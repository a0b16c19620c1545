"""The tables of channels: connections, conversations, messages, and replies on their way out."""

from typing import Final

import sqlalchemy as sa

from svc.domain.channels.attachments import StoredAttachment
from svc.domain.channels.limits import LEASE_MS, REPLY_LIFE_MS, SNOOZE_MS_MAX
from svc.domain.channels.messages import ReportedError, Sender
from svc.domain.channels.participants import Participant
from svc.domain.limits import SIGNING_OVERLAP_MS
from svc.storage import schema

connections: Final = schema.table(
    "connections",
    schema.id_(),
    schema.of_organization(),
    schema.text("name", schema.SCRUBBED),
    schema.word("account_kind"),
    # The id of a team or a person, by `account_kind`.
    schema.word("account_id", null=True, note="the team or member whose account it is, by `accountKind`"),
    schema.word("messenger"),
    schema.word("delivery"),
    schema.text("url", schema.kept(schema.SETTING), null=True),
    schema.word("contract"),
    schema.word("status"),
    schema.word("pause_reason", null=True),
    schema.word("health_state", null=True),
    schema.word("health_reason", null=True),
    schema.text("health_detail", schema.SCRUBBED, null=True),
    schema.past("health_at", null=True),
    # Sealed. The previous secret signs as well, until `previous_secret_until`.
    schema.sealed("secret", null=True),
    schema.sealed("previous_secret", null=True),
    schema.time("previous_secret_until", schema.Ahead(SIGNING_OVERLAP_MS), null=True, stays=schema.SEALED),
    schema.past("created_at"),
    schema.past("updated_at"),
    sa.Index("ix_connections_organization_id_id", "organization_id", "id"),
    leaves=schema.ExportFile("connections", "A connection to a messenger, by a bridge."),
    life=schema.KEPT,
)

channel_keys: Final = schema.table(
    "channel_keys",
    schema.id_(),
    schema.of_organization(),
    schema.ref("connection_id", "connections.id"),
    schema.secret_digest(),
    schema.word("visible_start"),
    schema.past("created_at"),
    schema.past("revoked_at", null=True),
    schema.past("last_used_at", null=True),
    sa.Index("ix_channel_keys_connection_id_id", "connection_id", "id"),
    # Unknown and revoked keys are the same failing search.
    schema.PartialIndex(
        "ix_channel_keys_live",
        "digest",
        "connection_id",
        "organization_id",
        where="revoked_at IS NULL",
    ),
    leaves=schema.ExportFile("channel_keys", "A key of a bridge, without the key."),
    life=schema.KEPT,
)

conversations: Final = schema.table(
    "conversations",
    schema.id_(own="conversations"),
    schema.of_organization(),
    schema.ref("connection_id", "connections.id"),
    schema.text(
        "external_id",
        schema.kept("the messenger's id of a group, or of a conversation with another"),
        note="the messenger's id of it",
    ),
    schema.word("kind"),
    schema.text("title", schema.SCRUBBED, null=True),
    # The participant as the bridge described them, as JSON.
    schema.json(
        "evidence", Participant, schema.SCRUBBED, note="the other side, as the bridge last described it"
    ),
    schema.of_record("contact_id"),
    schema.word("held_reason", null=True),
    schema.json(
        "candidates",
        tuple[str, ...],
        schema.SCRUBBED,
        null=True,
        note="contacts that it may be with, while it is held",
    ),
    schema.word("status"),
    schema.ref("member_id", "people.id", null=True),
    schema.ref("team_id", "teams.id", null=True),
    schema.past("created_at"),
    schema.past("last_message_at"),
    # When it last came up: with a message, or as its snooze ended. Lists are in this order.
    schema.past("active_at", default="0", note="when it last came up: a message, or a snooze's end"),
    schema.time("snoozed_until", schema.Ahead(SNOOZE_MS_MAX), null=True),
    # Since when its connection's agent does not answer in it, and why; all None while it may.
    schema.past("agent_silenced_at", null=True),
    schema.word("agent_silenced_by", null=True),
    # Of a message from outside: its id.
    schema.word("agent_silencer", null=True),
    # Of a hand-over: what the agent said of it.
    schema.text("agent_reason", schema.SCRUBBED, null=True),
    # The id from which on the agent reads messages; None for all of them.
    schema.word("agent_reads_from", null=True, note="the id of the first message that the agent reads"),
    sa.UniqueConstraint("connection_id", "external_id"),
    sa.Index("ix_conversations_organization_id_active_at_id", "organization_id", "active_at", "id"),
    # The lists of an inbox: those of one status, and of these one member's or nobody's.
    sa.Index(
        "ix_conversations_organization_id_status_active_at_id", "organization_id", "status", "active_at", "id"
    ),
    sa.Index("ix_conversations_of_members", "organization_id", "status", "member_id", "active_at", "id"),
    schema.PartialIndex(
        "ix_conversations_held",
        "organization_id",
        "active_at",
        "id",
        where="held_reason IS NOT NULL",
    ),
    schema.PartialIndex(
        "ix_conversations_snoozed",
        "organization_id",
        "snoozed_until",
        where="snoozed_until IS NOT NULL",
    ),
    schema.PartialIndex("ix_conversations_contact_id", "contact_id", where="contact_id IS NOT NULL"),
    leaves=schema.ExportFile("conversations", "A conversation with one person or group at a messenger."),
    life=schema.KEPT,
)

messages: Final = schema.table(
    "messages",
    schema.id_(),
    schema.of_organization(),
    schema.ref("connection_id", "connections.id"),
    schema.ref("conversation_id", "conversations.id", own="conversations"),
    schema.word("direction", note="`in` from outside, `out` from the organization"),
    # The messenger's id of it; a reply has none until its bridge reports one.
    schema.word("external_id", null=True, note="the messenger's id of it"),
    schema.json("sender", Sender, schema.SCRUBBED, null=True),
    schema.word("author_kind", null=True),
    # The id of the person, or of the agent's run.
    schema.word("author_id", null=True),
    schema.text("author_name", schema.kept("the name of the member who wrote a reply"), null=True),
    schema.text("text", schema.SCRUBBED, null=True),
    schema.json("attachments", tuple[StoredAttachment, ...], schema.SCRUBBED, null=True),
    # The messenger's id of the message that this one answers.
    schema.word("reply_to", null=True, note="the messenger's id of the message that it answers"),
    schema.past("sent_at", null=True),
    schema.past("created_at"),
    # A message that a bridge reports twice is stored once.
    sa.UniqueConstraint("connection_id", "conversation_id", "external_id"),
    sa.Index("ix_messages_conversation_id_id", "conversation_id", "id"),
    leaves=schema.ExportFile("messages", "A message of a conversation."),
    life=schema.KEPT,
)

OPEN: Final = "state = 'waiting' OR lease_expires_at IS NOT NULL"
"""A reply that waits, is leased or is being pushed. One that a push has delivered is not open: it does not
expire, and the next of its conversation may go out."""


def is_open(name: str) -> sa.TextClause:
    """`OPEN` for the alias *name* of replies, as literal SQL, so that the partial indexes are used."""
    return sa.text(f"({name}.state = 'waiting' OR {name}.lease_expires_at IS NOT NULL)")


IS_OPEN: Final = is_open("replies")

replies: Final = schema.table(
    "replies",
    schema.id_(),
    schema.of_organization(),
    schema.ref("connection_id", "connections.id"),
    schema.ref("conversation_id", "conversations.id", own="conversations"),
    schema.ref("message_id", "messages.id", unique=True),
    schema.word("state"),
    schema.time("expires_at", schema.Ahead(REPLY_LIFE_MS)),
    schema.time("offer_at", schema.Ahead(REPLY_LIFE_MS, due=True)),
    schema.number("attempts"),
    schema.number("lapses"),
    schema.number("push_failures"),
    schema.word("lease_id", null=True, stays=schema.INTERNAL),
    schema.time("lease_expires_at", schema.Ahead(LEASE_MS), null=True, stays=schema.INTERNAL),
    schema.word("failure", null=True),
    schema.json("error", ReportedError, schema.SCRUBBED, null=True),
    # Of one that failed: the id of the message that says the same once more.
    schema.word("sent_again_as", null=True, note="the id of the message that says the same once more"),
    schema.past("created_at"),
    schema.past("changed_at"),
    schema.PartialIndex("ix_replies_open", "connection_id", "id", where=OPEN),
    schema.PartialIndex("ix_replies_ahead", "conversation_id", "id", where=OPEN),
    leaves=schema.ExportFile("replies", "How far a message of the organization has come on its way out."),
    life=schema.KEPT,
)

deliveries: Final = schema.table(
    "deliveries",
    schema.id_(),
    schema.of_organization(),
    schema.ref("connection_id", "connections.id"),
    schema.word("event"),
    schema.ref("reply_id", "replies.id", null=True, unique=True, own="replies"),
    schema.number("attempts"),
    schema.past("attempted_at", null=True),
    schema.number("status_code", null=True),
    schema.text("error", schema.SCRUBBED, null=True),
    schema.past("created_at"),
    schema.past("done_at", null=True),
    schema.number("milliseconds", null=True),
    # Of a test alone: a reply's bridge may repeat it in what it answers, many times over.
    schema.text("answer", schema.SCRUBBED, null=True, note="the beginning of what a test was answered"),
    sa.Index("ix_deliveries_connection_id_id", "connection_id", "id"),
    schema.PartialIndex("ix_deliveries_due", "connection_id", where="done_at IS NULL AND reply_id IS NULL"),
    leaves=schema.ExportFile("pushes", "A push of a reply, or of a test, to a bridge."),
    life=schema.KEPT,
)
