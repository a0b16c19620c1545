"""Silence: the agent of a connection does not answer in a conversation, since a person looks after it."""

from typing import Literal

import msgspec

SilencedBy = Literal["member", "outside", "assigned", "handed_over"]
"""A member replied; a message went out that is no copy of a reply of ours, as on the phone; the conversation
was assigned to a member; or the agent handed it over."""

AgentState = Literal["on", "silenced"]
"""Whether the agent of a conversation's connection may answer in it, if there is one that is enabled."""


class Silence(msgspec.Struct, frozen=True, kw_only=True):
    """Why and since when the agent is silent."""

    by: SilencedBy
    at: int
    """Ms since the epoch."""
    reason: str | None = None
    """Of a hand-over: what the agent said of it."""
