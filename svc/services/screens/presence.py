"""Who else has a conversation open, for the pages that have it open."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection

from svc.actors.inbox.presences import HINT
from svc.actors.system import System
from svc.domain.errors import Forbidden
from svc.domain.identity.callers import Caller
from svc.domain.identity.roles import Permission
from svc.domain.inbox.presence import Activity, Presence
from svc.storage.channels import conversations
from svc.storage.identity import members

NEEDS: Final[Permission] = "conversations"


class PersonPresent(NamedTuple):
    """Somebody else at a conversation."""

    id: str
    name: str
    activity: Activity


async def note(
    system: System, caller: Caller, conversation_id: str, activity: Activity | None
) -> Sequence[PersonPresent]:
    """Note what the caller does at a conversation, None for nothing; who else is there.

    Raises `Forbidden` for who may not read conversations, and `NotFound`.
    """
    if NEEDS not in caller.permissions or caller.person_id is None:
        raise Forbidden(f"this needs the permission {NEEDS}")
    organization_id, person_id = caller.organization_id, caller.person_id
    others = [one for one in system.presences.at(conversation_id) if one.person_id != person_id]
    people = await system.store.of(organization_id).read(_named, organization_id, conversation_id, others)
    # Noted once the conversation is known to be the organization's.
    if system.presences.note(conversation_id, person_id, activity):
        system.screen_hints.note(organization_id, HINT, conversation_id)
    return people


def _named(
    conn: Connection, organization_id: str, conversation_id: str, others: Sequence[Presence]
) -> Sequence[PersonPresent]:
    conversation = conversations.get(conn, organization_id, conversation_id)
    names = members.names(conn, conversation.organization_id, [one.person_id for one in others])
    return [
        PersonPresent(one.person_id, names[one.person_id], one.activity)
        for one in others
        if one.person_id in names
    ]
