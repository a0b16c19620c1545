"""Calls of models by agents: the gateway's own, so provider, price and ledger are those of any call."""

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import trio

from svc.actors.ai.completion_calls import CompletionCall
from svc.actors.system import System
from svc.domain.agent.answers import read_answer
from svc.domain.agent.limits import AGENT_COMPLETION_TOKENS_MAX, AGENT_WORK_MS_MAX
from svc.domain.agent.runs import ModelAnswer
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.requests import CompletionRequest
from svc.domain.errors import Unauthenticated, Unavailable
from svc.domain.locale.times import SECOND_MS
from svc.runs.agent.run_actions import AnswerOfModel, Ask

_OK: Final = 200
_encode: Final = msgspec.json.Encoder().encode


class _NoStream:
    """The sink of a call that is not streamed."""

    begun = False
    client_left = False

    async def send(self, _part: bytes) -> None:
        raise TypeError("the answer to an agent is not streamed")


async def ask(
    system: System, asked: Ask, access_revision: int, wait_ended: Callable[[], Awaitable[object]]
) -> AnswerOfModel:
    """Ask the model, as the agent that may do so as of *access_revision*.

    The call is cut off once *wait_ended* returns, as when a person stops the run. Raises `Unavailable` where
    the model cannot be asked now.
    """
    body = _encode(
        {
            "model": asked.model,
            "messages": asked.prompt.messages(),
            "tools": asked.tools,
            "max_completion_tokens": AGENT_COMPLETION_TOKENS_MAX,
        }
    )
    caller = msgspec.structs.replace(asked.caller, access_revision=access_revision)
    call = CompletionCall(
        system, caller, CompletionRequest(body), _NoStream(), micro_credits_max=asked.micro_credits_left
    )
    answer: ModelAnswer | None = None
    failure: str | None = None
    rejected: Unavailable | None = None
    has_ended = False

    async def cut_off() -> None:
        nonlocal has_ended
        await wait_ended()
        has_ended = True
        scope.cancel()

    with trio.move_on_after(asked.work_ms_left / SECOND_MS) as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cut_off)
            try:
                with system.ai.bodies.hold(caller.organization_id, len(body)):
                    whole = await call.run()
            except GatewayError as error:
                failure = f"the model failed: {error.kind}"
            except Unauthenticated:
                failure = "the agent may not ask the model any more"
            except Unavailable as error:
                rejected = error
            else:
                answer = None if whole is None or whole.status != _OK else read_answer(whole.body)
                failure = None if answer is not None else "the model failed: no answer that can be read"
            nursery.cancel_scope.cancel()
    if rejected is not None:
        raise rejected
    if has_ended:
        failure = "the run has ended"
    elif scope.cancelled_caught:
        failure = f"limit: {AGENT_WORK_MS_MAX // SECOND_MS} seconds of work"
    return AnswerOfModel(asked.run_id, asked.n, answer, failure, call.charged)
