"""Conversations with one person or group at a messenger."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ResourceChanged
from svc.domain.channels.messages import (
    ConversationFacts,
    ConversationStatus,
    Identification,
)
from svc.domain.errors import Conflict, Fault, InvalidInput, InvalidValue, NotFound, named_at
from svc.domain.events import NewEvent, channel_source
from svc.domain.near_names import shown
from svc.storage.channels import conversation_matching, tables
from svc.storage.channels.conversation_matching import Participant
from svc.storage.channels.rows import Conversation, ConversationRow, conversation_of
from svc.storage.events import events
from svc.storage.identity import members, organizations, teams
from svc.storage.records import contacts
from svc.storage.statements import Statement
from svc.storage.store import Tx

COLUMNS: Final = tuple(tables.conversations.c[name] for name in ConversationRow._fields)
_FIND = Statement(
    sa.select(*COLUMNS).where(
        tables.conversations.c.connection_id == sa.bindparam("connection_id"),
        tables.conversations.c.external_id == sa.bindparam("external_id"),
    ),
    ConversationRow,
)
_GET = Statement(
    sa.select(*COLUMNS).where(
        tables.conversations.c.id == sa.bindparam("conversation_id"),
        tables.conversations.c.organization_id == sa.bindparam("organization_id"),
    ),
    ConversationRow,
)
_INSERT = Statement(sa.insert(tables.conversations))
_TOUCH = Statement(
    sa.update(tables.conversations)
    .where(tables.conversations.c.id == sa.bindparam("conversation_id"))
    .values(last_message_at=sa.bindparam("at"), status="open")
)
_JSON: Final = {"evidence", "candidates"}
_PLAIN: Final = tuple(
    name for name in ConversationRow._fields if name not in _JSON and name in Conversation.__struct_fields__
)
_NO_SILENCE: Final[dict[str, None]] = dict.fromkeys(
    ("agent_silenced_at", "agent_silenced_by", "agent_silencer", "agent_reason")
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
    row = _FIND.one(tx.conn, connection_id=connection_id, external_id=external_id)
    if row is None:
        return _create(
            tx,
            organization_id,
            connection_id,
            external_id,
            facts=facts or ConversationFacts(),
            participant=participant,
        )
    conversation = conversation_of(row)
    if facts is not None and (facts.kind, facts.title or conversation.title) != (
        conversation.kind,
        conversation.title,
    ):
        _update(tx, conversation, {"kind": facts.kind, "title": facts.title or conversation.title})
        conversation = msgspec.structs.replace(
            conversation, kind=facts.kind, title=facts.title or conversation.title
        )
    return conversation if participant is None else _learn(tx, conversation, participant)


def touch(tx: Tx, conversation_id: str) -> None:
    """Reopen the conversation, and make it the latest."""
    _TOUCH.run(tx.conn, conversation_id=conversation_id, at=tx.now)


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
    row = _GET.one(conn, conversation_id=conversation_id, organization_id=organization_id)
    if row is None:
        raise NotFound(f"there is no conversation {shown(conversation_id)}")
    return conversation_of(row)


def assign(
    tx: Tx,
    organization_id: str,
    conversation_id: str,
    *,
    member_id: str | msgspec.UnsetType | None = msgspec.UNSET,
    team_id: str | msgspec.UnsetType | None = msgspec.UNSET,
    contact_id: str | msgspec.UnsetType = msgspec.UNSET,
) -> Conversation:
    """Assign a conversation to a member or team, or to a contact.

    Raises:
        NotFound: no such conversation.
        InvalidInput: no such member, team or contact.
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
        _update(tx, conversation, values)
    if contact_id is not msgspec.UNSET:
        if not contacts.by_ids(tx.conn, organization_id, [contact_id]):
            detail = f"there is no contact {shown(contact_id)}"
            raise InvalidInput([Fault("/contactId", "not_found", detail)])
        _match(tx, conversation, chosen=contact_id)
    return get(tx.conn, organization_id, conversation_id)


def set_status(
    tx: Tx, organization_id: str, conversation_id: str, status: ConversationStatus
) -> Conversation:
    """Close or reopen a conversation. The next message reopens it anyway. Raises `NotFound`."""
    conversation = get(tx.conn, organization_id, conversation_id)
    _update(tx, conversation, {"status": status})
    return msgspec.structs.replace(conversation, status=status)


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
        contact_id=None,
        held_reason=None,
        candidates=(),
        status="open",
        member_id=None,
        team_id=None,
        created_at=tx.now,
        last_message_at=tx.now,
    )
    plain = {name: getattr(made, name) for name in _PLAIN}
    _INSERT.run(tx.conn, plain | {"evidence": _json(made.known), "candidates": None} | _NO_SILENCE)
    if participant is not None:
        made = _match(tx, made)
    data = {
        "conversationId": made.id,
        "connectionId": connection_id,
        "kind": made.kind,
        "contactId": made.contact_id,
        "heldReason": made.held_reason,
    }
    source = channel_source(connection_id, made.id)
    created = NewEvent(type="conversation.created", subject=made.id, source=source, data=data)
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
    _update(tx, conversation, {"evidence": _json(known)})
    conversation = msgspec.structs.replace(conversation, known=known)
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
    if match is None:
        return conversation
    changed = match._asdict()
    stored = _json(match.candidates) if match.held_reason is not None else None
    _update(tx, conversation, changed | {"candidates": stored})
    return msgspec.structs.replace(conversation, **changed)


def _update(tx: Tx, conversation: Conversation, values: Mapping[str, Any]) -> None:
    own = tables.conversations.c.id == conversation.id
    tx.conn.execute(sa.update(tables.conversations).where(own).values(**values))
    tx.announce(ResourceChanged(conversation.organization_id, "conversation", conversation.id))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
