"""`message.*`: what was said in conversations, and the replies that go out."""

from operator import attrgetter
from typing import Annotated, Any, Final, Literal

import msgspec

from svc.domain.channels.attachments import StoredAttachment
from svc.domain.channels.limits import (
    ATTACHMENT_BYTES_MAX,
    ATTACHMENT_NAME_CHARS_MAX,
    ATTACHMENTS_MAX,
    CHANNEL_BODY_BYTES_MAX,
    MEDIA_TYPE_CHARS_MAX,
    MESSAGE_CHARS_MAX,
)
from svc.domain.channels.messages import AttachmentKind, AuthorKind, check_levels
from svc.domain.channels.replies import Failure, ReplyState
from svc.domain.errors import Conflict, Fault, Forbidden, InvalidInput, NotFound
from svc.domain.files.files import may_see
from svc.domain.identity.callers import Call
from svc.domain.inbox.limits import MENTIONS_MAX
from svc.domain.inbox.notes import ConversationNote
from svc.domain.input import json as json_input
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.records.limits import URL_CHARS_MAX
from svc.storage.channels import conversations, replying
from svc.storage.channels.messages import Message
from svc.storage.channels.replying import NewReply
from svc.storage.files import files
from svc.storage.inbox import drafts, entries
from svc.storage.store import Tx, View
from svc.tools.inbox.conversations import ConversationId
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes

MessageId = Annotated[
    str, about(description="The message's id.", examples=["msg_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]

MessageDirection = Literal["in", "out", "note"]


class AttachmentAnswer(ToolOutput, frozen=True, kw_only=True):
    """Something beside the text."""

    kind: AttachmentKind
    url: Annotated[
        str | None,
        about(description="The bridge's address of it, unchecked: treat it with care."),
    ]
    name: str | None
    mime_type: str | None
    size: Annotated[int | None, about(description="Bytes.")]
    data: Annotated[
        dict[str, Any] | str | None, about(description="What came along: coordinates, a card, base64.")
    ]
    file_id: Annotated[str | None, about(description="The file that has its content: see `file.get`.")]


class SenderAnswer(ToolOutput, frozen=True, kw_only=True):
    """The sender, as the messenger reports."""

    id: str | None
    name: str | None
    phone: str | None
    email: str | None
    username: str | None


class AuthorAnswer(ToolOutput, frozen=True, kw_only=True):
    """The member or the agent that wrote it."""

    kind: AuthorKind
    id: Annotated[
        str | None,
        about(description="The member's id; of an agent, the id of its run: see `agent.run_get`."),
    ]
    name: str


class ErrorAnswer(ToolOutput, frozen=True, kw_only=True):
    """Why the messenger did not take it, in the bridge's words."""

    code: str | None
    message: str | None


class MessageAnswer(ToolOutput, frozen=True, kw_only=True):
    """A message."""

    id: MessageId
    conversation_id: ConversationId
    direction: Annotated[
        MessageDirection,
        about(
            description="`in`: from the other side. `out`: from ours. `note`: a note for colleagues, which is"
            " no message and is never sent."
        ),
    ]
    external_id: Annotated[str | None, about(description="Its id in the messenger, where it has one yet.")]
    sender: SenderAnswer | None
    author: Annotated[AuthorAnswer | None, about(description="Null for what was not written here.")]
    text: str | None
    attachments: Annotated[list[AttachmentAnswer], about(max_length=ATTACHMENTS_MAX)]
    reply_to: Annotated[
        str | None, about(description="The id, in the messenger, of the message that it answers.")
    ]
    sent_at: Annotated[Timestamp | None, about(description="By the bridge's clock, which may be wrong.")]
    created_at: Annotated[Timestamp, about(description="When it was recorded here.")]
    status: Annotated[
        ReplyState | None,
        about(
            description="How far a reply has come: it waits, its bridge has taken it, and then what the"
            " messenger did with it. Null for all other messages."
        ),
    ]
    failure: Annotated[
        Failure | None,
        about(
            description="`reported`: the messenger did not take it. `lapsed`: the bridge took it five times"
            " and never said what became of it. `expired`: it waited an hour. `removed`: the connection is"
            " gone. `unreadable`: what is stored of it makes no sense."
        ),
    ]
    error: ErrorAnswer | None
    sent_again_as: Annotated[
        str | None, about(description="Of a reply that failed: the message that says the same once more.")
    ]
    mentions: Annotated[
        list[str], about(description="Of a note: the members that it mentions.", max_length=MENTIONS_MAX)
    ]


def _author(entry: Message | ConversationNote) -> AuthorAnswer | None:
    author = entry.author
    if author is None:
        return None
    return AuthorAnswer(kind=author.kind, id=entry.author_id, name=author.name)


_answer: Final = Projection(
    Message,
    MessageAnswer,
    direction=attrgetter("direction"),
    author=_author,
    mentions=lambda _message: [],
)


def note_answer(note: ConversationNote) -> MessageAnswer:
    """A note as the list of messages has it."""
    return MessageAnswer(
        id=note.id,
        conversation_id=note.conversation_id,
        direction="note",
        external_id=None,
        sender=None,
        author=_author(note),
        text=note.text,
        attachments=[],
        reply_to=None,
        sent_at=None,
        created_at=rfc3339(note.created_at),
        status=None,
        failure=None,
        error=None,
        sent_again_as=None,
        mentions=list(note.mentions),
    )


EXAMPLE: Final = MessageAnswer(
    id="msg_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    conversation_id="cnv_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    direction="out",
    external_id=None,
    sender=None,
    author=AuthorAnswer(kind="member", id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA", name="Olga Petrova"),
    text="Your lamp is ready.",
    attachments=[],
    reply_to=None,
    sent_at=None,
    created_at="2026-09-18T09:32:00.000Z",
    status="waiting",
    failure=None,
    error=None,
    sent_again_as=None,
    mentions=[],
)


class ListMessages(ToolInput, frozen=True, kw_only=True):
    """Of which conversation, and which part of the list."""

    conversation_id: ConversationId
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class MessageList(ToolOutput, frozen=True, kw_only=True):
    """Messages, the latest first, by when they were recorded here."""

    messages: list[MessageAnswer]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "message.list",
    needs="conversations",
    raises=(NotFound,),
    example=ListMessages(conversation_id=EXAMPLE.conversation_id),
    answer=MessageList(messages=[EXAMPLE], next_cursor=None),
)
def list_all(view: View, call: Call, request: ListMessages) -> MessageList:
    """List what was said in a conversation, by both sides, the latest first.

    Notes of members stand among the messages. An agent does not see them: what it reads, a stranger could ask
    it for.
    """
    conversation = conversations.get(view.conn, call.caller.organization_id, request.conversation_id)
    page, next_cursor = entries.list_page(
        view.conn,
        conversation.id,
        with_notes=call.caller.kind != "agent",
        cursor=request.cursor,
        limit=request.limit,
    )
    listed = [_answer(entry) if isinstance(entry, Message) else note_answer(entry) for entry in page]
    return MessageList(messages=listed, next_cursor=next_cursor)


class AttachmentInput(ToolInput, frozen=True, kw_only=True):
    """Something beside the text, which the bridge fetches or has in `data`."""

    kind: AttachmentKind
    url: Annotated[str, about(max_length=URL_CHARS_MAX)] | None = None
    name: Annotated[str, about(max_length=ATTACHMENT_NAME_CHARS_MAX)] | None = None
    mime_type: Annotated[str, about(max_length=MEDIA_TYPE_CHARS_MAX)] | None = None
    size: Annotated[int, about(ge=0, le=ATTACHMENT_BYTES_MAX, description="Bytes.")] | None = None
    data: Annotated[
        dict[str, Any] | str | None, about(description="What comes along: coordinates, a card, base64.")
    ] = None
    file_id: Annotated[
        str | None,
        about(
            description="An uploaded file, instead of `url` and `data`. The bridge gets an address of it"
            " that ends after an hour, and its size, name and type."
        ),
    ] = None

    def __post_init__(self) -> None:
        """Raises `ValueError` for `data` that is nested too deeply."""
        check_levels(self.data)


class WriteReply(ToolInput, frozen=True, kw_only=True):
    """A reply to be written. It has a text, attachments, or both."""

    conversation_id: ConversationId
    text: Annotated[str, about(min_length=1, max_length=MESSAGE_CHARS_MAX)] | None = None
    attachments: Annotated[list[AttachmentInput], about(max_length=ATTACHMENTS_MAX)] = msgspec.field(
        default_factory=list
    )
    reply_to: Annotated[
        MessageId | None, about(description="The message of this conversation that it answers.")
    ] = None
    unless_answered_since: Annotated[
        MessageId | None,
        about(
            description="The newest message that its author has seen. Where our side has written since,"
            " nothing is sent: 409 `conflict`. So of two who answer at once, one does."
        ),
    ] = None


@writes(
    "message.reply",
    needs="conversations",
    raises=(NotFound, Conflict, Forbidden),
    example=WriteReply(conversation_id=EXAMPLE.conversation_id, text=EXAMPLE.text),
    answer=EXAMPLE,
)
def reply(tx: Tx, call: Call, request: WriteReply) -> MessageAnswer:
    """Write a reply, which goes out as soon as the bridge can take it.

    Replies of one conversation go out in their order, each once the one before has come to something. From a
    member's own account only that member answers, and from a team's only its members. A reply that somebody
    writes at a screen deletes their draft in the conversation, in the same transaction.
    """
    if request.text is None and not request.attachments:
        raise InvalidInput([Fault("/text", "missing", "a reply has a text, attachments, or both")])
    if len(msgspec.json.encode(request)) > CHANNEL_BODY_BYTES_MAX:
        raise InvalidInput([Fault("", "too_large", f"a reply has at most {CHANNEL_BODY_BYTES_MAX:,} bytes")])
    json_input.check_storable(request)
    new = NewReply(
        text=request.text,
        attachments=tuple(
            _attached(tx, call, attachment, f"/attachments/{place}")
            for place, attachment in enumerate(request.attachments)
        ),
        reply_to=request.reply_to,
        unless_answered_since=request.unless_answered_since,
    )
    message = replying.answer(tx, call, request.conversation_id, new)
    if call.caller.kind == "person" and call.caller.person_id is not None:
        drafts.delete(tx, message.conversation_id, call.caller.person_id)
    return _answer(message)


def _attached(tx: Tx, call: Call, asked: AttachmentInput, pointer: str) -> StoredAttachment:
    """The attachment as it is stored. Raises `InvalidInput` for a file that the caller may not see."""
    stored = StoredAttachment(**msgspec.structs.asdict(asked))
    if asked.file_id is None:
        return stored
    if asked.url is not None or asked.data is not None:
        detail = "an attachment is a file, or has `url` and `data`"
        raise InvalidInput([Fault(f"{pointer}/fileId", "invalid_value", detail)])
    file = files.find(tx.conn, call.caller.organization_id, asked.file_id)
    if file is None or not may_see(call.caller, file, files.nouns_of(tx.conn, file.id)):
        raise InvalidInput(
            [Fault(f"{pointer}/fileId", "not_found", f"there is no file {shown(asked.file_id)}")]
        )
    return msgspec.structs.replace(
        stored, name=asked.name or file.name, mime_type=asked.mime_type or file.media_type, size=file.size
    )


class MessageById(ToolInput, frozen=True, kw_only=True):
    """Which message."""

    id: MessageId


@writes(
    "message.cancel",
    needs="conversations",
    raises=(NotFound, Conflict, Forbidden),
    example=MessageById(id=EXAMPLE.id),
    answer=msgspec.structs.replace(EXAMPLE, status="cancelled"),
)
def cancel(tx: Tx, call: Call, request: MessageById) -> MessageAnswer:
    """Take back a reply that still waits. What its bridge has taken may be sent already, and stays."""
    return _answer(replying.cancel(tx, call, request.id))


@writes(
    "message.send_again",
    needs="conversations",
    raises=(NotFound, Conflict, Forbidden),
    example=MessageById(id=EXAMPLE.id),
    answer=msgspec.structs.replace(EXAMPLE, id="msg_01K5D3V7Q2M8Z4X6C9B1N0T5RB"),
)
def send_again(tx: Tx, call: Call, request: MessageById) -> MessageAnswer:
    """Send a reply that failed once more: the same text and attachments, as a new message of the caller.

    The answer is the new one. It has an id of its own at its bridge, too, so that a bridge that ignores what
    it has seen sends it. Each failed reply is sent again once; a second call is refused.
    """
    return _answer(replying.send_again(tx, call, request.id))
