"""`conversation.list`, `.get` and `.mark_read`: what there is to read, for whoever asks."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.channels.connections import Messenger
from svc.domain.channels.messages import ConversationStatus, Direction
from svc.domain.errors import Fault, Forbidden, InvalidInput, NotFound
from svc.domain.identity.callers import Call
from svc.domain.inbox.drafts import Draft
from svc.domain.inbox.limits import (
    CONVERSATION_SEARCH_CHARS_MAX,
    CONVERSATION_SEARCH_CHARS_MIN,
    LAST_WORDS_CHARS_MAX,
    UNREAD_MAX,
)
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.channels import conversations
from svc.storage.channels.rows import Conversation
from svc.storage.inbox import drafts, lists, reads, summaries
from svc.storage.inbox.lists import ConversationFilter
from svc.storage.inbox.summaries import LastMessage, Summary
from svc.storage.store import Tx, View
from svc.tools.channels.answers import ConnectionId
from svc.tools.inbox.conversations import (
    EXAMPLE,
    ContactId,
    ConversationAnswer,
    ConversationById,
    ConversationId,
    MemberId,
    TeamId,
    answer_of,
)
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, writes
from svc.tools.tool import reads as reads_
from svc.tools.totals import ListTotal, WantsTotal, total_of

_READS_CONTACTS: Final = "records.read"


class LastMessageAnswer(ToolOutput, frozen=True, kw_only=True):
    """The newest message."""

    direction: Annotated[Direction, about(description="`in`: from the other side. `out`: from ours.")]
    text: (
        Annotated[
            str, about(description="How it begins; null without a text.", max_length=LAST_WORDS_CHARS_MAX)
        ]
        | None
    )
    has_attachments: bool
    at: Timestamp
    author: Annotated[
        str | None,
        about(description="The name of who wrote it, as far as it is known: the sender's, a member's."),
    ]


class ListedConversation(ConversationAnswer, frozen=True, kw_only=True):
    """A conversation, with what a list shows beside it."""

    connection_name: str
    messenger: Messenger
    contact_name: Annotated[
        str | None,
        about(description="Its contact's name, for callers that may read records."),
    ]
    last: LastMessageAnswer | None
    unread: Annotated[
        int,
        about(
            description="Messages that came in since the caller last opened it: `conversation.mark_read`. At"
            f" most {UNREAD_MAX} are told. 0 for a key.",
            ge=0,
            le=UNREAD_MAX,
        ),
    ]
    mentioned: Annotated[
        bool, about(description="Whether a note mentions the caller that came since they last opened it.")
    ]


class DraftAnswer(ToolOutput, frozen=True, kw_only=True):
    """A reply that the caller has begun to write."""

    text: str
    saved_at: Timestamp


class ConversationDetails(ListedConversation, frozen=True, kw_only=True):
    """A conversation, and what the caller has begun to write in it."""

    draft: Annotated[
        DraftAnswer | None, about(description="The caller's own draft: see `conversation.draft`.")
    ]


draft_answer: Final = Projection(Draft, DraftAnswer)

_LISTED: Final[dict[str, Any]] = msgspec.structs.asdict(EXAMPLE) | {
    "connection_name": "Shop on Telegram",
    "messenger": "telegram",
    "contact_name": "Ada Lovelace",
    "last": LastMessageAnswer(
        direction="in",
        text="Is it ready?",
        has_attachments=False,
        at="2026-09-18T09:31:00.000Z",
        author="Ada",
    ),
    "unread": 1,
    "mentioned": False,
}


class ListConversations(ToolInput, frozen=True, kw_only=True):
    """Which conversations: all that is given must hold."""

    connection_id: ConnectionId | None = None
    contact_id: ContactId | None = None
    member_id: MemberId | None = None
    team_id: TeamId | None = None
    mine: Annotated[bool, about(description="Those alone that the caller looks after.")] = False
    assigned: Annotated[
        bool | None, about(description="Those that a member looks after, or those that none does.")
    ] = None
    status: ConversationStatus | None = None
    held: Annotated[
        bool | None,
        about(description="Those that wait for somebody to say which contact it is, or the others."),
    ] = None
    snoozed: Annotated[bool | None, about(description="Those that are snoozed now, or the others.")] = None
    search: (
        Annotated[
            str,
            about(
                description="Words that are all in a name or address of the other side, in the contact, or in"
                " a message; without regard to case.",
                min_length=CONVERSATION_SEARCH_CHARS_MIN,
                max_length=CONVERSATION_SEARCH_CHARS_MAX,
            ),
        ]
        | None
    ) = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None
    total: WantsTotal = False


class ConversationList(ToolOutput, frozen=True, kw_only=True):
    """Conversations, those that came up last first."""

    conversations: list[ListedConversation]
    next_cursor: Annotated[str | None, NextCursor]
    total: ListTotal | UnsetType = UNSET


@reads_(
    "conversation.list",
    needs="conversations",
    example=ListConversations(status="open"),
    answer=ConversationList(conversations=[ListedConversation(**_LISTED)], next_cursor=None),
)
def list_all(view: View, call: Call, request: ListConversations) -> ConversationList:
    """List conversations, those that came up last first: by a message, or by the end of a snooze.

    A search looks at names and addresses in all of them, and at words in the newest messages of those that
    came up last.
    """
    caller = call.caller
    facts = msgspec.structs.asdict(request)
    cursor, limit, with_total = facts.pop("cursor"), facts.pop("limit"), facts.pop("total")
    facts["of_person"] = _person(call, "/mine") if facts.pop("mine") else None
    if request.search is not None or (with_total and any(fact is not None for fact in facts.values())):
        view.expect_long()  # all have to be looked at
    reads_contacts = _READS_CONTACTS in caller.permissions
    page, next_cursor, total = lists.list_page(
        view.conn,
        caller.organization_id,
        ConversationFilter(**facts),
        now=view.now,
        reads_contacts=reads_contacts,
        cursor=cursor,
        limit=limit,
        with_total=with_total,
    )
    listed = [ListedConversation(**_listed(one)) for one in _summaries(view, call, page)]
    return ConversationList(conversations=listed, next_cursor=next_cursor, total=total_of(total))


@reads_(
    "conversation.get",
    needs="conversations",
    raises=(NotFound,),
    example=ConversationById(id=EXAMPLE.id),
    answer=ConversationDetails(
        **_LISTED, draft=DraftAnswer(text="It will be by", saved_at="2026-09-18T09:32:00.000Z")
    ),
)
def get(view: View, call: Call, request: ConversationById) -> ConversationDetails:
    """Show a conversation. `message.list` has what was said."""
    caller = call.caller
    conversation = conversations.get(view.conn, caller.organization_id, request.id)
    [summary] = _summaries(view, call, [conversation])
    draft = None
    if caller.by_hand and caller.person_id is not None:
        draft = drafts.find(view.conn, conversation.id, caller.person_id, view.now)
    return ConversationDetails(**_listed(summary), draft=None if draft is None else draft_answer(draft))


class ReadConversation(ToolOutput, frozen=True, kw_only=True):
    """A conversation that the caller has read."""

    id: ConversationId


@writes(
    "conversation.mark_read",
    needs="conversations",
    runs="person",
    raises=(NotFound, Forbidden),
    unaudited=True,
    example=ConversationById(id=EXAMPLE.id),
    answer=ReadConversation(id=EXAMPLE.id),
)
def mark_read(tx: Tx, call: Call, request: ConversationById) -> ReadConversation:
    """Note that the caller has read a conversation up to its newest message.

    Screens call it when somebody opens one. It changes what the caller's own lists say, and nothing else, so
    the audit trail does not have it.
    """
    conversation = conversations.get(tx.conn, call.caller.organization_id, request.id)
    reads.mark_read(tx, conversation, person_of(call))
    return ReadConversation(id=conversation.id)


def person_of(call: Call) -> str:
    """The person who calls. Raises `Forbidden` for the operator, who is none."""
    if call.caller.person_id is None:
        raise Forbidden("this is a person's own: sign in")
    return call.caller.person_id


def _person(call: Call, pointer: str) -> str:
    if call.caller.person_id is None:
        raise InvalidInput([Fault(pointer, "invalid_value", "the caller is no person who looks after any")])
    return call.caller.person_id


def _summaries(view: View, call: Call, found: list[Conversation]) -> list[Summary]:
    caller = call.caller
    return summaries.of_conversations(
        view.conn,
        found,
        person_id=caller.person_id if caller.by_hand else None,
        reads_contacts=_READS_CONTACTS in caller.permissions,
    )


def _listed(summary: Summary) -> dict[str, Any]:
    """The members of a `ListedConversation`."""
    return msgspec.structs.asdict(answer_of(summary.conversation)) | {
        "connection_name": summary.connection_name,
        "messenger": summary.messenger,
        "contact_name": summary.contact_name,
        "last": summary.last and _last(summary.last),
        "unread": summary.unread,
        "mentioned": summary.mentioned,
    }


def _last(last: LastMessage) -> LastMessageAnswer:
    sender = None if last.sender is None else last.sender.name or last.sender.username
    return LastMessageAnswer(
        direction=last.direction,
        text=last.text,
        has_attachments=last.has_attachments,
        at=rfc3339(last.at),
        author=sender if last.author is None else last.author.name,
    )
