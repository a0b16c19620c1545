"""A provider that repeats the key that it was given: no caller of the gateway is shown it."""

import json
from typing import Any

import msgspec
import pytest

from tests.domain.ai.test_key_guard import escaped
from tests.http.ai.gateway import (
    DONE,
    GRANTED,
    PROVIDER_KEY,
    Upstream,
    event,
    events,
    gateway,
    responds,
    usage_event,
    whole,
)
from tests.http.ai.test_exits import code_of
from tests.http.ai.test_routing import OWN_KEY, set_own
from tests.receivers import receiver

HALF = PROVIDER_KEY[: len(PROVIDER_KEY) // 2]
WRITTEN = {
    "plain": PROVIDER_KEY,
    "escaped": escaped(PROVIDER_KEY),
    "partly": PROVIDER_KEY[:5] + escaped(PROVIDER_KEY[5:9]) + PROVIDER_KEY[9:],
}


def in_text(said: str) -> bytes:
    """An answer with *said* in its text, as JSON has it."""
    return whole().replace(b"Nobody", b"Nobody, " + said.encode())


def call_of_tool(arguments: str, **more: Any) -> bytes:
    call = {"index": 0, "function": {"arguments": arguments}} | more
    chunk = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def thought(text: str) -> bytes:
    chunk = {"choices": [{"index": 0, "delta": {"reasoning_content": text}, "finish_reason": None}]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def in_parts(text: str) -> bytes:
    """A content of several parts, as some providers stream it."""
    delta = {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]}
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


def text_of(body: bytes) -> str:
    """All strings that a client gets of a stream, decoded, one after the other."""
    found: list[str] = []

    def collect(value: Any) -> None:
        if isinstance(value, str):
            found.append(value)
        for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            collect(one)

    for line in body.split(b"\n\n"):
        data = line.removeprefix(b"data: ")
        if data.startswith(b"{"):
            choices = json.loads(data).get("choices", [])
            collect([choice["delta"] for choice in choices])
    return "".join(one for one in found if one not in {"text", "thinking"})


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("status", [400, 404, 422])
async def test_a_refusal_that_repeats_the_key_is_not_passed_on(written: str, status: int) -> None:
    """However JSON has it."""
    said = b'{"error": {"message": "%b may not"}}' % WRITTEN[written].encode()
    async with gateway(Upstream(responds(said, status))) as here:
        reply = await here.ask()

        assert (502, "upstream_error") == (reply.status, code_of(reply.body))


@pytest.mark.parametrize("written", WRITTEN)
async def test_an_answer_that_repeats_the_key_is_none(written: str) -> None:
    """Its place is taken by the next provider's; it costs nothing."""
    first, second = Upstream(responds(in_text(WRITTEN[written]))), Upstream(responds(whole()))
    async with gateway(first, second) as here:
        reply = await here.ask()
        [call] = await here.settled()

        assert (200, "p1") == (reply.status, call.provider)
        assert PROVIDER_KEY not in json.loads(reply.body)["choices"][0]["message"]["content"]


async def test_a_large_answer_that_repeats_the_key_is_none() -> None:
    """In a member that nobody knows, far behind; alone it is 502, and costs nothing."""
    said = whole(more=["x" * 700_000, "KEY"]).replace(b"KEY", escaped(PROVIDER_KEY).encode())
    async with gateway(Upstream(responds(said))) as here:
        reply = await here.ask()
        [call] = await here.settled()

        assert (502, "upstream_error") == (reply.status, code_of(reply.body))
        assert ("unanswered", 0) == (call.ended, call.charged_micro_credits)
        assert GRANTED == await here.balance()


STREAMS: dict[str, list[bytes]] = {
    "in one event": [event("It is "), event(PROVIDER_KEY)],
    "escaped": [event("It is "), event("KEY").replace(b"KEY", escaped(PROVIDER_KEY).encode())],
    "letter by letter": [event("It is "), *map(event, PROVIDER_KEY)],
    "in two": [event("It is " + PROVIDER_KEY[:20]), event(PROVIDER_KEY[20:])],
    "in arguments": [call_of_tool("{"), *map(call_of_tool, PROVIDER_KEY)],
    "in thoughts": [event("Hm"), *map(thought, PROVIDER_KEY)],
    "in parts": [event("Hm"), *map(in_parts, PROVIDER_KEY)],
    "in a comment": [event("Hm"), b": " + PROVIDER_KEY.encode() + b"\n\n"],
    "in an unknown member": [event("Hm"), event("x", more={"a": [PROVIDER_KEY]})],
}


@pytest.mark.parametrize("together", [False, True], ids=["event by event", "at once"])
@pytest.mark.parametrize("case", STREAMS)
async def test_a_stream_is_cut_before_it_has_told_the_key(case: str, *, together: bool) -> None:
    """Less than half of it comes through; the client gets an error, and what came is charged."""
    said = [*STREAMS[case], event(None, "stop"), usage_event(), DONE]
    async with gateway(Upstream(events(*([b"".join(said)] if together else said)))) as here:
        reply = await here.ask(stream=True)

        shown = text_of(reply.body)
        assert HALF not in shown
        assert PROVIDER_KEY.encode() not in reply.body
        if together:
            assert reply.status in {200, 502}
        else:
            assert b'"upstream_error"' in reply.body
            [call] = await here.settled()
            assert "broken" == call.ended


async def test_a_stream_that_begins_with_the_key_leads_on() -> None:
    """Nothing has been sent yet."""
    first, second = (
        Upstream(events(event(PROVIDER_KEY), DONE)),
        Upstream(events(event(), event(None, "stop"), DONE)),
    )
    async with gateway(first, second) as here:
        reply = await here.ask(stream=True)

        assert (200, event() + event(None, "stop") + DONE) == (reply.status, reply.body)


@pytest.mark.parametrize("last", [[event(" and no more")], []], ids=["goes on", "ends"])
async def test_what_only_begins_like_the_key_comes_through(last: list[bytes]) -> None:
    """To the byte: it is held until it is seen to be something else."""
    said = [event("It is "), event(PROVIDER_KEY[:-3]), *last, event(None, "stop")]
    async with gateway(Upstream(events(*said, DONE))) as here:
        reply = await here.ask(stream=True)

        assert b"".join([*said, DONE]) == reply.body


async def test_a_word_that_is_put_in_place_of_a_key_may_be_in_an_answer() -> None:
    """A server of one's own may take any."""
    async with gateway(Upstream(responds(in_text("EMPTY")))) as here:
        provider = here.system.ai.models.providers["p0"]
        named = msgspec.structs.replace(provider, key="EMPTY")
        here.system.ai.models.providers["p0"] = named  # type: ignore[index]
        reply = await here.ask()

        assert 200 == reply.status


async def test_an_organizations_own_key_is_kept_from_its_callers_too() -> None:
    """Who calls with a gateway key need not be who set the provider."""
    own = Upstream(responds(in_text(OWN_KEY)))
    async with gateway() as here, receiver(own.connections) as url:
        await set_own(here, url)
        reply = await here.ask()

        assert (502, "upstream_error") == (reply.status, code_of(reply.body))
        assert OWN_KEY.encode() not in reply.body
