"""Trials at the screens: of a model, and of an agent before it is switched on."""

from collections.abc import Awaitable, Callable
from typing import Final, Literal

import msgspec
import trio

from svc.actors.agent.trials import Trial
from svc.actors.ai.completion_calls import CompletionCall
from svc.actors.system import System
from svc.domain.agent.answers import read_answer
from svc.domain.ai.answers import read_answer as read_completion
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.limits import AI_TRIAL_COMPLETION_TOKENS_MAX
from svc.domain.ai.requests import CompletionRequest
from svc.domain.errors import DomainError, Forbidden, Unavailable
from svc.domain.identity.callers import Call, Caller
from svc.domain.locale.times import SECOND_MS
from svc.services.tools import calls as tool_calls
from svc.tools.agent import trials as agent_trials
from svc.tools.agent.trials import TrialAnswer, TryAgent
from svc.tools.ai.trials import MODEL_TRIAL, ModelTrial, TryModel

_OK: Final = 200
WaitGone = Callable[[], Awaitable[object]]


class _NoStream:
    """The sink of a call that is not streamed."""

    begun = False
    client_left = False

    async def send(self, _part: bytes) -> None:
        raise TypeError("the answer to a trial is not streamed")


async def try_agent(system: System, call: Call, request: TryAgent, wait_gone: WaitGone) -> TrialAnswer:
    """Have an agent answer a trial conversation. Nothing of it is kept but its cost.

    Raises what `agent.set` refuses, of which a missing right is audited, and `Unavailable`.
    """
    try:
        _check(call.caller, "ai", "channels")
        return await Trial(system, call, request).run(wait_gone)
    except Forbidden as error:
        await tool_calls.note_refusal(system, call, agent_trials.NAME, error)
        raise


async def try_model(system: System, call: Call, request: TryModel, wait_gone: WaitGone) -> ModelTrial:
    """Ask a model something short, as the gateway would, and say how it went.

    Raises `Forbidden`, which is audited, and `Unavailable`.
    """
    try:
        _check(call.caller, "ai")
    except Forbidden as error:
        await tool_calls.note_refusal(system, call, MODEL_TRIAL, error)
        raise
    body = msgspec.json.encode(
        {
            "model": request.model,
            "messages": [{"role": "user", "content": request.text}],
            "max_completion_tokens": AI_TRIAL_COMPLETION_TOKENS_MAX,
        }
    )
    # One of the places that the gateway's calls have, of which an organization has its share.
    with system.stream_places.gateway.hold(call.caller.organization_id):
        return await _asked(system, call.caller, body, wait_gone)


async def _asked(system: System, caller: Caller, body: bytes, wait_gone: WaitGone) -> ModelTrial:
    completion = CompletionCall(system, caller, CompletionRequest(body), _NoStream())
    begun_at = trio.current_time()
    outcome: ModelTrial | None = None

    def took() -> int:
        return round((trio.current_time() - begun_at) * SECOND_MS)

    async def ask() -> ModelTrial:
        try:
            with system.ai.bodies.hold(caller.organization_id, len(body)):
                whole = await completion.run()
        except GatewayError as error:
            return ModelTrial(code=error.kind, detail=str(error), milliseconds=took())
        if whole is None or whole.status != _OK:
            status = None if whole is None else whole.status
            detail = f"the provider answered {status}" if status else "there was no answer"
            return ModelTrial(code="upstream_error", detail=detail, milliseconds=took())
        said, usage = read_answer(whole.body), None
        completed = read_completion(whole.body)
        if completed is not None:
            usage = completed.usage
        return ModelTrial(
            text=None if said is None else said.text,
            milliseconds=took(),
            prompt_tokens=None if usage is None else usage.prompt_tokens,
            completion_tokens=None if usage is None else usage.completion_tokens,
            charged_micro_credits=completion.charged,
        )

    async with trio.open_nursery() as nursery:
        nursery.start_soon(_cancel_after, wait_gone, nursery.cancel_scope)
        error: DomainError | None = None
        try:
            outcome = await ask()
        except DomainError as raised:
            error = raised
        nursery.cancel_scope.cancel()
    if error is not None:
        raise error
    if outcome is None:
        raise Unavailable("the client has left")
    return outcome


async def _cancel_after(wait_gone: WaitGone, scope: trio.CancelScope) -> None:
    await wait_gone()
    scope.cancel()


def _check(caller: Caller, *needs: Literal["ai", "channels"]) -> None:
    for permission in needs:
        if permission not in caller.permissions:
            raise Forbidden(f"a trial needs the permission {permission}")
