"""Answering: who may write in a conversation, and in whose name."""

import sqlalchemy as sa

from svc.domain.channels.connections import Account, check_may_answer
from svc.domain.channels.messages import Author
from svc.domain.identity.callers import Call
from svc.storage.channels import connections, conversations, messages, replies
from svc.storage.channels.messages import Message, NewReply
from svc.storage.identity import accounts, organizations, teams
from svc.storage.store import Tx


def answer(tx: Tx, call: Call, conversation_id: str, asked: NewReply) -> Message:
    """Write a reply in the caller's name.

    Raises `NotFound`, `Conflict`, and `Forbidden` for an account that is not theirs to write from.
    """
    organization_id = call.caller.organization_id
    conversation = conversations.get(tx.conn, organization_id, conversation_id)
    connection = connections.find(tx.conn, conversation.connection_id)
    _check(tx.conn, call, connection.account)
    return messages.reply(
        tx,
        connection,
        conversation,
        asked,
        author=_author(tx.conn, call),
        author_id=call.caller.person_id,
    )


def cancel(tx: Tx, call: Call, message_id: str) -> Message:
    """Take back a reply that waits. Raises `NotFound`, `Conflict` and `Forbidden`."""
    organization_id = call.caller.organization_id
    message = messages.get(tx.conn, organization_id, message_id)
    conversation = conversations.get(tx.conn, organization_id, message.conversation_id)
    _check(tx.conn, call, connections.find(tx.conn, conversation.connection_id).account)
    replies.cancel(tx, message.id)
    return messages.get(tx.conn, organization_id, message_id)


def _check(conn: sa.Connection, call: Call, account: Account) -> None:
    team = teams.people_of(conn, account.id or "") if account.kind == "team" else frozenset[str]()
    check_may_answer(call.caller, account, team)


def _author(conn: sa.Connection, call: Call) -> Author:
    """In whose name: that of the person who calls or whose key it is, or else the organization's."""
    caller = call.caller
    if caller.person_id is None:
        name = organizations.get(conn, caller.organization_id).name
    else:
        name = accounts.get(conn, caller.person_id).name
    return Author(kind="agent" if caller.kind in {"agent", "workflow"} else "member", name=name)
