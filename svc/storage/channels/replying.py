"""Replying: members and keys write in a conversation, if they may, and in a name."""

import msgspec
import sqlalchemy as sa

from svc.domain.channels.attachments import StoredAttachment
from svc.domain.channels.connections import Account, Connection, check_may_answer
from svc.domain.channels.messages import Author
from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.storage.channels import connections, conversations, messages, replies, silences, tables
from svc.storage.channels.messages import Message
from svc.storage.channels.rows import Conversation
from svc.storage.files import uses
from svc.storage.files.uses import FileUse
from svc.storage.identity import accounts, organizations, teams
from svc.storage.statements import Statement
from svc.storage.store import Tx


class NewReply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply to be written."""

    text: str | None = None
    attachments: tuple[StoredAttachment, ...] = ()
    reply_to: str | None = None
    """The id of the message that it answers."""


_INSERT_REPLY = Statement(sa.insert(tables.messages))


def answer(tx: Tx, call: Call, conversation_id: str, new: NewReply) -> Message:
    """Write a reply in the caller's name. A member's silences the agent in the conversation.

    Raises:
        NotFound: no such conversation, or no such message in it to answer.
        Forbidden: the caller may not write from that account.
        Conflict: as for `write`.
    """
    organization_id = call.caller.organization_id
    conversation = conversations.get(tx.conn, organization_id, conversation_id)
    connection = connections.find(tx.conn, conversation.connection_id)
    _check(tx.conn, call, connection.account)
    if conversation.silence is None and call.caller.kind not in {"agent", "workflow"}:
        silences.silence(tx, conversation.id, "member", source=call.source())
    return write(
        tx,
        connection,
        conversation,
        new,
        author=_author(tx.conn, call),
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
        text=new.text,
        attachments=new.attachments,
        reply_to=None if reply_to is None else reply_to.external_id,
        sent_at=None,
        created_at=tx.now,
        reply_id=None,
        status="waiting",
        failure=None,
        error=None,
    )
    _INSERT_REPLY.run(
        tx.conn,
        {
            "id": message_id,
            "organization_id": connection.organization_id,
            "connection_id": connection.id,
            "conversation_id": conversation.id,
            "direction": message.direction,
            "external_id": None,
            "sender": None,
            "author_kind": author.kind,
            "author_id": author_id,
            "author_name": author.name,
            "text": message.text,
            "attachments": msgspec.json.encode(message.attachments).decode() if message.attachments else None,
            "reply_to": message.reply_to,
            "sent_at": None,
            "created_at": tx.now,
        },
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


def _author(conn: sa.Connection, call: Call) -> Author:
    """The author: the person who calls or whose key it is, or else the organization, as of an agent."""
    caller = call.caller
    if caller.person_id is None or caller.kind == "agent":
        name = organizations.get(conn, caller.organization_id).name
    else:
        name = accounts.get(conn, caller.person_id).name
    return Author(kind="agent" if caller.kind in {"agent", "workflow"} else "member", name=name)
