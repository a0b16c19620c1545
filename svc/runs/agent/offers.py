"""Offers: the tools that a model is told of, in the way of chat completions."""

from functools import lru_cache
from typing import Any, Final

import msgspec

from svc.domain.agent.agents import HANDOVER, REPLY
from svc.domain.agent.limits import AGENT_REASON_CHARS_MAX, AGENT_REPLY_CHARS_MAX
from svc.domain.identity.callers import Caller
from svc.runs.agent.calls import may_call
from svc.tools.registry import Registry
from svc.tools.schemas import schema_of
from svc.tools.tool import Tool

_encode: Final = msgspec.json.Encoder().encode


def _function(name: str, description: str, parameters: dict[str, Any]) -> msgspec.Raw:
    function = {"name": name, "description": description, "parameters": parameters}
    return msgspec.Raw(_encode({"type": "function", "function": function}))


def _text_parameter(name: str, description: str, chars_max: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string", "description": description, "maxLength": chars_max}},
        "required": [name],
        "additionalProperties": False,
    }


OWN: Final = (
    _function(
        REPLY,
        "Answer the conversation, which ends your work. A text without a call does the same.",
        _text_parameter("text", "What is sent.", AGENT_REPLY_CHARS_MAX),
    ),
    _function(
        HANDOVER,
        "Hand the conversation over to a person, and answer nothing: where you cannot help, or a person is "
        "asked for.",
        _text_parameter("reason", "For the person: what is wanted.", AGENT_REASON_CHARS_MAX),
    ),
)
"""The two tools that every agent has."""


def offered(registry: Registry, caller: Caller) -> tuple[msgspec.Raw, ...]:
    """The tools that *caller* may call now, encoded, and the agent's own."""
    may = [name for name in sorted(caller.tools or ()) if may_call(registry, caller, name)]
    return (*OWN, *(_offer(registry[name]) for name in may))


@lru_cache(maxsize=1_000)
def _offer(tool: Tool[Any, Any]) -> msgspec.Raw:
    """Encoded once: schemas are large, and there are several calls in a run."""
    description = tool.description
    if tool.runs == "approval":
        description = f"A person is asked first, and decides later.\n\n{description}"
    return _function(tool.wire_name, description, schema_of(tool.request_type))
