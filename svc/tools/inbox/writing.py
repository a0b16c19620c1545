"""`conversation.draft` and `.note`: what members write that is not sent."""

from typing import Annotated, Final

import msgspec

from svc.domain.errors import Forbidden, NotFound
from svc.domain.identity.callers import Call
from svc.domain.inbox.limits import CONVERSATION_NOTE_CHARS_MAX, DRAFT_CHARS_MAX, MENTIONS_MAX
from svc.domain.input import json as json_input
from svc.storage.channels import conversations
from svc.storage.inbox import drafts, notes
from svc.storage.store import Tx
from svc.tools.inbox import messages
from svc.tools.inbox.conversations import EXAMPLE, ConversationId, MemberId
from svc.tools.inbox.messages import MessageAnswer, note_answer
from svc.tools.inbox.reading import DraftAnswer, draft_answer, person_of
from svc.tools.tool import ToolInput, ToolOutput, about, writes


class SaveDraft(ToolInput, frozen=True, kw_only=True):
    """What the caller has written so far."""

    id: ConversationId
    text: Annotated[str, about(max_length=DRAFT_CHARS_MAX, description="Null or empty: no draft.")] | None


class SavedDraft(ToolOutput, frozen=True, kw_only=True):
    """A conversation, and the caller's draft in it."""

    id: ConversationId
    draft: DraftAnswer | None


@writes(
    "conversation.draft",
    needs="conversations",
    runs="person",
    raises=(NotFound, Forbidden),
    unaudited=True,
    example=SaveDraft(id=EXAMPLE.id, text="It will be by"),
    answer=SavedDraft(
        id=EXAMPLE.id, draft=DraftAnswer(text="It will be by", saved_at="2026-09-18T09:32:00.000Z")
    ),
)
def draft(tx: Tx, call: Call, request: SaveDraft) -> SavedDraft:
    """Save what the caller is writing in a conversation, instead of what was saved before; null deletes it.

    Each member has one draft in each conversation, which nobody else sees: `conversation.get` has it. It is
    kept 30 days after it was last saved, and goes with the reply that is sent. The audit trail does not have
    it.
    """
    json_input.check_storable(request)
    conversation = conversations.get(tx.conn, call.caller.organization_id, request.id)
    person_id = person_of(call)
    if not request.text:
        drafts.delete(tx, conversation.id, person_id)
        return SavedDraft(id=conversation.id, draft=None)
    saved = drafts.save(tx, conversation, person_id, request.text)
    return SavedDraft(id=conversation.id, draft=draft_answer(saved))


class WriteNote(ToolInput, frozen=True, kw_only=True):
    """A note for colleagues."""

    id: ConversationId
    text: Annotated[str, about(min_length=1, max_length=CONVERSATION_NOTE_CHARS_MAX)]
    mentions: Annotated[
        tuple[MemberId, ...],
        about(
            max_length=MENTIONS_MAX,
            description="Members who are to know of it. They need the permission `conversations`.",
        ),
    ] = ()


_NOTE: Final = msgspec.structs.replace(
    messages.EXAMPLE, direction="note", text="Olga knows this lamp.", status=None
)


@writes(
    "conversation.note",
    needs="conversations",
    raises=(NotFound,),
    example=WriteNote(id=EXAMPLE.id, text="Olga knows this lamp."),
    answer=_NOTE,
)
def note(tx: Tx, call: Call, request: WriteNote) -> MessageAnswer:
    """Write a note on a conversation, for members alone. It is never sent, and bridges know nothing of it.

    `message.list` has it among the messages, with `note` as its `direction`. Those whom it mentions see the
    conversation as one that mentions them, and get a mail if they want one: see `notice.set`.
    """
    json_input.check_storable(request)
    conversation = conversations.get(tx.conn, call.caller.organization_id, request.id)
    return note_answer(notes.write(tx, call, conversation, request.text, request.mentions))
