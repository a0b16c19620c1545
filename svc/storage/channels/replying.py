"""Replying: members and keys write in a conversation, if they may, and in a name."""

import msgspec
import sqlalchemy as sa

from svc.domain.channels.attachments import StoredAttachment
from svc.domain.channels.connections import Account, Connection, check_may_answer
from svc.domain.channels.messages import Author
from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.storage.channels import connections, conversations, messages, replies, silences
from svc.storage.channels.messages import MESSAGES, Message
from svc.storage.channels.rows import Conversation
from svc.storage.files import uses
from svc.storage.files.uses import FileUse
from svc.storage.identity import accounts, organizations, teams
from svc.storage.store import Tx


class NewReply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply to be written."""

    text: str | None = None
    attachments: tuple[StoredAttachment, ...] = ()
    reply_to: str | None = None
    """The id of the message that it answers."""
    external_reply_to: str | None = None
    """Instead of it: the messenger's id of that message."""
    unless_answered_since: str | None = None
    """The id of a message: where our side has written after it, the reply is refused."""


def answer(tx: Tx, call: Call, conversation_id: str, new: NewReply) -> Message:
    """Write a reply in the caller's name. A member's silences the agent in the conversation.

    Raises:
        NotFound: no such conversation, or no such message in it to answer.
        Forbidden: the caller may not write from that account.
        Conflict: as for `write`; or our side has written since, as *new* says.
    """
    organization_id = call.caller.organization_id
    conversation = conversations.get(tx.conn, organization_id, conversation_id)
    connection = connections.find(tx.conn, conversation.connection_id)
    _check(tx.conn, call, connection.account)
    since = new.unless_answered_since
    if since is not None and messages.answered_since(tx.conn, conversation.id, since):
        raise Conflict("somebody has answered meanwhile: look at it, and send it again if it is still right")
    if conversation.silence is None and call.caller.kind not in {"agent", "workflow"}:
        silences.silence(tx, conversation.id, "member", source=call.source())
    return write(
        tx,
        connection,
        conversation,
        new,
        author=author_of(tx.conn, call),
        author_id=call.run_id if call.caller.kind == "agent" else call.caller.person_id,
    )


def write(
    tx: Tx,
    connection: Connection,
    conversation: Conversation,
    new: NewReply,
    *,
    author: Author,
    author_id: str | None = None,
) -> Message:
    """Write a reply, to go out as soon as it can.

    Raises `NotFound` if the message that it answers is none of the conversation, and `Conflict` if the
    connection is removed, or has more on its way than it may.
    """
    if connection.status == "removed":
        raise Conflict("the connection of this conversation was removed")
    reply_to = None
    if new.reply_to is not None:
        reply_to = messages.get(tx.conn, connection.organization_id, new.reply_to)
        if reply_to.conversation_id != conversation.id:
            raise NotFound("no such message in this conversation")
    message_id = tx.new_id("msg")
    message = Message(
        id=message_id,
        conversation_id=conversation.id,
        direction="out",
        external_id=None,
        sender=None,
        author=author,
        author_id=author_id,
        text=new.text,
        attachments=new.attachments,
        reply_to=new.external_reply_to if reply_to is None else reply_to.external_id,
        sent_at=None,
        created_at=tx.now,
        status="waiting",
    )
    MESSAGES.insert(
        tx.conn,
        message,
        organization_id=connection.organization_id,
        connection_id=connection.id,
    )
    uses.add(
        tx.conn,
        [
            FileUse(attachment.file_id, message_id, str(place), connection.organization_id, "message")
            for place, attachment in enumerate(message.attachments)
            if attachment.file_id is not None
        ],
    )
    reply_id = replies.queue(tx, connection.organization_id, connection.id, conversation.id, message_id)
    conversations.touch(tx, conversation.id)
    return msgspec.structs.replace(message, reply_id=reply_id)


def send_again(tx: Tx, call: Call, message_id: str) -> Message:
    """Write a reply that failed once more, as a new message; the first one refers to it, and stays as it is.

    It is another reply for its bridge, which may ignore one that it has seen.

    Raises:
        NotFound: no such message, or it is no reply.
        Forbidden: the caller may not write from that account.
        Conflict: the reply has not failed, or was sent again already; or as for `write`.
    """
    organization_id = call.caller.organization_id
    first = messages.get(tx.conn, organization_id, message_id)
    state = replies.settle_message(tx, message_id).dispatch.state
    if state != "failed":
        raise Conflict(f"it has not failed: it is {state}")
    if first.sent_again_as is not None:
        raise Conflict("it was sent again already")
    again = NewReply(text=first.text, attachments=first.attachments, external_reply_to=first.reply_to)
    message = answer(tx, call, first.conversation_id, again)
    replies.note_sent_again(tx, first.id, message.id)
    return message


def cancel(tx: Tx, call: Call, message_id: str) -> Message:
    """Cancel a reply that waits.

    Raises:
        NotFound: no such message, or it is no reply.
        Forbidden: the caller may not write from that account.
        Conflict: the reply does not wait any more.
    """
    organization_id = call.caller.organization_id
    message = messages.get(tx.conn, organization_id, message_id)
    conversation = conversations.get(tx.conn, organization_id, message.conversation_id)
    _check(tx.conn, call, connections.find(tx.conn, conversation.connection_id).account)
    replies.cancel(tx, message.id, source=call.source())
    return messages.get(tx.conn, organization_id, message_id)


def _check(conn: sa.Connection, call: Call, account: Account) -> None:
    team = teams.people_of(conn, account.id or "") if account.kind == "team" else frozenset[str]()
    check_may_answer(call.caller, account, team)


def author_of(conn: sa.Connection, call: Call) -> Author:
    """The author: the person who calls or whose key it is, or else the organization, as of an agent."""
    caller = call.caller
    if caller.person_id is None or caller.kind == "agent":
        name = organizations.get(conn, caller.organization_id).name
    else:
        name = accounts.get(conn, caller.person_id).name
    return Author(kind="agent" if caller.kind in {"agent", "workflow"} else "member", name=name)
