"""Members that may make a call dearer than what is reserved for it: each is bounded or refused."""

import json
import re
import typing
from typing import Any, Final

import pytest
from openai.types.chat import completion_create_params

from svc.domain.ai.costly_members import RULES
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.limits import AI_ATTACHMENT_TOKENS, AI_OUTPUT_TOKENS_ASSUMED
from svc.domain.ai.models import Candidate, Choice
from svc.domain.ai.money import MICRO, Prices
from svc.domain.ai.requests import CompletionRequest
from svc.http.docs import files

CONTEXT, OUTPUT = 100_000, 8_000
FUNCTION: Final = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
PASSES: Final[dict[str, Any]] = {
    # OpenAI
    "frequency_penalty": 0.5,
    "function_call": "auto",
    "functions": [{"name": "look"}],
    "logit_bias": {"50256": -100},
    "logprobs": True,
    "metadata": {"a": "b"},
    "moderation": {"model": "omni-moderation-latest"},
    "n": 1,
    "parallel_tool_calls": True,
    "presence_penalty": 0.5,
    "prompt_cache_key": "k",
    "prompt_cache_options": {"ttl": "30m"},
    "prompt_cache_retention": "24h",
    "reasoning_effort": "high",
    "response_format": {"type": "json_object"},
    "safety_identifier": "s",
    "seed": 1,
    "stop": ["\n"],
    "store": True,
    "stream_options": {"include_obfuscation": True},
    "temperature": 0.1,
    "tool_choice": "required",
    "top_logprobs": 5,
    "top_p": 0.9,
    "user": "u",
    "verbosity": "high",
    # OpenRouter
    "include_reasoning": True,
    "min_p": 0.1,
    "repetition_penalty": 1.1,
    "session_id": "s",
    "top_a": 0.1,
    "top_k": 40,
    "transforms": ["middle-out"],
    "usage": {"include": True},
    # Mistral
    "prompt_mode": "reasoning",
    "random_seed": 1,
    "safe_prompt": True,
    # Groq
    "citation_options": "enabled",
    "disable_tool_validation": True,
    "reasoning_format": "parsed",
    # Together, Fireworks
    "context_length_exceeded_behavior": "truncate",
    "echo": False,
    "prompt_truncate_len": 100,
    # vLLM, Ollama
    "chat_template_kwargs": {"enable_thinking": True},
    "guided_json": {},
    "ignore_eos": True,
    "keep_alive": "5m",
    "min_tokens": 1,
    "structured_outputs": {"regex": "a"},
    "truncate_prompt_tokens": 5,
    # Gemini
    "safety_settings": [],
    # what a client sends to say nothing
    "audio": None,
    "modalities": ["text"],
    "plugins": [],
    "service_tier": "flex",
    "speed": "standard",
    "thinking": {"type": "disabled"},
    "use_beam_search": False,
    "whatever_comes_next": {"a": 1},
}
"""Members that cost nothing, or no more than the limit of tokens says."""
VALUES: Final[dict[str, Any]] = {
    "audio": {"voice": "alloy", "format": "mp3"},
    "modalities": ["text", "audio"],
    "prediction": {"type": "content", "content": "x"},
    "reasoning": {"max_tokens": 30_000},
    "service_tier": "priority",
    "thinking": {"type": "enabled", "budget_tokens": 30_000},
    "web_search_options": {},
}
"""Values of members that have a rule; of others any will do."""


def request(**members: Any) -> CompletionRequest:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 10} | members
    return CompletionRequest(json.dumps(body).encode())


def choice(context: int | None = CONTEXT, output: int | None = OUTPUT) -> Choice:
    prices = Prices(MICRO, MICRO, MICRO)
    candidate = Candidate(provider="p", payer="credits", base_url="x", upstream="m", prices=prices)
    return Choice(id="m", context_tokens=context, output_tokens_max=output, candidates=(candidate,))


def effect(asked: CompletionRequest) -> str:
    """What becomes of the request."""
    if asked.effects.refusal is not None:
        return "refused"
    bound = choice().bound(asked)
    prompt = "context" if bound.prompt_tokens == CONTEXT else ""
    return prompt + ("output" if bound.completion_tokens == OUTPUT else "")


@pytest.mark.parametrize("name", PASSES)
def test_what_costs_no_more_passes(name: str):
    """As it is, reserved by the body and the limit."""
    asked = request(**{name: PASSES[name]})

    assert "" == effect(asked)
    assert asked.size + 10 == choice().bound(asked).micro_credits


@pytest.mark.parametrize("name", RULES)
def test_what_may_cost_more_is_bounded_or_refused(name: str):
    """As its rule says; a refusal names it, and says where it may go."""
    asked = request(**{name: VALUES.get(name, True)})
    rule = RULES[name]

    expected = "refused" if rule.refusal else "context" if rule.fills_context else "output"
    assert expected == effect(asked)
    if asked.effects.refusal is not None:
        assert (400, name) == (asked.effects.refusal.status, asked.effects.refusal.param)
        assert f"`{name}` " in str(asked.effects.refusal)
        assert "own provider" in str(asked.effects.refusal)


def test_every_member_that_the_official_package_knows_is_decided():
    """It is one that the gateway reads, that passes, or that has a rule."""
    known = typing.get_type_hints(completion_create_params.CompletionCreateParamsStreaming)

    assert set() == set(known) - {*PASSES, *RULES} - {
        "model",
        "messages",
        "stream",
        "tools",
        "max_tokens",
        "max_completion_tokens",
    }


def test_the_guide_names_every_member_that_has_a_rule():
    """In its table."""
    guide = files.text_of("gateway")
    table = guide[guide.index("## Members that cost more") :]

    assert set() == set(RULES) - set(re.findall(r"`([a-z_]+)`", table))


@pytest.mark.parametrize(
    "name",
    ["Max_Tokens", "maxTokens", "MODEL", "Model", "N", "maxCompletionTokens", "max_to\u212aens", "Tools"],
)
def test_a_name_that_only_a_lenient_provider_takes_is_refused(name: str):
    """It would say something else there than what was reserved, such as another model."""
    asked = request(**{name: 90_000})

    assert asked.effects.refusal is not None
    assert name == asked.effects.refusal.param
    assert "must be written" in str(asked.effects.refusal)


@pytest.mark.parametrize("name", ["maxOutputTokens", "Service_Tier", "generationConfig", "BEST_OF"])
def test_a_rule_holds_for_every_way_to_write_a_name(name: str):
    """With capitals, or in camel case."""
    assert "refused" == effect(request(**{name: "x"}))


@pytest.mark.parametrize(
    ("tools", "param"),
    [
        ([FUNCTION, {"type": "custom", "custom": {"name": "c"}}], None),
        ([], None),
        (None, None),
        ([FUNCTION, {"type": "web_search"}], "tools[1].type"),
        ([{"type": "openrouter:web_search"}], "tools[0].type"),
        ([{"google_search": {}}], "tools[0].type"),
        (["web_search"], "tools[0].type"),
    ],
)
def test_tools_that_a_provider_runs_are_refused(tools: Any, param: str | None):
    """Those that the caller runs pass."""
    refusal = request(tools=tools).effects.refusal

    assert param == (None if refusal is None else refusal.param)


PICTURE: Final = "data:image/png;base64," + "A" * 4_000


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "text", "text": "Hello"}, ""),
        ({"type": "image_url", "image_url": {"url": PICTURE}}, "picture"),
        ({"type": "image_url", "image_url": {"url": PICTURE, "detail": "high"}}, "picture"),
        ({"type": "image_url", "image_url": {"url": PICTURE, "detail": "original"}}, "context"),
        ({"type": "input_audio", "input_audio": {"data": "A" * 4_000, "format": "mp3"}}, "context"),
        ({"type": "file", "file": {"file_id": "file-1"}}, "context"),
        ({"type": "file", "file": {"file_data": "A" * 4_000}}, "context"),
        ({"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}}, "context"),
        ({"type": "document_url", "document_url": "https://example.com/a.pdf"}, "context"),
    ],
)
def test_a_picture_has_its_own_bound_and_other_attachments_the_models(part: Any, expected: str):
    """4,096 tokens for a picture; a page of sound or of a book may be as long as the model takes."""
    message = {"role": "user", "content": [part]}
    asked = request(messages=[message])
    size = asked.size + (AI_ATTACHMENT_TOKENS - len(PICTURE) if expected == "picture" else 0)

    assert (CONTEXT if expected == "context" else size) == choice().bound(asked).prompt_tokens


def test_an_answer_that_was_spoken_is_as_long_as_the_model_takes():
    """It is named by its id alone."""
    spoken = {"role": "assistant", "audio": {"id": "audio_1"}}

    assert "context" == effect(request(messages=[spoken]))


def test_the_two_limits_must_be_the_same():
    """Both go out, and a provider may take either."""
    with pytest.raises(GatewayError) as refused:
        request(max_completion_tokens=1, max_tokens=90_000)

    assert ("invalid_value", "max_tokens") == (refused.value.kind, refused.value.param)


def test_a_limit_holds_where_nobody_knows_the_models_own():
    """What is assumed otherwise is no reason to reserve less than was asked for."""
    own = choice(None, None)

    assert 90_000 == own.bound(request(max_tokens=90_000)).completion_tokens
    assert 10 == own.bound(request()).completion_tokens
    assert AI_OUTPUT_TOKENS_ASSUMED == own.bound(request(max_tokens=None)).completion_tokens
    assert AI_OUTPUT_TOKENS_ASSUMED == own.bound(request(thinking={"type": "enabled"})).completion_tokens


def test_no_limit_is_advised_where_none_helps():
    """An answer that is reserved as a whole is not made cheaper by a limit."""
    bound = choice().bound(request(thinking={"type": "enabled"}))

    assert 0 == bound.fitting(bound.micro_credits - 1)
    assert OUTPUT == bound.fitting(bound.micro_credits)
