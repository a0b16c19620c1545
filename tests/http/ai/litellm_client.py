"""LiteLLM as a client, against a demo: `python litellm_client.py BASE_URL GATEWAY_KEY`.

It runs in an environment of its own, since LiteLLM needs an older `openai` than the other tests.
"""

import asyncio  # what LiteLLM runs on
import sys
from collections.abc import Callable
from typing import Any

import litellm  # type: ignore[import-not-found]  # it is in that environment alone

base_url, gateway_key = sys.argv[1:]
litellm.suppress_debug_info = True
WEATHER = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
}


def asked(text: str, **more: Any) -> dict[str, Any]:
    return {
        "model": "openai/demo-echo",
        "api_base": base_url,
        "api_key": gateway_key,
        "max_retries": 0,
        "messages": [{"role": "user", "content": text}],
        **more,
    }


def check_answer() -> None:
    answer = litellm.completion(**asked("Hello"))
    assert "Echo: Hello" == answer.choices[0].message.content
    assert (7, 3) == (answer.usage.prompt_tokens, answer.usage.completion_tokens)


def check_stream() -> None:
    chunks = list(
        litellm.completion(**asked("Hello my lamps", stream=True, stream_options={"include_usage": True}))
    )
    assert "Echo: Hello my lamps" == "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert 5 == litellm.stream_chunk_builder(chunks).usage.completion_tokens


def check_stream_on_asyncio() -> None:
    async def collect() -> str:
        stream = await litellm.acompletion(**asked("Hello", stream=True))
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    assert "Echo: Hello" == asyncio.run(collect())


def check_tool() -> None:
    question = asked('Weather?\ncall: weather {"city": "Oslo"}', tools=[WEATHER])
    choice = litellm.completion(**question).choices[0]
    [call] = choice.message.tool_calls
    assert ("weather", '{"city": "Oslo"}', "tool_calls") == (
        call.function.name,
        call.function.arguments,
        choice.finish_reason,
    )
    result = {"role": "tool", "tool_call_id": call.id, "content": "It rains."}
    question["messages"] += [choice.message.model_dump(), result]
    assert "It rains." == litellm.completion(**question).choices[0].message.content


def check_errors() -> None:
    for changed, error in (
        ({"model": "openai/none"}, litellm.NotFoundError),
        ({"messages": []}, litellm.BadRequestError),
        ({"api_key": "svcg_none"}, litellm.AuthenticationError),
    ):
        try:
            litellm.completion(**(asked("Hello") | changed))
        except error:
            continue
        raise AssertionError(f"{changed} was answered")


CHECKS: dict[str, Callable[[], None]] = {
    "an answer": check_answer,
    "a stream": check_stream,
    "a stream on asyncio": check_stream_on_asyncio,
    "a tool": check_tool,
    "errors by their classes": check_errors,
}

for name, check in CHECKS.items():
    check()
    print(f"✓ {name}")  # noqa: T201  # its purpose
