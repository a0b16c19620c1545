"""What tools say of runs: the answers that show one, and examples of them."""

from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec

from svc.domain.identity.callers import Caller
from svc.domain.times import rfc3339
from svc.domain.workflows.rights import run_needs
from svc.domain.workflows.runs import RunState
from svc.storage.workflows import triggering
from svc.storage.workflows.run_rows import Run
from svc.storage.workflows.run_steps import RunStep, StepState
from svc.tools.projections import Projection
from svc.tools.tool import Timestamp, ToolOutput, Version, about
from svc.tools.workflows.workflows import WorkflowId

RunId = Annotated[str, about(description="The run's id.", examples=["run_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
EventId = Annotated[str, about(description="The event's id.", examples=["evt_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]


class RunAnswer(ToolOutput, frozen=True, kw_only=True):
    """A run of a workflow."""

    id: RunId
    workflow_id: WorkflowId
    version: Annotated[Version, about(description="The version of the workflow that it runs, to its end.")]
    state: RunState
    reason: Annotated[
        str | None,
        about(
            description="Why it failed: `loop`, runs began one another too often; `too_many_runs` are open; "
            "`forbidden`, the person it acts as may not do that; `refused`, as the step says; `error`, the "
            "program failed at it. Or what the step says that stopped it."
        ),
    ]
    depth: Annotated[int, about(description="1, and one more for each run that led to it.")]
    event_id: Annotated[EventId | None, about(description="The event that it was started with.")]
    planned_at: Annotated[Timestamp | None, about(description="The time of the schedule that it was for.")]
    late: Annotated[bool, about(description="Whether that was missed, and made up for.")]
    started_at: Annotated[Timestamp, about(description="In the future, where the pace has it wait.")]
    wake_at: Annotated[Timestamp | None, about(description="When its next step is due; null once it ended.")]
    ended_at: Timestamp | None


class StepAnswer(ToolOutput, frozen=True, kw_only=True):
    """A step that a run has begun."""

    key: str
    type: str
    state: StepState
    input: Annotated[
        dict[str, Any] | None,
        about(
            description="With its templates filled in. It, `output` and `error` are null for callers who may "
            "not read records, or not see the event that started the run."
        ),
    ]
    output: Annotated[dict[str, Any] | None, about(description="What is at `steps.<key>` for later steps.")]
    error: Annotated[dict[str, Any] | None, about(description="Why it was refused: `code` and `detail`.")]
    attempts: int
    started_at: Timestamp
    ended_at: Timestamp | None


class RunDetails(RunAnswer, frozen=True, kw_only=True):
    """A run with its steps."""

    steps: Annotated[tuple[StepAnswer, ...], about(description="Those that were begun, in their order.")]


class StartedRun(RunDetails, frozen=True, kw_only=True):
    """A run that was started, or tried."""

    dry_run: Annotated[bool, about(description="Whether it was only tried: nothing of it is kept.")]
    why_not: Annotated[
        tuple[str, ...] | None,
        about(description="Of a dry run of an event: what keeps it from starting a run by itself."),
    ]


FACTS: Final[dict[str, Any]] = {
    "state": lambda run: run.progress.state,
    "reason": lambda run: run.progress.reason,
    "depth": lambda run: run.progress.depth,
    "event_id": lambda run: run.event.id,
    "planned_at": lambda run: run.event.timestamp if run.event.type == triggering.SCHEDULE else None,
    "late": lambda run: bool(run.event.data.get("late")) and run.event.type == triggering.SCHEDULE,
    "started_at": lambda run: rfc3339(run.progress.started_at),
    "wake_at": lambda run: None if run.progress.wake_at is None else rfc3339(run.progress.wake_at),
    "ended_at": lambda run: None if run.progress.ended_at is None else rfc3339(run.progress.ended_at),
}
answer_of: Final = Projection(Run, RunAnswer, **FACTS)
details_of: Final = Projection(Run, RunDetails, given=("steps",), **FACTS)
started_of: Final = Projection(Run, StartedRun, given=("steps", "dry_run", "why_not"), **FACTS)
_step_of: Final = Projection(RunStep, StepAnswer)


def steps_of(caller: Caller, run: Run, steps: Iterable[RunStep]) -> tuple[StepAnswer, ...]:
    """The steps of *run*, with what they were given and made only where *caller* may see what started it."""
    shown = map(_step_of, steps)
    if run_needs(run.event.type) <= caller.permissions:
        return tuple(shown)
    return tuple(msgspec.structs.replace(step, input=None, output=None, error=None) for step in shown)


EXAMPLE: Final = RunAnswer(
    id="run_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    workflow_id="wfl_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    version=1,
    state="waiting",
    reason=None,
    depth=1,
    event_id="evt_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    planned_at=None,
    late=False,
    started_at="2026-09-18T09:32:00.000Z",
    wake_at="2026-09-20T09:32:00.000Z",
    ended_at=None,
)
STEP: Final = StepAnswer(
    key="note",
    type="add_note",
    state="done",
    input={"record": "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA", "body": "Wants a repair: the shade is bent."},
    output={"noteId": "not_01K5D3V7Q2M8Z4X6C9B1N0T5RA"},
    error=None,
    attempts=1,
    started_at="2026-09-18T09:32:00.000Z",
    ended_at="2026-09-18T09:32:00.000Z",
)
