"""What tools say of runs: the answers that show one, and examples of them."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, TypeVar

import sqlalchemy as sa

from svc.domain.identity.callers import Caller
from svc.domain.identity.roles import Permission
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.records.answers import RecordId
from svc.domain.versions import Version
from svc.domain.workflows.rights import run_needs
from svc.domain.workflows.runs import RunState
from svc.storage.workflows import run_steps, triggering
from svc.storage.workflows.contexts import record_id_of
from svc.storage.workflows.run_rows import Run
from svc.storage.workflows.run_steps import RunStep, StepState
from svc.tools.projections import Projection
from svc.tools.redaction import shown_to
from svc.tools.tool import ToolOutput, about
from svc.tools.workflows.workflow_answers import WorkflowId

RunId = Annotated[str, about(description="The run's id.", examples=["run_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
EventId = Annotated[str, about(description="The event's id.", examples=["evt_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]

A = TypeVar("A", bound=ToolOutput)


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
            "program failed at it. Or what the step says that stopped it: that is null for callers who may "
            "not see what its template may name, as a step's `input` is."
        ),
    ]
    depth: Annotated[int, about(description="1, and one more for each run that led to it.")]
    event_id: Annotated[EventId | None, about(description="The event that it was started with.")]
    record_id: Annotated[
        RecordId | None, about(description="The record that it was started with, or the contact.")
    ]
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
            "not read records, or not see the events that started the run or that it waited for."
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
    "record_id": lambda run: record_id_of(run.event),
    "planned_at": lambda run: run.event.timestamp if run.event.type == triggering.SCHEDULE else None,
    "late": lambda run: bool(run.event.data.get("late")) and run.event.type == triggering.SCHEDULE,
    "started_at": lambda run: rfc3339(run.progress.started_at),
    "wake_at": lambda run: None if run.progress.wake_at is None else rfc3339(run.progress.wake_at),
    "ended_at": lambda run: None if run.progress.ended_at is None else rfc3339(run.progress.ended_at),
}
answer_of: Final = Projection(Run, RunAnswer, **FACTS)
_details_of: Final = Projection(Run, RunDetails, given=("steps",), **FACTS)
_started_of: Final = Projection(Run, StartedRun, given=("steps", "dry_run", "why_not"), **FACTS)
_step_of: Final = Projection(RunStep, StepAnswer)


def answers_of(conn: sa.Connection, caller: Caller, page: Iterable[Run]) -> tuple[RunAnswer, ...]:
    """The runs of a page, as *caller* may see them."""
    found = list(page)
    awaited = run_steps.awaited_events(conn, [run.id for run in found if _is_filled_in(run)])
    return tuple(_shown(caller, run, answer_of(run), _needs(run, awaited.get(run.id, ()))) for run in found)


def details_of(caller: Caller, run: Run, steps: Iterable[RunStep]) -> RunDetails:
    """The run with its *steps*, as *caller* may see it."""
    begun = list(steps)
    needs = _needs(run, run_steps.awaited_by(begun))
    return _shown(caller, run, _details_of(run, steps=_steps_of(caller, begun, needs)), needs)


def started_of(
    caller: Caller,
    run: Run,
    steps: Iterable[RunStep],
    *,
    dry_run: bool = False,
    why_not: tuple[str, ...] | None = None,
) -> StartedRun:
    """A run that was started, or tried, as *caller* may see it."""
    begun = list(steps)
    needs = _needs(run, run_steps.awaited_by(begun))
    answer = _started_of(run, steps=_steps_of(caller, begun, needs), dry_run=dry_run, why_not=why_not)
    return _shown(caller, run, shown_to(caller, answer, "why_not", needs=needs), needs)


def _needs(run: Run, awaited: Iterable[str]) -> frozenset[Permission]:
    """The permissions to see what its templates were filled in with."""
    return run_needs([run.event.type, *awaited])


def _is_filled_in(run: Run) -> bool:
    """Whether its reason is what a step says. Of a run that failed it is a word of ours."""
    return run.progress.state == "done" and run.progress.reason is not None


def _shown(caller: Caller, run: Run, answer: A, needs: frozenset[Permission]) -> A:
    return shown_to(caller, answer, "reason", needs=needs) if _is_filled_in(run) else answer


def _steps_of(
    caller: Caller, steps: Iterable[RunStep], needs: frozenset[Permission]
) -> tuple[StepAnswer, ...]:
    return tuple(shown_to(caller, _step_of(step), "input", "output", "error", needs=needs) for step in steps)


EXAMPLE: Final = RunAnswer(
    id="run_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    workflow_id="wfl_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    version=1,
    state="waiting",
    reason=None,
    depth=1,
    event_id="evt_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    record_id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
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
