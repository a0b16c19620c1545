"""Messages: what was said in conversations, by either side. A reply of ours has to go out as well."""

from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ResourceChanged
from svc.domain.channels import events as channel_events
from svc.domain.channels.attachments import StoredAttachment, as_stored
from svc.domain.channels.messages import (
    Author,
    Direction,
    InboundMessage,
    MessageReceived,
    ReportedError,
    Sender,
    StatusNoted,
    StatusReport,
    at_ms,
)
from svc.domain.channels.participants import Participant
from svc.domain.channels.replies import Failure, ReplyState
from svc.domain.errors import Fault, InvalidInput, NotFound
from svc.domain.events import channel_source
from svc.domain.files.files import Use
from svc.storage.channels import conversations, replies, silences, tables
from svc.storage.channels.rows import Conversation
from svc.storage.events import events
from svc.storage.files import attached, uses
from svc.storage.files.files import NewFile
from svc.storage.readable import each
from svc.storage.rows import Rows, Selection
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_keep


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A message as a list shows it. Times are ms since the epoch."""

    id: str
    conversation_id: str
    direction: Direction
    external_id: str | None
    sender: Sender | None
    author: Author | None
    """The member or key that wrote it, where that is known."""
    author_id: str | None = None
    """The id of that person, or of the agent's run."""
    text: str | None
    attachments: tuple[StoredAttachment, ...]
    reply_to: str | None
    sent_at: int | None
    """When it was sent, by the bridge's clock."""
    created_at: int
    reply_id: str | None = None
    status: ReplyState | None = None
    """How far a reply has come."""
    failure: Failure | None = None
    error: ReportedError | None = None
    sent_again_as: str | None = None
    """Of a reply that failed: the message that says the same once more."""


MESSAGES: Final = Rows(
    tables.messages,
    Message,
    members={
        "author": Selection(
            Author,
            members={"kind": tables.messages.c.author_kind, "name": tables.messages.c.author_name},
            optional=True,
        ),
        "reply_id": tables.replies.c.id,
        "status": tables.replies.c.state,
        "failure": tables.replies.c.failure,
        "error": tables.replies.c.error,
        "sent_again_as": tables.replies.c.sent_again_as,
    },
    nulls=["attachments"],
    beside=["organization_id", "connection_id"],
)
_JOINED: Final = tables.messages.outerjoin(
    tables.replies, tables.replies.c.message_id == tables.messages.c.id
)
_GET = MESSAGES.prepared(
    MESSAGES.select(
        tables.messages.c.id == sa.bindparam("message_id"),
        tables.messages.c.organization_id == sa.bindparam("organization_id"),
    ).select_from(_JOINED)
)
# A message that is received twice is stored once: the unique index decides between concurrent calls.
_INSERT = Statement(insert_or_keep(tables.messages, ["connection_id", "conversation_id", "external_id"]))


class StoredMessage(NamedTuple):
    """A message that is stored already, with the reply that it may be."""

    id: str
    direction: Direction
    reply_id: str | None


_BY_EXTERNAL_ID = Statement(
    sa.select(tables.messages.c.id, tables.messages.c.direction, tables.replies.c.id.label("reply_id"))
    .outerjoin(tables.replies, tables.replies.c.message_id == tables.messages.c.id)
    .where(
        tables.messages.c.connection_id == sa.bindparam("connection_id"),
        tables.messages.c.conversation_id == sa.bindparam("conversation_id"),
        tables.messages.c.external_id == sa.bindparam("external_id"),
    ),
    StoredMessage,
)
_NAME = Statement(
    sa.update(tables.messages)
    .where(tables.messages.c.id == sa.bindparam("message_id"), tables.messages.c.external_id.is_(None))
    .values(external_id=sa.bindparam("new_external_id"))
)

_BEFORE = Statement(
    MESSAGES.select(
        tables.messages.c.conversation_id == sa.bindparam("conversation_id"),
        tables.messages.c.id < sa.bindparam("before"),
    )
    .select_from(_JOINED)
    .order_by(tables.messages.c.id.desc())
    .limit(sa.bindparam("limit", type_=sa.Integer))
)
_ANSWER_SINCE = Statement(
    sa.select(tables.messages.c.id)
    .where(
        tables.messages.c.conversation_id == sa.bindparam("conversation_id"),
        tables.messages.c.id > sa.bindparam("since"),
        tables.messages.c.direction == "out",
    )
    .limit(1),
    str,
)
_LATEST = Statement(
    MESSAGES.select(
        tables.messages.c.conversation_id == sa.bindparam("conversation_id"),
        tables.messages.c.id >= sa.bindparam("since"),
    )
    .select_from(_JOINED)
    .order_by(tables.messages.c.id.desc())
    .limit(sa.bindparam("limit", type_=sa.Integer))
)


def receive(
    tx: Tx,
    organization_id: str,
    connection_id: str,
    message: InboundMessage,
    contents: Mapping[int, NewFile] = {},
) -> MessageReceived:
    """Store a message of the messenger, once, with its conversation, contact and event.

    *contents* are files on the disk, by the place of the attachment whose data each was. Where there is no
    room for them, the data stays with the message. Raises `InvalidInput` for one without any content.
    """
    if not message.text and not message.attachments:
        raise InvalidInput([Fault("/text", "missing", "is required where there are no attachments")])
    inbound = message.direction == "in"
    conversation = conversations.get_or_create(
        tx,
        organization_id,
        connection_id,
        message.conversation_id,
        facts=message.conversation,
        participant=_known(message.sender) if inbound else None,
    )
    if message.reply_id is not None and not inbound:
        seen = replies.note_seen(tx, connection_id, message.reply_id)
        if seen is not None:
            _name(tx, seen.message_id, connection_id, seen.conversation_id, message.message_id)
            return MessageReceived(duplicate=True, conversation=seen.conversation_id, message=seen.message_id)
    message_id = tx.new_id("msg")
    planned = attached.plan(tx, organization_id, contents)
    attachments = tuple(
        as_stored(attachment, *planned.get(place, ())) for place, attachment in enumerate(message.attachments)
    )
    received = Message(
        id=message_id,
        conversation_id=conversation.id,
        direction=message.direction,
        external_id=message.message_id,
        sender=message.sender,
        author=None,
        text=message.text,
        attachments=attachments,
        reply_to=message.reply_to,
        sent_at=at_ms(message.sent_at),
        created_at=tx.now,
    )
    beside = {"organization_id": organization_id, "connection_id": connection_id}
    if not _INSERT.changed(tx.conn, MESSAGES.values(received) | beside):
        first = _by_external_id(tx.conn, connection_id, conversation.id, message.message_id)
        if first is None:
            raise LookupError("an insert was skipped without the message that it conflicts with")
        return MessageReceived(duplicate=True, conversation=conversation.id, message=first.id)
    attached.add(tx, organization_id, Use("message", message_id), contents, planned)
    if inbound and conversation.status == "closed":
        silences.end(tx, conversation, reads_from=message_id)
    elif not inbound and conversation.silence is None:
        source = channel_source(connection_id, conversation.id)
        silences.silence(tx, conversation.id, "outside", source=source, silencer=message_id)
    conversations.touch(tx, conversation.id)
    if inbound:
        conversations.end_snooze(tx, conversation)
    tx.announce(ResourceChanged(organization_id, "conversation", conversation.id))
    if inbound:
        events.record(tx, organization_id, [_received(conversation, received)])
    return MessageReceived(duplicate=False, conversation=conversation.id, message=message_id)


def note_status(tx: Tx, connection_id: str, report: StatusReport) -> StatusNoted:
    """Store what the messenger did with a reply, and its id there. Raises `NotFound`."""
    noted, reply = replies.note_status(tx, connection_id, report)
    if report.messenger_message_id is not None:
        _name(tx, reply.message_id, connection_id, reply.conversation_id, report.messenger_message_id)
    return noted


def get(conn: sa.Connection, organization_id: str, message_id: str) -> Message:
    """The message. Raises `NotFound`."""
    message = _GET.one(conn, message_id=message_id, organization_id=organization_id)
    if message is None:
        raise NotFound("no such message")
    return message


def latest(conn: sa.Connection, conversation_id: str, limit: int, *, since: str = "") -> list[Message]:
    """The latest messages of a conversation, from the id *since* on, the latest first."""
    rows = _LATEST.all(conn, conversation_id=conversation_id, since=since, limit=limit)
    return each(rows, MESSAGES.make, "messages")


def before(conn: sa.Connection, conversation_id: str, before_id: str, limit: int) -> list[Message]:
    """The conversation's messages before an id, the latest first, in the order in which we got them."""
    rows = _BEFORE.all(conn, conversation_id=conversation_id, before=before_id, limit=limit)
    return each(rows, MESSAGES.make, "messages")


def answered_since(conn: sa.Connection, conversation_id: str, message_id: str) -> bool:
    """Whether our side has written in the conversation after that message."""
    return _ANSWER_SINCE.one(conn, conversation_id=conversation_id, since=message_id) is not None


def _name(tx: Tx, message_id: str, connection_id: str, conversation_id: str, external_id: str) -> None:
    """Store the messenger's id of a reply, by which a copy of it is recognised.

    A copy that came first and was stored is deleted: it is this reply. Another message keeps its id.
    """
    first = _by_external_id(tx.conn, connection_id, conversation_id, external_id)
    if first is not None:
        if first.direction == "in" or first.reply_id is not None:
            return
        tx.conn.execute(sa.delete(tables.messages).where(tables.messages.c.id == first.id))
        uses.end(tx.conn, [first.id])
        silences.take_back(tx, conversation_id, first.id)
    _NAME.run(tx.conn, message_id=message_id, new_external_id=external_id)


def _by_external_id(
    conn: sa.Connection, connection_id: str, conversation_id: str, external_id: str
) -> StoredMessage | None:
    return _BY_EXTERNAL_ID.one(
        conn, connection_id=connection_id, conversation_id=conversation_id, external_id=external_id
    )


def _known(sender: Sender | None) -> Participant | None:
    if sender is None:
        return None
    known = Participant(name=sender.name, phone=sender.phone, email=sender.email, username=sender.username)
    return None if known == Participant() else known


def _received(conversation: Conversation, message: Message) -> channel_events.MessageReceived:
    return channel_events.MessageReceived(
        message_id=message.id,
        conversation_id=conversation.id,
        connection_id=conversation.connection_id,
        contact_id=conversation.contact_id,
        text=message.text,
        attachments=[channel_events.event_attachment(attachment) for attachment in message.attachments],
        source=channel_source(conversation.connection_id, conversation.id),
    )
