"""Events: what happened in an organization, as webhooks, workflows and `event.list` are told of it.

The *subject* of an event is the id of what it is about: the record, else the conversation, the submission,
the connection or the run. Events of one subject are delivered in order.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, cast, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

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

SourceKind = Literal["form", "api", "mcp", "channel", "workflow", "agent", "person"]


class EventSource(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Where a write came from. Which members there are depends on `kind`."""

    kind: SourceKind
    id: Annotated[str | UnsetType, Meta(description="Of the key, person, agent or workflow.")] = UNSET
    person_id: Annotated[
        str | UnsetType | None, Meta(description="The person who did it, or whose key did.")
    ] = UNSET
    form_id: str | UnsetType = UNSET
    submission_id: str | UnsetType = UNSET
    connection_id: str | UnsetType = UNSET
    conversation_id: str | UnsetType = UNSET
    workflow_id: str | UnsetType = UNSET
    run_id: str | UnsetType = UNSET
    depth: Annotated[
        int | UnsetType, Meta(description="How many runs led to it, each begun by an event of the last.")
    ] = UNSET


Source: TypeAlias = Mapping[str, Any]
"""An `EventSource`, JSON-ready: `{"kind": "api", …}`. So timelines and events have it."""
EXAMPLE_ULID: Final = "01K5D3V7Q2M8Z4X6C9B1N0T5RA"
"""What follows the prefix in ids of examples."""


class NewEvent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An event to be recorded: its members are its data, which is stored and sent as this is encoded.

    Each type is a struct in `svc/domain/<noun>/events.py`, with an example in the `EXAMPLES` there. Its
    docstring says what happened and, in a second paragraph, what the data is. `source` comes last, since
    members by keyword come behind others: no type has `kw_only` again.
    """

    type: ClassVar[EventType]
    source: Source

    @classmethod
    def data_name(cls, member: str) -> str:
        """The name of *member* in the data."""
        return cls.__struct_encode_fields__[cls.__struct_fields__.index(member)]

    @property
    def subject(self) -> str:
        """The id of what it is about: see above."""
        raise NotImplementedError

    @property
    def resource(self) -> tuple[str, str]:
        """The noun and the id of what has changed, as screens show it."""
        return self.type.partition(".")[0], self.subject

    @property
    def object_type(self) -> str | None:
        """The slug of the object, of an event of a record."""
        return None

    @property
    def depth(self) -> int:
        """How many runs led to it, each started by an event of the one before; 0 where no run did."""
        depth: int = self.source.get("depth", 0)
        return depth


def json_source(source: EventSource) -> Source:
    """The source as it is stored and sent: what is not said is not there."""
    return cast("Source", msgspec.to_builtins(source))


def caller_source(kind: str, id_: str, person_id: str | None) -> Source:
    """The source of what a caller writes: through a door that *kind* names, or as a kind of caller."""
    return json_source(EventSource(kind=cast("SourceKind", kind), id=id_, person_id=person_id))


def channel_source(connection_id: str, conversation_id: str | None = None) -> Source:
    """The source of what a bridge reports, and of what becomes of the replies that it is handed."""
    conversation = UNSET if conversation_id is None else conversation_id
    return json_source(EventSource(kind="channel", connection_id=connection_id, conversation_id=conversation))


def agent_source(connection_id: str, conversation_id: str, run_id: str) -> Source:
    """The source of what an agent writes."""
    return json_source(
        EventSource(kind="agent", connection_id=connection_id, conversation_id=conversation_id, run_id=run_id)
    )


def workflow_source(workflow_id: str, run_id: str, depth: int) -> Source:
    """The source of what a run of a workflow writes. Its depth is the run's."""
    return json_source(EventSource(kind="workflow", workflow_id=workflow_id, run_id=run_id, depth=depth))
