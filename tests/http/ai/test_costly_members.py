"""Members that may make a call dearer: what goes out to a provider, what is reserved, and what is charged."""

import json
from typing import Any, Final

import trio

from svc.domain.ai.costly_members import RULES
from svc.domain.ai.money import MICRO, Prices
from tests.domain.ai.test_costly_members import PASSES, VALUES
from tests.http.ai.gateway import PRICES, Upstream, gateway, responds, whole
from tests.http.ai.test_exits import code_of
from tests.http.ai.test_routing import set_own
from tests.receivers import receiver

CONTEXT, OUTPUT, LIMIT = 10_000, 1_000, 7
"""Of the one model, and of each call."""
COSTLY: Final = {name: VALUES.get(name, True) for name in RULES}
_CASES: Final = [
    *((name, value, False) for name, value in PASSES.items()),
    *((name, value, RULES[name].refusal is not None) for name, value in COSTLY.items()),
]
"""Members, their values, and whether they are refused."""


def _greedy(upstream: Upstream) -> Upstream:
    """A provider that counts as many tokens as what it was sent may mean."""

    async def serve(stream: trio.abc.Stream) -> None:
        body = upstream.seen[-1].partition(b"\r\n\r\n")[2]
        given = [RULES[name] for name, value in json.loads(body).items() if value == COSTLY.get(name)]
        fills_context = any(rule.fills_context for rule in given)
        fills_output = any(rule.fills_output for rule in given)
        usage = {
            "prompt_tokens": CONTEXT if fills_context else len(body.replace(b"-upstream", b"")),
            "completion_tokens": OUTPUT if fills_output else LIMIT,
        }
        await stream.send_all(responds(whole(usage=usage)))

    upstream.connections.serves = (upstream._as_serve(serve),)
    return upstream


def _body_of(seen: bytes) -> Any:
    return json.loads(seen.partition(b"\r\n\r\n")[2])


async def test_no_member_makes_a_call_dearer_than_what_is_reserved() -> None:
    """Whatever providers know: it goes out as it was sent and is covered, or is refused and costs nothing."""
    upstream = _greedy(Upstream())
    async with gateway(upstream) as here:
        for name, value, refused in _CASES:
            sent = len(upstream.seen)
            reply = await here.ask(**{"max_tokens": LIMIT, name: value})
            if refused:
                assert (name, 400, "invalid_value") == (name, reply.status, code_of(reply.body))
                assert name == json.loads(reply.body)["error"]["param"]
                assert sent == len(upstream.seen)
            else:
                assert (name, 200) == (name, reply.status)
                assert value == _body_of(upstream.seen[-1])[name]
        calls = await here.settled()

        assert len(upstream.seen) == len(calls)
        for call in calls:
            assert 0 < call.charged_micro_credits <= call.reserved_micro_credits
            assert call.uncovered_micro_credits == 0


async def test_the_last_credits_are_enough_or_the_call_is_not_made() -> None:
    """With nothing free beside the reservation there is nothing that a call could take beyond it."""
    upstream = _greedy(Upstream())
    async with gateway(upstream, granted=CONTEXT + 2 * OUTPUT) as here:
        costly = {name: COSTLY[name] for name in ("thinking", "chat_template")}
        reply = await here.ask(max_tokens=LIMIT, **costly)
        again = await here.ask(max_tokens=LIMIT, **costly)

        assert [200, 402] == [reply.status, again.status]
        assert "No `max_completion_tokens`" in json.loads(again.body)["error"]["message"]
        assert 0 == await here.balance()


async def test_an_own_provider_gets_what_it_knows() -> None:
    """A call that nothing is reserved for is its provider's business, whatever is in it."""
    own, service = _greedy(Upstream()), Upstream(responds(whole()))
    async with gateway(service) as here, receiver(own.connections) as url:
        await set_own(here, url, Prices(MICRO, MICRO, MICRO))
        for name in ("plugins", "web_search_options", "extra_body", "models", "service_tier"):
            value: Any = {"web_search_options": {}, "service_tier": "priority"}.get(name, [{"id": "x"}])
            reply = await here.ask(max_tokens=LIMIT, **{name: value})

            assert (name, 200) == (name, reply.status)
            assert value == _body_of(own.seen[-1])[name]
        assert [] == service.seen


async def test_a_budget_is_kept_at_an_own_provider_too() -> None:
    """What cannot be reserved in the key's budget is refused."""
    own = _greedy(Upstream())
    async with gateway(Upstream(responds(whole()))) as here, receiver(own.connections) as url:
        await set_own(here, url, PRICES)
        minted = await here.mint(monthly_budget_micro_credits=MICRO)
        refused = await here.ask(key=minted.key, web_search_options={})
        answered = await here.ask(key=minted.key, max_tokens=LIMIT)

        assert (400, "invalid_value") == (refused.status, code_of(refused.body))
        assert (200, 1) == (answered.status, len(own.seen))


async def test_two_limits_that_differ_are_refused() -> None:
    """Both would go out, and a provider takes either."""
    upstream = Upstream(responds(whole()))
    async with gateway(upstream) as here:
        reply = await here.ask(max_completion_tokens=1, max_tokens=90_000)
        same = await here.ask(max_completion_tokens=5, max_tokens=5)

        assert (400, "invalid_value") == (reply.status, code_of(reply.body))
        assert "max_tokens" == json.loads(reply.body)["error"]["param"]
        assert (200, 1) == (same.status, len(upstream.seen))
