"""What goes through the channel doors, both ways. Times are RFC 3339 text, by whose clock the field says.

What is sent is checked by types as strict as the service's. What comes is read leniently, kinds as any text,
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
    """camelCase on the wire, without what is not said. What a newer service adds is passed over."""


class Sender(_Wire, frozen=True, kw_only=True):
    """Who wrote a message, as far as the messenger tells."""

    id: str | None = None
    name: str | None = None
    phone: str | None = None
    email: str | None = None
    username: str | None = None


class Conversation(_Wire, frozen=True, kw_only=True):
    """The conversation in the messenger."""

    kind: ConversationKind
    title: str | None = None


class Attachment(_Wire, frozen=True, kw_only=True):
    """Something beside the text: a file at an address, or what is small enough to come along as `data`."""

    kind: str
    """`image`, `video`, `audio`, `voice`, `file`, `location`, `contact` or `sticker`."""
    url: str | None = None
    name: str | None = None
    mime_type: str | None = None
    size: int | None = None
    """Bytes."""
    data: dict[str, Any] | str | None = None


class Message(_Wire, frozen=True, kw_only=True):
    """A message that happened in the messenger: `in`, or `out` for one that your own side sent there.

    The ids are the messenger's, of 1 to 255 characters; the same ones again are the same message.
    """

    conversation_id: str
    message_id: str
    direction: Direction
    sent_at: str | None = None
    sender: Sender | None = None
    conversation: Conversation | None = None
    text: str | None = None
    attachments: list[Attachment] = []
    reply_to: str | None = None
    reply_id: str | None = None
    """Of a reply of the service, when this is its copy."""


class Evidence(_Wire, frozen=True, kw_only=True):
    """One thing that tells who somebody is."""

    kind: EvidenceKind
    value: str


class Identification(_Wire, frozen=True, kw_only=True):
    """Who a conversation is with, without a message, such as after a phone number was shared."""

    conversation_id: str
    evidence: list[Evidence]
    name: str | None = None


class DeliveryError(_Wire, frozen=True, kw_only=True):
    """Why the messenger did not take a reply."""

    code: str | None = None
    message: str | None = None


class StatusReport(_Wire, frozen=True, kw_only=True):
    """What the messenger did with a reply."""

    reply_id: str
    status: ReplyStatus
    lease_id: str | None = None
    at: str | None = None
    messenger_message_id: str | None = None
    error: DeliveryError | None = None


class Author(_Wire, frozen=True, kw_only=True):
    """Who wrote a reply."""

    kind: str
    """`member` or `agent`."""
    name: str = ""


class Reply(_Wire, frozen=True, kw_only=True):
    """A reply to be sent in the messenger. Its times are by the service's clock."""

    reply_id: str
    conversation_id: str
    text: str | None = None
    attachments: list[Attachment] = []
    reply_to: str | None = None
    """The messenger's id of the message that it answers."""
    author: Author | None = None
    lease_id: str | None = None
    """Of a pull; a push has no lease, and is over once it is answered 2xx."""
    lease_expires_at: str | None = None
    attempt: int = 1
    """Over 1 when it was handed out before: it may have been sent then."""
    created_at: str | None = None
    expires_at: str | None = None


class Received(_Wire, frozen=True, kw_only=True):
    """What the service says of a message."""

    duplicate: bool
    conversation: str
    """The service's id of it, as tools have it."""
    message: str


class Pulled(_Wire, frozen=True, kw_only=True):
    """What a pull brought; `more` says that there are others to be had at once."""

    replies: list[Reply]
    more: bool = False


class Applied(_Wire, frozen=True, kw_only=True):
    """What became of a status report. One that came too late is not applied, and that is no error."""

    applied: bool
    status: str
    """The reply's, now."""
