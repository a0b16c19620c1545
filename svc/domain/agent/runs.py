"""The state machine of an agent's run, as pure functions.

::

    waiting ──► running ──► replied        the reply is written, and goes out
       │           ├──────► handed_over    the model said so, or it came to a limit: a person is to answer
       │           └──────► failed         the program failed at it: likewise
       ├───────────┬──────► silenced       a person looks after the conversation meanwhile
       └───────────┴──────► stopped        a person stopped it; or the agent is off, or the connection is gone

A run is rows: what it does next follows from the steps that are stored, so after a crash it goes on after the
last one that has ended.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from svc.domain.agent.agents import HANDOVER, REPLY
from svc.domain.agent.limits import (
    AGENT_BEGINS_MS,
    AGENT_BEGINS_MS_MAX,
    AGENT_MODEL_CALLS_MAX,
    AGENT_REASON_CHARS_MAX,
    AGENT_RUN_MICRO_CREDITS_MAX,
    AGENT_SAME_CALLS_MAX,
    AGENT_TOOL_CALLS_MAX,
    AGENT_WORK_MS_MAX,
)

RunState = Literal["waiting", "running", "replied", "handed_over", "silenced", "stopped", "failed"]

OPEN: Final[frozenset[RunState]] = frozenset({"waiting", "running"})
"""The states of a run that has not ended."""

StepKind = Literal["model", "tool", "reply", "handover"]

StepState = Literal["running", "done", "waiting", "refused", "failed"]
"""`running`: the model is asked. Of a tool's call: `waiting` for an approval, or `refused` by the tool."""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool's call as the model wrote it."""

    id: str
    name: str
    """On the wire, with underscores."""
    arguments: str
    """JSON, if the model was right."""


class ModelAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What the model said."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a run."""

    n: int
    kind: StepKind
    state: StepState
    tool: str | None = None
    """Of a tool's call: its dotted name, or the model's for one that there is not."""
    call_id: str | None = None
    """Of a tool's call: the model's id of it."""
    input: Any = None
    """JSON-ready. Of a tool's call, the arguments: as a text where they are no JSON."""
    answer: Any = None
    """JSON-ready. Of the model: a `ModelAnswer`."""
    charged: int = 0
    """Micro-credits."""
    read_to: str | None = None
    """Of the model: the id of the last message that it was shown."""
    at: int

    @property
    def said(self) -> ModelAnswer:
        """What the model said at this step."""
        return msgspec.convert(self.answer, ModelAnswer)


class AskModel(msgspec.Struct, frozen=True):
    """The model is to be asked; by the step *n*, which there may be already."""

    n: int


class DoCall(msgspec.Struct, frozen=True):
    """A tool's call is to be made."""

    call: ToolCall
    because: str
    """What the model said with it."""


class Answer(msgspec.Struct, frozen=True):
    """The conversation is to be answered."""

    text: str
    call: ToolCall | None = None
    """The call of `reply`; None for a text that the model ended with."""


class HandOver(msgspec.Struct, frozen=True):
    """A person is to answer."""

    reason: str


Move = AskModel | DoCall | Answer | HandOver


def begins_at(first_at: int, now: int) -> int:
    """When a run begins that is due since *first_at*, and now got another message."""
    return min(now + AGENT_BEGINS_MS, first_at + AGENT_BEGINS_MS_MAX)


def next_move(steps: Sequence[Step], *, newest: str | None) -> Move:
    """What a run with these *steps* does next. *newest* is the id of the last message that came."""
    asked = [step for step in steps if step.kind == "model"]
    if not asked:
        return AskModel(0)
    last = asked[-1]
    if last.state == "running":
        return AskModel(last.n)
    said = last.said
    if not said.tool_calls:
        return _answer(said.text, None, last, steps, newest)
    answered = {step.call_id for step in steps if step.n > last.n}
    for call in said.tool_calls:
        if call.id in answered:
            continue
        if call.name == HANDOVER:
            return HandOver(
                str(arguments_of(call).get("reason") or "no reason given")[:AGENT_REASON_CHARS_MAX]
            )
        if call.name == REPLY:
            return _answer(str(arguments_of(call).get("text") or ""), call, last, steps, newest)
        return DoCall(call, said.text)
    return AskModel(len(steps))


def _answer(
    text: str, call: ToolCall | None, last: Step, steps: Sequence[Step], newest: str | None
) -> AskModel | Answer | HandOver:
    """The answer *text*, unless a message came that the model has not read: then it is asked again."""
    if newest is not None and newest > (last.read_to or ""):
        return AskModel(len(steps))
    if not text.strip():
        return HandOver("the model answered nothing")
    return Answer(text.strip(), call)


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call of the agent's own tools; empty where they are no JSON object."""
    try:
        found = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def input_of(call: ToolCall) -> Any:
    """The arguments of a call, as they are kept: JSON, or a text that is none."""
    try:
        return msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, RecursionError):
        return call.arguments


def model_limit(steps: Sequence[Step], worked_ms: int) -> str | None:
    """Why the model may not be asked again; None where it may."""
    asked = [step for step in steps if step.kind == "model" and step.state != "running"]
    if len(asked) >= AGENT_MODEL_CALLS_MAX:
        return f"limit: {AGENT_MODEL_CALLS_MAX} calls of the model"
    if worked_ms >= AGENT_WORK_MS_MAX:
        return f"limit: {AGENT_WORK_MS_MAX // 1_000} seconds of work"
    if charged(steps) >= AGENT_RUN_MICRO_CREDITS_MAX:
        return f"limit: {AGENT_RUN_MICRO_CREDITS_MAX:,} micro-credits"
    return None


def call_limit(steps: Sequence[Step], call: ToolCall, tool: str) -> str | None:
    """Why *call*, which is of *tool*, may not be made any more; None where it may."""
    made = [step for step in steps if step.kind == "tool"]
    if len(made) >= AGENT_TOOL_CALLS_MAX:
        return f"limit: {AGENT_TOOL_CALLS_MAX} calls of tools"
    same = [step for step in made if (step.tool, step.input) == (tool, input_of(call))]
    if len(same) >= AGENT_SAME_CALLS_MAX:
        return f"limit: {tool} was called with the same input {AGENT_SAME_CALLS_MAX} times"
    return None


def charged(steps: Sequence[Step]) -> int:
    """What the steps took of the credits, in micro-credits."""
    return sum(step.charged for step in steps)
