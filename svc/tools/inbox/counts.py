"""`conversation.counts`: how many conversations have something new for the caller."""

from typing import Annotated

from svc.domain.identity.callers import Call
from svc.domain.inbox.limits import UNREAD_CONVERSATIONS_EXAMINED_MAX
from svc.storage.inbox import unread
from svc.storage.store import View
from svc.tools.tool import ToolInput, ToolOutput, about, reads


class CountConversations(ToolInput, frozen=True, kw_only=True):
    """Of the caller."""


class ConversationCounts(ToolOutput, frozen=True, kw_only=True):
    """Counts of conversations."""

    unread: Annotated[
        int,
        about(
            description="How many open ones have messages that the caller has not read: of those that they"
            " look after or nobody does, without snoozed ones. 0 for a key.",
            ge=0,
            le=2 * UNREAD_CONVERSATIONS_EXAMINED_MAX,
        ),
    ]


@reads(
    "conversation.counts",
    needs="conversations",
    example=CountConversations(),
    answer=ConversationCounts(unread=3),
)
def counts(view: View, call: Call, _: CountConversations) -> ConversationCounts:
    """Count the conversations with messages that the caller has not read: their own, and those of nobody.

    They are counted among those that came up last, so that it costs about the same however many there are.
    """
    caller = call.caller
    if not caller.by_hand or caller.person_id is None:
        return ConversationCounts(unread=0)
    return ConversationCounts(
        unread=unread.count(view.conn, caller.organization_id, caller.person_id, view.now)
    )
