"""`workflow.trigger_list`: what may start a workflow."""

import inspect
from typing import Annotated, Final, get_args

from svc.domain.identity.callers import Call
from svc.domain.identity.roles import Permission
from svc.domain.workflows.documents import (
    AnyTrigger,
    FormSubmitted,
    Manual,
    MessageReceived,
    RecordCreated,
    RecordUpdated,
    Schedule,
)
from svc.domain.workflows.rights import trigger_needs
from svc.domain.workflows.scopes import trigger_scope
from svc.domain.workflows.triggers import event_type_of
from svc.storage.store import View
from svc.tools.tool import ToolInput, ToolOutput, about, reads
from svc.tools.workflows.step_execution import type_of

_EXAMPLES: Final[tuple[AnyTrigger, ...]] = (
    FormSubmitted(),
    RecordCreated(object_type="contact"),
    RecordUpdated(object_type="deal", properties=("stage",)),
    MessageReceived(),
    Schedule(cron="0 9 * * 1", time_zone="Europe/London"),
    Manual(),
)


class TriggerAnswer(ToolOutput, frozen=True, kw_only=True):
    """What may start a run."""

    type: str
    description: str
    event_type: Annotated[str | None, about(description="The type of the event that it is, if it is one.")]
    needs: Annotated[
        tuple[Permission, ...], about(description="What the person needs in whose name runs go.")
    ]
    roots: Annotated[tuple[str, ...], about(description="What paths begin with, beside `steps`.")]
    # Not `example`: linters of OpenAPI take an object with a `type` and an `example` for a schema.
    trigger: Annotated[AnyTrigger, about(description="One such, as a workflow has it.")]


class ListTriggers(ToolInput, frozen=True, kw_only=True):
    """Nothing is asked: all of them are listed."""


class TriggerList(ToolOutput, frozen=True, kw_only=True):
    """What may start runs."""

    triggers: Annotated[tuple[TriggerAnswer, ...], about(max_length=len(get_args(AnyTrigger)))]


def _answer(trigger: AnyTrigger) -> TriggerAnswer:
    return TriggerAnswer(
        type=type_of(trigger),
        description=inspect.getdoc(type(trigger)) or "",
        event_type=event_type_of(trigger),
        needs=tuple(sorted(trigger_needs(trigger))),
        roots=trigger_scope(trigger, {}).roots,
        trigger=trigger,
    )


_TRIGGERS: Final = tuple(map(_answer, _EXAMPLES))


@reads(
    "workflow.trigger_list",
    needs="workflows",
    example=ListTriggers(),
    answer=TriggerList(triggers=_TRIGGERS[:1]),
)
def list_all(view: View, call: Call, request: ListTriggers) -> TriggerList:  # noqa: ARG001  # nothing is asked
    """List what may start a workflow, and what its conditions and steps then see."""
    return TriggerList(triggers=_TRIGGERS)
