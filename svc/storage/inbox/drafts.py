"""Drafts of members, one for each conversation. The reply that is sent deletes it, in one transaction."""

from typing import Final

import sqlalchemy as sa

from svc.domain.inbox.drafts import Draft
from svc.domain.inbox.limits import DRAFT_LIFE_MS
from svc.storage.channels.rows import Conversation
from svc.storage.inbox import tables
from svc.storage.rows import Selection
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace

_drafts: Final = tables.conversation_drafts
_OWN: Final = (
    _drafts.c.conversation_id == sa.bindparam("of_conversation"),
    _drafts.c.person_id == sa.bindparam("of_person"),
)
_DRAFT: Final = Selection(Draft, _drafts)
_FIND: Final = _DRAFT.prepared(_DRAFT.select(*_OWN, _drafts.c.saved_at > sa.bindparam("since")))
_SAVE: Final = Statement(insert_or_replace(_drafts, ["conversation_id", "person_id"]))
_DELETE: Final = Statement(sa.delete(_drafts).where(*_OWN))


def find(conn: sa.Connection, conversation_id: str, person_id: str, now: int) -> Draft | None:
    """The person's draft in the conversation, unless its time is over."""
    return _FIND.one(conn, of_conversation=conversation_id, of_person=person_id, since=now - DRAFT_LIFE_MS)


def save(tx: Tx, conversation: Conversation, person_id: str, text: str) -> Draft:
    """Store the person's draft, instead of the one before."""
    draft = Draft(text=text, saved_at=tx.now)
    _SAVE.run(
        tx.conn,
        organization_id=conversation.organization_id,
        conversation_id=conversation.id,
        person_id=person_id,
        text=draft.text,
        saved_at=draft.saved_at,
    )
    return draft


def delete(tx: Tx, conversation_id: str, person_id: str) -> None:
    """Delete the person's draft, if there is one."""
    _DELETE.run(tx.conn, of_conversation=conversation_id, of_person=person_id)
