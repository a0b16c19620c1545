"""The Webhook: sends the deliveries of one subscription, each subject in order.

Deliveries are rows, so this actor may crash at any point: what was under way is sent again, under the same
id. In memory it only has what is under way, how the last attempts went, and when something is due next.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from math import inf
from typing import Final, TypeAlias

import msgspec
import structlog
import trio

from svc.actors._core import Policy, turn
from svc.actors.batch_worker import RETRY_MS, BatchDone, BatchWorkerState
from svc.actors.outbound.deliverer import Deliverer
from svc.actors.outbound.errors import NoPlace
from svc.actors.outbound.signed_posts import SignedPosts
from svc.actors.webhooks.attempt_places import AttemptPlace
from svc.actors.webhooks.under_way import UnderWay
from svc.domain.attempts import AttemptOutcome
from svc.domain.errors import Unavailable
from svc.domain.locale.times import SECOND_MS
from svc.domain.rate_limits.sliding_window import SlidingWindow
from svc.domain.webhooks.limits import WEBHOOK_ANSWER_SECONDS, WEBHOOK_LAST_ATTEMPTS
from svc.storage.store import Owner, Units
from svc.storage.webhooks import attempts, batches, webhooks
from svc.storage.webhooks.attempts import EndedAttempt
from svc.storage.webhooks.batches import DeliveryBatch, DueDelivery

log = structlog.get_logger("svc.actors.webhooks.webhook")

GATHER_MS: Final = 50
"""How long an outcome waits for those of the other attempts under way: one unit of work stores them all."""

BegunAttempt: TypeAlias = tuple[DueDelivery, AttemptPlace]

_UNSENDABLE: Final = AttemptOutcome(error="what is stored of it cannot be read, or is not kept any more")


class WebhookState(BatchWorkerState, kw_only=True):
    """The memory of a Webhook. Times are ms since the epoch."""

    owner: str = Owner.WEBHOOKS
    """The organization of the subscription, once loaded."""
    under_way: UnderWay = msgspec.field(default_factory=UnderWay)
    begun: SlidingWindow | None = None
    """The attempts of the last second, where there is a limit to them."""


class Webhook(Deliverer[WebhookState]):
    """Sends the deliveries of one subscription. Its key is the subscription's id."""

    policy = Policy(mailbox_max=256, idle_seconds=300)
    timer_ms_max = inf  # after an idle time it would not know how the last attempts went

    async def load(self) -> WebhookState:
        """Continue what an earlier activation left."""
        self.check.after(0)
        return WebhookState()

    @turn
    async def attempts_ended(self) -> None:
        """Attempts have ended: store their outcomes, with those that follow soon, and load what is next."""
        under_way = self.state.under_way
        if not under_way.in_flight or self.system.quiesced:
            self.state.due |= bool(under_way.ended.value)
            self.work_if_due()
            await self._settle()
        elif under_way.ended.value:
            self.check_by(self.system.clock.now() + GATHER_MS)

    @turn
    async def attempt_postponed(self) -> None:
        """No place was free for an attempt, so that nothing was sent: try again later."""
        self.check_by(self.system.clock.now() + RETRY_MS)
        await self._settle()

    @turn
    async def loaded(self, batch: DeliveryBatch | None) -> None:
        """Outcomes were stored, and a batch was loaded, unless none was asked for: begin its attempts."""
        state, under_way = self.state, self.state.under_way
        under_way.note_stored()
        if batch is not None:
            if not batch.is_failing and not any(under_way.reached):
                under_way.reached = ()  # it was begun anew
            elif batch.is_failing and state.owner == Owner.WEBHOOKS:
                # How those before the last one went is not kept; a receiver that answers shows it soon.
                under_way.reached = (False,) * WEBHOOK_LAST_ATTEMPTS
            state.owner = batch.organization_id
            self._begin(batch)

    async def end_batch(self, rest_ms: int) -> None:
        self.state.under_way.give_back()  # what a unit that was rejected has not stored
        self.state.due |= bool(self.state.under_way.ended.value)
        await super().end_batch(rest_ms)
        await self._settle()

    @property
    def units(self) -> Units:
        """The store for the units of the subscription's organization, in a turn."""
        return self.system.store.of(self.state.owner)

    def room(self) -> int:
        state, in_flight, now = self.state, self.state.under_way.in_flight, self.system.clock.now()
        places = self.system.outgoing.attempt_places
        room = places.at_once(state.owner, state.under_way.reached) - len(in_flight)
        room_at = places.next_room_at(state.owner, now) if room > 0 else None
        if room_at is not None:
            self.check_by(room_at)
            return 0
        if room <= 0 and not in_flight:
            self.check_by(now + RETRY_MS)  # others hold the places
        return max(0, room)

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]] | None:
        if self.system.quiesced:
            return None  # see `_settle`
        room = self.room()
        # Outcomes are stored in any case, and by the unit that loads if there is room.
        return self.load_due(room) if room > 0 or self.state.under_way.ended.value else None

    def load_due(self, room: int) -> Callable[[], Awaitable[BatchDone]]:
        under_way = self.state.under_way
        busy = tuple(sorted(under_way.in_flight.values()))
        return partial(self._load, self.units, under_way.take_ended(), room, busy)

    def _begin(self, batch: DeliveryBatch) -> None:
        """Begin attempts of a batch: as many as may be under way, and may begin in this second."""
        state, under_way, now = self.state, self.state.under_way, self.system.clock.now()
        places = self.system.outgoing.attempt_places
        pace = self._pace(batch, now)
        room = places.at_once(state.owner, under_way.reached) - len(under_way.in_flight)
        begun: list[BegunAttempt] = []
        examined = 0
        for delivery in batch.due[:pace]:
            if len(begun) >= room or places.next_room_at(batch.organization_id, now) is not None:
                break
            examined += 1
            if delivery.body is None:
                under_way.ended.value.append(_ended(batch, delivery, _UNSENDABLE))
            else:
                begun.append((delivery, places.begin(state.owner, under_way.reached, now)))
        if begun and self.start_soon(self._attempt_all, batch, begun, under_way):
            under_way.in_flight |= {delivery.id: delivery.subject for delivery, _ in begun}
            if state.begun is not None:
                for _ in begun:
                    state.begun.add(now)
        else:
            for _, place in begun:
                place.end()
        oldest = None if state.begun is None else state.begun.oldest()
        if examined == pace and oldest is not None:
            self.check_by(oldest + SECOND_MS)
        elif batch.more or examined < len(batch.due):
            state.due = True
        if batch.next_at is not None:
            self.check_by(batch.next_at)

    def _pace(self, batch: DeliveryBatch, now: int) -> int:
        """How many attempts may begin now by the limit of the subscription, which may have changed."""
        state, limit = self.state, batch.max_per_second
        if limit is None:
            state.begun = None
            return len(batch.due)
        if state.begun is None:
            state.begun = SlidingWindow(SECOND_MS, limit)
        state.begun.maximum = limit
        return max(0, state.begun.room(now))

    async def _settle(self) -> None:
        """Store outcomes within the turn, once the system is quiesced, so that no task may."""
        state, under_way = self.state, self.state.under_way
        if not self.system.quiesced or state.working or not under_way.ended.value:
            return
        ended = under_way.take_ended()
        under_way.note_stored()  # or else they are sent again at the next start
        try:
            await self.units.write(attempts.note_attempts, self.key, ended)
        except Unavailable as error:
            log.warning("how attempts went could not be kept", webhook=self.key, why=error)

    async def _load(
        self, units: Units, ended: Sequence[EndedAttempt], limit: int, busy: Sequence[str]
    ) -> BatchDone:
        """Store outcomes, and load at most *limit* deliveries, in a task."""
        batch = None
        if ended and limit > 0:
            batch = await units.write(attempts.note_and_load, self.key, ended, limit, busy)
        elif ended:
            await units.write(attempts.note_attempts, self.key, ended)
        else:
            batch = await units.read(batches.load, self.key, self.system.clock.now(), limit, busy)
        if batch is not None and batch.ending:
            own = self.system.store.of(batch.organization_id)
            while await own.write_behind(webhooks.end_waiting, self.key):
                pass
        self.loaded.tell(batch)
        return BatchDone(more=limit <= 0)

    async def _attempt_all(
        self, batch: DeliveryBatch, begun: Sequence[BegunAttempt], under_way: UnderWay
    ) -> None:
        """Attempt deliveries at once, in a task, and note in *under_way* how they went."""
        posts = SignedPosts(self.system, "webhook", self.key, batch, WEBHOOK_ANSWER_SECONDS)
        async with trio.open_nursery() as nursery:
            for delivery, place in begun:
                nursery.start_soon(self._attempt, batch, delivery, place, posts, under_way)

    async def _attempt(
        self,
        batch: DeliveryBatch,
        delivery: DueDelivery,
        place: AttemptPlace,
        posts: SignedPosts,
        under_way: UnderWay,
    ) -> None:
        """Attempt a delivery, and note how it went."""
        now = self.system.clock.wall()
        try:
            with place:
                outcome = await posts.post(delivery.id, delivery.type, delivery.body or b"", now)
        except NoPlace:
            del under_way.in_flight[delivery.id]
            self.attempt_postponed.tell()
            return
        if under_way.end(_ended(batch, delivery, outcome)) or self.system.quiesced:
            self.attempts_ended.tell()


def _ended(batch: DeliveryBatch, delivery: DueDelivery, outcome: AttemptOutcome) -> EndedAttempt:
    return EndedAttempt(
        delivery_id=delivery.id, url=batch.url, outcome=outcome, unsendable=delivery.body is None
    )
