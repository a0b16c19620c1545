"""Routing: which provider a call is sent to, and when it goes on to the next one.

A call goes on only before the first event of an answer, and asks each provider at most once. A provider that
cannot take more rests for a while: it is asked last meanwhile, and never left out.
"""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from svc.domain.ai.answers import is_error
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.limits import AI_REST_MS, AI_REST_MS_MAX
from svc.domain.ai.models import Candidate
from svc.domain.locale.times import SECOND_MS

PASSED_ON: Final = frozenset({400, 404, 409, 413, 422})
"""What a provider says about the request itself: its answer passes as it is."""
_TOO_MANY: Final = 429
_SERVER_ERRORS: Final = range(500, 600)

FailureKind = Literal["unreachable", "status", "shape", "error_event", "timeout"]
"""Why a provider gave no answer: no connection, or none of an answer; a status that is none of success;
a 200 that is no completion; an error as the first event; nothing for too long."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an attempt at one provider, where it gave no answer."""

    kind: FailureKind
    status: int | None = None
    """For the kind `status`."""
    retry_after_ms: int | None = None
    """What `Retry-After` said."""
    body: bytes = b""
    """The answer's body, for what is passed on."""

    def __repr__(self) -> str:
        return f"Failure({self.kind}, {self.status})"

    @property
    def leads_on(self) -> bool:
        """Whether the next provider is asked."""
        return self.kind in {"unreachable", "shape", "error_event"} or self._is_overload

    @property
    def rest_ms(self) -> int:
        """How long the provider rests; 0 for not at all."""
        if self.kind != "unreachable" and not self._is_overload:
            return 0
        return min(self.wait_ms, AI_REST_MS_MAX)

    @property
    def wait_ms(self) -> int:
        """How long to wait before the provider is asked again."""
        return AI_REST_MS if self.retry_after_ms is None else self.retry_after_ms

    @property
    def is_passed_on(self) -> bool:
        """Whether status and body are the caller's answer as they are."""
        return self.kind == "status" and self.status in PASSED_ON and is_error(self.body)

    @property
    def _is_overload(self) -> bool:
        return self.kind == "status" and (self.status == _TOO_MANY or self.status in _SERVER_ERRORS)


class Rests:
    """Which providers rest, in this process, and until when."""

    def __init__(self) -> None:
        self._until: dict[tuple[str, str], int] = {}

    def note(self, candidate: Candidate, failure: Failure, now: int) -> None:
        """Let the provider rest, if the *failure* says so."""
        if failure.rest_ms:
            self._until = {key: until for key, until in self._until.items() if until > now}
            self._until[candidate.payer, candidate.provider] = now + failure.rest_ms

    def is_resting(self, candidate: Candidate, now: int) -> bool:
        return self._until.get((candidate.payer, candidate.provider), now) > now

    def ordered(self, candidates: Sequence[Candidate], now: int) -> list[Candidate]:
        """The *candidates* in the order in which they are asked: those that rest come last."""
        return sorted(candidates, key=lambda candidate: self.is_resting(candidate, now))


class ProviderRefusal(msgspec.Struct, frozen=True):
    """A provider's own answer about the request, which passes as it is."""

    status: int
    body: bytes

    def __repr__(self) -> str:
        return f"Passed({self.status})"


class Route:
    """The way of one call from provider to provider."""

    def __init__(self, candidates: Sequence[Candidate], rests: Rests, now: int) -> None:
        self._waiting = rests.ordered(candidates, now)
        self._rests = rests
        self._asked: set[tuple[str, str]] = set()
        self._failures: list[Failure] = []

    def change(self, candidates: Sequence[Candidate], now: int) -> None:
        """Go on with these *candidates*: the organization's providers have changed. None is asked again."""
        waiting = [one for one in candidates if (one.payer, one.provider) not in self._asked]
        self._waiting = self._rests.ordered(waiting, now)

    def next(self) -> Candidate | None:
        """The provider to ask now; None when there is no further one, and `verdict` has the answer."""
        if self._failures and not self._failures[-1].leads_on:
            return None
        return self._waiting.pop(0) if self._waiting else None

    def failed(self, candidate: Candidate, failure: Failure, now: int) -> None:
        """Note that *candidate* gave no answer."""
        self._rests.note(candidate, failure, now)
        self._asked.add((candidate.payer, candidate.provider))
        self._failures.append(failure)

    def verdict(self) -> ProviderRefusal | GatewayError:
        """The answer to the caller after the last failure."""
        last = self._failures[-1]
        if last.is_passed_on and last.status is not None:
            return ProviderRefusal(last.status, last.body)
        if all(failure.status == _TOO_MANY for failure in self._failures):
            soonest = min(failure.wait_ms for failure in self._failures)
            return GatewayError(
                "rate_limit_exceeded",
                "The model's providers take no more calls at the moment.",
                retry_after_seconds=max(1, -(-soonest // SECOND_MS)),
            )
        if last.kind == "timeout":
            return GatewayError("upstream_timeout", "The model's provider did not answer in time.")
        return GatewayError("upstream_error", "The model's provider gave no answer that can be used.")
