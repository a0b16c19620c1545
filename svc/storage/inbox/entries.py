"""What a page of a conversation shows: its messages and, for members, their notes among them."""

from collections.abc import Sequence
from typing import TypeAlias

import sqlalchemy as sa

from svc.domain.ids import last_id
from svc.domain.inbox.notes import ConversationNote
from svc.domain.limits import LIST_ROWS
from svc.storage.channels import messages
from svc.storage.channels.messages import Message
from svc.storage.inbox import notes
from svc.storage.pages import Keyset

Entry: TypeAlias = Message | ConversationNote


def list_page(
    conn: sa.Connection,
    conversation_id: str,
    *,
    with_notes: bool,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[Sequence[Entry], str | None]:
    """The conversation's messages, and notes if asked for, the latest first, and the cursor that goes on.

    Both have ids of one kind, whose order is that in which we got them.
    """
    keyset = Keyset(["messages", conversation_id], cursor, limit)
    before = last_id("msg") if keyset.after is None else keyset.after.id
    entries: list[Entry] = [*messages.before(conn, conversation_id, before, limit + 1)]
    if with_notes:
        entries += notes.before(conn, conversation_id, before, limit + 1)
        entries.sort(key=lambda entry: entry.id, reverse=True)
    return keyset.cut(entries[: limit + 1])
