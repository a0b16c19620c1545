"""The wire formats of the channel doors: messages that bridges report, and replies that they get.

Bridges outlive versions of this program, so unknown members are ignored.
"""

from datetime import datetime
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from svc.domain.channels.connections import HealthReason, HealthState
from svc.domain.channels.limits import (
    ATTACHMENT_BYTES_MAX,
    ATTACHMENT_DATA_LEVELS_MAX,
    ATTACHMENT_NAME_CHARS_MAX,
    ATTACHMENTS_MAX,
    DETAIL_CHARS_MAX,
    ERROR_CODE_CHARS_MAX,
    EVIDENCE_CHARS_MAX,
    EVIDENCE_MAX,
    EXTERNAL_ID_CHARS_MAX,
    MEDIA_TYPE_CHARS_MAX,
    MESSAGE_CHARS_MAX,
    PULL_WAIT_SECONDS_MAX,
    PULLED_REPLIES_MAX,
)
from svc.domain.channels.replies import ReplyState, ReportedState
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.locale.times import SECOND_MS
from svc.domain.records.limits import URL_CHARS_MAX

ExternalId = Annotated[str, Meta(min_length=1, max_length=EXTERNAL_ID_CHARS_MAX)]
"""An id that the messenger or its bridge made."""
ReplyId = Annotated[str, Meta(max_length=EXTERNAL_ID_CHARS_MAX)]
"""An id of ours; a malformed one is an unknown one."""
ShortText = Annotated[str, Meta(max_length=EVIDENCE_CHARS_MAX)]
Name = Annotated[str, Meta(max_length=NAME_CHARS_MAX)]
Text = Annotated[str, Meta(max_length=MESSAGE_CHARS_MAX)]
Moment = Annotated[datetime, Meta(tz=True)]
"""A time by the bridge's clock, which may be wrong: it is stored as reported, and decides nothing."""

Direction = Literal["in", "out"]
ConversationKind = Literal["direct", "group"]
ConversationStatus = Literal["open", "closed"]
AttachmentKind = Literal["image", "video", "audio", "voice", "file", "location", "contact", "sticker"]
EvidenceKind = Literal["phone", "email", "username"]
AuthorKind = Literal["member", "agent"]

_EPOCH_MS_MAX: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""


class _ChannelInput(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """The base of inputs of the channel doors: camelCase on the wire."""


class Attachment(_ChannelInput, frozen=True, kw_only=True):
    """Something beside the text. `url` is where the bridge says it is: it is kept, and never fetched."""

    kind: AttachmentKind
    url: Annotated[str, Meta(max_length=URL_CHARS_MAX)] | None = None
    name: Annotated[str, Meta(max_length=ATTACHMENT_NAME_CHARS_MAX)] | None = None
    mime_type: Annotated[str, Meta(max_length=MEDIA_TYPE_CHARS_MAX)] | None = None
    size: Annotated[int, Meta(ge=0, le=ATTACHMENT_BYTES_MAX)] | None = None
    """Bytes."""
    data: dict[str, Any] | str | None = None
    """What is small enough to come along: a place's coordinates, a contact's card, base64."""

    def __post_init__(self) -> None:
        """Raises `ValueError` for `data` that is nested too deeply."""
        check_levels(self.data)


def check_levels(data: object, levels: int = ATTACHMENT_DATA_LEVELS_MAX) -> None:
    """Raises `ValueError` for data nested deeper than *levels*: not every parser can read it."""
    if isinstance(data, dict | list):
        if not levels:
            raise ValueError(f"is nested more than {ATTACHMENT_DATA_LEVELS_MAX} levels deep")
        for inner in data.values() if isinstance(data, dict) else data:
            check_levels(inner, levels - 1)


Attachments = Annotated[tuple[Attachment, ...], Meta(max_length=ATTACHMENTS_MAX)]


class Sender(_ChannelInput, frozen=True, kw_only=True):
    """Who wrote a message, as far as the messenger tells."""

    id: ExternalId | None = None
    name: Name | None = None
    phone: ShortText | None = None
    email: ShortText | None = None
    username: ShortText | None = None


class ConversationFacts(_ChannelInput, frozen=True, kw_only=True):
    """What a conversation is in the messenger."""

    kind: ConversationKind = "direct"
    title: Name | None = None


class InboundMessage(_ChannelInput, frozen=True, kw_only=True):
    """`channel.message.receive`: a message that happened in the messenger.

    `out` is a copy of one that the company's side sent. With the `reply_id` of a reply of ours, or an id that
    was reported for one, it is that reply.
    """

    conversation_id: ExternalId
    message_id: ExternalId
    direction: Direction
    sent_at: Moment | None = None
    sender: Sender | None = None
    conversation: ConversationFacts | None = None
    text: Text | None = None
    attachments: Attachments = ()
    reply_to: ExternalId | None = None
    reply_id: ReplyId | None = None


class Evidence(_ChannelInput, frozen=True, kw_only=True):
    """One thing that tells who somebody is."""

    kind: EvidenceKind
    value: Annotated[str, Meta(min_length=1, max_length=EVIDENCE_CHARS_MAX)]


class Identification(_ChannelInput, frozen=True, kw_only=True):
    """`channel.conversation.identify`: who a conversation is with, without a message."""

    conversation_id: ExternalId
    evidence: Annotated[tuple[Evidence, ...], Meta(max_length=EVIDENCE_MAX)]
    name: Name | None = None


class Pull(_ChannelInput, frozen=True, kw_only=True):
    """`channel.outbox.pull`: replies that wait, and for how long to wait for one."""

    limit: Annotated[int, Meta(ge=1, le=PULLED_REPLIES_MAX)] = PULLED_REPLIES_MAX
    wait_seconds: Annotated[float, Meta(ge=0, le=PULL_WAIT_SECONDS_MAX)] = 0


class ReportedError(_ChannelInput, frozen=True, kw_only=True):
    """Why the messenger did not take a reply."""

    code: Annotated[str, Meta(max_length=ERROR_CODE_CHARS_MAX)] | None = None
    message: Annotated[str, Meta(max_length=DETAIL_CHARS_MAX)] | None = None


class StatusReport(_ChannelInput, frozen=True, kw_only=True):
    """`channel.message.status`: what the messenger did with a reply."""

    reply_id: ReplyId
    status: ReportedState
    lease_id: ReplyId | None = None
    at: Moment | None = None
    messenger_message_id: ExternalId | None = None
    error: ReportedError | None = None


class HealthReport(_ChannelInput, frozen=True, kw_only=True):
    """`channel.connection.report`: how the bridge is."""

    state: HealthState
    reason: HealthReason | None = None
    detail: Annotated[str, Meta(max_length=DETAIL_CHARS_MAX)] | None = None
    at: Moment | None = None


class _ChannelAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The base of answers to bridges: every member is there, null or not."""


class Author(_ChannelAnswer, frozen=True, kw_only=True):
    """Who wrote a reply."""

    kind: AuthorKind
    name: str


class OutboundReply(_ChannelAnswer, frozen=True, kw_only=True):
    """A reply as its bridge gets it, by pull or by push. Times are RFC 3339."""

    reply_id: str
    lease_id: str | None
    lease_expires_at: str | None
    """Of a pull; a push has no lease."""
    attempt: int
    conversation_id: str
    text: str | None
    attachments: tuple[Attachment, ...]
    reply_to: str | None
    """The messenger's id of the message that it answers."""
    author: Author
    created_at: str
    expires_at: str


class MessageReceived(_ChannelAnswer, frozen=True, kw_only=True):
    """The answer to a message; `conversation` and `message` are our ids."""

    ok: Literal[True] = True
    duplicate: bool
    conversation: str
    message: str


class EvidenceReceived(_ChannelAnswer, frozen=True, kw_only=True):
    """The answer to evidence, the same whatever was found."""

    ok: Literal[True] = True


class PulledReplies(_ChannelAnswer, frozen=True, kw_only=True):
    """The answer to a pull; `more` says that another one would have replies at once."""

    ok: Literal[True] = True
    replies: tuple[OutboundReply, ...]
    more: bool


class StatusNoted(_ChannelAnswer, frozen=True, kw_only=True):
    """The answer to a status: whether it changed anything, and what the reply's status is now."""

    ok: Literal[True] = True
    applied: bool
    status: ReplyState


class HealthNoted(_ChannelAnswer, frozen=True, kw_only=True):
    """The answer to a report on health."""

    ok: Literal[True] = True
    state: HealthState


ChannelInput = InboundMessage | Identification | Pull | StatusReport | HealthReport


def at_ms(moment: datetime | None) -> int | None:
    """*moment* in ms since the epoch, clamped to the years of RFC 3339."""
    return None if moment is None else min(max(0, round(moment.timestamp() * SECOND_MS)), _EPOCH_MS_MAX)
