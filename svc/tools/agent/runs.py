"""`agent.run_*`: runs of agents, looked at and stopped."""

from collections.abc import Collection
from typing import Annotated, Any, Final

import msgspec

from svc.domain.agent.runs import RunState, Step, StepKind, StepState
from svc.domain.errors import Conflict, Forbidden, NotFound
from svc.domain.identity.callers import Call, Caller, permit
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.agent import runs, steps
from svc.storage.agent.runs import Run
from svc.storage.store import Tx, View
from svc.tools.ai.answers import MicroCredits
from svc.tools.approvals.rights import FOR_UNKNOWN
from svc.tools.channels.answers import ConnectionId
from svc.tools.inbox.conversations import ConversationId
from svc.tools.projections import Projection
from svc.tools.registry import Registry, registry_of
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes

AgentRunId = Annotated[str, about(description="The run's id.", examples=["agr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]


class AgentRunAnswer(ToolOutput, frozen=True, kw_only=True):
    """A run of an agent: from a message that came to a reply, or to a person."""

    id: AgentRunId
    connection_id: ConnectionId
    conversation_id: ConversationId
    state: Annotated[
        RunState,
        about(
            description="`waiting` for further messages, then `running`. It has `replied`; or `handed_over` "
            "to a person, as it does at a limit; it was `silenced`, since a person looks after the "
            "conversation, or `stopped`; or the program `failed` at it."
        ),
    ]
    reason: Annotated[str | None, about(description="Why it ended, unless it replied.")]
    charged_micro_credits: Annotated[MicroCredits, about(description="What its calls of the model took.")]
    message_id: Annotated[str | None, about(description="The reply that it wrote.")]
    wake_at: Annotated[Timestamp | None, about(description="When one that waits begins.")]
    created_at: Timestamp
    started_at: Timestamp | None
    ended_at: Timestamp | None


class AgentStepAnswer(ToolOutput, frozen=True, kw_only=True):
    """A step of a run."""

    n: int
    kind: Annotated[
        StepKind,
        about(description="The `model` was asked; it called a `tool`; or the end: a `reply`, a `handover`."),
    ]
    state: StepState
    tool: Annotated[str | None, about(description="The tool, as the model named it if there is none.")]
    input: Annotated[
        Any,
        about(description="What the tool was given. Null, as `answer` is, to callers who may not run it."),
    ]
    answer: Annotated[
        Any,
        about(
            description="What came of it, cut where it is long. Of the model: its text and its calls; the "
            "text before a call is null where an answer in this run is."
        ),
    ]
    charged_micro_credits: MicroCredits
    at: Timestamp


class AgentRunDetails(AgentRunAnswer, frozen=True, kw_only=True):
    """A run with its steps."""

    steps: Annotated[tuple[AgentStepAnswer, ...], about(description="In their order.")]


_FACTS: Final[dict[str, Any]] = {
    name: lambda run, name=name: None if getattr(run, name) is None else rfc3339(getattr(run, name))
    for name in ("wake_at", "started_at", "ended_at")
}
_answer: Final = Projection(Run, AgentRunAnswer, **_FACTS)
_details: Final = Projection(Run, AgentRunDetails, given=("steps",), **_FACTS)

EXAMPLE: Final = AgentRunAnswer(
    id="agr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    connection_id="con_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    conversation_id="cnv_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    state="replied",
    reason=None,
    charged_micro_credits=412,
    message_id="msg_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    wake_at=None,
    created_at="2026-09-18T09:30:00.000Z",
    started_at="2026-09-18T09:30:02.000Z",
    ended_at="2026-09-18T09:30:04.000Z",
)
_STEP: Final = AgentStepAnswer(
    n=1,
    kind="tool",
    state="done",
    tool="record.list",
    input={"objectType": "lamp", "limit": 1},
    answer={"records": [], "nextCursor": None},
    charged_micro_credits=0,
    at="2026-09-18T09:30:03.000Z",
)


class ListAgentRuns(ToolInput, frozen=True, kw_only=True):
    """Which runs: all that is given must hold."""

    conversation_id: ConversationId | None = None
    connection_id: ConnectionId | None = None
    state: RunState | None = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None


class AgentRunList(ToolOutput, frozen=True, kw_only=True):
    """Runs, the newest first."""

    runs: Annotated[tuple[AgentRunAnswer, ...], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]


@reads(
    "agent.run_list",
    needs="conversations",
    example=ListAgentRuns(conversation_id=EXAMPLE.conversation_id),
    answer=AgentRunList(runs=(EXAMPLE,), next_cursor=None),
)
def list_all(view: View, call: Call, request: ListAgentRuns) -> AgentRunList:
    """List runs of agents, the newest first. Those that ended are kept for 30 days."""
    facts = msgspec.structs.asdict(request)
    page, next_cursor = runs.list_page(view, call.caller.organization_id, **facts)
    return AgentRunList(runs=tuple(map(_answer, page)), next_cursor=next_cursor)


class AgentRunById(ToolInput, frozen=True, kw_only=True):
    """Which run."""

    id: AgentRunId


@reads(
    "agent.run_get",
    needs="conversations",
    raises=(NotFound,),
    example=AgentRunById(id=EXAMPLE.id),
    answer=AgentRunDetails(**msgspec.structs.asdict(EXAMPLE), steps=(_STEP,)),
)
def get(view: View, call: Call, request: AgentRunById) -> AgentRunDetails:
    """Show a run: what the model said, what it called and was told, what that took, and why it ended."""
    run = runs.get(view.conn, call.caller.organization_id, request.id)
    taken = steps.list_all(view.conn, run.id)
    registry = registry_of(call)
    hidden = {step.n for step in taken if step.kind == "tool" and not _may_see(registry, call.caller, step)}
    return _details(run, steps=tuple(_step(step, hidden) for step in taken))


@writes(
    "agent.run_stop",
    needs="conversations",
    raises=(NotFound, Conflict),
    example=AgentRunById(id=EXAMPLE.id),
    answer=msgspec.structs.replace(EXAMPLE, state="stopped", reason="a person stopped it", message_id=None),
)
def stop(tx: Tx, call: Call, request: AgentRunById) -> AgentRunAnswer:
    """Stop a run: it makes no further call and writes no reply. What its calls have done stays.

    The next message is answered again; `message.reply` and `conversation.assign` silence the agent.
    """
    return _answer(runs.stop(tx, call.caller.organization_id, request.id))


def _step(step: Step, hidden: Collection[int]) -> AgentStepAnswer:
    """A step, where the steps *hidden* called tools that the caller may not run.

    Neither their input and answers are shown, nor what the model said between them, which may repeat those.
    What it wrote in the end is in the conversation.
    """
    unseen = step.n in hidden
    answer = step.answer
    if step.kind == "model" and step.state == "done":
        said = step.said
        told = None if hidden and said.tool_calls else said.text
        answer = {"text": told, "toolCalls": [one.name for one in said.tool_calls]}
    return AgentStepAnswer(
        n=step.n,
        kind=step.kind,
        state=step.state,
        tool=step.tool,
        input=None if unseen else step.input,
        answer=None if unseen else answer,
        charged_micro_credits=step.charged,
        at=rfc3339(step.at),
    )


def _may_see(registry: Registry, caller: Caller, step: Step) -> bool:
    """Whether *caller* may run the tool of *step* at anything that the agent could, not just at its own."""
    tool = registry.get(step.tool or "")
    if tool is None:  # one that the model made up, or that there is no more
        return step.state == "refused" or FOR_UNKNOWN in caller.permissions
    try:
        permit(caller, tool.name, needs=tool.needs, runs="open", reads=tool.effect == "reads")
    except Forbidden:
        return False
    return True
