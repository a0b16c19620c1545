"""`conversation.*`: what is said with one person or group at a messenger."""

from datetime import datetime
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.channels.limits import SNOOZE_MS_MAX
from svc.domain.channels.messages import ConversationKind, ConversationStatus
from svc.domain.channels.silence import AgentState, SilencedBy
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound
from svc.domain.forms.limits import CANDIDATES_MAX
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp, moment_ms
from svc.domain.records.matching import HeldReason
from svc.storage.channels import conversations, silences
from svc.storage.channels.rows import Conversation
from svc.storage.store import Tx
from svc.tools.channels.answers import ConnectionId
from svc.tools.projections import Projection
from svc.tools.tool import ToolInput, ToolOutput, about, writes

ConversationId = Annotated[
    str, about(description="The conversation's id.", examples=["cnv_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
ContactId = Annotated[
    str, about(description="The contact's id.", examples=["rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
MemberId = Annotated[str, about(description="The member's id.", examples=["usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
TeamId = Annotated[str, about(description="The team's id.", examples=["tea_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]


class ParticipantAnswer(ToolOutput, frozen=True, kw_only=True):
    """The person at the other end, as the messenger reports."""

    name: str | None
    phone: str | None
    email: str | None
    username: str | None


class SilenceAnswer(ToolOutput, frozen=True, kw_only=True):
    """Why and since when the agent does not answer."""

    by: Annotated[
        SilencedBy,
        about(
            description="A `member` replied; a message went out from `outside`, as on a phone; it was "
            "`assigned` to a member; or the agent has `handed_over`."
        ),
    ]
    at: Timestamp
    reason: Annotated[str | None, about(description="What the agent said when it handed over.")]


class ConversationAnswer(ToolOutput, frozen=True, kw_only=True):
    """A conversation."""

    id: ConversationId
    connection_id: ConnectionId
    external_id: Annotated[str, about(description="Its id in the messenger.")]
    kind: ConversationKind
    title: str | None
    known: ParticipantAnswer
    contact_id: Annotated[str | None, about(description="The contact that it is with, where that is known.")]
    held_reason: Annotated[
        HeldReason | None,
        about(
            description="Why it waits for somebody to say which contact it is: `several` have the e-mail or"
            " the phone; they belong to two contacts, a `conflict`; or the phone's contact has another"
            " e-mail, so is `similar`."
        ),
    ]
    candidates: Annotated[
        list[str], about(description="The contacts that it may be.", max_length=CANDIDATES_MAX)
    ]
    status: Annotated[ConversationStatus, about(description="A new message opens a closed one.")]
    member_id: Annotated[str | None, about(description="The member who looks after it.")]
    team_id: Annotated[str | None, about(description="The team that looks after it.")]
    created_at: Timestamp
    last_message_at: Timestamp
    snoozed_until: Annotated[
        Timestamp | None,
        about(description="Until then it is out of the way, unless a message comes in. Null for none."),
    ]
    agent: Annotated[
        AgentState,
        about(
            description="`silenced`: a person looks after it, and the connection's agent does not answer. "
            "Else it does, if there is one that is enabled."
        ),
    ]
    silence: Annotated[SilenceAnswer | None, about(description="Why the agent is silent in it.")]


answer_of: Final = Projection(
    Conversation,
    ConversationAnswer,
    agent=lambda conversation: "on" if conversation.silence is None else "silenced",
)

EXAMPLE: Final = ConversationAnswer(
    id="cnv_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    connection_id="con_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    external_id="178204511",
    kind="direct",
    title=None,
    known=ParticipantAnswer(name="Ada", phone="+442079460123", email=None, username="ada"),
    contact_id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    held_reason=None,
    candidates=[],
    status="open",
    member_id=None,
    team_id=None,
    created_at="2026-09-18T09:30:00.000Z",
    last_message_at="2026-09-18T09:31:00.000Z",
    snoozed_until=None,
    agent="on",
    silence=None,
)


class ConversationById(ToolInput, frozen=True, kw_only=True):
    """Which conversation."""

    id: ConversationId


class AssignConversation(ToolInput, frozen=True, kw_only=True):
    """The member, team or contact of a conversation. What is left out stays.

    Null takes the member or the team away; as the contact, it makes one.
    """

    id: ConversationId
    member_id: MemberId | UnsetType | None = UNSET
    team_id: TeamId | UnsetType | None = UNSET
    contact_id: Annotated[
        ContactId | UnsetType | None,
        about(
            description="Whom it is with: one of the candidates of a held one, or any other contact; null for"
            " a new contact, of what the messenger tells."
        ),
    ] = UNSET


@writes(
    "conversation.assign",
    needs="conversations",
    raises=(NotFound, Conflict),
    example=AssignConversation(id=EXAMPLE.id, member_id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"),
    answer=msgspec.structs.replace(EXAMPLE, member_id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"),
)
def assign(tx: Tx, call: Call, request: AssignConversation) -> ConversationAnswer:
    """Say which member and team look after a conversation, and which contact it is with.

    What the messenger tells of the person goes to that contact: an empty property is filled, a different
    value is suggested. Assigned to a member, the conversation is theirs: the connection's agent is silent in
    it.
    """
    facts = msgspec.structs.asdict(request)
    conversation_id = facts.pop("id")
    assigned = conversations.assign(tx, call.caller.organization_id, conversation_id, **facts)
    if request.member_id:
        silences.silence(tx, assigned.id, "assigned", source=call.source())
        assigned = conversations.get(tx.conn, call.caller.organization_id, conversation_id)
    return answer_of(assigned)


@writes(
    "conversation.close",
    needs="conversations",
    raises=(NotFound,),
    example=ConversationById(id=EXAMPLE.id),
    answer=msgspec.structs.replace(EXAMPLE, status="closed"),
)
def close(tx: Tx, call: Call, request: ConversationById) -> ConversationAnswer:
    """Close a conversation that is over. The next message opens it again. A closed one stays so."""
    return answer_of(conversations.set_status(tx, call.caller.organization_id, request.id, "closed"))


@writes(
    "conversation.reopen",
    needs="conversations",
    raises=(NotFound,),
    example=ConversationById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def reopen(tx: Tx, call: Call, request: ConversationById) -> ConversationAnswer:
    """Open a closed conversation. An open one stays so."""
    return answer_of(conversations.set_status(tx, call.caller.organization_id, request.id, "open"))


class SnoozeConversation(ToolInput, frozen=True, kw_only=True):
    """A conversation, and until when it is to be out of the way."""

    id: ConversationId
    until: Annotated[datetime, about(tz=True, description="RFC 3339; null ends the snooze.")] | None


@writes(
    "conversation.snooze",
    needs="conversations",
    raises=(NotFound, Conflict),
    example=SnoozeConversation(id=EXAMPLE.id, until=None),
    answer=EXAMPLE,
)
def snooze(tx: Tx, call: Call, request: SnoozeConversation) -> ConversationAnswer:
    """Snooze a conversation, which comes back at a time at most a year ahead, or end its snooze.

    A message that comes in ends it at once, and so does closing. When its time is over, the conversation
    comes up in lists as if a message had come, within a minute. A snooze is for all members.
    """
    until = None if request.until is None else moment_ms(request.until)
    if until is not None and not tx.now < until <= tx.now + SNOOZE_MS_MAX:
        raise InvalidInput([Fault("/until", "invalid_value", "is not within the year to come")])
    return answer_of(conversations.snooze(tx, call.caller.organization_id, request.id, until))


@writes(
    "conversation.agent_resume",
    needs="conversations",
    runs="person",
    raises=(NotFound,),
    example=ConversationById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def agent_resume(tx: Tx, call: Call, request: ConversationById) -> ConversationAnswer:
    """Let the connection's agent answer in a conversation again, which it had handed over or a person took.

    It answers the next message, and reads none of those before. Where it is not silent, nothing changes.
    """
    organization_id = call.caller.organization_id
    conversation = conversations.get(tx.conn, organization_id, request.id)
    silences.end(tx, conversation, reads_from=tx.new_id("msg"))
    return answer_of(conversations.get(tx.conn, organization_id, request.id))
