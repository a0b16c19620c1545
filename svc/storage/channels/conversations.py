"""Conversations: what is said with one person or group at a messenger, and which contact that is.

A person is matched as the sender of a form is, by the same rules: clear, new, or held for somebody to decide.
The bridge hears nothing of it.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.channels.messages import ConversationFacts, ConversationKind, Evidence, Identification
from svc.domain.cursors import Position
from svc.domain.errors import Conflict, Fault, InvalidInput, InvalidValue, NotFound, named_at
from svc.domain.forms.filing import ContactIndex, enrich
from svc.domain.ids import new_id
from svc.domain.limits import CANDIDATES_MAX, LIST_ROWS
from svc.domain.near_names import shown
from svc.domain.records.contact_points import normalise_email, normalise_phone
from svc.domain.records.matching import Clear, HeldReason, Unclear
from svc.domain.records.objects import CONTACT
from svc.storage import events, readable
from svc.storage.channels import connections, tables
from svc.storage.events import NewEvent
from svc.storage.identity import members, organizations, teams
from svc.storage.readable import LenientDecoder
from svc.storage.records import contacts, enrichments, objects
from svc.storage.records import rows as record_rows
from svc.storage.records.enrichments import SourcedEnrichment
from svc.storage.statements import Statement
from svc.storage.store import Tx

ConversationStatus = Literal["open", "closed"]


class Participant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who is at the other end, in the bridge's words; of each kind the last."""

    name: str | None = None
    phone: str | None = None
    email: str | None = None
    username: str | None = None


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation. Times are ms since the epoch."""

    id: str
    organization_id: str
    connection_id: str
    external_id: str
    kind: ConversationKind
    title: str | None
    known: Participant
    contact_id: str | None
    held_reason: HeldReason | None
    """Why nobody knows yet which contact it is, where there are several that it may be."""
    candidates: tuple[str, ...]
    status: ConversationStatus
    member_id: str | None
    """Who looks after it."""
    team_id: str | None
    created_at: int
    last_message_at: int


class ConversationFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which conversations to list: all that is given must hold."""

    connection_id: str | None = None
    contact_id: str | None = None
    member_id: str | None = None
    team_id: str | None = None
    status: ConversationStatus | None = None
    held: bool | None = None


_FIND = Statement(
    sa.select(tables.conversations).where(
        tables.conversations.c.connection_id == sa.bindparam("connection_id"),
        tables.conversations.c.external_id == sa.bindparam("external_id"),
    )
)
_GET = Statement(
    sa.select(tables.conversations).where(
        tables.conversations.c.id == sa.bindparam("conversation_id"),
        tables.conversations.c.organization_id == sa.bindparam("organization_id"),
    )
)
_INSERT = Statement(sa.insert(tables.conversations))
_TOUCH = Statement(
    sa.update(tables.conversations)
    .where(tables.conversations.c.id == sa.bindparam("conversation_id"))
    .values(last_message_at=sa.bindparam("at"), status="open")
)
_PLAIN: Final = (
    "id",
    "organization_id",
    "connection_id",
    "external_id",
    "kind",
    "title",
    "contact_id",
    "held_reason",
    "status",
    "member_id",
    "team_id",
    "created_at",
    "last_message_at",
)

_evidence: Final = LenientDecoder(
    msgspec.json.Decoder(Participant), Participant, tables.conversations.c.evidence
)
_candidates: Final = LenientDecoder(
    msgspec.json.Decoder(tuple[str, ...]), tuple, tables.conversations.c.candidates
)


def get_or_create(
    tx: Tx,
    organization_id: str,
    connection_id: str,
    external_id: str,
    *,
    facts: ConversationFacts | None = None,
    told: Participant | None = None,
) -> Conversation:
    """The conversation that the bridge calls *external_id*, made if it is new; what is *told* is learned."""
    row = _FIND.one(tx.conn, {"connection_id": connection_id, "external_id": external_id})
    if row is None:
        return _create(
            tx, organization_id, connection_id, external_id, facts=facts or ConversationFacts(), told=told
        )
    kept = _from_row(row)
    if facts is not None and (facts.kind, facts.title or kept.title) != (kept.kind, kept.title):
        _update(tx, kept.id, {"kind": facts.kind, "title": facts.title or kept.title})
        kept = msgspec.structs.replace(kept, kind=facts.kind, title=facts.title or kept.title)
    return kept if told is None else _learn(tx, kept, told)


def touch(tx: Tx, conversation_id: str) -> None:
    """Something was said in it: it is the latest, and open."""
    _TOUCH.run(tx.conn, {"conversation_id": conversation_id, "at": tx.now})


def identify(tx: Tx, organization_id: str, connection_id: str, asked: Identification) -> None:
    """Learn who a conversation is with. Raises `InvalidInput` for evidence that is none."""
    country = organizations.get(tx.conn, organization_id).country
    faults = []
    for place, one in enumerate(asked.evidence):
        try:
            _normalised(one, country)
        except InvalidValue as error:
            faults.append(Fault(f"/evidence/{place}/value", "invalid_value", str(error)))
    if faults:
        raise InvalidInput(faults)
    told = Participant(name=asked.name, **{one.kind: one.value for one in asked.evidence})
    get_or_create(tx, organization_id, connection_id, asked.conversation_id, told=told)


def get(conn: sa.Connection, organization_id: str, conversation_id: str) -> Conversation:
    """The conversation. Raises `NotFound`."""
    row = _GET.one(conn, {"conversation_id": conversation_id, "organization_id": organization_id})
    if row is None:
        raise NotFound(f"there is no conversation {shown(conversation_id)}")
    return _from_row(row)


def list_page(
    conn: sa.Connection,
    organization_id: str,
    asked: ConversationFilter,
    *,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Conversation], str | None]:
    """Conversations, those with the latest message first, and the cursor that goes on."""
    question = ["conversations", organization_id, msgspec.to_builtins(asked)]
    after = cursors.read(question, cursor, 1)
    column = tables.conversations.c
    equal = {
        name: value
        for name in ("connection_id", "contact_id", "member_id", "team_id", "status")
        if (value := getattr(asked, name)) is not None
    }
    where = [column.organization_id == organization_id, *(column[name] == one for name, one in equal.items())]
    if asked.held is not None:
        where.append(column.held_reason.is_not(None) if asked.held else column.held_reason.is_(None))
    if after is not None:
        before = sa.tuple_(sa.literal(int(after.keys[0])), sa.literal(after.id))
        where.append(sa.tuple_(column.last_message_at, column.id) < before)
    rows = conn.execute(
        sa.select(tables.conversations)
        .where(*where)
        .order_by(column.last_message_at.desc(), column.id.desc())
        .limit(limit + 1)
    ).all()
    found = [_from_row(row) for row in rows[:limit]]
    if not found:
        _check_named(conn, organization_id, asked)
    if len(rows) <= limit:
        return found, None
    last = found[-1]
    return found, cursors.write(question, Position((str(last.last_message_at).encode(),), last.id))


def _check_named(conn: sa.Connection, organization_id: str, asked: ConversationFilter) -> None:
    """Raises `InvalidInput` for an id that a list was asked for and that does not exist."""
    if asked.connection_id is not None:
        with named_at("/connectionId"):
            connections.get(conn, organization_id, asked.connection_id)
    if asked.contact_id is not None:
        with named_at("/contactId"):
            record_rows.get(conn, organization_id, CONTACT, asked.contact_id)
    if asked.member_id is not None:
        with named_at("/memberId"):
            members.get(conn, organization_id, asked.member_id)
    if asked.team_id is not None:
        with named_at("/teamId"):
            teams.get(conn, organization_id, asked.team_id)


def assign(
    tx: Tx,
    organization_id: str,
    conversation_id: str,
    *,
    member_id: str | msgspec.UnsetType | None = msgspec.UNSET,
    team_id: str | msgspec.UnsetType | None = msgspec.UNSET,
    contact_id: str | msgspec.UnsetType = msgspec.UNSET,
) -> Conversation:
    """Say who looks after a conversation, and which contact it is with.

    Raises `NotFound` for the conversation, `InvalidInput` for a member, team or contact that there is not,
    and `Conflict` for a member who is not active.
    """
    kept = get(tx.conn, organization_id, conversation_id)
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
        _update(tx, kept.id, values)
    if contact_id is not msgspec.UNSET:
        if not contacts.by_ids(tx.conn, organization_id, [contact_id]):
            detail = f"there is no contact {shown(contact_id)}"
            raise InvalidInput([Fault("/contactId", "not_found", detail)])
        _match(tx, kept, chosen=contact_id)
    return get(tx.conn, organization_id, conversation_id)


def set_status(
    tx: Tx, organization_id: str, conversation_id: str, status: ConversationStatus
) -> Conversation:
    """Close or reopen a conversation. The next message reopens it anyway. Raises `NotFound`."""
    kept = get(tx.conn, organization_id, conversation_id)
    _update(tx, kept.id, {"status": status})
    return msgspec.structs.replace(kept, status=status)


def _create(
    tx: Tx,
    organization_id: str,
    connection_id: str,
    external_id: str,
    *,
    facts: ConversationFacts,
    told: Participant | None,
) -> Conversation:
    made = Conversation(
        id=new_id("cnv", tx.now),
        organization_id=organization_id,
        connection_id=connection_id,
        external_id=external_id,
        kind=facts.kind,
        title=facts.title,
        known=told or Participant(),
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
    _INSERT.run(tx.conn, plain | {"evidence": _json(made.known), "candidates": None})
    if told is not None:
        made = _match(tx, made)
    data = {
        "conversationId": made.id,
        "connectionId": connection_id,
        "kind": made.kind,
        "contactId": made.contact_id,
        "heldReason": made.held_reason,
    }
    events.record(tx.conn, organization_id, tx.now, [NewEvent("conversation.created", data)])
    return made


def _learn(tx: Tx, kept: Conversation, told: Participant) -> Conversation:
    """Take up what is new of *told*; only then is anything looked up."""
    added = {
        name: value
        for name in Participant.__struct_fields__
        if (value := getattr(told, name)) is not None and value != getattr(kept.known, name)
    }
    if not added:
        return kept
    known = msgspec.structs.replace(kept.known, **added)
    _update(tx, kept.id, {"evidence": _json(known)})
    kept = msgspec.structs.replace(kept, known=known)
    return _match(tx, kept) if added.keys() - {"username"} else kept


def _match(tx: Tx, kept: Conversation, chosen: str | None = None) -> Conversation:
    """Find the contact of a conversation with one person, or make it, or hold it; and teach it what is known.

    A conversation that has its contact keeps it; *chosen* is the one that somebody decided for.
    """
    if kept.kind != "direct" and chosen is None:
        return kept
    organization = organizations.get(tx.conn, kept.organization_id)
    email, phone = _read(kept.known, organization.country)
    contact_id = chosen or kept.contact_id
    try:
        found = contacts.known_by(
            tx.conn, organization.id, [email] if email else [], [phone] if phone else []
        )
    except msgspec.DecodeError as error:
        # The message is recorded all the same. Somebody may say who it is, once the contact can be read.
        readable.tell("contacts of a conversation", kept.id, error)
        return kept
    if contact_id is not None and contact_id not in {one.id for one in found}:
        found += contacts.by_ids(tx.conn, organization.id, [contact_id])
    directory = ContactIndex(
        found,
        properties={},
        country=organization.country,
        new_contact_id=lambda: new_id("rec", tx.now),
    )
    if contact_id is None:
        if email is None and phone is None:
            return kept
        match = directory.match(email, phone)
        if isinstance(match, Unclear):
            return _hold(tx, kept, match)
        contact_id = match.contact_id if isinstance(match, Clear) else None
    elif contact_id not in {one.id for one in found}:
        return kept  # it was deleted; whoever restores it finds the conversation there again
    return _teach(tx, kept, directory, contact_id, {"email": email, "phone": phone})


def _teach(
    tx: Tx,
    kept: Conversation,
    directory: ContactIndex,
    contact_id: str | None,
    identities: Mapping[str, str | None],
) -> Conversation:
    wanted = {slug: value for slug, value in identities.items() if value}
    named = contact_id is not None and directory[contact_id].properties.get("name") is not None
    # What somebody calls themselves at a messenger is a name for who has none, and no news of who has.
    if kept.known.name and not named:
        wanted["name"] = kept.known.name
    learned = enrich(contact_id, wanted, directory)
    source = {"kind": "channel", "connectionId": kept.connection_id, "conversationId": kept.id}
    written = SourcedEnrichment(**msgspec.structs.asdict(learned), source=source)
    object_id = objects.ids_by_slug(tx.conn, kept.organization_id)[CONTACT]
    enrichments.write(tx, kept.organization_id, object_id, [written])
    events.record(tx.conn, kept.organization_id, tx.now, list(enrichments.happened(written)))
    _update(tx, kept.id, {"contact_id": learned.contact.id, "held_reason": None, "candidates": None})
    return msgspec.structs.replace(kept, contact_id=learned.contact.id, held_reason=None, candidates=())


def _hold(tx: Tx, kept: Conversation, match: Unclear) -> Conversation:
    candidates = match.candidates[:CANDIDATES_MAX]
    _update(tx, kept.id, {"held_reason": match.reason, "candidates": _json(candidates)})
    return msgspec.structs.replace(kept, held_reason=match.reason, candidates=candidates)


def _read(known: Participant, country: str) -> tuple[str | None, str | None]:
    """The e-mail and the phone, as contacts are known by them; what cannot be one is passed over."""
    read: dict[str, str | None] = {"email": None, "phone": None}
    for kind in ("email", "phone"):
        value = getattr(known, kind)
        if value:
            try:
                read[kind] = _normalised(Evidence(kind=kind, value=value), country)
            except InvalidValue:
                continue
    return read["email"], read["phone"]


def _normalised(one: Evidence, country: str) -> str:
    match one.kind:
        case "email":
            return normalise_email(one.value)
        case "phone":
            return normalise_phone(one.value, country)
        case "username":
            return one.value


def _update(tx: Tx, conversation_id: str, values: Mapping[str, Any]) -> None:
    tx.conn.execute(
        sa.update(tables.conversations).where(tables.conversations.c.id == conversation_id).values(**values)
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _from_row(row: Any) -> Conversation:
    return Conversation(
        **{name: getattr(row, name) for name in _PLAIN},
        # What cannot be read is learned again: a message of the conversation must not be turned away for it.
        known=_evidence.read(row.evidence, row.id),
        candidates=_candidates.read(row.candidates, row.id),
    )
