"""`demo-echo`: the demo's AI model, which is built in and answers with what it was told.

It is for trying the gateway without a provider's account. It streams word by word, calls tools when it is
told to or has to, answers a schema with its smallest value, and counts tokens as the gateway's own estimate
does.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from svc.actors.ai.upstreams import BuiltInAnswer
from svc.demo.schema_values import smallest
from svc.domain.ai.models import ModelCatalogue, ServiceModel, ServiceProvider
from svc.domain.ai.money import MICRO, Prices
from svc.domain.ai.requests import CompletionRequest
from svc.domain.ai.usage import TOKEN_BYTES, text_bytes, tokens_in

DEMO_MODEL: Final = "demo-echo"
DEMO_PROVIDER: Final = "demo"
_MODEL: Final = ServiceModel(
    id=DEMO_MODEL,
    providers=(DEMO_PROVIDER,),
    upstream=DEMO_MODEL,
    prices=Prices(input=MICRO, cached_input=MICRO // 2, output=2 * MICRO),
    context_tokens=8_192,
    output_tokens_max=1_024,
    owned_by="demo",
)
_CALL: Final = re.compile(r"^call: *(\S+) *(\{.*\})? *$", re.MULTILINE)
_WORD: Final = re.compile(r"\S+\s*|\s+")
_DONE: Final = b"data: [DONE]\n\n"


class _Completion(NamedTuple):
    """What is answered: a text, or the call of a tool."""

    text: str
    tool: str | None = None
    arguments: str = "{}"
    finish_reason: str = "stop"

    @property
    def tokens(self) -> int:
        return tokens_in(text_bytes([self.text, *([self.tool, self.arguments] if self.tool else ())]))


def with_demo(models: ModelCatalogue) -> ModelCatalogue:
    """The models of the configuration, and the demo's."""
    provider = ServiceProvider(name=DEMO_PROVIDER, base_url="built-in", key="")
    return ModelCatalogue([*models.models.values(), _MODEL], [*models.providers.values(), provider])


def echo(body: bytes) -> BuiltInAnswer:
    """Answer the request *body* as a provider does, streamed or whole."""
    request = CompletionRequest(body)
    asked = msgspec.json.decode(body)
    said = _said(asked, request.completion_tokens_max or _MODEL.output_tokens_max)
    prompt_tokens = request.prompt_estimate()
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": said.tokens * request.choices,
        "total_tokens": prompt_tokens + said.tokens * request.choices,
    }
    head = {"id": f"chatcmpl-{hashlib.sha256(body).hexdigest()[:24]}", "created": 0, "model": DEMO_MODEL}
    if not request.stream:
        choices = [
            {"index": index, "message": _message(said), "finish_reason": said.finish_reason}
            for index in range(request.choices)
        ]
        whole = head | {"object": "chat.completion", "choices": choices, "usage": usage}
        return BuiltInAnswer("application/json", [msgspec.json.encode(whole)])
    head["object"] = "chat.completion.chunk"
    parts = [
        _event(head | {"choices": [{"index": index, "delta": delta, "finish_reason": reason}]})
        for index in range(request.choices)
        for delta, reason in _deltas(said)
    ]
    if request.includes_usage:
        parts.append(_event(head | {"choices": [], "usage": usage}))
    return BuiltInAnswer("text/event-stream", [*parts, _DONE])


def _said(asked: dict[str, Any], tokens_max: int) -> _Completion:
    messages = asked["messages"]
    if messages[-1].get("role") == "tool":
        return _answered(asked, _text(messages[-1].get("content")), tokens_max)
    if messages[-1].get("role") == "system" and len(messages) > 1:  # what an agent is told between messages
        return _answered(asked, f"Echo: {_text(messages[-1].get('content'))}", tokens_max)
    users = (message for message in reversed(messages) if message.get("role") == "user")
    text = _text(next(users, {"content": ""}).get("content"))
    tools = asked.get("tools")
    offered = {name: tool for tool in (tools if isinstance(tools, list) else ()) if (name := _name(tool))}
    call = _CALL.search(text)
    if call is not None and call[1] in offered:
        return _called(call[1], call[2] or "{}", tokens_max)
    chosen = _chosen(asked.get("tool_choice"), offered)
    if chosen is not None:
        parameters = offered[chosen]["function"].get("parameters")
        arguments = msgspec.json.encode(smallest(parameters) or {}).decode()
        return _called(chosen, arguments, tokens_max)
    return _answered(asked, f"Echo: {text}", tokens_max)


def _chosen(choice: Any, offered: dict[str, Any]) -> str | None:
    """The tool that has to be called: the one that is named, or the first."""
    if choice == "required":
        return next(iter(offered), None)
    named = _name(choice)
    return named if named in offered else None


def _called(name: str, arguments: str, tokens_max: int) -> _Completion:
    cut = _cut(arguments, max(0, tokens_max - tokens_in(len(name.encode()))))
    return _Completion("", name, cut.text, "tool_calls" if cut.finish_reason == "stop" else cut.finish_reason)


def _answered(asked: dict[str, Any], text: str, tokens_max: int) -> _Completion:
    """*text*, or where a format is asked for, the smallest value of that."""
    wanted = asked.get("response_format")
    match wanted:
        case {"type": "json_object"}:
            text = "{}"
        case {"type": "json_schema", "json_schema": {"schema": schema}}:
            text = msgspec.json.encode(smallest(schema)).decode()
    return _cut(text, tokens_max)


def _cut(text: str, tokens_max: int) -> _Completion:
    encoded = text.encode(errors="replace")
    if len(encoded) <= tokens_max * TOKEN_BYTES:
        return _Completion(text)
    cut = encoded[: tokens_max * TOKEN_BYTES].decode(errors="ignore")
    return _Completion(cut, finish_reason="length")


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return content if isinstance(content, str) else ""


def _name(tool: Any) -> str | None:
    match tool:
        case {"function": {"name": str(name)}}:
            return name
    return None


def _message(said: _Completion) -> dict[str, Any]:
    if said.tool is None:
        return {"role": "assistant", "content": said.text}
    return {"role": "assistant", "content": None, "tool_calls": [_tool_call(said)]}


def _deltas(said: _Completion) -> Iterator[tuple[dict[str, Any], str | None]]:
    yield {"role": "assistant", "content": None if said.tool else ""}, None
    if said.tool is None:
        for word in _WORD.findall(said.text):
            yield {"content": word}, None
    else:
        yield {"tool_calls": [{"index": 0, **_tool_call(said)}]}, None
    yield {}, said.finish_reason


def _tool_call(said: _Completion) -> dict[str, Any]:
    function = {"name": said.tool, "arguments": said.arguments}
    return {"id": "call_1", "type": "function", "function": function}


def _event(chunk: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"
