"""Notes: what members write to each other on a conversation. They are no messages, and never leave."""

import msgspec

from svc.domain.channels.messages import Author


class ConversationNote(msgspec.Struct, frozen=True, kw_only=True):
    """A note on a conversation."""

    id: str
    conversation_id: str
    author: Author
    author_id: str | None
    text: str
    mentions: tuple[str, ...]
    """The ids of members."""
    created_at: int
    """Ms since the epoch."""
