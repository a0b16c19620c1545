"""Payloads of events, one struct for each type: what webhooks send, and what `event.list` answers.

The contract describes them under `webhooks`. They are made of the events of the domain, which are encoded as
they are: each is its type's struct, and its `source` is described. A type without an event, and an event
without a valid example, is an error when this module is imported.
"""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, cast

import msgspec

from svc.domain.approvals import events as approval_events
from svc.domain.channels import events as channel_events
from svc.domain.events import EVENT_TYPES, EXAMPLE_ULID, EventSource, NewEvent
from svc.domain.forms import events as form_events
from svc.domain.locale.times import Timestamp
from svc.domain.records import events as record_events
from svc.domain.records.answers import EXAMPLE as RECORD
from svc.domain.workflows import events as workflow_events
from svc.tools.tool import ToolOutput, about

EventId = Annotated[str, about(description="The event's id.", examples=["evt_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]


class EventData(ToolOutput, frozen=True, kw_only=True):
    """What the data of every event has."""

    source: EventSource


class EventPayload(ToolOutput, frozen=True, kw_only=True):
    """What every payload has."""

    id: EventId
    type: str
    timestamp: Annotated[Timestamp, about(description="When it happened; the same on every attempt.")]
    organization_id: str
    data: Any


class PingData(ToolOutput, frozen=True, kw_only=True):
    """What a test has to say."""

    webhook_id: str


class PingEvent(EventPayload, frozen=True, kw_only=True):
    """A test, which `webhook.test` sends."""

    type: Literal["ping"]
    data: PingData


class WorkflowCallEvent(EventPayload, frozen=True, kw_only=True):
    """A call of a workflow's step: `data` is the body that the step has."""

    type: Literal["workflow.call"]
    data: Any


_WHOLE: Final[dict[str, Any]] = {
    "id": f"evt_{EXAMPLE_ULID}",
    "timestamp": "2026-09-18T09:30:00.000Z",
    "organization_id": f"org_{EXAMPLE_ULID}",
}


def payload_type(kind: type[NewEvent]) -> type[EventPayload]:
    """The payload of events of a *kind*, by its docstring and its members."""
    happened, _, described = (kind.__doc__ or "").partition("\n\n")
    members: list[tuple[str, Any, Any]] = [
        (field.name, field.type, field.default)
        for field in msgspec.structs.fields(kind)
        if field.name != "source"
    ]
    data = _struct(f"{kind.__name__}Data", members, EventData, described)
    fields = [("type", Literal[kind.type], msgspec.NODEFAULT), ("data", data, msgspec.NODEFAULT)]
    return cast("type[EventPayload]", _struct(f"{kind.__name__}Event", fields, EventPayload, happened))


def _struct(
    name: str, fields: list[tuple[str, Any, Any]], base: type[ToolOutput], description: str
) -> type[msgspec.Struct]:
    return msgspec.defstruct(
        name,
        fields,
        bases=(base,),
        module=__name__,
        namespace={"__doc__": description.strip()},
        frozen=True,
        kw_only=True,
    )


def examples_of(events: Iterable[NewEvent]) -> dict[str, EventPayload]:
    """The payloads of exemplary *events*, by type.

    Raises `TypeError` unless there is one of each type and of each struct, and no other, and
    `ValidationError` for one that is not as it is described.
    """
    by_type = {event.type: event for event in events}
    if missing := [type_ for type_ in EVENT_TYPES if type_ not in by_type]:
        raise TypeError(f"events have no struct or no example: {', '.join(missing)}")
    if unknown := [type_ for type_ in by_type if type_ not in EVENT_TYPES]:
        raise TypeError(f"`EventType` does not name {', '.join(unknown)}")
    kinds = {type(event) for event in by_type.values()}
    if forgotten := [kind.__name__ for kind in _kinds(NewEvent) if kind not in kinds]:
        raise TypeError(f"events have no example: {', '.join(forgotten)}")
    return {type_: _payload(by_type[type_]) for type_ in EVENT_TYPES}


def _kinds(base: type[NewEvent]) -> Iterable[type[NewEvent]]:
    """The structs below *base* that are of a type."""
    for kind in base.__subclasses__():
        if "type" in kind.__dict__:
            yield kind
        yield from _kinds(kind)


def _payload(event: NewEvent) -> EventPayload:
    kind = payload_type(type(event))
    data = msgspec.convert(msgspec.to_builtins(event), kind.__annotations__["data"])
    return kind(**_WHOLE, type=event.type, data=data)


EVENTS: Final[tuple[NewEvent, ...]] = (
    *record_events.EXAMPLES,
    *form_events.EXAMPLES,
    *channel_events.EXAMPLES,
    *approval_events.EXAMPLES,
    *workflow_events.EXAMPLES,
)
"""An example of each event."""

EXAMPLES: Final[dict[str, EventPayload]] = {
    **examples_of(EVENTS),
    "ping": PingEvent(**_WHOLE, type="ping", data=PingData(webhook_id=f"whk_{EXAMPLE_ULID}")),
    "workflow.call": WorkflowCallEvent(**_WHOLE, type="workflow.call", data={"who": RECORD.id}),
}
"""By type: all events, and what is sent to webhooks besides."""
