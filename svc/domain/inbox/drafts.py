"""Drafts: replies that members have begun to write, one for each member and conversation."""

import msgspec


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A draft of one member in one conversation."""

    text: str
    saved_at: int
    """Ms since the epoch."""
