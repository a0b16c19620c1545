"""The Webhook: sends the deliveries of one subscription, each subject in order.

Deliveries are rows, so this actor may crash at any point: what was under way is sent again, under the same
id. In memory it only has what is under way, how the last attempts went, and when something is due next.
"""

from collections import deque
from collections.abc import Sequence
from math import inf
from typing import Final, TypeAlias

import msgspec
import structlog
import trio

from svc.actors._core import Actor, Policy, turn
from svc.actors.outbound.errors import NoPlace, NotSent
from svc.actors.system import System
from svc.actors.webhooks.attempt_places import AttemptPlace
from svc.actors.webhooks.under_way import UnderWay
from svc.domain.attempts import AttemptOutcome
from svc.domain.crypto.sealing import SealBroken
from svc.domain.crypto.signatures import Signer
from svc.domain.errors import Unavailable
from svc.domain.limits import WEBHOOK_ANSWER_SECONDS, WEBHOOK_LAST_ATTEMPTS
from svc.domain.times import SECOND_MS
from svc.storage.store import Owner, Units
from svc.storage.webhooks import attempts, batches, webhooks
from svc.storage.webhooks.attempts import EndedAttempt
from svc.storage.webhooks.batches import DeliveryBatch, DueDelivery

log = structlog.get_logger("svc.actors.webhooks.webhook")

RETRY_MS: Final = 2 * SECOND_MS
"""How long to wait after the store rejected a unit of work, or no place was free for an attempt."""

GATHER_MS: Final = 50
"""How long an outcome waits for those of the other attempts under way: one unit of work stores them all."""

BegunAttempt: TypeAlias = tuple[DueDelivery, AttemptPlace]

_UNSENDABLE: Final = AttemptOutcome(error="what is stored of it cannot be read, or is not kept any more")
_UNSIGNED: Final = AttemptOutcome(error="the signing secret cannot be used: make a new one")


class WebhookState(msgspec.Struct, kw_only=True):
    """The memory of a Webhook. Times are ms since the epoch."""

    owner: str = Owner.WEBHOOKS
    """The organization of the subscription, once loaded."""
    under_way: UnderWay = msgspec.field(default_factory=UnderWay)
    begun_at: deque[int] = msgspec.field(default_factory=deque)
    """When the attempts of the last second began, where there is a limit to them."""
    due: bool = False
    """There may be deliveries to attempt that were not loaded yet."""
    working: bool = False
    """A unit of work stores outcomes and loads deliveries."""
    checks_at: float = inf
    """When the timer of `check` is due."""


class Webhook(Actor[System, WebhookState]):
    """Sends the deliveries of one subscription. Its key is the subscription's id."""

    policy = Policy(mailbox_max=256, idle_seconds=300)

    async def load(self) -> WebhookState:
        """Continue what an earlier activation left."""
        self.check.after(0)
        return WebhookState()

    @turn
    async def wake(self) -> None:
        """Deliveries were queued, or the subscription was changed."""
        self.state.due = True
        self._work()

    @turn
    async def check(self) -> None:
        """Something is due by the clock: a retry, the end of a pause."""
        self.state.due, self.state.checks_at = True, inf
        self._work()

    @turn
    async def attempts_ended(self) -> None:
        """Attempts have ended: store their outcomes, with those that follow soon, and load what is next."""
        under_way = self.state.under_way
        if not under_way.in_flight or self.system.quiesced:
            await self._go_on()
        elif under_way.ended.value:
            self._check_by(self.system.clock.now() + GATHER_MS)

    @turn
    async def attempt_postponed(self) -> None:
        """No place was free for an attempt, so that nothing was sent: try again later."""
        self._check_by(self.system.clock.now() + RETRY_MS)
        await self._settle()

    @turn
    async def loaded(self, batch: DeliveryBatch | None) -> None:
        """Outcomes were stored, and a batch was loaded, unless none was asked for: begin its attempts."""
        state, under_way = self.state, self.state.under_way
        state.working = False
        if batch is not None:
            if not batch.is_failing and not any(under_way.reached):
                under_way.reached = ()  # it was begun anew
            elif batch.is_failing and state.owner == Owner.WEBHOOKS:
                # How those before the last one went is not kept; a receiver that answers shows it soon.
                under_way.reached = (False,) * WEBHOOK_LAST_ATTEMPTS
            state.owner = batch.organization_id
            self._begin(batch)
        await self._go_on()

    @turn
    async def load_failed(self, ended: Sequence[EndedAttempt]) -> None:
        """The store rejected the unit of work: keep the outcomes, and try again later."""
        self.state.working, self.state.due = False, True
        self.state.under_way.give_back(ended)
        self._check_by(self.system.clock.now() + RETRY_MS)
        await self._settle()

    async def _go_on(self) -> None:
        self._work()
        await self._settle()

    def _work(self) -> None:
        """Store the outcomes, and load as many deliveries as may be attempted, in one unit of work."""
        state, under_way = self.state, self.state.under_way
        if state.working:
            return
        in_flight = under_way.in_flight
        state.due |= bool(under_way.ended.value)  # there is room for others
        room = self.system.attempt_places.at_once(under_way.reached) - len(in_flight) if state.due else 0
        if room <= 0 and not under_way.ended.value:
            if state.due and not in_flight:
                self._check_by(self.system.clock.now() + RETRY_MS)  # others hold the places
            return
        units, ended = self.system.store.of(state.owner), under_way.take_ended()
        state.working = self.start_soon(self._load, units, ended, room, tuple(sorted(in_flight.values())))
        if not state.working:
            under_way.give_back(ended)
        elif room > 0:
            state.due, state.checks_at = False, inf
            self.check.disarm()  # this load does what the timer was for

    def _begin(self, batch: DeliveryBatch) -> None:
        """Begin attempts of a batch: as many as may be under way, and may begin in this second."""
        state, under_way, now = self.state, self.state.under_way, self.system.clock.now()
        places = self.system.attempt_places
        pace = self._pace(batch, now)
        room = places.at_once(under_way.reached) - len(under_way.in_flight)
        begun: list[BegunAttempt] = []
        examined = 0
        for delivery in batch.due[:pace]:
            if len(begun) >= room:
                break
            examined += 1
            if delivery.body is None:
                under_way.ended.value.append(_ended(batch, delivery, _UNSENDABLE))
            else:
                begun.append((delivery, places.begin(under_way.reached)))
        if begun and self.start_soon(self._attempt_all, batch, begun, under_way):
            under_way.in_flight |= {delivery.id: delivery.subject for delivery, _ in begun}
            if batch.max_per_second is not None:
                state.begun_at.extend([now] * len(begun))
        else:
            for _, place in begun:
                place.end()
        if examined == pace and state.begun_at:
            self._check_by(state.begun_at[0] + SECOND_MS)
        elif batch.more or examined < len(batch.due):
            state.due = True
        if batch.next_at is not None:
            self._check_by(batch.next_at)

    def _pace(self, batch: DeliveryBatch, now: int) -> int:
        """How many attempts may begin now by the limit of the subscription."""
        if batch.max_per_second is None:
            self.state.begun_at.clear()
            return len(batch.due)
        begun_at = self.state.begun_at
        while begun_at and begun_at[0] <= now - SECOND_MS:
            begun_at.popleft()
        return max(0, batch.max_per_second - len(begun_at))

    def _check_by(self, at: int) -> None:
        """Have `check` run at *at* or earlier."""
        if at < self.state.checks_at:
            self.state.checks_at = at
            self.check.after(max(0, at - self.system.clock.now()) / SECOND_MS)

    async def _settle(self) -> None:
        """Store outcomes within the turn, once the system is quiesced, so that no task may."""
        state, under_way = self.state, self.state.under_way
        if not self.system.quiesced or state.working or not under_way.ended.value:
            return
        ended = under_way.take_ended()
        try:
            await self.system.store.of(state.owner).write(attempts.note_attempts, self.key, ended)
        except Unavailable as error:  # they are sent again at the next start
            log.warning("how attempts went could not be kept", webhook=self.key, why=repr(error))

    async def _load(
        self, units: Units, ended: Sequence[EndedAttempt], limit: int, busy: Sequence[str]
    ) -> None:
        """Store outcomes, and load at most *limit* deliveries, in a task."""
        batch = None
        try:
            if ended and limit > 0:
                batch = await units.write(attempts.note_and_load, self.key, ended, limit, busy)
            elif ended:
                await units.write(attempts.note_attempts, self.key, ended)
            else:
                batch = await units.read(batches.load, self.key, self.system.clock.now(), limit, busy)
            while (
                batch is not None
                and batch.ending
                and await units.write_behind(webhooks.end_waiting, self.key)
            ):
                pass
        except Unavailable as error:
            log.warning("deliveries have to wait", webhook=self.key, why=repr(error))
            self.load_failed.tell(ended)
        else:
            self.loaded.tell(batch)

    async def _attempt_all(
        self, batch: DeliveryBatch, begun: Sequence[BegunAttempt], under_way: UnderWay
    ) -> None:
        """Attempt deliveries at once, in a task, and note in *under_way* how they went."""
        try:
            opened = [self.system.sealer.open(sealed, self.key) for sealed in batch.sealed_secrets]
        except SealBroken:
            log.exception("a signing secret cannot be opened; nothing is sent", webhook=self.key)
            signer = None
        else:
            signer = Signer(opened)
        async with trio.open_nursery() as nursery:
            for delivery, place in begun:
                nursery.start_soon(self._attempt, batch, delivery, place, signer, under_way)

    async def _attempt(
        self,
        batch: DeliveryBatch,
        delivery: DueDelivery,
        place: AttemptPlace,
        signer: Signer | None,
        under_way: UnderWay,
    ) -> None:
        """Attempt a delivery, and note how it went."""
        began = trio.current_time()
        try:
            with place:
                outcome = await self._send(batch, delivery, signer) if signer else _UNSIGNED
        except NoPlace:
            del under_way.in_flight[delivery.id]
            self.attempt_postponed.tell()
            return
        except NotSent as error:
            milliseconds = round((trio.current_time() - began) * SECOND_MS)
            outcome = AttemptOutcome(error=str(error), milliseconds=milliseconds)
        if under_way.end(_ended(batch, delivery, outcome)) or self.system.quiesced:
            self.attempts_ended.tell()

    async def _send(self, batch: DeliveryBatch, delivery: DueDelivery, signer: Signer) -> AttemptOutcome:
        """Send a delivery. Raises `NotSent`, and `NoPlace` of these if nothing was attempted."""
        now = self.system.clock.wall()  # wall time, since the receiver compares it with its own clock
        body = delivery.body or b""
        headers = signer.delivery_headers(
            delivery.id, now // SECOND_MS, body, event=delivery.type, contract=batch.contract
        )
        result = await self.system.outbound_http.post(
            batch.url,
            body,
            headers,
            owner=batch.organization_id,
            seconds=WEBHOOK_ANSWER_SECONDS,
            now=now,
        )
        return AttemptOutcome(
            status_code=result.status,
            milliseconds=result.milliseconds,
            answer=result.answer,
            retry_after_ms=result.retry_after_ms,
        )


def _ended(batch: DeliveryBatch, delivery: DueDelivery, outcome: AttemptOutcome) -> EndedAttempt:
    return EndedAttempt(
        delivery_id=delivery.id, url=batch.url, outcome=outcome, unsendable=delivery.body is None
    )
