"""`workflow.trigger_list`: what may start a workflow, what it may do, and what is wrong with a draft."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Final, get_args

from svc.domain.events import EVENT_TYPES, EventType
from svc.domain.identity.callers import Call
from svc.domain.identity.roles import Permission
from svc.domain.records.objects import CONTACT, DEAL
from svc.domain.records.properties import Property, PropertyType
from svc.domain.workflows.documents import (
    AddNote,
    AnyStep,
    AnyTrigger,
    Approval,
    Assign,
    Branch,
    CallWebhook,
    CreateDeal,
    CreateRecordStep,
    FormSubmitted,
    Manual,
    MessageReceived,
    RecordCreated,
    RecordUpdated,
    Reply,
    Schedule,
    Stop,
    UpdateRecordStep,
    Wait,
    type_of,
)
from svc.domain.workflows.expressions.scopes import ObjectFacts, awaited_scope, trigger_scope
from svc.domain.workflows.rights import step_needs, trigger_needs
from svc.domain.workflows.triggers import event_type_of
from svc.storage.store import View
from svc.tools.tool import ToolInput, ToolOutput, about, reads
from svc.tools.workflows import drafts
from svc.tools.workflows.drafts import DraftReport

_EXAMPLES: Final[tuple[AnyTrigger, ...]] = (
    FormSubmitted(),
    RecordCreated(object_type=CONTACT),
    RecordUpdated(object_type=DEAL, properties=("stage",)),
    MessageReceived(),
    Schedule(cron="0 9 * * 1", time_zone="Europe/London"),
    Manual(),
)
_STEPS: Final[tuple[AnyStep, ...]] = (
    CreateDeal(key="deal", name="Lamp for {{record.name}}"),
    CreateRecordStep(key="record", object_type=CONTACT, properties={"name": "{{record.name}}"}),
    UpdateRecordStep(key="update", properties={"city": "Leeds"}),
    AddNote(key="note", body="Wants a lamp."),
    Assign(key="assign", property="owner", member_id="{{record.owner}}"),
    Reply(key="reply", text="Thank you, {{record.name}}."),
    CallWebhook(key="call", webhook_id="whk_01K5D3V7Q2M8Z4X6C9B1N0T5RA", body={"name": "{{record.name}}"}),
    Wait(key="pause", seconds=86_400),
    Branch(key="big", conditions=(), then=(), otherwise=()),
    Approval(key="ask", reason="A discount for {{record.name}}?", then=(), otherwise=()),
    Stop(key="end", reason="nothing to do"),
)
assert {*map(type, _EXAMPLES)} == {*get_args(AnyTrigger)}  # noqa: S101  # each has one
assert {*map(type, _STEPS)} == {*get_args(AnyStep)}  # noqa: S101


class _WithoutProperties:
    """An object of whose properties `object.get` tells."""

    properties: Final[Mapping[str, Property]] = {}


_OBJECTS: Final[Mapping[str, ObjectFacts]] = {CONTACT: _WithoutProperties(), DEAL: _WithoutProperties()}


class PathAnswer(ToolOutput, frozen=True, kw_only=True):
    """A value that can be named."""

    path: Annotated[str, about(description="Such as `submission.id`; of a step, what follows its key.")]
    type: Annotated[PropertyType | None, about(description="Null where it is not known before it is there.")]
    object_type: Annotated[
        str | None, about(description="Of the id of a record: its object, if that is always the same.")
    ]


_Paths = Annotated[
    tuple[PathAnswer, ...],
    about(
        description="The values that conditions and steps see, but for the properties of records: where "
        "`<root>.id` is that of a record, the properties of its object are beside it."
    ),
]


class TriggerAnswer(ToolOutput, frozen=True, kw_only=True):
    """What may start a run."""

    type: str
    description: str
    event_type: Annotated[str | None, about(description="The type of the event that it is, if it is one.")]
    needs: Annotated[
        tuple[Permission, ...], about(description="What the person needs in whose name runs go.")
    ]
    roots: Annotated[tuple[str, ...], about(description="What paths begin with, beside `steps`.")]
    paths: _Paths
    # Not `example`: linters of OpenAPI take an object with a `type` and an `example` for a schema.
    trigger: Annotated[AnyTrigger, about(description="One such, as a workflow has it.")]


class StepTypeAnswer(ToolOutput, frozen=True, kw_only=True):
    """What a step may do."""

    type: str
    description: str
    needs: Annotated[
        tuple[Permission, ...], about(description="What the person needs in whose name runs go.")
    ]
    makes: Annotated[tuple[PathAnswer, ...], about(description="What is at `steps.<key>` after one such.")]


class AwaitedEventAnswer(ToolOutput, frozen=True, kw_only=True):
    """An event that a step may wait for."""

    type: EventType
    paths: _Paths


class ListTriggers(ToolInput, frozen=True, kw_only=True):
    """All of them are listed; or a draft is looked at."""

    draft: Annotated[
        dict[str, Any] | None,
        about(
            description="A document as `workflow.create` takes it, finished or not: then the answer says in "
            "`draft` what is wrong with it, and nothing is listed.",
        ),
    ] = None


class TriggerList(ToolOutput, frozen=True, kw_only=True):
    """What may start runs, and what they may do."""

    triggers: Annotated[tuple[TriggerAnswer, ...], about(max_length=len(get_args(AnyTrigger)))]
    steps: Annotated[tuple[StepTypeAnswer, ...], about(max_length=len(get_args(AnyStep)))]
    events: Annotated[
        tuple[AwaitedEventAnswer, ...],
        about(description="What a step `wait` may wait for.", max_length=len(EVENT_TYPES)),
    ]
    draft: DraftReport | None


def _paths(found: Iterable[tuple[str, Property | None]]) -> Iterator[PathAnswer]:
    for path, prop in found:
        object_type = prop.options[0] if prop is not None and prop.options else None
        yield PathAnswer(path=path, type=None if prop is None else prop.type, object_type=object_type)


def _trigger(trigger: AnyTrigger) -> TriggerAnswer:
    scope = trigger_scope(trigger, _OBJECTS)
    return TriggerAnswer(
        type=type_of(trigger),
        description=inspect.getdoc(type(trigger)) or "",
        event_type=event_type_of(trigger),
        needs=tuple(sorted(trigger_needs(trigger))),
        roots=scope.roots,
        paths=tuple(_paths(scope.paths())),
        trigger=trigger,
    )


def _step(step: AnyStep) -> StepTypeAnswer:
    scope = trigger_scope(RecordCreated(object_type=CONTACT), _OBJECTS)
    return StepTypeAnswer(
        type=type_of(step),
        description=inspect.getdoc(type(step)) or "",
        needs=tuple(sorted(step_needs(step))),
        makes=tuple(_paths(scope.made_by(step))),
    )


_TRIGGERS: Final = tuple(map(_trigger, _EXAMPLES))
_STEP_TYPES: Final = tuple(map(_step, _STEPS))
_EVENTS: Final = tuple(
    AwaitedEventAnswer(type=one, paths=tuple(_paths(awaited_scope(one, _OBJECTS).paths())))
    for one in EVENT_TYPES
)


@reads(
    "workflow.trigger_list",
    needs="workflows",
    example=ListTriggers(),
    answer=TriggerList(triggers=_TRIGGERS[:1], steps=_STEP_TYPES[:1], events=_EVENTS[:1], draft=None),
)
def list_all(view: View, call: Call, request: ListTriggers) -> TriggerList:
    """List what may start a workflow, what its conditions and steps then see, and what steps there are.

    With a `draft` it lists nothing, and says what is wrong with that, and which of the latest events it
    would start for.
    """
    if request.draft is None:
        return TriggerList(triggers=_TRIGGERS, steps=_STEP_TYPES, events=_EVENTS, draft=None)
    report = drafts.report(view, call.caller, request.draft)
    return TriggerList(triggers=(), steps=(), events=(), draft=report)
