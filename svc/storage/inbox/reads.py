"""How far members have read conversations, and where they are mentioned."""

from collections.abc import Iterable
from typing import Final

import sqlalchemy as sa

from svc.storage.channels import tables as channels_tables
from svc.storage.channels.rows import Conversation
from svc.storage.inbox import tables
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_keep

_reads: Final = tables.conversation_reads
_OWN: Final = (
    _reads.c.conversation_id == sa.bindparam("of_conversation"),
    _reads.c.person_id == sa.bindparam("of_person"),
)
_INSERT: Final = Statement(insert_or_keep(_reads, ["conversation_id", "person_id"]))
_READ: Final = Statement(sa.update(_reads).where(*_OWN).values(read_to=sa.bindparam("new_read_to")))
_MENTION: Final = Statement(sa.update(_reads).where(*_OWN).values(mentioned_in=sa.bindparam("note_id")))


def _newest(table: sa.Table) -> Statement[str]:
    """Selects the id of the newest row of a conversation, "" for none."""
    newest = sa.func.coalesce(sa.func.max(table.c.id), "").label("newest")
    return Statement(sa.select(newest).where(table.c.conversation_id == sa.bindparam("conversation_id")), str)


_NEWEST: Final = (_newest(channels_tables.messages), _newest(tables.conversation_notes))


def mark_read(tx: Tx, conversation: Conversation, person_id: str) -> None:
    """Store that the person has read all that there is."""
    newest = max(one.one(tx.conn, conversation_id=conversation.id) or "" for one in _NEWEST)
    _have_row(tx, conversation, person_id)
    _READ.run(tx.conn, of_conversation=conversation.id, of_person=person_id, new_read_to=newest)


def mention(tx: Tx, conversation: Conversation, person_ids: Iterable[str], note_id: str) -> None:
    """Store that these people are mentioned in a note, which they have not read."""
    for person_id in person_ids:
        _have_row(tx, conversation, person_id)
        _MENTION.run(tx.conn, of_conversation=conversation.id, of_person=person_id, note_id=note_id)


def _have_row(tx: Tx, conversation: Conversation, person_id: str) -> None:
    _INSERT.run(
        tx.conn,
        organization_id=conversation.organization_id,
        conversation_id=conversation.id,
        person_id=person_id,
        read_to="",
        mentioned_in=None,
    )
