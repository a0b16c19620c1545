"""`demo-echo`, by the official Python package against a demo as it is run."""

import json
from collections.abc import Iterator
from typing import Any

import openai
import pydantic
import pytest

from svc.demo.ai import echo
from tests.cli.running import Service

TOOL = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What `demo.json` says of a running demo."""
    service = Service(tmp_path_factory.mktemp("demo") / "data", "--demo")
    try:
        service.ready()
        yield json.loads(service.data.demo.read_text())
        assert 0 == service.end()
    finally:
        service.close()


@pytest.fixture
def client(demo: dict[str, Any]) -> Any:
    return openai.OpenAI(base_url=f"{demo['baseUrl']}/api/ai/v1", api_key=demo["gatewayKey"], max_retries=0)


def asked(text: str) -> dict[str, Any]:
    return {"model": "demo-echo", "messages": [{"role": "user", "content": text}]}


def test_the_package_gets_an_answer(client: Any) -> None:
    """Whole, with usage, cost, and the budget's headers."""
    raw = client.chat.completions.with_raw_response.create(**asked("Hello"))
    answer = raw.parse()

    assert "Echo: Hello" == answer.choices[0].message.content
    assert (7, 3) == (answer.usage.prompt_tokens, answer.usage.completion_tokens)
    assert 7 + 2 * 3 == answer.usage.cost_micro_credits
    assert "600" == raw.headers["ratelimit-limit"]
    assert "demo-echo" in [model.id for model in client.models.list()]


def test_the_package_gets_a_stream(client: Any) -> None:
    """Word by word; with usage where it asks for it."""
    stream = client.chat.completions.create(
        **asked("Hello my lamps"), stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    words = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]

    assert ["", "Echo: ", "Hello ", "my ", "lamps", None] == words
    assert chunks[-1].usage.completion_tokens == 5


async def _collect(demo: dict[str, Any]) -> list[str]:
    async with openai.AsyncOpenAI(
        base_url=f"{demo['baseUrl']}/api/ai/v1", api_key=demo["gatewayKey"]
    ) as client:
        stream = await client.chat.completions.create(**asked("Hello"), stream=True)
        return [chunk.choices[0].delta.content or "" async for chunk in stream]


def test_the_package_works_on_asyncio(demo: dict[str, Any]) -> None:
    """Streamed."""
    import asyncio  # the only test that runs on it

    assert "Echo: Hello" == "".join(asyncio.run(_collect(demo)))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_the_package_calls_a_tool(client: Any, *, stream: bool) -> None:
    """And hands its result back."""
    question = asked('Weather?\ncall: weather {"city": "Oslo"}')
    if stream:
        chunks = list(client.chat.completions.create(**question, tools=[TOOL], stream=True))
        call = next(
            chunk.choices[0].delta.tool_calls[0] for chunk in chunks if chunk.choices[0].delta.tool_calls
        )
        reason = chunks[-1].choices[0].finish_reason
    else:
        choice = client.chat.completions.create(**question, tools=[TOOL]).choices[0]
        call, reason = choice.message.tool_calls[0], choice.finish_reason
    said = {"role": "assistant", "tool_calls": [call.to_dict()]}
    result = {"role": "tool", "tool_call_id": call.id, "content": "It rains."}
    after = asked("Weather?")
    after["messages"] += [said, result]

    assert ("weather", '{"city": "Oslo"}', "tool_calls") == (
        call.function.name,
        call.function.arguments,
        reason,
    )
    answer = client.chat.completions.create(**after, tools=[TOOL])
    assert "It rains." == answer.choices[0].message.content


def test_the_package_knows_the_errors(demo: dict[str, Any], client: Any) -> None:
    """Each by its class and code."""
    with pytest.raises(openai.NotFoundError) as unknown:
        client.chat.completions.create(model="none", messages=[{"role": "user", "content": "Hello"}])
    with pytest.raises(openai.BadRequestError) as bad:
        client.chat.completions.create(model="demo-echo", messages=[])
    with pytest.raises(openai.AuthenticationError) as unauthorized:
        client.with_options(api_key="svcg_none").models.list()
    with pytest.raises(openai.PermissionDeniedError) as forbidden:
        client.with_options(api_key=demo["apiKey"]).models.list()

    codes = [one.value.code for one in (unknown, bad, unauthorized, forbidden)]
    assert ["model_not_found", "invalid_value", "invalid_api_key", "forbidden"] == codes
    assert "messages" == bad.value.param


class Lamp(pydantic.BaseModel):
    """What a client may want for an answer."""

    name: str
    watts: int
    colours: list[str]


def test_the_package_parses_an_answer(client: Any) -> None:
    """A format of a schema is answered with its smallest value."""
    completion = client.chat.completions.parse(**asked("Which lamp?"), response_format=Lamp)

    assert Lamp(name="", watts=0, colours=[]) == completion.choices[0].message.parsed


def test_the_package_can_have_a_tool_called(client: Any) -> None:
    """The first, or the one that is named, with its smallest input; a line `call:` says which and how."""
    city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tools = [{"type": "function", "function": {"name": "rain", "parameters": city}}, TOOL]
    named = {"type": "function", "function": {"name": "weather"}}

    calls = [
        client.chat.completions.create(**asked(text), tools=tools, tool_choice=choice).choices[0]
        for text, choice in (("Rain?", "required"), ("Rain?", named), ("call: weather", "required"))
    ]
    called = [choice.message.tool_calls[0].function for choice in calls]
    assert [("rain", '{"city":""}'), ("weather", "{}"), ("weather", "{}")] == [
        (one.name, one.arguments) for one in called
    ]
    assert {"tool_calls"} == {choice.finish_reason for choice in calls}


def test_the_package_is_told_what_there_is(client: Any) -> None:
    """Where it asks for something else, its error has the sentence."""
    asks: list[tuple[Any, str]] = [
        (client.responses.create, "input"),
        (client.embeddings.create, "input"),
        (client.completions.create, "prompt"),
    ]
    for ask, member in asks:
        with pytest.raises(openai.NotFoundError, match="POST /api/ai/v1/chat/completions") as unknown:
            ask(model="demo-echo", **{member: "Hello"})
        assert "unknown_url" == unknown.value.code


def test_the_package_gets_a_model(client: Any) -> None:
    """With the time since when it is there."""
    model = client.models.retrieve("demo-echo")

    assert ("demo-echo", "demo") == (model.id, model.owned_by)
    assert model.created > 1_700_000_000
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("none")


def test_a_call_of_a_tool_stays_within_its_limit() -> None:
    """So that it costs no more than was reserved for it either."""
    body = asked('call: weather {"city": "A very long name of a city"}') | {"tools": [TOOL], "max_tokens": 5}
    said = json.loads(b"".join(echo(json.dumps(body).encode()).parts))

    assert said["usage"]["completion_tokens"] <= 5
    assert "length" == said["choices"][0]["finish_reason"]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_limit_of_tokens_cuts_the_answer(*, stream: bool) -> None:
    """So that it never costs more than was reserved; each of several answers is cut."""
    body = asked("A long text that is cut") | {"max_completion_tokens": 2, "n": 2, "stream": stream}
    answer = echo(json.dumps(body).encode())
    text = b"".join(answer.parts).decode()

    assert 2 == text.count('"finish_reason":"length"')
    assert "long" not in text
