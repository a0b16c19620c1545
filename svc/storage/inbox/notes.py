"""Notes of members on conversations, with those whom they mention. No bridge and no agent reads them."""

from typing import Final

import sqlalchemy as sa

from svc.domain.changes import ResourceChanged
from svc.domain.channels.messages import Author
from svc.domain.errors import Fault, InvalidInput
from svc.domain.identity.callers import Call
from svc.domain.inbox.notes import ConversationNote
from svc.domain.input.near_names import shown
from svc.domain.mail.letters import MailData
from svc.storage.channels import replying
from svc.storage.channels.rows import Conversation
from svc.storage.identity import access
from svc.storage.inbox import reads, tables
from svc.storage.mail import notices
from svc.storage.mail.notices import Notice
from svc.storage.rows import Rows, Selection
from svc.storage.store import Tx

_NEEDS: Final = "conversations"
_MAILED_CHARS: Final = 500
"""Of a note, in the mail to whom it mentions."""
_notes: Final = tables.conversation_notes
NOTES: Final = Rows(
    _notes,
    ConversationNote,
    members={
        "author": Selection(Author, members={"kind": _notes.c.author_kind, "name": _notes.c.author_name})
    },
    nulls=["mentions"],
    empty={"mentions": tuple},
    beside=["organization_id"],
)
_BEFORE: Final = NOTES.prepared(
    NOTES.select(
        _notes.c.conversation_id == sa.bindparam("conversation_id"), _notes.c.id < sa.bindparam("before")
    )
    .order_by(_notes.c.id.desc())
    .limit(sa.bindparam("limit", type_=sa.Integer))
)


def write(
    tx: Tx, call: Call, conversation: Conversation, text: str, mentions: tuple[str, ...]
) -> ConversationNote:
    """Store a note, and tell those whom it mentions.

    Raises `InvalidInput` for one who is no active member, or may not read conversations.
    """
    mentions = tuple(dict.fromkeys(mentions))
    _check_mentions(tx.conn, conversation.organization_id, mentions)
    note = ConversationNote(
        id=tx.new_id("msg"),
        conversation_id=conversation.id,
        author=replying.author_of(tx.conn, call),
        author_id=call.run_id if call.caller.kind == "agent" else call.caller.person_id,
        text=text,
        mentions=mentions,
        created_at=tx.now,
    )
    NOTES.insert(tx.conn, note, organization_id=conversation.organization_id)
    reads.mention(tx, conversation, mentions, note.id)
    data = MailData(id=conversation.id, person=note.author.name, reason=text[:_MAILED_CHARS], at=tx.now)
    notices.tell_some(
        tx, conversation.organization_id, "conversation.mentioned", Notice(note.id, data), mentions
    )
    tx.announce(ResourceChanged(conversation.organization_id, "conversation", conversation.id))
    return note


def before(conn: sa.Connection, conversation_id: str, before_id: str, limit: int) -> list[ConversationNote]:
    """The conversation's notes before an id, the latest first."""
    return _BEFORE.all(conn, conversation_id=conversation_id, before=before_id, limit=limit)


def _check_mentions(conn: sa.Connection, organization_id: str, mentions: tuple[str, ...]) -> None:
    faults = []
    for place, person_id in enumerate(mentions):
        facts = access.of_person(conn, organization_id, person_id)
        member = facts.members.get(person_id)
        if member is None or member.status != "active":
            detail = f"there is no active member {shown(person_id)}"
            faults.append(Fault(f"/mentions/{place}", "not_found", detail))
        elif _NEEDS not in facts.role(member.role_id).permissions:
            detail = "this member's role may not read conversations"
            faults.append(Fault(f"/mentions/{place}", "invalid_value", detail))
    if faults:
        raise InvalidInput(faults)
