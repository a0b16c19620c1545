"""Conversations with one person or group at a messenger."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ResourceChanged
from svc.domain.channels.events import ConversationCreated
from svc.domain.channels.messages import (
    ConversationFacts,
    ConversationStatus,
    Identification,
)
from svc.domain.channels.participants import Participant
from svc.domain.errors import Conflict, Fault, InvalidInput, InvalidValue, NotFound, named_at
from svc.domain.events import channel_source
from svc.domain.input.near_names import shown
from svc.storage.channels import conversation_matching, tables
from svc.storage.channels.rows import CONVERSATIONS, Conversation
from svc.storage.events import events
from svc.storage.identity import members, organizations, teams
from svc.storage.records import contacts
from svc.storage.statements import Statement
from svc.storage.store import Tx

_FIND = CONVERSATIONS.prepared(
    CONVERSATIONS.select(
        tables.conversations.c.connection_id == sa.bindparam("connection_id"),
        tables.conversations.c.external_id == sa.bindparam("external_id"),
    )
)
_GET = CONVERSATIONS.prepared(
    CONVERSATIONS.select(
        tables.conversations.c.id == sa.bindparam("conversation_id"),
        tables.conversations.c.organization_id == sa.bindparam("organization_id"),
    )
)
WAKES_MAX: Final = 100
_DUE = CONVERSATIONS.prepared(
    CONVERSATIONS.select(
        tables.conversations.c.organization_id == sa.bindparam("organization_id"),
        tables.conversations.c.snoozed_until <= sa.bindparam("now"),
    )
    .order_by(tables.conversations.c.snoozed_until)
    .limit(WAKES_MAX)
)
_TOUCH = Statement(
    sa.update(tables.conversations)
    .where(tables.conversations.c.id == sa.bindparam("conversation_id"))
    .values(last_message_at=sa.bindparam("at"), active_at=sa.bindparam("at"), status="open")
)
_WAKE = Statement(
    sa.update(tables.conversations)
    .where(tables.conversations.c.id == sa.bindparam("conversation_id"))
    .values(snoozed_until=None)
)


def get_or_create(
    tx: Tx,
    organization_id: str,
    connection_id: str,
    external_id: str,
    *,
    facts: ConversationFacts | None = None,
    participant: Participant | None = None,
) -> Conversation:
    """The conversation with that id at the messenger, new or not; what *participant* adds is stored."""
    conversation = _FIND.one(tx.conn, connection_id=connection_id, external_id=external_id)
    if conversation is None:
        return _create(
            tx,
            organization_id,
            connection_id,
            external_id,
            facts=facts or ConversationFacts(),
            participant=participant,
        )
    if facts is not None:
        title = facts.title or conversation.title
        if (facts.kind, title) != (conversation.kind, conversation.title):
            conversation = _change(tx, conversation, kind=facts.kind, title=title)
    return conversation if participant is None else _learn(tx, conversation, participant)


def touch(tx: Tx, conversation_id: str) -> None:
    """Reopen the conversation, and make it the latest."""
    _TOUCH.run(tx.conn, conversation_id=conversation_id, at=tx.now)


def end_snooze(tx: Tx, conversation: Conversation) -> None:
    """End the snooze of a conversation that has one, as a message comes in."""
    if conversation.snoozed_until is not None:
        _WAKE.run(tx.conn, conversation_id=conversation.id)


def identify(tx: Tx, organization_id: str, connection_id: str, identification: Identification) -> None:
    """Store evidence of the participant, and match it. Raises `InvalidInput` for invalid evidence."""
    country = organizations.get(tx.conn, organization_id).country
    faults = []
    for place, evidence in enumerate(identification.evidence):
        try:
            conversation_matching.normalise(evidence, country)
        except InvalidValue as error:
            faults.append(Fault(f"/evidence/{place}/value", "invalid_value", str(error)))
    if faults:
        raise InvalidInput(faults)
    participant = Participant(
        name=identification.name, **{evidence.kind: evidence.value for evidence in identification.evidence}
    )
    get_or_create(tx, organization_id, connection_id, identification.conversation_id, participant=participant)


def get(conn: sa.Connection, organization_id: str, conversation_id: str) -> Conversation:
    """The conversation. Raises `NotFound`."""
    conversation = _GET.one(conn, conversation_id=conversation_id, organization_id=organization_id)
    if conversation is None:
        raise NotFound(f"there is no conversation {shown(conversation_id)}")
    return conversation


def assign(
    tx: Tx,
    organization_id: str,
    conversation_id: str,
    *,
    member_id: str | msgspec.UnsetType | None = msgspec.UNSET,
    team_id: str | msgspec.UnsetType | None = msgspec.UNSET,
    contact_id: str | msgspec.UnsetType | None = msgspec.UNSET,
) -> Conversation:
    """Assign a conversation to a member or team, or to a contact; None for a new one.

    Raises:
        NotFound: no such conversation.
        InvalidInput: no such member, team or contact; or nothing is known of which to make a contact.
        Conflict: the member is not active.
    """
    conversation = get(tx.conn, organization_id, conversation_id)
    values: dict[str, Any] = {}
    if member_id is not msgspec.UNSET:
        values["member_id"] = member_id
        with named_at("/memberId"):
            member = member_id and members.get(tx.conn, organization_id, member_id)
        if member and member.status != "active":
            raise Conflict("this member is not active")
    if team_id is not msgspec.UNSET:
        with named_at("/teamId"):
            values["team_id"] = team_id and teams.get(tx.conn, organization_id, team_id).id
    if values:
        _change(tx, conversation, **values)
    if contact_id is None:
        _make_contact(tx, conversation)
    elif contact_id is not msgspec.UNSET:
        if not contacts.by_ids(tx.conn, organization_id, [contact_id]):
            detail = f"there is no contact {shown(contact_id)}"
            raise InvalidInput([Fault("/contactId", "not_found", detail)])
        _match(tx, conversation, chosen=contact_id)
    return get(tx.conn, organization_id, conversation_id)


def set_status(
    tx: Tx, organization_id: str, conversation_id: str, status: ConversationStatus
) -> Conversation:
    """Close or reopen a conversation, which ends its snooze. The next message reopens it anyway.

    Raises `NotFound`.
    """
    before = get(tx.conn, organization_id, conversation_id)
    return _change(tx, before, status=status, snoozed_until=None)


def snooze(tx: Tx, organization_id: str, conversation_id: str, until: int | None) -> Conversation:
    """Snooze a conversation *until* a time, in ms since the epoch, or end its snooze.

    Raises `NotFound`, and `Conflict` for a closed one.
    """
    before = get(tx.conn, organization_id, conversation_id)
    if until is not None and before.status == "closed":
        raise Conflict("it is closed: reopen it first")
    return _change(tx, before, snoozed_until=until)


def wake_due(tx: Tx, organization_id: str) -> bool:
    """End the snoozes of the organization that are over, of `WAKES_MAX` at once; whether there may be more.

    These conversations come up as if a message had come. Lists do not rely on it: a snooze that is over is
    none.
    """
    due = _DUE.all(tx.conn, organization_id=organization_id, now=tx.now)
    for conversation in due:
        _change(tx, conversation, snoozed_until=None, active_at=max(conversation.active_at, tx.now))
    return len(due) == WAKES_MAX


def organizations_waking(conn: sa.Connection, now: int) -> list[str]:
    """The organizations with snoozes that are over."""
    column = tables.conversations.c
    due = sa.select(column.organization_id).where(column.snoozed_until <= now)
    return sorted(conn.scalars(due.distinct()))


def _create(
    tx: Tx,
    organization_id: str,
    connection_id: str,
    external_id: str,
    *,
    facts: ConversationFacts,
    participant: Participant | None,
) -> Conversation:
    made = Conversation(
        id=tx.new_id("cnv"),
        organization_id=organization_id,
        connection_id=connection_id,
        external_id=external_id,
        kind=facts.kind,
        title=facts.title,
        known=participant or Participant(),
        status="open",
        created_at=tx.now,
        last_message_at=tx.now,
        active_at=tx.now,
    )
    CONVERSATIONS.insert(tx.conn, made)
    if participant is not None:
        made = _match(tx, made)
    created = ConversationCreated(
        conversation_id=made.id,
        connection_id=connection_id,
        kind=made.kind,
        contact_id=made.contact_id,
        held_reason=made.held_reason,
        source=channel_source(connection_id, made.id),
    )
    events.record(tx, organization_id, [created])
    return made


def _learn(tx: Tx, conversation: Conversation, participant: Participant) -> Conversation:
    """Store what is new of the participant; only then is a contact looked up."""
    added = {
        name: value
        for name in Participant.__struct_fields__
        if (value := getattr(participant, name)) is not None and value != getattr(conversation.known, name)
    }
    if not added:
        return conversation
    known = msgspec.structs.replace(conversation.known, **added)
    conversation = _change(tx, conversation, known=known)
    return _match(tx, conversation) if added.keys() - {"username"} else conversation


def _match(tx: Tx, conversation: Conversation, chosen: str | None = None) -> Conversation:
    """Match the participant of a conversation with one person; *chosen* is a person's decision."""
    if conversation.kind != "direct" and chosen is None:
        return conversation
    source = channel_source(conversation.connection_id, conversation.id)
    match = conversation_matching.match(
        tx,
        conversation.organization_id,
        conversation.known,
        contact_id=chosen or conversation.contact_id,
        source=source,
    )
    return conversation if match is None else _change(tx, conversation, **match._asdict())


def _make_contact(tx: Tx, conversation: Conversation) -> None:
    """Make a contact of what is known of the participant, whoever else has the same e-mail or phone."""
    source = channel_source(conversation.connection_id, conversation.id)
    made = conversation_matching.new_contact(
        tx, conversation.organization_id, conversation.known, source=source
    )
    if made is None:
        detail = "the messenger tells no name, e-mail or phone of which to make a contact"
        raise InvalidInput([Fault("/contactId", "invalid_value", detail)])
    _change(tx, conversation, **made._asdict())


def _change(tx: Tx, conversation: Conversation, **members: Any) -> Conversation:
    """Store and announce other *members* of a conversation; it as it is then."""
    tx.conn.execute(CONVERSATIONS.update(tables.conversations.c.id == conversation.id, **members))
    tx.announce(ResourceChanged(conversation.organization_id, "conversation", conversation.id))
    return msgspec.structs.replace(conversation, **members)
