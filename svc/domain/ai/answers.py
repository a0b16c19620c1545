"""Answers of providers: what is one, what it used, and what of it the caller is shown.

Text of an answer is counted and never kept.
"""

from typing import Any, Final

import msgspec

from svc.domain.ai.json_members import JsonObject
from svc.domain.ai.usage import Usage, read_usage, text_bytes

# A number may be out of range of a double; none of those with a fraction is of interest here.
_decode: Final = msgspec.json.Decoder(float_hook=str).decode
_TEXTS: Final = ("content", "refusal", "reasoning_content", "reasoning")
"""Members of a message, or of a part of one, that hold text of the model."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of an answer, or of one event of a streamed one."""

    usage: Usage | None = None
    text_bytes: int = 0
    """Bytes of text, refusals, reasoning and tool calls, for the estimate."""
    is_finished: bool = False
    """Whether a choice has its `finish_reason`."""
    is_usage_alone: bool = False
    """Whether it is the event of a stream that has usage and no choice."""


def read_answer(body: bytes) -> Answer | None:
    """An answer that is not streamed; None for what is no completion."""
    return _read(body, "message")


def read_chunk(data: bytes) -> Answer | None:
    """The data of one event of a stream; None for what is no part of a completion, such as an error."""
    return _read(data, "delta")


def is_error(body: bytes) -> bool:
    """Whether *body* has the shape of an error that may be passed on: `{error: {…}}`."""
    value = _decoded(body)
    return isinstance(value, dict) and isinstance(value.get("error"), dict)


def with_cost(body: bytes, cost_micro_credits: int) -> bytes:
    """*body* with its cost in `usage`; as it is where there is none. All else stays, to the byte."""
    try:
        whole = JsonObject(body)
        usage = JsonObject(whole.raw("usage") or b"")
    except msgspec.DecodeError:
        return body
    return whole.replaced({"usage": usage.replaced({"cost_micro_credits": b"%d" % cost_micro_credits})})


def _read(body: bytes, holder: str) -> Answer | None:
    value = _decoded(body)
    if not isinstance(value, dict) or value.get("error") is not None:
        return None
    choices = value.get("choices")
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        return None
    return Answer(
        usage=read_usage(value.get("usage")),
        text_bytes=sum(_text_bytes(choice.get(holder)) for choice in choices),
        is_finished=any(choice.get("finish_reason") is not None for choice in choices),
        is_usage_alone=not choices and value.get("usage") is not None,
    )


def _decoded(body: bytes) -> Any:
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _text_bytes(message: Any) -> int:
    if not isinstance(message, dict):
        return 0
    size = sum(text_bytes(message[name]) for name in _TEXTS if name in message)
    calls = message.get("tool_calls")
    called = (
        [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    )
    for function in (*called, message.get("function_call")):
        if isinstance(function, dict):
            size += text_bytes([function.get("name"), function.get("arguments")])
    return size
