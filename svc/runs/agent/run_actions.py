"""What a run is to do next outside of its units of work, and what came of it."""

from typing import Any, NamedTuple, TypeAlias

import msgspec

from svc.domain.agent.prompts import Prompt
from svc.domain.agent.runs import ModelAnswer, StepState, ToolCall
from svc.domain.identity.callers import Caller


class Idle(NamedTuple):
    """There is nothing to do now."""

    wake_at: int | None
    """When there is; None for not before something comes."""


class GoOn(NamedTuple):
    """The next unit may follow at once."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """The model is to be asked. `AnswerOfModel` is the outcome."""

    run_id: str
    n: int
    caller: Caller
    model: str
    prompt: Prompt
    tools: tuple[msgspec.Raw, ...]
    work_ms_left: int
    micro_credits_left: int


class Read(NamedTuple):
    """A tool that reads is to be run, by `run_execution.read`. `AnswerOfTool` is the outcome."""

    run_id: str
    call: ToolCall


Action: TypeAlias = Idle | GoOn | Ask | Read


class AnswerOfModel(NamedTuple):
    """What came of asking the model."""

    run_id: str
    n: int
    answer: ModelAnswer | None
    failure: str | None
    """Why there is no answer."""
    charged: int
    """Micro-credits."""


class AnswerOfTool(NamedTuple):
    """What came of a tool that read."""

    run_id: str
    call: ToolCall
    tool: str
    state: StepState
    answer: Any


Outcome: TypeAlias = AnswerOfModel | AnswerOfTool
