"""Conversations, as they are stored."""

from typing import Final

import msgspec

from svc.domain.channels.messages import ConversationKind, ConversationStatus
from svc.domain.channels.participants import Participant
from svc.domain.channels.silence import Silence
from svc.domain.records.matching import HeldReason
from svc.storage.channels import tables
from svc.storage.rows import Rows, Selection


class Conversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation. Times are ms since the epoch."""

    id: str
    organization_id: str
    connection_id: str
    external_id: str
    kind: ConversationKind
    title: str | None
    known: Participant
    contact_id: str | None = None
    held_reason: HeldReason | None = None
    """Why no contact was chosen, where there are several that it may be."""
    candidates: tuple[str, ...] = ()
    status: ConversationStatus
    member_id: str | None = None
    """The member that looks after it."""
    team_id: str | None = None
    created_at: int
    last_message_at: int
    active_at: int
    """When it last came up, by which lists are in order: with a message, or as its snooze ended."""
    snoozed_until: int | None = None
    """Until when it is left out of the lists of what waits. It may lie in the past: see `is_snoozed`."""
    silence: Silence | None = None
    """Why the connection's agent does not answer in it; None while it may."""
    agent_reads_from: str | None = None
    """The id from which on the agent reads messages; None for all of them."""

    def is_snoozed(self, now: int) -> bool:
        """Whether it is snoozed at *now*."""
        return self.snoozed_until is not None and self.snoozed_until > now


_column: Final = tables.conversations.c
CONVERSATIONS: Final = Rows(
    tables.conversations,
    Conversation,
    renamed={"known": "evidence"},
    members={
        "silence": Selection(
            Silence,
            members={
                "by": _column.agent_silenced_by,
                "at": _column.agent_silenced_at,
                "reason": _column.agent_reason,
            },
            optional=True,
        )
    },
    # What cannot be read is learned again: a message of the conversation must not be turned away for it.
    empty={"known": Participant, "candidates": tuple},
    nulls=["candidates"],
)
