"""The data of events, by what happened: see `payloads`."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType

from svc.domain.approvals.cards import AskedBy
from svc.domain.channels.connections import ConnectionStatus, HealthReason, HealthState, PauseReason
from svc.domain.channels.messages import AttachmentKind, ConversationKind
from svc.domain.channels.replies import Failure, ReplyState
from svc.domain.records.matching import HeldReason
from svc.domain.scalars import Scalar
from svc.domain.workflows.runs import FailureReason
from svc.tools.records.answers import ObjectType, RecordAnswer, RecordId
from svc.tools.tool import Timestamp, ToolOutput, about

SourceKind = Literal["form", "api", "mcp", "channel", "workflow", "agent", "person"]


class EventSource(ToolOutput, frozen=True, kw_only=True):
    """Where a write came from. Which members there are depends on `kind`."""

    kind: SourceKind
    id: Annotated[str | UnsetType, about(description="Of the key, person, agent or workflow.")] = UNSET
    person_id: Annotated[
        str | UnsetType | None, about(description="The person who did it, or whose key did.")
    ] = UNSET
    form_id: str | UnsetType = UNSET
    submission_id: str | UnsetType = UNSET
    connection_id: str | UnsetType = UNSET
    conversation_id: str | UnsetType = UNSET
    workflow_id: str | UnsetType = UNSET
    run_id: str | UnsetType = UNSET
    depth: Annotated[
        int | UnsetType, about(description="How many runs led to it, each begun by an event of the last.")
    ] = UNSET


class EventData(ToolOutput, frozen=True, kw_only=True):
    """What the data of every event has."""

    source: EventSource


class RecordData(EventData, frozen=True, kw_only=True):
    """A record, as it stood after the write."""

    object_type: ObjectType
    record_id: RecordId
    record: RecordAnswer


class PropertyChange(ToolOutput, frozen=True, kw_only=True, rename={"before": "from", "after": "to"}):
    """The values of one property; null for none."""

    before: Any
    after: Any


class UpdatedRecordData(RecordData, frozen=True, kw_only=True):
    """A record as it stands, and what was changed of it."""

    changed: Annotated[
        dict[str, PropertyChange], about(description="By the slugs of the properties that were changed.")
    ]


class DeletedRecordData(RecordData, frozen=True, kw_only=True):
    """A record as it was last."""

    merged_into: Annotated[
        RecordId | UnsetType, about(description="The record that it was merged into, if it was.")
    ] = UNSET


class FiledSubmissionData(EventData, frozen=True, kw_only=True):
    """A submission, and what was made of it."""

    submission_id: str
    form_id: str
    contact_id: RecordId
    deal_id: RecordId | None
    fields: Annotated[dict[str, Scalar], about(description="What was sent, by the names of the fields.")]


class HeldSubmissionData(EventData, frozen=True, kw_only=True):
    """A submission that waits for a person."""

    submission_id: str
    form_id: str
    reason: HeldReason | None


class EventAttachment(ToolOutput, frozen=True, kw_only=True):
    """Something beside the text. What the bridge did not say is not there."""

    kind: AttachmentKind
    url: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    mime_type: str | UnsetType = UNSET
    size: int | UnsetType = UNSET
    data: dict[str, Any] | str | UnsetType = UNSET
    file_id: Annotated[str, about(description="The file that its data was: see `file.get`.")] | UnsetType = (
        UNSET
    )


class ReceivedMessageData(EventData, frozen=True, kw_only=True):
    """A message from the other side."""

    message_id: str
    conversation_id: str
    connection_id: str
    contact_id: RecordId | None
    text: str | None
    attachments: list[EventAttachment]


class EventError(ToolOutput, frozen=True, kw_only=True):
    """Why the messenger did not take a reply, in the bridge's words."""

    code: str | UnsetType = UNSET
    message: str | UnsetType = UNSET


class MessageStatusData(EventData, frozen=True, kw_only=True):
    """What became of a reply."""

    connection_id: str
    conversation_id: str
    message_id: str
    reply_id: str
    status: ReplyState
    failure: Failure | None
    error: EventError | None


class CreatedConversationData(EventData, frozen=True, kw_only=True):
    """A new conversation, and whom it was matched with."""

    conversation_id: str
    connection_id: str
    kind: ConversationKind
    contact_id: RecordId | None
    held_reason: Annotated[HeldReason | None, about(description="Why it was matched with no contact.")]


class EventHealth(ToolOutput, frozen=True, kw_only=True):
    """What a bridge last said of itself."""

    state: HealthState
    reason: HealthReason | None


class HandedOverConversationData(EventData, frozen=True, kw_only=True):
    """A conversation that waits for a person, and why."""

    conversation_id: str
    connection_id: str
    contact_id: RecordId | None
    run_id: str
    reason: Annotated[str, about(description="What the agent said, or which limit it met.")]


class ConnectionStateData(EventData, frozen=True, kw_only=True):
    """A connection as it stands."""

    connection_id: str
    status: ConnectionStatus
    pause_reason: PauseReason | None
    health: EventHealth | None


class FailedRunData(EventData, frozen=True, kw_only=True):
    """A run that ended without having done all of its steps."""

    workflow_id: str
    run_id: str
    version: Annotated[int, about(description="Of the workflow, as the run has it.")]
    reason: FailureReason
    step: Annotated[str | None, about(description="The key of the step that failed; null if none was begun.")]
    error: Annotated[dict[str, Any] | None, about(description="Why the step was refused.")]


class CreatedApprovalData(EventData, frozen=True, kw_only=True):
    """A card that waits for a person. What is on it only those see who may run its tool: `approval.get`."""

    approval_id: str
    tool: Annotated[str | None, about(description="What is asked for; null for a workflow's step.")]
    asked_by: AskedBy
    expires_at: Timestamp


class PingData(ToolOutput, frozen=True, kw_only=True):
    """What a test has to say."""

    webhook_id: str
