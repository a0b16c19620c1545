"""Payloads of events, one struct for each type: what webhooks send, and what `event.list` answers.

The contract describes them under `webhooks`. They are not used to encode: an event's data is stored as JSON,
and sent as it is stored. Tests hold the two together.
"""

from typing import Annotated, Any, Literal

from svc.tools.tool import Timestamp, ToolOutput, about
from svc.tools.webhooks.event_data import (
    ConnectionStateData,
    CreatedApprovalData,
    CreatedConversationData,
    DeletedRecordData,
    FailedRunData,
    FiledSubmissionData,
    HandedOverConversationData,
    HeldSubmissionData,
    MessageStatusData,
    PingData,
    ReceivedMessageData,
    RecordData,
    UpdatedRecordData,
)

EventId = Annotated[str, about(description="The event's id.", examples=["evt_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]


class EventPayload(ToolOutput, frozen=True, kw_only=True):
    """What every payload has."""

    id: EventId
    type: str
    timestamp: Annotated[Timestamp, about(description="When it happened; the same on every attempt.")]
    organization_id: str
    data: Any


class RecordCreatedEvent(EventPayload, frozen=True, kw_only=True):
    """A record was created, or restored."""

    type: Literal["record.created"]
    data: RecordData


class RecordUpdatedEvent(EventPayload, frozen=True, kw_only=True):
    """A record was changed."""

    type: Literal["record.updated"]
    data: UpdatedRecordData


class RecordDeletedEvent(EventPayload, frozen=True, kw_only=True):
    """A record was deleted, or merged into another."""

    type: Literal["record.deleted"]
    data: DeletedRecordData


class SubmissionFiledEvent(EventPayload, frozen=True, kw_only=True):
    """A submission of a form was filed: its contact is there, and its deal."""

    type: Literal["submission.filed"]
    data: FiledSubmissionData


class SubmissionHeldEvent(EventPayload, frozen=True, kw_only=True):
    """A submission of a form waits for a person."""

    type: Literal["submission.held"]
    data: HeldSubmissionData


class MessageReceivedEvent(EventPayload, frozen=True, kw_only=True):
    """A message came in from a messenger."""

    type: Literal["message.received"]
    data: ReceivedMessageData


class MessageStatusChangedEvent(EventPayload, frozen=True, kw_only=True):
    """A reply was sent, delivered, read or cancelled, or failed."""

    type: Literal["message.status"]
    data: MessageStatusData


class ConversationCreatedEvent(EventPayload, frozen=True, kw_only=True):
    """A conversation began."""

    type: Literal["conversation.created"]
    data: CreatedConversationData


class ConversationHandedOverEvent(EventPayload, frozen=True, kw_only=True):
    """The agent of a connection handed a conversation over: a person is to answer."""

    type: Literal["conversation.handed_over"]
    data: HandedOverConversationData


class ConnectionStateChangedEvent(EventPayload, frozen=True, kw_only=True):
    """A connection was paused, resumed or removed, or its bridge reported its health."""

    type: Literal["connection.state"]
    data: ConnectionStateData


class ApprovalCreatedEvent(EventPayload, frozen=True, kw_only=True):
    """An agent, or a workflow, asks a person for an approval."""

    type: Literal["approval.created"]
    data: CreatedApprovalData


class RunFailedEvent(EventPayload, frozen=True, kw_only=True):
    """A run of a workflow failed."""

    type: Literal["workflow.run_failed"]
    data: FailedRunData


class PingEvent(EventPayload, frozen=True, kw_only=True):
    """A test, which `webhook.test` sends."""

    type: Literal["ping"]
    data: PingData


class WorkflowCallEvent(EventPayload, frozen=True, kw_only=True):
    """A call of a workflow's step: `data` is the body that the step has."""

    type: Literal["workflow.call"]
    data: Any
