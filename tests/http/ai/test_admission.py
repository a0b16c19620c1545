"""Who may call the gateway, what a request has to be, and what a refused one is answered."""

import json
import re
from typing import Any

import pytest

from svc.domain.ai.errors import KINDS
from svc.domain.ai.limits import AI_BODY_BYTES_MAX
from svc.domain.limits import CALLS_MAX
from svc.http.docs import files
from svc.storage.ai import providers
from svc.storage.identity import key_changes
from tests.http.ai.gateway import GRANTED, PATH, STREAMED, Gateway, Upstream, gateway, responds, whole
from tests.http.ai.test_exits import code_of
from tests.http.serving import Reply
from tests.people import call_of


async def get(here: Gateway, path: str, key: str | None = None, method: str = "GET") -> Reply:
    client = await here.server.dial()
    authorization = f"Authorization: Bearer {key or here.key}\r\n" if key != "" else ""
    return await client.ask(f"{method} /api/ai/v1/{path} HTTP/1.1\r\nHost: a\r\n{authorization}\r\n".encode())


async def test_the_401_is_the_same_to_the_byte() -> None:
    """No key, an unknown one, a revoked one: at each of the doors."""
    async with gateway() as here:
        minted = await here.mint()
        await here.revoke(minted.id)
        replies = [
            await get(here, path, key, method)
            for path, method in (("models", "GET"), ("key", "GET"), ("chat/completions", "POST"))
            for key in ("", "svcg_unknown", minted.key)
        ]

        assert {401} == {reply.status for reply in replies}
        [body] = {reply.body for reply in replies}
        assert "invalid_api_key" == code_of(body)
        assert {"Bearer"} == {reply.headers["www-authenticate"] for reply in replies}
        assert all("ratelimit-limit" not in reply.headers for reply in replies)


async def test_another_key_is_forbidden() -> None:
    """An API key is live, and of another reach."""
    async with gateway() as here:
        minted = await here.mint(limited_to=None)
        reply = await get(here, "models", minted.key)

        assert (403, "forbidden") == (reply.status, code_of(reply.body))
        assert str(CALLS_MAX - 1) == reply.headers["ratelimit-remaining"]


async def test_another_method_is_told_the_right_one() -> None:
    """405 with `Allow`."""
    async with gateway() as here:
        for path, method, allowed in (("models", "POST", "GET"), ("chat/completions", "GET", "POST")):
            reply = await get(here, path, None, method)

            assert (405, allowed) == (reply.status, reply.headers["allow"])
            assert "method_not_allowed" == code_of(reply.body)


async def test_calls_have_the_budget_of_the_tools() -> None:
    """600 calls a minute of a key, then 429."""
    async with gateway() as here:
        client = await here.server.dial()
        ask = (
            f"GET /api/ai/v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {here.key}\r\n\r\n".encode()
        )
        for _ in range(CALLS_MAX):
            assert 200 == (await client.ask(ask)).status
        reply = await client.ask(ask)

        assert (429, "rate_limit_exceeded") == (reply.status, code_of(reply.body))
        assert int(reply.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("body", "code", "param"),
    [
        (b"", "invalid_json", None),
        (b"{", "invalid_json", None),
        (b"[]", "invalid_json", None),
        (b'{"model": "small"}', "invalid_value", "messages"),
        (b'{"messages": [{}]}', "invalid_value", "model"),
        (b'{"model": "small", "messages": [1]}', "invalid_value", "messages[0]"),
        (b'{"model": "small", "messages": [{}], "n": 129}', "invalid_value", "n"),
        (b'{"model": "small", "messages": [{}], "stream": "yes"}', "invalid_value", "stream"),
        (b'{"model": "small", "messages": [{}], "max_tokens": 0}', "invalid_value", "max_tokens"),
        (b'{"model": "a", "model": "small", "messages": [{}]}', "invalid_value", "model"),
        (b"\xff", "invalid_json", None),
    ],
)
async def test_bad_requests_say_what_is_wrong(body: bytes, code: str, param: str | None) -> None:
    """400 with the member at fault; nothing is sent, reserved or noted."""
    upstream = Upstream(STREAMED)
    async with gateway(upstream) as here:
        reply = await here.ask(body)

        assert (400, code) == (reply.status, code_of(reply.body))
        assert param == json.loads(reply.body)["error"]["param"]
        assert "ratelimit-remaining" in reply.headers
        assert ([], []) == (await here.settled(), upstream.seen)


@pytest.mark.parametrize("counted", [False, True], ids=["by its length", "by counting"])
async def test_a_body_that_is_too_large(*, counted: bool) -> None:
    """413, at once where the length says so."""
    async with gateway() as here:
        client = await here.server.dial()
        framing = "Transfer-Encoding: chunked" if counted else f"Content-Length: {AI_BODY_BYTES_MAX + 1}"
        head = f"POST {PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {here.key}\r\n{framing}\r\n\r\n"
        await client.send(head.encode())
        if counted:
            size = AI_BODY_BYTES_MAX + 1
            await client.send(b"%x\r\n%b\r\n0\r\n\r\n" % (size, b" " * size))
        reply = await client.reply("POST")

        assert (413, "body_too_large") == (reply.status, code_of(reply.body))


async def test_a_model_that_may_not_be_named_is_unknown() -> None:
    """One answer: it does not exist, the organization may not run it, the key may not name it."""
    async with gateway(Upstream(STREAMED)) as here:
        unknown = await here.ask(model="none")
        not_the_keys = await here.ask(key=(await here.mint(models=("other",))).key)
        await here.store.write(providers.restrict, here.organization.id, ("other",))
        restricted = await here.ask()
        listed = await get(here, "models")

        assert {404} == {reply.status for reply in (unknown, not_the_keys, restricted)}
        [body] = {reply.body for reply in (unknown, not_the_keys, restricted)}
        assert "model_not_found" == code_of(body)
        assert [] == json.loads(listed.body)["data"]


async def test_too_few_credits_say_what_would_fit() -> None:
    """402 before anything is sent; a smaller request passes."""
    upstream = Upstream(responds(whole()))
    async with gateway(upstream, granted=1_000) as here:
        reply = await here.ask()
        error = json.loads(reply.body)["error"]

        assert (402, "insufficient_credits") == (reply.status, error["code"])
        assert [] == upstream.seen
        fitting = int(error["message"].rpartition("fits is ")[2].rstrip("."))
        assert 402 == (await here.ask(max_completion_tokens=fitting + 60)).status
        assert 200 == (await here.ask(max_completion_tokens=fitting - 20)).status


async def test_a_budget_of_a_key() -> None:
    """402 of its own code; `key` tells what is left of it."""
    async with gateway(Upstream(responds(whole()))) as here:
        minted = await here.mint(monthly_budget_micro_credits=150)
        refused = await here.ask(key=minted.key)
        await here.settled()
        assert (402, "key_budget_exceeded") == (refused.status, code_of(refused.body))

        rich = await here.mint(monthly_budget_micro_credits=100_000)
        assert 200 == (await here.ask(key=rich.key)).status
        await here.settled()
        left = json.loads((await get(here, "key", rich.key)).body)

        assert "2026-10-01T00:00:00.000Z" == left["budget"].pop("resets_at")
        assert {"limit_micro_credits": 100_000, "used_micro_credits": 120} == left["budget"]
        assert {"balance_micro_credits": GRANTED - 120, "reserved_micro_credits": 0} == left["credits"]
        assert ("key", rich.id, None) == (left["object"], left["id"], left["models"])


async def test_calls_at_once_are_bounded() -> None:
    """503 with `Retry-After`, once an organization has its part of the places."""
    upstream = Upstream()
    upstream.connections.serves = (upstream._as_serve(upstream.until_left),)
    async with gateway(upstream) as here:
        places = here.system.stream_places.gateway
        half = places.statistics().limit // 2
        taken = [places.hold(here.organization.id) for _ in range(half)]
        for one in taken:
            one.__enter__()
        reply = await here.ask()
        for one in taken:
            one.__exit__(None, None, None)

        assert (503, "overloaded") == (reply.status, code_of(reply.body))
        assert int(reply.headers["retry-after"]) > 0


def test_the_guide_has_every_error() -> None:
    """With its status, and no other."""
    rows = re.findall(r"(?m)^\| (\d{3}) \| `([a-z_]+)` \|", files.text_of("gateway"))

    assert {(str(kind.status), code) for code, kind in KINDS.items()} == set(rows)


async def test_a_key_that_is_changed_counts_as_it_is_now() -> None:
    """`apikey.update` takes a model from it: the next call is refused."""
    async with gateway(Upstream(responds(whole()))) as here:
        assert 200 == (await here.ask()).status
        await _change(here, models=("other",))

        assert 404 == (await here.ask()).status


async def _change(here: Gateway, **changes: Any) -> None:
    call = call_of(here.owner, confirmed_at=here.clock.now())
    await here.store.write(key_changes.update, call, here.key_id, key_changes.KeyChanges(**changes))
