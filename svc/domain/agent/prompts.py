"""Prompts: what a model is shown of a conversation and of the run so far.

A message is a stranger's text. It is marked as such by its role, and no prompt keeps a model from obeying it:
what keeps harm away is what the agent may call.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from svc.domain.agent.limits import AGENT_MESSAGES_BYTES_MAX, AGENT_TOOL_ANSWER_BYTES_MAX
from svc.domain.agent.runs import Step, ToolCall
from svc.domain.approvals.cards import CardState

CUT: Final = " [cut]"
NOT_RUN: Final = '{"error":{"code":"not_run","detail":"a newer message came first, or the run had ended"}}'

_encode: Final = msgspec.json.Encoder().encode


class PromptMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the conversation."""

    id: str
    ours: bool
    text: str
    """With what came beside the text."""


class ApprovalOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """An approval that the agent had asked for, and a person decided."""

    tool: str
    state: CardState
    call: ToolCall | None
    """The call as it was made; None where the agent could not make it any more."""
    told: str = ""
    """What came of the call, as JSON."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """All that a model is shown, to be encoded outside of the unit that read it."""

    instructions: str
    said: tuple[PromptMessage, ...]
    """The oldest first."""
    decided: tuple[ApprovalOutcome, ...]
    """What became of approvals, since the last run."""
    steps: tuple[Step, ...]

    def messages(self) -> list[dict[str, Any]]:
        """The messages of a request for a completion."""
        return [*_messages(self)]


def last_said(said: Sequence[PromptMessage]) -> tuple[PromptMessage, ...]:
    """The last of *said* whose texts fit into `AGENT_MESSAGES_BYTES_MAX`; a longer one alone is cut."""
    kept: list[PromptMessage] = []
    left = AGENT_MESSAGES_BYTES_MAX
    for one in reversed(said):
        size = len(one.text.encode(errors="replace"))
        if size > left:
            if not kept:
                kept.append(msgspec.structs.replace(one, text=cut(one.text, left)))
            break
        kept.append(one)
        left -= size
    return tuple(reversed(kept))


def cut(text: str, size: int) -> str:
    """*text*, of which at most *size* bytes are left."""
    encoded = text.encode(errors="replace")
    if len(encoded) <= size:
        return text
    return encoded[: size - len(CUT)].decode(errors="ignore") + CUT


def tool_answer(body: bytes) -> Any:
    """What is kept and shown of a tool's answer: its JSON, or a text where that is too long."""
    if len(body) > AGENT_TOOL_ANSWER_BYTES_MAX:
        return cut(body.decode(errors="replace"), AGENT_TOOL_ANSWER_BYTES_MAX)
    return msgspec.json.decode(body)


def _messages(prompt: Prompt) -> Iterator[dict[str, Any]]:
    yield {"role": "system", "content": prompt.instructions}
    asked = [step for step in prompt.steps if step.kind == "model"]
    read_to = asked[0].read_to if asked else None
    said = list(prompt.said)
    yield from _said(said, read_to)
    for one in prompt.decided:
        yield from _decided(one)
    answers = {(step.call_id, step.n): step for step in prompt.steps if step.call_id is not None}
    for place, step in enumerate(asked):
        if step.state == "done" and step.said.tool_calls:
            end = asked[place + 1].n if place + 1 < len(asked) else len(prompt.steps) + 1
            yield from _called(step, [answer for (_, n), answer in answers.items() if step.n < n < end])
        if place + 1 < len(asked):
            yield from _said(said, asked[place + 1].read_to)
    yield from _said(said, None)


def _said(said: list[PromptMessage], read_to: str | None) -> Iterator[dict[str, Any]]:
    """Take the messages up to *read_to*, or all of them, out of *said*."""
    while said and (read_to is None or said[0].id <= read_to):
        one = said.pop(0)
        yield {"role": "assistant" if one.ours else "user", "content": one.text}


def _decided(decided: ApprovalOutcome) -> Iterator[dict[str, Any]]:
    """The decision as the system's; what was asked and answered, which may be a stranger's, as a tool's."""
    said = f"The approval of your call of {decided.tool} was decided: it is {decided.state}."
    yield {"role": "system", "content": said}
    if decided.call is not None:
        yield {"role": "assistant", "content": None, "tool_calls": [_call(decided.call)]}
        yield {"role": "tool", "tool_call_id": decided.call.id, "content": decided.told}


def _called(step: Step, answers: Sequence[Step]) -> Iterator[dict[str, Any]]:
    said = step.said
    yield {"role": "assistant", "content": said.text or None, "tool_calls": [*map(_call, said.tool_calls)]}
    by_id = {answer.call_id: answer for answer in answers}
    for call in said.tool_calls:
        answer = by_id.get(call.id)
        content = NOT_RUN if answer is None else _shown(answer.answer)
        yield {"role": "tool", "tool_call_id": call.id, "content": content}


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _shown(answer: Any) -> str:
    return answer if isinstance(answer, str) else _encode(answer).decode()
