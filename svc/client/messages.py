"""The messages of the channel doors. Times are RFC 3339 text.

Types of requests are as strict as the service's. Types of responses are lenient, with any text as a kind,
since a bridge outlives versions of the service.
"""

from typing import Any, Literal

import msgspec

Direction = Literal["in", "out"]
ConversationKind = Literal["direct", "group"]
EvidenceKind = Literal["phone", "email", "username"]
ReplyStatus = Literal["sent", "delivered", "read", "failed"]
ConnectionState = Literal["online", "offline"]
OfflineReason = Literal["token_revoked", "network", "rate_limited", "other"]


class _Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """camelCase in JSON, without members that have their default. Unknown members are ignored."""


class Sender(_Wire, frozen=True, kw_only=True):
    """The author of a message, as far as the messenger states it."""

    id: str | None = None
    name: str | None = None
    phone: str | None = None
    email: str | None = None
    username: str | None = None


class Conversation(_Wire, frozen=True, kw_only=True):
    """The conversation in the messenger: its kind, and the title of a group."""

    kind: ConversationKind
    title: str | None = None


class Attachment(_Wire, frozen=True, kw_only=True):
    """An attachment: a file at a URL, or structured data such as a location."""

    kind: str
    """`image`, `video`, `audio`, `voice`, `file`, `location`, `contact` or `sticker`."""
    url: str | None = None
    name: str | None = None
    mime_type: str | None = None
    size: int | None = None
    """In bytes."""
    data: dict[str, Any] | str | None = None


class Message(_Wire, frozen=True, kw_only=True):
    """A message in the messenger: `in` from the customer, `out` if your own side sent it there.

    The ids are the messenger's, of 1 to `EXTERNAL_ID_CHARS_MAX` characters. They identify the message: the
    same conversation and message id again are a duplicate.
    """

    conversation_id: str
    message_id: str
    direction: Direction
    sent_at: str | None = None
    """By the messenger's clock."""
    sender: Sender | None = None
    conversation: Conversation | None = None
    text: str | None = None
    attachments: list[Attachment] = []
    reply_to: str | None = None
    """The `message_id` of the message that it answers."""
    reply_id: str | None = None
    """The id of the service's reply, if this message is that reply as the messenger shows it."""


class Evidence(_Wire, frozen=True, kw_only=True):
    """One fact that identifies a customer."""

    kind: EvidenceKind
    value: str


class Identification(_Wire, frozen=True, kw_only=True):
    """Who the customer of a conversation is, for example after they shared a phone number."""

    conversation_id: str
    evidence: list[Evidence]
    name: str | None = None


class DeliveryError(_Wire, frozen=True, kw_only=True):
    """Why the messenger rejected a reply."""

    code: str | None = None
    message: str | None = None


class StatusReport(_Wire, frozen=True, kw_only=True):
    """What became of a reply in the messenger."""

    reply_id: str
    status: ReplyStatus
    lease_id: str | None = None
    """The lease of the reply, if it was pulled."""
    at: str | None = None
    """By the messenger's clock."""
    messenger_message_id: str | None = None
    error: DeliveryError | None = None


class Author(_Wire, frozen=True, kw_only=True):
    """The author of a reply."""

    kind: str
    """`member` or `agent`."""
    name: str = ""


class Reply(_Wire, frozen=True, kw_only=True):
    """A reply to be sent in the messenger. Times are by the service's clock."""

    reply_id: str
    conversation_id: str
    text: str | None = None
    attachments: list[Attachment] = []
    reply_to: str | None = None
    """The messenger's id of the message that it answers."""
    author: Author | None = None
    lease_id: str | None = None
    """None for a push, which has no lease: a 2xx response completes it."""
    lease_expires_at: str | None = None
    attempt: int = 1
    """Greater than 1 if it was delivered to a bridge before: it may have been sent then."""
    created_at: str | None = None
    expires_at: str | None = None


class ReceiveResult(_Wire, frozen=True, kw_only=True):
    """The answer to a message that was received."""

    duplicate: bool
    """Whether the message was already stored."""
    conversation: str
    """The service's id of the conversation, as in tools."""
    message: str
    """The service's id of the message, as in tools."""


class PulledBatch(_Wire, frozen=True, kw_only=True):
    """The replies of a pull. With `more`, another pull returns further ones at once."""

    replies: list[Reply]
    more: bool = False


class StatusResult(_Wire, frozen=True, kw_only=True):
    """The answer to a status report. A report that is outdated is not applied, which is not an error."""

    applied: bool
    status: str
    """The current status of the reply."""
