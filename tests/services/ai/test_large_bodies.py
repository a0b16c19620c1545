"""Large bodies of AI calls: decoded beside the event loop, one after the other, and bounded in memory."""

import threading

import pytest

from svc.actors.ai.body_bytes import BodyBytes
from svc.actors.ai.large_bodies import LARGE_BYTES, run_beside
from tests.http.ai.gateway import GRANTED, PROMPT, Upstream, gateway, responds, whole
from tests.http.ai.test_exits import code_of

LONG = "word " * (LARGE_BYTES // 5 + 1)
ESTIMATED = -(-(len("user") + len(LONG)) // 4) + 4


@pytest.mark.parametrize(("size", "beside"), [(LARGE_BYTES - 1, False), (LARGE_BYTES, True)])
async def test_what_is_large_is_done_in_a_thread(size: int, *, beside: bool) -> None:
    """What is small is done at once: a thread would take longer."""
    async with gateway() as here:
        done_in = await run_beside(here.system, size, threading.get_ident)

    assert beside is (threading.get_ident() != done_in)


async def test_a_large_request_and_a_large_answer_are_what_small_ones_are() -> None:
    """To the byte, metered and charged; without usage the large texts are estimated."""
    message = {"role": "assistant", "content": LONG}
    said = whole(choices=[{"index": 0, "message": message, "finish_reason": "stop"}], usage=None)
    upstream = Upstream(responds(said))
    async with gateway(upstream) as here:
        reply = await here.ask(messages=[{"role": "user", "content": LONG}])
        [call] = await here.settled()

        assert (200, said) == (reply.status, reply.body)
        assert LONG.encode() in upstream.seen[0]
        assert ("answered", True) == (call.ended, call.estimated)
        assert (ESTIMATED, -(-len(LONG) // 4)) == (call.prompt_tokens, call.completion_tokens)


async def test_a_large_request_that_is_none_is_refused() -> None:
    """As a small one is."""
    async with gateway() as here:
        twice = b'{"model": "small", "model": "small", "x": "' + LONG.encode() + b'"}'
        reply = await here.ask(twice)

        assert (400, "invalid_value") == (reply.status, code_of(reply.body))


async def test_the_memory_of_answers_is_bounded() -> None:
    """An answer counts in the memory of all bodies while it comes; where there is none left it is 503."""
    async with gateway(Upstream(responds(whole(extra=LONG)))) as here:
        here.system.ai.bodies = BodyBytes(LARGE_BYTES)  # half of which is the organization's
        reply = await here.ask()
        [call] = await here.settled()

        assert (503, "overloaded") == (reply.status, code_of(reply.body))
        assert ("unanswered", 0, 0) == (
            call.ended,
            call.charged_micro_credits,
            here.system.ai.bodies.taken,
        )
        assert GRANTED == await here.balance()
        assert PROMPT.encode() not in reply.body
