"""Trials of agents: what a person asks for at the screen, and what it is told.

It is no tool: a model is asked on the way, which no unit of work does.
"""

from typing import Annotated, Any, Final, Literal

from svc.domain.agent.agents import Agent
from svc.domain.agent.limits import (
    AGENT_MESSAGES_READ_MAX,
    AGENT_TRIAL_MESSAGE_CHARS_MAX,
)
from svc.domain.agent.runs import StepKind
from svc.domain.identity.callers import Call
from svc.storage.store import View
from svc.tools.agent.agents import Instructions, RoleId, SetAgent, ToolNames, agent_for
from svc.tools.ai.answers import MicroCredits, ModelId
from svc.tools.channels.answers import ConnectionId
from svc.tools.tool import ToolInput, ToolOutput, about

NAME: Final = "agent.try"
"""What refusals are audited as."""

TrialStepState = Literal["done", "refused", "failed", "not_run"]


class TrialMessage(ToolInput, frozen=True, kw_only=True):
    """A message of the trial conversation."""

    by: Literal["customer", "agent"]
    text: Annotated[str, about(min_length=1, max_length=AGENT_TRIAL_MESSAGE_CHARS_MAX)]


class TryAgent(ToolInput, frozen=True, kw_only=True):
    """The agent as it would be set, and what was said so far: the last message is the customer's."""

    connection_id: ConnectionId
    instructions: Instructions = ""
    model: ModelId
    role: RoleId
    tools: ToolNames | None = None
    messages: Annotated[tuple[TrialMessage, ...], about(min_length=1, max_length=AGENT_MESSAGES_READ_MAX)]


class TrialStep(ToolOutput, frozen=True, kw_only=True):
    """A step of a trial, as of a run. A call that would write is `not_run`."""

    kind: StepKind
    state: TrialStepState
    tool: str | None
    input: Any
    answer: Any
    charged_micro_credits: MicroCredits


class TrialAnswer(ToolOutput, frozen=True, kw_only=True):
    """What the agent did, and what it would have sent: a `reply`, or nothing with the `reason`."""

    state: Literal["replied", "handed_over"]
    reply: str | None
    reason: str | None
    steps: tuple[TrialStep, ...]
    charged_micro_credits: MicroCredits


def agent_of(view: View, call: Call, request: TryAgent) -> Agent:
    """The agent that is tried, if the caller might set it so. Raises as `agent.set` does."""
    return agent_for(
        view,
        call,
        SetAgent(
            connection_id=request.connection_id,
            enabled=True,
            instructions=request.instructions,
            model=request.model,
            role=request.role,
            tools=request.tools,
        ),
    )
