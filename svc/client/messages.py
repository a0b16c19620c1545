"""What goes through the channel doors, both ways. Times are RFC 3339 text."""

from typing import Literal

import msgspec

ConversationKind = Literal["direct", "group"]
AttachmentKind = Literal["image", "video", "audio", "voice", "file", "location", "contact", "sticker"]
EvidenceKind = Literal["phone", "email", "username"]
ReplyStatus = Literal["sent", "delivered", "read", "failed"]
ConnectionState = Literal["online", "offline"]
OfflineReason = Literal["token_revoked", "network", "rate_limited", "other"]


class _Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """camelCase on the wire, without what is not said. What a newer service adds is ignored."""


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
    """Something beside the text: a file at an address, or a place or card as `data`."""

    kind: AttachmentKind
    url: str | None = None
    name: str | None = None
    mime_type: str | None = None
    size: int | None = None
    data: dict[str, str | int | float | bool | None] | None = None


class Message(_Wire, frozen=True, kw_only=True):
    """A message that happened in the messenger: `in`, or `out` for one that your own side sent there."""

    conversation_id: str
    message_id: str
    direction: Literal["in", "out"] = "in"
    sent_at: str | None = None
    sender: Sender | None = None
    conversation: Conversation | None = None
    text: str | None = None
    attachments: list[Attachment] = []
    reply_to: str | None = None
    reply_id: str | None = None


class Evidence(_Wire, frozen=True, kw_only=True):
    """Something that tells who a conversation is with, such as a phone number that was shared."""

    conversation_id: str
    evidence: list["EvidenceItem"]
    name: str | None = None


class EvidenceItem(_Wire, frozen=True, kw_only=True):
    """One such thing."""

    kind: EvidenceKind
    value: str


class StatusReport(_Wire, frozen=True, kw_only=True):
    """What the messenger did with a reply."""

    reply_id: str
    status: ReplyStatus
    lease_id: str | None = None
    at: str | None = None
    messenger_message_id: str | None = None
    error: "DeliveryError | None" = None


class DeliveryError(_Wire, frozen=True, kw_only=True):
    """Why a reply failed."""

    code: str | None = None
    message: str | None = None


class Author(_Wire, frozen=True, kw_only=True):
    """Who wrote a reply."""

    kind: Literal["member", "agent"]
    name: str = ""


class Reply(_Wire, frozen=True, kw_only=True):
    """A reply to be sent in the messenger."""

    reply_id: str
    conversation_id: str
    text: str = ""
    attachments: list[Attachment] = []
    reply_to: str | None = None
    author: Author | None = None
    lease_id: str | None = None
    lease_expires_at: str | None = None
    attempt: int = 1
    created_at: str | None = None
    expires_at: str | None = None


class Received(_Wire, frozen=True, kw_only=True):
    """What the service says of a message."""

    duplicate: bool


class Pulled(_Wire, frozen=True, kw_only=True):
    """What a pull brought."""

    replies: list[Reply]
    more: bool = False


class Applied(_Wire, frozen=True, kw_only=True):
    """What became of a status report. One that came too late is not applied, and that is no error."""

    applied: bool
    status: str
