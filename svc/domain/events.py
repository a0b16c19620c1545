"""Events: what happened in an organization, as webhooks, workflows and `event.list` are told of it.

The *subject* of an event is the id of what it is about: the record, else the conversation, the submission,
the connection or the run. Events of one subject are delivered in order.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

import msgspec

EventType = Literal[
    "record.created",
    "record.updated",
    "record.deleted",
    "submission.filed",
    "submission.held",
    "message.received",
    "message.status",
    "conversation.created",
    "conversation.handed_over",
    "connection.state",
    "approval.created",
    "workflow.run_failed",
]
EVENT_TYPES: Final[tuple[EventType, ...]] = get_args(EventType)

Source: TypeAlias = Mapping[str, Any]
"""Where a write came from, JSON-ready: `{"kind": "api", …}` (decisions §10).

The source of a workflow's run has the `depth` of the run, too.
"""


_NAMED_IN_DATA: Final = {"workflow": "workflowId", "approval": "approvalId"}
"""By noun: the member of an event's data that has the id of what has changed, where its subject has not."""


class NewEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event to be recorded. *data* is JSON-ready; its source is added to it when it is recorded."""

    type: EventType
    subject: str
    source: Source
    data: dict[str, Any]

    @property
    def resource(self) -> tuple[str, str]:
        """The noun and the id of what has changed, as screens show it."""
        noun = self.type.partition(".")[0]
        if noun == "message":
            return "conversation", self.subject
        named = _NAMED_IN_DATA.get(noun)
        return noun, self.subject if named is None else self.data[named]

    @property
    def depth(self) -> int:
        """How many runs led to it, each started by an event of the one before; 0 where no run did."""
        depth: int = self.source.get("depth", 0)
        return depth


def channel_source(connection_id: str, conversation_id: str | None = None) -> Source:
    """The source of what a bridge reports, and of what becomes of the replies that it is handed."""
    source = {"kind": "channel", "connectionId": connection_id}
    return source if conversation_id is None else source | {"conversationId": conversation_id}


def agent_source(connection_id: str, conversation_id: str, run_id: str) -> Source:
    """The source of what an agent writes."""
    at_work = {"connectionId": connection_id, "conversationId": conversation_id}
    return {"kind": "agent", **at_work, "runId": run_id}


def workflow_source(workflow_id: str, run_id: str, depth: int) -> Source:
    """The source of what a run of a workflow writes."""
    return {"kind": "workflow", "workflowId": workflow_id, "runId": run_id, "depth": depth}
