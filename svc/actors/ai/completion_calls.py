"""One call of a model: reserved, sent to its providers in turn, relayed, and settled however it ends."""

from functools import partial
from typing import Final

import msgspec
import structlog
import trio

from svc.actors.ai.completion_access import CompletionAccess
from svc.actors.ai.completion_errors import StreamBroken, as_gateway_error
from svc.actors.ai.completion_streams import MEDIA_TYPE, EventRelay, Meter, Sink, drain
from svc.actors.ai.large_bodies import run_beside
from svc.actors.ai.upstreams import Response
from svc.actors.outbound.errors import (
    BrokenOff,
    IdleTooLong,
    NoFirstByte,
    NoPlace,
    NotConnected,
    StreamFailed,
    TookTooLong,
)
from svc.actors.system import System
from svc.domain.ai.answers import Answer, is_error, put_cost, read_answer
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.event_stream import DONE_EVENT, EventTooLarge
from svc.domain.ai.exits import FREE_OF_CHARGE, Ended, Exit
from svc.domain.ai.key_guard import KeyGuard, KeyRepeated
from svc.domain.ai.limits import AI_ERROR_BYTES_MAX, AI_READ_ON_MS
from svc.domain.ai.models import Candidate, Choice
from svc.domain.ai.money import FREE, Prices, cost
from svc.domain.ai.requests import CompletionRequest
from svc.domain.ai.routing import PASSED_ON, Failure, Route
from svc.domain.ai.usage import NONE, Usage, tokens_in
from svc.domain.crypto.sealing import SealBroken
from svc.domain.errors import DomainError, Unavailable
from svc.domain.identity.callers import Caller
from svc.domain.locale.times import SECOND_MS
from svc.storage.ai import calls
from svc.storage.ai.calls import AGENT, TRIAL, NewCall, OpenCall, Settlement
from svc.storage.store import Tx

log = structlog.get_logger("svc.actors.ai.completion_calls")

_OK: Final = 200
_KEYLESS: Final = {"agent": AGENT, "person": TRIAL}
"""What stands in the place of a key's id, by the kind of caller."""


class WholeAnswer(msgspec.Struct, frozen=True):
    """An answer that is not streamed."""

    status: int
    body: bytes | bytearray

    def __repr__(self) -> str:
        return f"WholeAnswer({self.status})"


class StreamCut(Exception):
    """Raised when a stream ended within an event, so that nothing more can be said on its connection."""


class CompletionCall:
    """One call, from its checked *request* to its settlement. It runs once."""

    def __init__(
        self,
        system: System,
        caller: Caller,
        request: CompletionRequest,
        sink: Sink,
        *,
        micro_credits_max: int | None = None,
    ) -> None:
        """*micro_credits_max*: of the credits, where the call may take less than there are."""
        self._system, self._caller, self._request, self._sink = system, caller, request, sink
        self._units = system.store.of(caller.organization_id)
        self._new = NewCall(
            organization_id=caller.organization_id,
            key_id=_KEYLESS.get(caller.kind, caller.id),
            model=request.model,
            streamed=request.stream,
            process=system.ai.settlements.process,
            started_at=system.clock.now(),
        )
        self._access = CompletionAccess(system, caller)
        self._reserved: OpenCall | None = None
        self._asked: Candidate | None = None  # the provider that was asked last
        self._sent = False  # something went out to it
        self._meter = Meter()
        self._relay: EventRelay | None = None
        self._settled = False
        self._micro_credits_max = micro_credits_max
        self.charged = 0
        """What it took of the credits, in micro-credits, once it has ended and is stored."""

    async def run(self) -> WholeAnswer | None:
        """Answer the call; None once the answer was streamed. Cancel it when the client leaves.

        Raises:
            GatewayError: the call is refused, or no provider answered; no part of an answer is sent.
            Unauthenticated: the key has ended meanwhile; likewise.
            Forbidden: it has lost the right meanwhile; likewise.
            Unavailable: it cannot be served now; likewise.
            StreamCut: the stream was cut within an event.
        """
        answered = False
        answer: WholeAnswer | None = None
        with self._system.ai.open_calls.hold(self._caller) as open_call:
            self._outlast_client = open_call.outlast_client
            try:
                answer = await self._answer()
                answered = True
            except trio.Cancelled:
                left: Ended = "left" if self._sink.client_left else "stopped"
                await self._settle(open_call.interruption or left)
                raise
            except DomainError:
                await self._settle("unanswered" if self._sent else "refused")
                raise
            except BaseException:
                await self._settle("left" if self._sink.client_left else "broken")
                raise
        if answered:
            return answer
        error = open_call.error
        assert error is not None  # noqa: S101  # nothing else leaves the block without an answer
        if not self._sink.begun:
            raise error
        await self._end_with(error)
        return None

    async def _answer(self) -> WholeAnswer | None:
        choice = await self._access.choose(self._request.model)
        route = Route(choice.candidates, self._system.ai.rests, self._system.clock.now())
        while (candidate := route.next()) is not None:
            await self._reserve(choice, candidate)
            if self._access.is_outdated:  # changed while the reservation or another provider was waited for
                choice = await self._access.choose(self._request.model)
                route.change(choice.candidates, self._system.clock.now())
                continue
            answer = await self._ask(candidate)
            if not isinstance(answer, Failure):
                return answer
            route.failed(candidate, answer, self._system.clock.now())
        await self._settle("unanswered")
        verdict = route.verdict()
        if isinstance(verdict, GatewayError):
            raise verdict
        return WholeAnswer(verdict.status, verdict.body)

    async def _reserve(self, choice: Choice, candidate: Candidate) -> None:
        """Reserve what the call may cost at *candidate*, if anything is reserved of it and not yet.

        Raises `GatewayError` for a request that may cost more than can be reserved.
        """
        takes_credits = candidate.payer == "credits"
        if self._reserved is None and not (takes_credits or self._access.caller.has_budget):
            return
        if self._reserved is not None and (not takes_credits or self._reserved.reserved is not None):
            return
        if self._request.effects.refusal is not None:
            raise self._request.effects.refusal
        credits_bound = choice.credits_bound(self._request) if takes_credits else None
        bound = choice.bound(self._request)
        if credits_bound is not None:
            self._check_max(credits_bound.micro_credits)

        def reserve(tx: Tx) -> OpenCall:
            if self._reserved is None:
                return calls.reserve(tx, self._new, bound, credits_bound)
            assert credits_bound is not None  # noqa: S101  # what is reserved later are credits
            return calls.reserve_credits(tx, self._reserved, credits_bound)

        async with self._system.calls.writes.of(self._new.organization_id):
            # A unit that the store has accepted is committed, so the call has to know what it reserved.
            with trio.CancelScope(shield=True):
                self._reserved = await self._units.write(reserve)

    def _check_max(self, needed: int) -> None:
        if self._micro_credits_max is not None and needed > self._micro_credits_max:
            raise GatewayError(
                "insufficient_credits",
                f"This call may cost up to {needed} micro-credits, and may take {self._micro_credits_max}.",
            )

    async def _ask(self, candidate: Candidate) -> WholeAnswer | Failure | None:
        """Send the request to *candidate*, and answer the client with what comes, if it is an answer."""
        try:
            key = self._access.key_of(candidate)
        except SealBroken:
            log.error(  # noqa: TRY400  # the traceback says no more
                "the key of an AI provider cannot be opened", provider=candidate.provider
            )
            return Failure(kind="unreachable")
        self._asked, self._sent, self._meter = candidate, False, Meter()
        guard = KeyGuard(key)
        body = self._request.outgoing(candidate.upstream, usage_in_stream=candidate.usage_in_stream)
        responded = False
        try:
            async with self._system.ai.upstreams.open(
                candidate, key, body, self._note_sent, owner=self._new.organization_id
            ) as response:
                responded = True
                if response.status != _OK:
                    return await self._failure_of(response, guard)
                for_answers = guard if guard.is_for_answers else None
                if self._request.stream:
                    return await self._stream(candidate, response, for_answers)
                return await self._whole(candidate, response, for_answers)
        except NoPlace:
            raise Unavailable("too many requests to providers are under way") from None
        except (NotConnected, BrokenOff):
            return Failure(kind="shape" if responded else "unreachable")
        except (NoFirstByte, IdleTooLong, TookTooLong):
            return Failure(kind="timeout")
        except (StreamFailed, EventTooLarge, KeyRepeated):
            return Failure(kind="shape")
        except StreamBroken as error:
            broken = error
        finally:
            if guard.has_found:
                log.error(
                    "an AI provider repeats its key, which is not passed on", provider=candidate.provider
                )
        await self._settle(broken.ended)
        await self._end_with(broken.error)
        return None

    def _note_sent(self) -> None:
        self._sent = True

    async def _failure_of(self, response: Response, guard: KeyGuard) -> Failure:
        """The failure of a response that is no success. Its body is read only if it may be passed on.

        One with the provider's key in it may not: it would show a key of the service to its users.
        """
        body = b""
        if response.status in PASSED_ON:
            async for part in response:
                body += part
                if len(body) > AI_ERROR_BYTES_MAX:
                    body = b""
                    break
            try:
                guard.check(body)
            except KeyRepeated:
                body = b""
        wait_ms = response.retry_after_ms(self._system.clock.now()) or None
        return Failure(kind="status", status=response.status, retry_after_ms=wait_ms, body=body)

    async def _whole(
        self, candidate: Candidate, response: Response, guard: KeyGuard | None
    ) -> WholeAnswer | Failure:
        with self._system.ai.bodies.hold(self._new.organization_id) as held:
            body = await response.read(held.grow)
            # Not interrupted: what has come whole is charged as an answer.
            with trio.CancelScope(shield=True):
                read = partial(_read, body, candidate.prices, guard)
                answer = await run_beside(self._system, len(body), read)
            if answer is None:
                return Failure(kind="error_event" if is_error(body) else "shape")
            self._meter.note(answer)
            await self._settle("answered")
            return WholeAnswer(_OK, body)

    async def _stream(
        self, candidate: Candidate, response: Response, guard: KeyGuard | None
    ) -> Failure | None:
        if response.content_type.partition(";")[0].strip().lower() != MEDIA_TYPE:
            return Failure(kind="shape")
        self._relay = relay = EventRelay(
            response,
            self._sink,
            self._meter,
            prices=candidate.prices,
            shows_usage=self._request.includes_usage,
            idle_seconds=self._system.ai.upstreams.limits.idle_seconds,
            guard=guard,
        )
        try:
            failure = await relay.run()
        except BaseException:
            if self._sink.client_left and relay.awaits_usage:
                with self._outlast_client(AI_READ_ON_MS / SECOND_MS):
                    await relay.read_on()
            raise
        if failure is not None:
            return failure
        await self._settle("answered")
        await relay.send(DONE_EVENT if relay.done is None else relay.done.raw)
        await drain(response)
        return None

    async def _end_with(self, error: DomainError) -> None:
        """End a stream that has begun with *error*, in the way that clients know."""
        if self._relay is None or self._relay.is_sending:
            raise StreamCut
        body = msgspec.json.encode(as_gateway_error(error).body())
        await self._relay.send(b"data: " + body + b"\n\n" + DONE_EVENT)

    async def _settle(self, ended: Ended) -> None:
        """Store how the call ended, once; a call that nothing was reserved for nor sent is not noted."""
        if self._settled or (self._reserved is None and self._asked is None):
            return
        self._settled = True
        asked, estimate = self._asked, await self._estimate(ended)
        settlement = Settlement(
            new=self._new,
            call_id=None if self._reserved is None else self._reserved.id,
            exit=Exit(ended=ended, sent=self._sent, usage=self._meter.usage, estimate=estimate),
            payer="credits" if asked is None else asked.payer,
            provider=None if asked is None else asked.provider,
            prices=FREE if asked is None else asked.prices,
        )
        settled = await self._system.ai.settlements.settle(settlement)
        self.charged = 0 if settled is None else settled.charged

    async def _estimate(self, ended: Ended) -> Usage:
        """The estimate of prompt and answer, if it counts. A cancellation does not interrupt it."""
        if ended in FREE_OF_CHARGE or not self._sent or self._meter.usage is not None:
            return NONE
        with trio.CancelScope(shield=True):
            prompt = await run_beside(self._system, self._request.size, self._request.prompt_estimate)
        return Usage(prompt, 0, tokens_in(self._meter.text_bytes))


def _read(body: bytearray, prices: Prices, guard: KeyGuard | None) -> Answer | None:
    """What is read of a whole answer, whose cost is put into *body* for the client.

    Raises `KeyRepeated`.
    """
    if guard is not None:
        guard.check(body)
    answer = read_answer(body)
    if answer is not None and answer.usage is not None:
        put_cost(body, cost(prices, answer.usage))
    return answer
