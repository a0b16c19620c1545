"""What is due: a run is a row that is written with the message that it is to answer."""

from typing import Any

import sqlalchemy as sa

from svc.storage.agent import agents, runs
from svc.storage.channels import tables
from svc.storage.channels.rows import Conversation
from svc.storage.statements import Statement
from svc.storage.store import Tx

_messages = tables.messages
_NEWEST: Statement[Any] = Statement(
    sa.select(_messages.c.id)
    .where(
        _messages.c.conversation_id == sa.bindparam("conversation_id"),
        _messages.c.direction == "in",
        _messages.c.id >= sa.bindparam("since"),
    )
    .order_by(_messages.c.id.desc())
    .limit(1)
)


def note_message(tx: Tx, connection_id: str, conversation_id: str) -> None:
    """Have the agent answer a message that came in, if one answers there.

    Most connections have none, which takes half as long to see as a look at the conversation.
    """
    if agents.is_enabled(tx.conn, connection_id):
        runs.note_due(tx, conversation_id)


def newest_message(conn: sa.Connection, conversation: Conversation) -> str | None:
    """The id of the last message that came in which the agent is to read; None where there is none."""
    since = conversation.agent_reads_from or ""
    row = _NEWEST.one(conn, conversation_id=conversation.id, since=since)
    return None if row is None else str(row.id)
