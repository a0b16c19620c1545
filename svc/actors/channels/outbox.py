"""The Outbox: delivers the replies of one connection to its bridge, each under a lease, by pull or by push.

Replies and their leases are rows, so this actor may crash at any point. In memory it only has the
time until which there is nothing to deliver, unless it is woken, and the number of pushes in flight.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from math import inf
from typing import Final

import msgspec

from svc.actors._core import Policy, turn
from svc.actors.batch_worker import BatchDone, BatchWorkerState
from svc.actors.outbound.deliverer import Deliverer
from svc.actors.outbound.errors import NoPlace
from svc.actors.outbound.signed_posts import SignedPosts
from svc.domain.attempts import AttemptOutcome
from svc.domain.channels.connections import Delivery
from svc.domain.channels.limits import PUSH_ANSWER_SECONDS, PUSH_HOLD_MS, PUSHES_AT_ONCE_MAX, REPLY_LIFE_MS
from svc.domain.errors import Unavailable
from svc.domain.locale.times import SECOND_MS, rfc3339
from svc.domain.tool_results import ToolResult
from svc.storage.channels import keys, outboxes
from svc.storage.channels.deliveries import PushEvent
from svc.storage.channels.keys import ChannelRoute
from svc.storage.channels.outboxes import Push, PushBatch
from svc.storage.channels.reply_batches import PulledBatch
from svc.storage.idempotency import Repeatable
from svc.storage.store import Owner, Units

NO_PLACE_MS: Final = 10 * SECOND_MS
"""How long to wait where all places for requests were taken: they are held for no longer."""

_NOTHING: Final = PulledBatch(replies=(), more=False, next_at=None)


class PushBody(msgspec.Struct, frozen=True):
    """The body of a push. `data` is a reply or, for a `ping`, the id of the connection."""

    type: PushEvent
    timestamp: str
    data: object


class OutboxState(BatchWorkerState, kw_only=True):
    """The memory of an Outbox. Times are ms since the epoch."""

    organization_id: str
    """The connection's."""
    delivery: Delivery | None = None
    """How replies reach the bridge. None until the first load (loads are staggered at start)."""
    empty_until: float = 0
    """There is nothing to deliver before this time, unless `wake` says otherwise."""
    pushes_in_flight: int = 0


class Outbox(Deliverer[OutboxState]):
    """Delivers the replies of one connection. Its key is the connection's id."""

    policy = Policy(mailbox_max=256, idle_seconds=300)
    timer_ms_max = inf  # after an idle time it would not know that there is nothing to deliver

    async def load(self) -> OutboxState:
        """Continue what an earlier activation left. Raises `NotFound` for a connection that never was."""
        self.check.after(0)
        units = self.system.store.of(Owner.OUTBOXES)
        return OutboxState(organization_id=await units.read(outboxes.organization_of, self.key))

    @turn
    async def pull(self, limit: int, call: Repeatable | None = None) -> PulledBatch | ToolResult:
        """Lease up to *limit* waiting replies to the caller, the oldest first.

        With *call*, which has an idempotency key, the batch is stored as its result and returned again when
        the call is repeated. Raises `Conflict` if replies are pushed, and `IdempotencyMismatch`.
        """
        state = self.state
        if self.system.clock.now() < state.empty_until:
            return _NOTHING
        batch = await self.units.write(outboxes.pull, self.key, limit, call, self._address_of)
        if isinstance(batch, ToolResult):
            return batch
        if limit:
            state.empty_until = 0 if batch.more else batch.next_at or inf
        # This was what the timer is for: all that was due has been handled.
        state.due, state.next_at = False, None
        self.check.disarm()
        if batch.next_at is not None:
            self.check_by(batch.next_at)
        return batch

    @turn
    async def wake(self) -> None:
        """The connection or its replies have changed."""
        state = self.state
        state.empty_until = 0
        # New replies expire no sooner than this; leases are checked when they are granted.
        self.check_by(self.system.clock.now() + REPLY_LIFE_MS)
        if state.delivery != "pull":
            state.due = True
            self.work_if_due()

    @turn
    async def note_use(self, route: ChannelRoute, used_at: int) -> None:
        """Write when the bridge called, in a task."""
        self.start_soon(self._note_use, route, used_at)

    @turn
    async def check(self) -> None:
        """Handle what is due by the clock: expired leases and replies, retries, pushes that were cut off."""
        state = self.state
        state.empty_until, state.due, state.next_at = 0, True, None
        self.work_if_due()

    @turn
    async def loaded(self, batch: PushBatch) -> None:
        """Send the pushes that were leased, or give them back if the service is shutting down."""
        state = self.state
        if batch.delivery == state.delivery == "pull":
            self.system.wakeups.notify(self.key)  # leases or replies may have expired
        state.delivery = batch.delivery
        begun = [self.start_soon(self._push, batch, push) for push in batch.pushes]
        state.pushes_in_flight += sum(begun)
        if not all(begun):
            await self.units.write(outboxes.give_back, self.key, batch.pushes)
        state.due |= batch.more
        if batch.next_at is not None:
            self.check_by(batch.next_at)  # no later: a pull may have set an earlier time since

    @turn
    async def push_ended(self) -> None:
        """A push has ended, so another may start."""
        self.state.pushes_in_flight -= 1
        self.state.due = True
        self.work_if_due()

    @turn
    async def push_postponed(self) -> None:
        """There was no place for a push, which was given back: try again later."""
        self.state.pushes_in_flight -= 1
        self.check_by(self.system.clock.now() + NO_PLACE_MS)
        self.work_if_due()

    @property
    def units(self) -> Units:
        """The store for the units of the connection's organization, in a turn."""
        return self.system.store.of(self.state.organization_id)

    def room(self) -> int:
        return PUSHES_AT_ONCE_MAX - self.state.pushes_in_flight

    def load_due(self, room: int) -> Callable[[], Awaitable[BatchDone]]:
        return partial(self._load, self.units, room, known=self.state.delivery is not None)

    async def _note_use(self, route: ChannelRoute, used_at: int) -> None:
        with suppress(Unavailable):  # a call a minute later notes its own
            await self.system.store.of(route.organization_id).write_behind(keys.note_use, route, used_at)

    def _address_of(self, file_id: str, now: int) -> str:
        """An address at which the bridge can fetch an attachment for as long as the reply may wait."""
        address, _ = self.system.files.addresses.sign(self.system.base_url, file_id, now)
        return address

    async def _load(self, units: Units, limit: int, *, known: bool) -> BatchDone:
        """Lease the due pushes, in a task. The first load has low priority, since a start has many."""
        write = units.write if known else units.write_behind
        self.loaded.tell(await write(outboxes.load, self.key, limit, self._address_of))
        return BatchDone()

    async def _push(self, batch: PushBatch, push: Push) -> None:
        """Send one push and store its outcome, in a task."""
        clock, units = self.system.clock, self.system.store.of(batch.organization_id)
        held_until = clock.now() + PUSH_HOLD_MS
        try:
            outcome = await self._send(batch, push)
        except NoPlace:
            with suppress(Unavailable):  # then it counts as cut off, and is pushed again after a while
                await units.write(outboxes.give_back, self.key, [push])
            self.push_postponed.tell()
            return
        # A push whose outcome is not stored while it is held is sent again, even after a 2xx: the bridge
        # recognizes it by the delivery id.
        with suppress(Unavailable):
            await self.store_outcome(
                units, lambda: clock.now() >= held_until, outboxes.note_push, self.key, push, outcome
            )
        self.push_ended.tell()

    async def _send(self, batch: PushBatch, push: Push) -> AttemptOutcome:
        """Send a push. Raises `NoPlace` if nothing was attempted."""
        now = self.system.clock.wall()
        event: PushEvent = "ping" if push.reply is None else "message.outbound"
        body = msgspec.json.encode(PushBody(event, rfc3339(now), push.reply or {"connectionId": self.key}))
        posts = SignedPosts(self.system, "push", self.key, batch, PUSH_ANSWER_SECONDS)
        return await posts.post(push.delivery_id, event, body, now)
