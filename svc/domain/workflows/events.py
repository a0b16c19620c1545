"""Events of workflows."""

from typing import Annotated, ClassVar, Final

import msgspec
from msgspec import Meta

from svc.domain.events import EXAMPLE_ULID, EventType, NewEvent, workflow_source
from svc.domain.workflows.runs import FailureReason


class RefusedStep(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Why a step was refused."""

    code: Annotated[str, Meta(description="The problem's code.", examples=["validation_failed"])]


class RunFailed(NewEvent, frozen=True):
    """A run of a workflow failed.

    A run that ended without having done all of its steps.
    """

    type: ClassVar[EventType] = "workflow.run_failed"
    workflow_id: str
    run_id: str
    version: Annotated[int, Meta(description="Of the workflow, as the run has it.")]
    reason: FailureReason
    step: Annotated[str | None, Meta(description="The key of the step that failed; null if none was begun.")]
    error: Annotated[
        RefusedStep | None,
        Meta(
            description="Why the step was refused; `workflow.run_get` has it in words, for who may see them."
        ),
    ]

    @property
    def subject(self) -> str:
        return self.run_id

    @property
    def resource(self) -> tuple[str, str]:
        return "workflow", self.workflow_id


_WORKFLOW, _RUN = f"wfl_{EXAMPLE_ULID}", f"run_{EXAMPLE_ULID}"

EXAMPLES: Final[tuple[NewEvent, ...]] = (
    RunFailed(
        workflow_id=_WORKFLOW,
        run_id=_RUN,
        version=3,
        reason="refused",
        step="title",
        error=RefusedStep(code="not_found"),
        source=workflow_source(_WORKFLOW, _RUN, 1),
    ),
)
