"""Silencing of agents: in which conversations they do not answer, since a person looks after them.

The mark and what silenced the agent are one transaction. So an agent that looks at the mark in the unit that
writes its reply never answers after a person. What it wrote and is not handed out yet is cancelled.
"""

import sqlalchemy as sa

from svc.domain.channels.silence import SilencedBy
from svc.domain.errors import Conflict
from svc.domain.events import Source
from svc.domain.ids import AGENT_RUN
from svc.storage.channels import replies, tables
from svc.storage.channels.rows import Conversation
from svc.storage.statements import Statement
from svc.storage.store import Tx

_conversations, _messages, _replies = tables.conversations, tables.messages, tables.replies
_MARK = Statement(
    sa.update(_conversations)
    .where(
        _conversations.c.id == sa.bindparam("conversation_id"), _conversations.c.agent_silenced_at.is_(None)
    )
    .values(
        agent_silenced_at=sa.bindparam("at"),
        agent_silenced_by=sa.bindparam("by"),
        agent_silencer=sa.bindparam("silencer"),
        agent_reason=sa.bindparam("reason"),
    )
)
_NONE = dict.fromkeys(("agent_silenced_at", "agent_silenced_by", "agent_silencer", "agent_reason"))
_END = Statement(
    sa.update(_conversations)
    .where(_conversations.c.id == sa.bindparam("conversation_id"))
    .values(agent_reads_from=sa.bindparam("reads_from"), **_NONE)
)
_TAKE_BACK = Statement(
    sa.update(_conversations)
    .where(
        _conversations.c.id == sa.bindparam("conversation_id"),
        _conversations.c.agent_silencer == sa.bindparam("message_id"),
    )
    .values(**_NONE)
)
_WAITING = Statement(
    sa.select(_replies.c.message_id)
    .join(_messages, _messages.c.id == _replies.c.message_id)
    .where(
        _replies.c.conversation_id == sa.bindparam("conversation_id"),
        tables.IS_OPEN,
        _replies.c.state == replies.WAITING,
        _messages.c.author_kind == "agent",
        _messages.c.author_id.startswith(f"{AGENT_RUN}_", autoescape=True),
    )
)


def silence(
    tx: Tx,
    conversation_id: str,
    by: SilencedBy,
    *,
    source: Source,
    silencer: str | None = None,
    reason: str | None = None,
) -> None:
    """Silence the agent in a conversation, for the first reason alone, and cancel its replies that wait.

    *silencer* is the message from outside that did; *reason* what an agent says that hands over.
    """
    marked = _MARK.changed(
        tx.conn, conversation_id=conversation_id, at=tx.now, by=by, silencer=silencer, reason=reason
    )
    if marked:
        _cancel_replies(tx, conversation_id, source)


def end(tx: Tx, conversation: Conversation, reads_from: str) -> None:
    """End the silence in a conversation: the agent reads messages from the id *reads_from* on."""
    if conversation.silence is not None:
        _END.run(tx.conn, conversation_id=conversation.id, reads_from=reads_from)


def take_back(tx: Tx, conversation_id: str, message_id: str) -> None:
    """End the silence by a message that turned out to be a copy of a reply of ours."""
    _TAKE_BACK.run(tx.conn, conversation_id=conversation_id, message_id=message_id)


def _cancel_replies(tx: Tx, conversation_id: str, source: Source) -> None:
    for row in _WAITING.all(tx.conn, conversation_id=conversation_id):
        try:
            replies.cancel(tx, row.message_id, source=source)
        except Conflict:
            continue  # it expired meanwhile
