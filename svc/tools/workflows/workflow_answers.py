"""What tools say of workflows: the answers that show one, and examples of them."""

from typing import Annotated, Any, Final

import msgspec

from svc.domain.identity.access import Enabler
from svc.domain.identity.callers import CallerKind
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.locale.times import Timestamp
from svc.domain.records.limits import FILTERS_MAX
from svc.domain.records.queries import Filter
from svc.domain.versions import Version
from svc.domain.workflows.documents import AnyStep, AnyTrigger, Document
from svc.domain.workflows.limits import LAST_RUNS_MAX, WORKFLOW_STEPS_MAX, WORKFLOW_VERSIONS_MAX
from svc.domain.workflows.runs import RunState
from svc.storage.workflows.runs import LatestRun
from svc.storage.workflows.versions import WorkflowVersion
from svc.storage.workflows.workflows import Workflow
from svc.tools.projections import Projection
from svc.tools.tool import ToolOutput, about

WorkflowId = Annotated[
    str, about(description="The workflow's id.", examples=["wfl_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
WorkflowName = Annotated[
    str, about(description="What people call it.", min_length=1, max_length=NAME_CHARS_MAX)
]
WorkflowTrigger = Annotated[
    AnyTrigger, about(description="What starts a run; `workflow.trigger_list` shows them.")
]
WorkflowConditions = Annotated[
    tuple[Filter, ...],
    about(
        description="Must all hold for a run to start, as filters of `record.list`. `property` is a slug of "
        "the trigger's record, or a path such as `submission.fields.topic`.",
        max_length=FILTERS_MAX,
    ),
]
WorkflowSteps = Annotated[
    tuple[AnyStep, ...],
    about(description="What a run does, one after another.", min_length=1, max_length=WORKFLOW_STEPS_MAX),
]


class ActsAs(ToolOutput, frozen=True, kw_only=True):
    """In whose name runs go: they may what this person may, at each step."""

    person_id: str
    key_id: Annotated[
        str | None, about(description="The key with which it was enabled: then no more than its role.")
    ]
    role_id: Annotated[str | None, about(description="The role of that key.")]


class WorkflowLine(ToolOutput, frozen=True, kw_only=True):
    """A workflow, without what it does."""

    id: WorkflowId
    name: WorkflowName
    enabled: Annotated[bool, about(description="Whether its trigger starts runs.")]
    version: Version
    trigger: WorkflowTrigger
    acts_as: Annotated[ActsAs | None, about(description="Null until it was enabled.")]
    next_at: Annotated[Timestamp | None, about(description="When its schedule comes next.")]
    created_at: Timestamp
    updated_at: Timestamp


class LastRun(ToolOutput, frozen=True, kw_only=True):
    """One of the last runs of a workflow."""

    id: Annotated[str, about(description="The run's id.", examples=["run_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
    state: RunState
    started_at: Timestamp
    ended_at: Timestamp | None


class WorkflowListed(WorkflowLine, frozen=True, kw_only=True):
    """A workflow in a list, with how its last runs went."""

    last_runs: Annotated[
        tuple[LastRun, ...],
        about(description="The newest first, of those that are kept.", max_length=LAST_RUNS_MAX),
    ]


class WorkflowAnswer(WorkflowLine, frozen=True, kw_only=True):
    """A workflow."""

    conditions: WorkflowConditions
    steps: WorkflowSteps


class VersionAnswer(ToolOutput, frozen=True, kw_only=True):
    """When a version of a workflow was saved, and by whom."""

    version: Version
    caller_kind: Annotated[
        CallerKind | None, about(description="Null where it was saved before this was noted.")
    ]
    caller_id: Annotated[str | None, about(description="Of the person, or of the key.")]
    person_id: Annotated[str | None, about(description="The person who saved it, or whose key did.")]
    created_at: Timestamp


class WorkflowDetails(WorkflowAnswer, frozen=True, kw_only=True):
    """A workflow, with its versions."""

    versions: Annotated[
        tuple[VersionAnswer, ...],
        about(
            description="The newest first, of those that are kept: the latest ones, and what runs have.",
            max_length=WORKFLOW_VERSIONS_MAX,
        ),
    ]


_acts_as: Final = Projection(Enabler, ActsAs)


def _enabler(workflow: Workflow) -> ActsAs | None:
    return None if workflow.enabler is None else _acts_as(workflow.enabler)


_FACTS: Final[dict[str, Any]] = {
    "trigger": lambda workflow: workflow.document.trigger,
    "acts_as": _enabler,
}
_DOCUMENT_FACTS: Final[dict[str, Any]] = _FACTS | {
    "conditions": lambda workflow: workflow.document.conditions,
    "steps": lambda workflow: workflow.document.steps,
}
listed_of: Final = Projection(Workflow, WorkflowListed, given=("last_runs",), **_FACTS)
last_run_of: Final = Projection(LatestRun, LastRun)
answer_of: Final = Projection(Workflow, WorkflowAnswer, **_DOCUMENT_FACTS)
details_of: Final = Projection(Workflow, WorkflowDetails, given=("versions",), **_DOCUMENT_FACTS)
version_of: Final = Projection(WorkflowVersion, VersionAnswer)

_DOCUMENT: Final = msgspec.convert(
    {
        "name": "Repair wanted",
        "trigger": {"type": "submitted a form"},
        "conditions": [{"property": "submission.fields.topic", "op": "eq", "value": "repair"}],
        "steps": [
            {"key": "note", "type": "add_note", "body": "Wants a repair: {{submission.fields.message}}"},
            {
                "key": "deal",
                "type": "create_deal",
                "name": "Repair for {{record.name}}",
            },
            {"key": "pause", "type": "wait", "seconds": 172_800},
            {
                "key": "remind",
                "type": "add_note",
                "record": "{{steps.deal.recordId}}",
                "body": "Two days old: has anybody called {{record.name}}?",
            },
        ],
    },
    Document,
)
EXAMPLE: Final = WorkflowAnswer(
    id="wfl_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name=_DOCUMENT.name,
    enabled=True,
    version=1,
    trigger=_DOCUMENT.trigger,
    conditions=_DOCUMENT.conditions,
    steps=_DOCUMENT.steps,
    acts_as=ActsAs(person_id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA", key_id=None, role_id=None),
    next_at=None,
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:31:00.000Z",
)
NEW: Final = msgspec.structs.replace(EXAMPLE, enabled=False, acts_as=None, updated_at=EXAMPLE.created_at)
LISTED: Final = WorkflowListed(
    **{name: getattr(EXAMPLE, name) for name in WorkflowLine.__struct_fields__},
    last_runs=(
        LastRun(
            id="run_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
            state="done",
            started_at="2026-09-18T09:32:00.000Z",
            ended_at="2026-09-20T09:32:00.000Z",
        ),
    ),
)
DETAILS: Final = WorkflowDetails(
    **msgspec.structs.asdict(EXAMPLE),
    versions=(
        VersionAnswer(
            version=1,
            caller_kind="person",
            caller_id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
            person_id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
            created_at=EXAMPLE.created_at,
        ),
    ),
)
