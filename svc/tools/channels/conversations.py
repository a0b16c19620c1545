"""`conversation.*`: what is said with one person or group at a messenger."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.channels.messages import ConversationKind, ConversationStatus
from svc.domain.channels.silence import AgentState, SilencedBy
from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import CANDIDATES_MAX, LIST_ROWS
from svc.domain.records.matching import HeldReason
from svc.storage.channels import conversation_lists, conversations, silences
from svc.storage.channels.conversation_lists import ConversationFilter
from svc.storage.channels.rows import Conversation
from svc.storage.store import Tx, View
from svc.tools.channels.answers import ConnectionId
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, Timestamp, ToolInput, ToolOutput, about, reads, writes
from svc.tools.totals import ListTotal, WantsTotal, total_of

ConversationId = Annotated[
    str, about(description="The conversation's id.", examples=["cnv_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
ContactId = Annotated[
    str, about(description="The contact's id.", examples=["rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
MemberId = Annotated[str, about(description="The member's id.", examples=["usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
TeamId = Annotated[str, about(description="The team's id.", examples=["tea_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]


class KnownAnswer(ToolOutput, frozen=True, kw_only=True):
    """Who is at the other end, as the messenger tells."""

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
    known: KnownAnswer
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
    agent: Annotated[
        AgentState,
        about(
            description="`silenced`: a person looks after it, and the connection's agent does not answer. "
            "Else it does, if there is one that is enabled."
        ),
    ]
    silence: Annotated[SilenceAnswer | None, about(description="Why the agent is silent in it.")]


_answer: Final = Projection(
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
    known=KnownAnswer(name="Ada", phone="+442079460123", email=None, username="ada"),
    contact_id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    held_reason=None,
    candidates=[],
    status="open",
    member_id=None,
    team_id=None,
    created_at="2026-09-18T09:30:00.000Z",
    last_message_at="2026-09-18T09:31:00.000Z",
    agent="on",
    silence=None,
)


class ListConversations(ToolInput, frozen=True, kw_only=True):
    """Which conversations: all that is given must hold."""

    connection_id: ConnectionId | None = None
    contact_id: ContactId | None = None
    member_id: MemberId | None = None
    team_id: TeamId | None = None
    status: ConversationStatus | None = None
    held: Annotated[
        bool | None,
        about(description="Those that wait for somebody to say which contact it is, or the others."),
    ] = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None
    total: WantsTotal = False


class ConversationList(ToolOutput, frozen=True, kw_only=True):
    """Conversations, those with the latest message first."""

    conversations: list[ConversationAnswer]
    next_cursor: Annotated[str | None, NextCursor]
    total: ListTotal | UnsetType = UNSET


@reads(
    "conversation.list",
    needs="conversations",
    example=ListConversations(status="open"),
    answer=ConversationList(conversations=[EXAMPLE], next_cursor=None),
)
def list_all(view: View, call: Call, request: ListConversations) -> ConversationList:
    """List conversations, those with the latest message first."""
    facts = msgspec.structs.asdict(request)
    cursor, limit, with_total = facts.pop("cursor"), facts.pop("limit"), facts.pop("total")
    if with_total and any(fact is not None for fact in facts.values()):
        view.expect_long()  # all have to be looked at
    page, next_cursor, total = conversation_lists.list_page(
        view.conn,
        call.caller.organization_id,
        ConversationFilter(**facts),
        cursor=cursor,
        limit=limit,
        with_total=with_total,
    )
    return ConversationList(
        conversations=[_answer(conversation) for conversation in page],
        next_cursor=next_cursor,
        total=total_of(total),
    )


class ConversationById(ToolInput, frozen=True, kw_only=True):
    """Which conversation."""

    id: ConversationId


@reads(
    "conversation.get",
    needs="conversations",
    raises=(NotFound,),
    example=ConversationById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def get(view: View, call: Call, request: ConversationById) -> ConversationAnswer:
    """Show a conversation. `message.list` has what was said."""
    return _answer(conversations.get(view.conn, call.caller.organization_id, request.id))


class AssignConversation(ToolInput, frozen=True, kw_only=True):
    """Who looks after a conversation, and whom it is with. What is left out stays; null takes away."""

    id: ConversationId
    member_id: MemberId | UnsetType | None = UNSET
    team_id: TeamId | UnsetType | None = UNSET
    contact_id: Annotated[
        ContactId | UnsetType,
        about(description="Whom it is with: one of the candidates of a held one, or any other contact."),
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
    return _answer(assigned)


@writes(
    "conversation.close",
    needs="conversations",
    raises=(NotFound,),
    example=ConversationById(id=EXAMPLE.id),
    answer=msgspec.structs.replace(EXAMPLE, status="closed"),
)
def close(tx: Tx, call: Call, request: ConversationById) -> ConversationAnswer:
    """Close a conversation that is over. The next message opens it again. A closed one stays so."""
    return _answer(conversations.set_status(tx, call.caller.organization_id, request.id, "closed"))


@writes(
    "conversation.reopen",
    needs="conversations",
    raises=(NotFound,),
    example=ConversationById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def reopen(tx: Tx, call: Call, request: ConversationById) -> ConversationAnswer:
    """Open a closed conversation. An open one stays so."""
    return _answer(conversations.set_status(tx, call.caller.organization_id, request.id, "open"))


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
    return _answer(conversations.get(tx.conn, organization_id, request.id))
