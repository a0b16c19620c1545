"""Signed posts of deliveries: how webhooks and pushes to bridges are sent."""

from collections.abc import Mapping
from typing import Final

import structlog
import trio

from svc.actors.outbound.errors import NoAnswer, NoPlace, NotSent
from svc.actors.system import System
from svc.domain.attempts import AttemptEnd, AttemptKind, AttemptOutcome, Destination
from svc.domain.crypto.sealing import SealBroken
from svc.domain.crypto.signatures import Signer
from svc.domain.locale.times import SECOND_MS
from svc.telemetry.calls import call_span

log = structlog.get_logger("svc.actors.outbound.signed_posts")

_UNSIGNED: Final = AttemptOutcome(error="the signing secret cannot be used: make a new one")


class SignedPosts:
    """Posts to one destination. Where its secrets cannot be opened, nothing is sent: that is each outcome."""

    def __init__(self, system: System, kind: AttemptKind, key: str, to: Destination, seconds: float) -> None:
        """*key*: the id that the secrets are sealed for. *seconds*: how long an attempt may take."""
        self._outgoing = system.outgoing
        self._kind: AttemptKind = kind
        self._to = to
        self._seconds = seconds
        self._signer: Signer | None = None
        try:
            self._signer = Signer([system.sealer.open(sealed, key) for sealed in to.sealed_secrets])
        except SealBroken:
            log.exception("a signing secret cannot be opened; nothing is sent", of=key)

    async def post(self, delivery_id: str, event: str, body: bytes, now: int) -> AttemptOutcome:
        """Post a delivery. Raises `NoPlace` if nothing was attempted.

        *now* is wall time, in ms since the epoch: the receiver compares it with its own clock.
        """
        if self._signer is None:
            return _UNSIGNED
        headers = self._signer.delivery_headers(
            delivery_id, now // SECOND_MS, body, event=event, contract=self._to.contract
        )
        with call_span(self._kind, headers) as span:
            outcome, end = await self._post(headers, body, now)
            if span is not None:
                span.note("svc.outcome", end)
                if outcome.status_code is not None:
                    span.note_status(outcome.status_code)
                span.failed = end != "accepted"
        return outcome

    async def _post(
        self, headers: Mapping[str, str], body: bytes, now: int
    ) -> tuple[AttemptOutcome, AttemptEnd]:
        """Make an attempt, and count how it ended. Raises `NoPlace`."""
        began = trio.current_time()
        end: AttemptEnd
        try:
            result = await self._outgoing.http.post(
                self._to.url,
                body,
                headers,
                owner=self._to.organization_id,
                seconds=self._seconds,
                now=now,
            )
        except NoPlace:
            raise
        except NotSent as error:
            milliseconds = round((trio.current_time() - began) * SECOND_MS)
            outcome = AttemptOutcome(error=str(error), milliseconds=milliseconds)
            end = "timed_out" if isinstance(error, NoAnswer) else "not_reached"
        else:
            outcome = AttemptOutcome(
                status_code=result.status,
                milliseconds=result.milliseconds,
                answer=result.answer,
                retry_after_ms=result.retry_after_ms,
            )
            end = "accepted" if outcome.reached else "refused"
        self._outgoing.attempts[self._kind, end] += 1
        return outcome, end
