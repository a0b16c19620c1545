"""The tables of inboxes: what members have read, draft, note and save around conversations."""

from typing import Final

import sqlalchemy as sa

from svc.domain.inbox.limits import DRAFT_LIFE_MS
from svc.storage import schema

conversation_reads: Final = schema.table(
    "conversation_reads",
    schema.of_organization(),
    schema.ref("conversation_id", "conversations.id", primary=True, own="conversations"),
    schema.ref("person_id", "people.id", primary=True, note="the member"),
    # The id of the newest message, received or not, when the member last opened it; "" for never.
    schema.word("read_to", note="the id of the newest message that was there when the member last opened it"),
    # The id of the newest note that mentions the member.
    schema.word("mentioned_in", null=True, note="the id of the newest note that mentions the member"),
    leaves=schema.ExportFile("conversation_reads", "How far a member has read a conversation."),
    life=schema.WITH_PARENT,
    sqlite_with_rowid=False,
)

conversation_drafts: Final = schema.table(
    "conversation_drafts",
    schema.of_organization(),
    schema.ref("conversation_id", "conversations.id", primary=True, own="conversations"),
    schema.ref("person_id", "people.id", primary=True, note="the member who writes it"),
    schema.text("text", schema.SCRUBBED),
    schema.past("saved_at"),
    sa.Index("ix_conversation_drafts_saved_at", "saved_at"),
    leaves=schema.ExportFile("conversation_drafts", "A reply that a member has begun to write."),
    life=schema.expires("saved_at", DRAFT_LIFE_MS),
)

conversation_notes: Final = schema.table(
    "conversation_notes",
    # Of the kind of messages' ids, among which notes are listed.
    schema.id_(),
    schema.of_organization(),
    schema.ref("conversation_id", "conversations.id", own="conversations"),
    schema.word("author_kind"),
    schema.word("author_id", null=True),
    schema.text("author_name", schema.kept("the name of the member who wrote a note")),
    schema.text("text", schema.SCRUBBED),
    schema.json("mentions", tuple[str, ...], schema.NOBODY, null=True, note="the members that it mentions"),
    schema.past("created_at"),
    sa.Index("ix_conversation_notes_conversation_id_id", "conversation_id", "id"),
    leaves=schema.ExportFile("conversation_notes", "A note of a member on a conversation, for colleagues."),
    life=schema.KEPT,
)

reply_templates: Final = schema.table(
    "reply_templates",
    schema.id_(),
    schema.of_organization(),
    schema.ref("person_id", "people.id", note="the member who made it"),
    schema.text("name", schema.SCRUBBED),
    schema.text("text", schema.SCRUBBED),
    schema.flag("shared"),
    schema.number("version"),
    schema.past("created_at"),
    schema.past("updated_at"),
    sa.Index("ix_reply_templates_organization_id", "organization_id"),
    leaves=schema.ExportFile("reply_templates", "A saved reply."),
    life=schema.KEPT,
)
