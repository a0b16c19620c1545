"""Answers of models to an agent: a text, and calls of tools."""

from typing import Any, Final

import msgspec

from svc.domain.agent.limits import (
    AGENT_ANSWER_BYTES_MAX,
    AGENT_CALL_INPUT_BYTES_MAX,
    AGENT_CALLS_OF_ANSWER_MAX,
)
from svc.domain.agent.runs import ModelAnswer, ToolCall

_decode: Final = msgspec.json.Decoder(float_hook=str).decode
_NAME_CHARS_MAX: Final = 100


def read_answer(body: bytes | bytearray) -> ModelAnswer | None:
    """The first choice of a completion; None for what is none, is too large, or was cut off."""
    if len(body) > AGENT_ANSWER_BYTES_MAX:
        return None
    try:
        value = _decode(body)
        choice = value["choices"][0]
        message = choice["message"]
        if choice.get("finish_reason") == "length" or not isinstance(message, dict):
            return None
    except (
        msgspec.DecodeError,
        UnicodeDecodeError,
        RecursionError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
    ):
        return None
    calls = message.get("tool_calls")
    return ModelAnswer(
        text=_text(message.get("content")),
        tool_calls=_calls(calls) if isinstance(calls, list) else (),
    )


def _calls(calls: list[Any]) -> tuple[ToolCall, ...]:
    """The calls, each with an id of its own: an answer to it has to name one."""
    read: dict[str, ToolCall] = {}
    for place, call in enumerate(calls[:AGENT_CALLS_OF_ANSWER_MAX]):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            continue
        id_ = _short(call.get("id"))
        while not id_ or id_ in read:
            id_ = f"{id_ or 'call'}_{place}"
        arguments = function.get("arguments")
        if not isinstance(arguments, str):  # some providers give the object itself
            arguments = "{}" if arguments is None else msgspec.json.encode(arguments).decode()
        if len(arguments.encode(errors="replace")) > AGENT_CALL_INPUT_BYTES_MAX:
            arguments = "too long"
        arguments = arguments.encode(errors="replace").decode().replace("\0", "")
        read[id_] = ToolCall(id=id_, name=_short(function.get("name")), arguments=arguments or "{}")
    return tuple(read.values())


def _short(value: Any) -> str:
    return _storable(value)[:_NAME_CHARS_MAX] if isinstance(value, str) else ""


def _text(content: Any) -> str:
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return _storable(content) if isinstance(content, str) else ""


def _storable(text: str) -> str:
    """*text* without what no store and no messenger takes."""
    return text.encode(errors="replace").decode().replace("\0", "")
