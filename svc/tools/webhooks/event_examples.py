"""An example of each payload, for the contract, for `webhook.test` and for `svc listen --trigger`."""

from typing import Any, Final

from svc.domain.approvals.cards import AskedByAgent
from svc.tools.records.answers import EXAMPLE as RECORD
from svc.tools.webhooks.event_data import (
    ConnectionStateData,
    CreatedApprovalData,
    CreatedConversationData,
    DeletedRecordData,
    EventAttachment,
    EventHealth,
    EventSource,
    FailedRunData,
    FiledSubmissionData,
    HandedOverConversationData,
    HeldSubmissionData,
    MessageStatusData,
    PingData,
    PropertyChange,
    ReceivedMessageData,
    RecordData,
    UpdatedRecordData,
)
from svc.tools.webhooks.payloads import (
    ApprovalCreatedEvent,
    ConnectionStateChangedEvent,
    ConversationCreatedEvent,
    ConversationHandedOverEvent,
    EventPayload,
    MessageReceivedEvent,
    MessageStatusChangedEvent,
    PingEvent,
    RecordCreatedEvent,
    RecordDeletedEvent,
    RecordUpdatedEvent,
    RunFailedEvent,
    SubmissionFiledEvent,
    SubmissionHeldEvent,
    WorkflowCallEvent,
)

_ULID: Final = "01K5D3V7Q2M8Z4X6C9B1N0T5RA"
_AGENT_RUN: Final = f"agr_{_ULID}"
_CONNECTION, _CONVERSATION, _MESSAGE, _REPLY, _FORM, _SUBMISSION, _KEY, _PERSON, _WORKFLOW, _RUN = (
    f"{prefix}_{_ULID}" for prefix in ("con", "cnv", "msg", "rpl", "frm", "sub", "key", "usr", "wfl", "run")
)
_APPROVAL: Final = f"apr_{_ULID}"
_DEAL: Final = "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RD"
_WHOLE: Final[dict[str, Any]] = {
    "id": f"evt_{_ULID}",
    "timestamp": "2026-09-18T09:30:00.000Z",
    "organization_id": f"org_{_ULID}",
}
_RECORD: Final[dict[str, Any]] = {
    "object_type": RECORD.object_type,
    "record_id": RECORD.id,
    "record": RECORD,
    "source": EventSource(kind="api", id=_KEY, person_id=_PERSON),
}
_OF_FORM: Final = EventSource(kind="form", form_id=_FORM, submission_id=_SUBMISSION)
_OF_CHANNEL: Final = EventSource(kind="channel", connection_id=_CONNECTION, conversation_id=_CONVERSATION)

_EXAMPLES: Final[tuple[EventPayload, ...]] = (
    RecordCreatedEvent(**_WHOLE, type="record.created", data=RecordData(**_RECORD)),
    RecordUpdatedEvent(
        **_WHOLE,
        type="record.updated",
        data=UpdatedRecordData(**_RECORD, changed={"city": PropertyChange(before=None, after="London")}),
    ),
    RecordDeletedEvent(**_WHOLE, type="record.deleted", data=DeletedRecordData(**_RECORD)),
    SubmissionFiledEvent(
        **_WHOLE,
        type="submission.filed",
        data=FiledSubmissionData(
            submission_id=_SUBMISSION,
            form_id=_FORM,
            contact_id=RECORD.id,
            deal_id=_DEAL,
            fields={"email": "ada@example.com", "message": "Do you have it in brass?"},
            source=_OF_FORM,
        ),
    ),
    SubmissionHeldEvent(
        **_WHOLE,
        type="submission.held",
        data=HeldSubmissionData(submission_id=_SUBMISSION, form_id=_FORM, reason="similar", source=_OF_FORM),
    ),
    MessageReceivedEvent(
        **_WHOLE,
        type="message.received",
        data=ReceivedMessageData(
            message_id=_MESSAGE,
            conversation_id=_CONVERSATION,
            connection_id=_CONNECTION,
            contact_id=RECORD.id,
            text="Is it ready?",
            attachments=[EventAttachment(kind="image", url="https://media.example/lamp.jpg")],
            source=_OF_CHANNEL,
        ),
    ),
    MessageStatusChangedEvent(
        **_WHOLE,
        type="message.status",
        data=MessageStatusData(
            connection_id=_CONNECTION,
            conversation_id=_CONVERSATION,
            message_id=_MESSAGE,
            reply_id=_REPLY,
            status="delivered",
            failure=None,
            error=None,
            source=_OF_CHANNEL,
        ),
    ),
    ConversationCreatedEvent(
        **_WHOLE,
        type="conversation.created",
        data=CreatedConversationData(
            conversation_id=_CONVERSATION,
            connection_id=_CONNECTION,
            kind="direct",
            contact_id=RECORD.id,
            held_reason=None,
            source=_OF_CHANNEL,
        ),
    ),
    ConversationHandedOverEvent(
        **_WHOLE,
        type="conversation.handed_over",
        data=HandedOverConversationData(
            conversation_id=_CONVERSATION,
            connection_id=_CONNECTION,
            contact_id=RECORD.id,
            run_id=_AGENT_RUN,
            reason="wants a discount that only a person may give",
            source=EventSource(
                kind="agent",
                connection_id=_CONNECTION,
                conversation_id=_CONVERSATION,
                run_id=_AGENT_RUN,
            ),
        ),
    ),
    ConnectionStateChangedEvent(
        **_WHOLE,
        type="connection.state",
        data=ConnectionStateData(
            connection_id=_CONNECTION,
            status="active",
            pause_reason=None,
            health=EventHealth(state="offline", reason="token_revoked"),
            source=EventSource(kind="channel", connection_id=_CONNECTION),
        ),
    ),
    ApprovalCreatedEvent(
        **_WHOLE,
        type="approval.created",
        data=CreatedApprovalData(
            approval_id=_APPROVAL,
            tool="record.delete",
            asked_by=AskedByAgent(
                connection_id=_CONNECTION, conversation_id=_CONVERSATION, run_id=f"agr_{_ULID}"
            ),
            expires_at="2026-09-25T09:30:00.000Z",
            source=EventSource(kind="agent", id=_CONNECTION, person_id=_PERSON),
        ),
    ),
    RunFailedEvent(
        **_WHOLE,
        type="workflow.run_failed",
        data=FailedRunData(
            workflow_id=_WORKFLOW,
            run_id=_RUN,
            version=3,
            reason="refused",
            step="title",
            error={"code": "not_found", "detail": "there is no such record"},
            source=EventSource(kind="workflow", workflow_id=_WORKFLOW, run_id=_RUN, depth=1),
        ),
    ),
    PingEvent(**_WHOLE, type="ping", data=PingData(webhook_id=f"whk_{_ULID}")),
    WorkflowCallEvent(**_WHOLE, type="workflow.call", data={"who": RECORD.id}),
)

EXAMPLES: Final = {example.type: example for example in _EXAMPLES}
"""By type: all events, and what is sent to webhooks besides."""
