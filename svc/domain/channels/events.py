"""Events of conversations, their messages, and connections."""

from typing import Annotated, Any, ClassVar, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from svc.domain.channels.attachments import StoredAttachment
from svc.domain.channels.connections import ConnectionStatus, HealthReason, HealthState, PauseReason
from svc.domain.channels.messages import AttachmentKind, ConversationKind
from svc.domain.channels.replies import Failure, ReplyState
from svc.domain.events import EXAMPLE_ULID, EventType, NewEvent, agent_source, channel_source
from svc.domain.records.answers import EXAMPLE, RecordId
from svc.domain.records.matching import HeldReason


class EventAttachment(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Something beside the text. What the bridge did not say is not there."""

    kind: AttachmentKind
    url: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    mime_type: str | UnsetType = UNSET
    size: int | UnsetType = UNSET
    data: dict[str, Any] | str | UnsetType = UNSET
    file_id: Annotated[str, Meta(description="The file that its data was: see `file.get`.")] | UnsetType = (
        UNSET
    )


def event_attachment(stored: StoredAttachment) -> EventAttachment:
    """An attachment as its message's event has it."""
    known = {name: value for name, value in msgspec.structs.asdict(stored).items() if value is not None}
    return EventAttachment(**known)


class EventError(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Why the messenger did not take a reply, in the bridge's words."""

    code: str | UnsetType = UNSET
    message: str | UnsetType = UNSET


class EventHealth(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a bridge last said of itself."""

    state: HealthState
    reason: HealthReason | None


class MessageReceived(NewEvent, frozen=True):
    """A message came in from a messenger.

    A message from the other side.
    """

    type: ClassVar[EventType] = "message.received"
    message_id: str
    conversation_id: str
    connection_id: str
    contact_id: RecordId | None
    text: str | None
    attachments: list[EventAttachment]

    @property
    def subject(self) -> str:
        return self.conversation_id

    @property
    def resource(self) -> tuple[str, str]:
        return "conversation", self.conversation_id


class MessageStatusChanged(NewEvent, frozen=True):
    """A reply was sent, delivered, read or cancelled, or failed.

    What became of a reply.
    """

    type: ClassVar[EventType] = "message.status"
    connection_id: str
    conversation_id: str
    message_id: str
    reply_id: str
    status: ReplyState
    failure: Failure | None
    error: EventError | None

    @property
    def subject(self) -> str:
        return self.conversation_id

    @property
    def resource(self) -> tuple[str, str]:
        return "conversation", self.conversation_id


class ConversationCreated(NewEvent, frozen=True):
    """A conversation began.

    A new conversation, and whom it was matched with.
    """

    type: ClassVar[EventType] = "conversation.created"
    conversation_id: str
    connection_id: str
    kind: ConversationKind
    contact_id: RecordId | None
    held_reason: Annotated[HeldReason | None, Meta(description="Why it was matched with no contact.")]

    @property
    def subject(self) -> str:
        return self.conversation_id


class ConversationHandedOver(NewEvent, frozen=True):
    """The agent of a connection handed a conversation over: a person is to answer.

    A conversation that waits for a person, and why.
    """

    type: ClassVar[EventType] = "conversation.handed_over"
    conversation_id: str
    connection_id: str
    contact_id: RecordId | None
    run_id: str
    reason: Annotated[str, Meta(description="What the agent said, or which limit it met.")]

    @property
    def subject(self) -> str:
        return self.conversation_id


class ConnectionStateChanged(NewEvent, frozen=True):
    """A connection was paused, resumed or removed, or its bridge reported its health.

    The state of a connection.
    """

    type: ClassVar[EventType] = "connection.state"
    connection_id: str
    status: ConnectionStatus
    pause_reason: PauseReason | None
    health: EventHealth | None

    @property
    def subject(self) -> str:
        return self.connection_id


_CONNECTION, _CONVERSATION, _MESSAGE, _REPLY, _AGENT_RUN = (
    f"{prefix}_{EXAMPLE_ULID}" for prefix in ("con", "cnv", "msg", "rpl", "agr")
)
_SOURCE: Final = channel_source(_CONNECTION, _CONVERSATION)

EXAMPLES: Final[tuple[NewEvent, ...]] = (
    MessageReceived(
        message_id=_MESSAGE,
        conversation_id=_CONVERSATION,
        connection_id=_CONNECTION,
        contact_id=EXAMPLE.id,
        text="Is it ready?",
        attachments=[EventAttachment(kind="image", url="https://media.example/lamp.jpg")],
        source=_SOURCE,
    ),
    MessageStatusChanged(
        connection_id=_CONNECTION,
        conversation_id=_CONVERSATION,
        message_id=_MESSAGE,
        reply_id=_REPLY,
        status="delivered",
        failure=None,
        error=None,
        source=_SOURCE,
    ),
    ConversationCreated(
        conversation_id=_CONVERSATION,
        connection_id=_CONNECTION,
        kind="direct",
        contact_id=EXAMPLE.id,
        held_reason=None,
        source=_SOURCE,
    ),
    ConversationHandedOver(
        conversation_id=_CONVERSATION,
        connection_id=_CONNECTION,
        contact_id=EXAMPLE.id,
        run_id=_AGENT_RUN,
        reason="wants a discount that only a person may give",
        source=agent_source(_CONNECTION, _CONVERSATION, _AGENT_RUN),
    ),
    ConnectionStateChanged(
        connection_id=_CONNECTION,
        status="active",
        pause_reason=None,
        health=EventHealth(state="offline", reason="token_revoked"),
        source=channel_source(_CONNECTION),
    ),
)
