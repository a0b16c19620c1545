"""Agents: how the agent of a connection is set."""

from typing import Final

import msgspec

DEFAULT_TOOLS: Final = frozenset({"record.list", "record.get", "note.create"})
"""What an agent may call for which no tools were named: narrowed to what is public, and its own contact."""

ANSWERING: Final = frozenset({"message.reply", "message.cancel"})
"""Tools that no agent has: it answers in its own conversation alone, by a tool of its own."""

REPLY: Final = "reply"
HANDOVER: Final = "handover"
"""The two tools that every agent has, which are in no registry."""


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """The agent of a connection. Times are ms since the epoch."""

    connection_id: str
    organization_id: str
    enabled: bool
    instructions: str
    model: str
    role_id: str
    """The role beyond which it may do nothing."""
    tools: tuple[str, ...] | None
    """The tools that it may call; None for `DEFAULT_TOOLS`, narrowed."""
    daily_micro_credits: int
    set_by: str
    """The person who set it last, beyond whom it may do nothing either."""
    created_at: int
    updated_at: int
