"""Members of a request that may make a call dearer than what is reserved for it, and what becomes of each.

A provider knows far more members than the gateway reads, and all of them are passed on. Most only say how to
answer. Of the others each is bounded, by as much as the model can take in or give out, or it is refused where
the call is to be reserved. `docs/gateway.md` has the table. A member that nobody knows is passed on as well.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from svc.domain.ai.errors import GatewayError
from svc.domain.ai.json_members import JsonObject
from svc.domain.ai.usage import NULL


class _Rule(NamedTuple):
    """What becomes of a member."""

    refusal: str | None = None
    """Why it is refused; None where it is bounded."""
    fills_context: bool = False
    fills_output: bool = False
    harmless: tuple[Any, ...] = ()
    """Values that cost no more, beside those that say nothing."""


_CONTEXT: Final = _Rule(fills_context=True)
_OUTPUT: Final = _Rule(fills_output=True)
_ANSWERS: Final = _Rule("asks for more answers than `n` says")
_LIMIT: Final = _Rule("is no limit that can be reserved: say `max_completion_tokens`")
_WORK: Final = _Rule("has the provider do work that tokens do not measure")
_MEDIA: Final = _Rule("asks for more than text, which has other prices", harmless=(["text"],))
_TIER: Final = _Rule(
    "asks for a service that has another price",
    harmless=("auto", "default", "standard", "standard_only", "on_demand", "flex", "batch", "normal"),
)
_MODEL: Final = _Rule("may lead to another model, which has another price")
_NESTED: Final = _Rule("holds members that cannot be reserved there: write them beside `model`")
_READ: Final = (
    "model",
    "messages",
    "tools",
    "stream",
    "stream_options",
    "n",
    "max_completion_tokens",
    "max_tokens",
)
"""Members that the gateway reads itself, by exactly these names."""
_SILENT: Final[tuple[Any, ...]] = (None, False, [])
"""Values that say as much as if the member were not there."""

RULES: Final[Mapping[str, _Rule]] = {
    # As much as the model takes in.
    **dict.fromkeys(("cached_content", "previous_response_id", "conversation", "prompt"), _CONTEXT),
    **dict.fromkeys(("chat_template", "documents", "media_resolution"), _CONTEXT),
    **dict.fromkeys(("mm_processor_kwargs", "media_io_kwargs", "vl_high_resolution_images"), _CONTEXT),
    # As much as it gives out.
    "thinking": _Rule(fills_output=True, harmless=({"type": "disabled"},)),
    "reasoning": _Rule(fills_output=True, harmless=({"effort": "none"}, {"enabled": False})),
    **dict.fromkeys(("enable_thinking", "thinking_budget", "thinking_token_budget"), _OUTPUT),
    **dict.fromkeys(("prediction", "speculation"), _OUTPUT),
    # Refused.
    **dict.fromkeys(("best_of", "candidate_count", "num_return_sequences"), _ANSWERS),
    **dict.fromkeys(("use_beam_search", "num_beams"), _ANSWERS),
    **dict.fromkeys(("max_output_tokens", "max_new_tokens", "max_gen_len", "max_length"), _LIMIT),
    **dict.fromkeys(("max_tokens_to_sample", "num_predict", "n_predict"), _LIMIT),
    **dict.fromkeys(("web_search_options", "web_search", "search_parameters", "search_settings"), _WORK),
    **dict.fromkeys(("enable_search", "search_options", "plugins", "mcp_servers", "container"), _WORK),
    **dict.fromkeys(("compound_custom", "enable_code_interpreter", "data_sources", "enhancements"), _WORK),
    **dict.fromkeys(("safety_model", "guardrails", "stop_server_tools_when"), _WORK),
    **dict.fromkeys(("modalities", "audio", "image_config", "image_generation", "return_images"), _MEDIA),
    **dict.fromkeys(("service_tier", "speed", "inference_geo", "latency", "performance_config"), _TIER),
    **dict.fromkeys(("models", "route", "provider", "preset", "fallbacks"), _MODEL),
    **dict.fromkeys(("provider_options", "fallback_models"), _MODEL),
    **dict.fromkeys(("extra_body", "google", "anthropic", "options", "parameters"), _NESTED),
    **dict.fromkeys(("generation_config", "inference_config", "additional_model_request_fields"), _NESTED),
}
"""Every member that is known to cost more, and its rule."""


class _Tool(msgspec.Struct):
    type: msgspec.Raw = NULL


_values: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_tool: Final = msgspec.json.Decoder(_Tool).decode
_TOOL_TYPES: Final = (b'"function"', b'"custom"')
"""Types of tools that the caller runs."""


def _folded(name: str) -> str:
    """*name* as a lenient parser takes it: some take no notice of case, or of words joined another way."""
    return name.casefold().replace("_", "").replace("-", "")


_FOLDED: Final = {_folded(name): rule for name, rule in RULES.items()} | {
    _folded(name): _Rule(f"must be written `{name}`") for name in _READ
}
_AS_READ: Final = frozenset(_READ)


class Effects(NamedTuple):
    """What the members of one request do to its bound."""

    refusal: GatewayError | None = None
    """Raise it where the call is to be reserved: it has a member that may cost more than can be known."""
    fills_context: bool = False
    """Whether the prompt may be as long as the model takes, however short the body is."""
    fills_output: bool = False
    """Whether the answer may be as long as the model gives, whatever limit is set."""


def effects_of(request: JsonObject) -> Effects:
    """What the members of *request* do to its bound."""
    found = [
        (name, rule)
        for name in request.spans
        if name not in _AS_READ
        and (rule := _FOLDED.get(_folded(name))) is not None
        and not _is_harmless(request.raw(name), rule)
    ]
    refused = [(name, rule.refusal) for name, rule in found if rule.refusal is not None]
    refused += _tools_of_providers(request.raw("tools"))
    return Effects(
        _refusal(*refused[0]) if refused else None,
        any(rule.fills_context for _, rule in found),
        any(rule.fills_output for _, rule in found),
    )


def _is_harmless(raw: bytes | None, rule: _Rule) -> bool:
    try:
        value = msgspec.json.decode(raw or b"null")
    except msgspec.DecodeError:  # a number that is out of range of a double
        return False
    return value in _SILENT or value in rule.harmless


def _tools_of_providers(raw: bytes | None) -> Iterator[tuple[str, str]]:
    try:
        tools = _values(raw or b"[]")
    except msgspec.DecodeError:
        return
    for place, tool in enumerate(tools):
        try:
            kind = bytes(_tool(tool).type)
        except msgspec.DecodeError:
            kind = b""
        if kind not in _TOOL_TYPES:
            yield f"tools[{place}].type", "is neither function nor custom, and so not run by the caller"
            return


def _refusal(param: str, why: str) -> GatewayError:
    return GatewayError(
        "invalid_value",
        f"`{param}` {why}. It goes to an organization's own provider alone, with a key that has no budget.",
        param=param,
    )
