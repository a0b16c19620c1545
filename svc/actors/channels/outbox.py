"""The Outbox: hands the replies of one connection to its bridge, each to one at a time, by pull or by push.

What is waiting, taken and until when are rows; this actor looks after them and may die at any point. It knows
only when there is nothing to look for, which it hears of by news, and which pushes are under way.
"""

from math import inf
from typing import Final

import msgspec
import structlog
import trio

from svc.actors._core import Actor, Policy, turn
from svc.actors.outbound_http import NotSent
from svc.actors.system import System
from svc.domain.channels.connections import Delivery
from svc.domain.crypto.sealing import SealBroken
from svc.domain.crypto.signatures import signed_headers
from svc.domain.errors import Unavailable
from svc.domain.limits import PUSH_ANSWER_SECONDS, PUSH_HOLD_MS, PUSHES_AT_ONCE_MAX, REPLY_LIFE_MS
from svc.domain.times import SECOND_MS, rfc3339
from svc.domain.tool_results import ToolResult
from svc.storage.channels import outboxes
from svc.storage.channels.deliveries import Attempt, PushEvent
from svc.storage.channels.outboxes import Push, PushBatch
from svc.storage.channels.reply_batches import PulledBatch
from svc.storage.idempotency import Repeatable
from svc.storage.store import Owner, Units

log = structlog.get_logger("svc.actors.channels.outbox")

RETRY_MS: Final = 2 * SECOND_MS
"""How long it waits when the store could not take a unit of its work."""

_NOTHING: Final = PulledBatch(replies=(), more=False, next_at=None)


class PushBody(msgspec.Struct, frozen=True):
    """What is pushed. `data` is a reply, or says which connection a `ping` is for."""

    type: PushEvent
    timestamp: str
    data: object


class OutboxState(msgspec.Struct, kw_only=True):
    """What an Outbox keeps at hand. Times are ms since the epoch."""

    owner: str = Owner.OUTBOXES
    """The organization whose connection it is, once the first look has found that out."""
    delivery: Delivery | None = None
    """How replies reach the bridge; None until the first look, which at a start very many wait for."""
    quiet_until: float = 0
    """Before then there is nothing to hand out, unless news come."""
    looks_at: float = inf
    """When it will look by itself."""
    work: bool = False
    """There may be something to push that was not looked for yet."""
    loading: bool = False
    under_way: int = 0


class Outbox(Actor[System, OutboxState]):
    """One connection's. Its key is the connection's id."""

    policy = Policy(mailbox_max=256, idle_seconds=300)

    async def load(self) -> OutboxState:
        """What is left of an earlier life is gone on with."""
        self.look.after(0)
        return OutboxState()

    @turn
    async def pull(self, most: int, call: Repeatable | None = None) -> PulledBatch | ToolResult:
        """Lease up to *most* waiting replies to who asks, the oldest first.

        What is handed out to a *call* that may come again is kept as its answer, which it is given then.

        Raises `Conflict` where replies are pushed, and `IdempotencyMismatch`.
        """
        state = self.state
        if self.system.clock.now() < state.quiet_until:
            return _NOTHING
        return await self._pull(most, call)

    @turn
    async def wake(self) -> None:
        """Something about the connection or its replies was changed."""
        state, now = self.state, self.system.clock.now()
        state.quiet_until = 0
        # Whatever came, nothing of it ends sooner, unless it is handed out, which is looked at then.
        self._look_by(now + REPLY_LIFE_MS)
        if state.delivery != "pull":
            state.work = True
            self._go_on()

    @turn
    async def look(self) -> None:
        """It is time to see what time has done: leases and lives that ended, pushes put off or cut off."""
        state = self.state
        state.quiet_until, state.looks_at = 0, inf
        if state.delivery != "pull":
            state.work = True
            self._go_on()
            return
        self._look_by(self.system.clock.now() + RETRY_MS)  # unless what follows says better
        await self._pull(0)
        self.system.wakeups.notify(self.key)

    @turn
    async def loaded(self, load: PushBatch | None) -> None:
        """Pushes were taken: send them, or give them back where the service ends by now.

        None where the store could not be asked.
        """
        state, now = self.state, self.system.clock.now()
        state.loading = False
        if load is None:
            self._look_by(now + RETRY_MS)
        else:
            state.owner, state.delivery = load.organization_id, load.delivery
            begun = [self.start_soon(self._push, load, parcel) for parcel in load.parcels]
            state.under_way += sum(begun)
            if not all(begun):
                await self.system.store.of(state.owner).write(outboxes.give_back, self.key, load.parcels)
            state.work |= load.more
            if load.next_at is not None:
                self._look_by(load.next_at)  # by then: a pull may have looked since, and knows better
        self._go_on()

    @turn
    async def pushed(self) -> None:
        """A push came to its end, and another may begin."""
        self.state.under_way -= 1
        self.state.work = True
        self._go_on()

    async def _pull(self, most: int, call: Repeatable | None = None) -> PulledBatch | ToolResult:
        state = self.state
        handed = await self.system.store.of(state.owner).write(outboxes.pull, self.key, most, call)
        if isinstance(handed, ToolResult):
            return handed
        if most:
            state.quiet_until = 0 if handed.more else handed.next_at or inf
        state.looks_at = inf
        self.look.disarm()
        if handed.next_at is not None:
            self._look_by(handed.next_at)
        return handed

    def _go_on(self) -> None:
        state = self.state
        room = PUSHES_AT_ONCE_MAX - state.under_way
        if state.work and not state.loading and room > 0:
            units = self.system.store.of(state.owner)
            state.loading = self.start_soon(self._load, units, room, known=state.delivery is not None)
            state.work = not state.loading

    def _look_by(self, at: int) -> None:
        """Look at that time at the latest."""
        if at < self.state.looks_at:
            self.state.looks_at = at
            self.look.after(max(0, at - self.system.clock.now()) / SECOND_MS)

    async def _load(self, units: Units, most: int, *, known: bool) -> None:
        """Take what is to be pushed, beside the turns. The first look is in no hurry: a start has many."""
        try:
            load = await (units.write if known else units.write_behind)(outboxes.load, self.key, most)
        except Unavailable as error:
            log.warning("pushes have to wait", connection=self.key, why=repr(error))
            self.loaded.tell(None)
        else:
            self.loaded.tell(load)

    async def _push(self, load: PushBatch, parcel: Push) -> None:
        """Send one push and keep how it went, beside the turns."""
        held_until = self.system.clock.now() + PUSH_HOLD_MS
        await self._keep(load, parcel, await self._send(load, parcel), held_until)
        self.pushed.tell()

    async def _keep(self, load: PushBatch, parcel: Push, attempt: Attempt, held_until: int) -> None:
        """Keep how a push went; an overloaded store is asked again for as long as the push is held.

        What is not kept by then is pushed again, 2xx or not: the bridge knows it by the id of the delivery.
        """
        units = self.system.store.of(load.organization_id)
        while True:
            try:
                await units.write(outboxes.note_push, self.key, parcel, attempt)
            except Unavailable as error:
                log.warning("how a push went could not be kept", connection=self.key, why=repr(error))
            else:
                return
            if self.system.clock.now() >= held_until:
                return
            await trio.sleep(RETRY_MS / SECOND_MS)

    async def _send(self, load: PushBatch, parcel: Push) -> Attempt:
        now = self.system.clock.wall()  # the bridge compares it with its own clock
        event: PushEvent = "ping" if parcel.reply is None else "message.outbound"
        body = msgspec.json.encode(PushBody(event, rfc3339(now), parcel.reply or {"connectionId": self.key}))
        try:
            secrets = [self.system.sealer.open(one, self.key) for one in load.sealed_secrets]
            headers = signed_headers(secrets, parcel.delivery_id, now // SECOND_MS, body) | {
                "Content-Type": "application/json",
                "X-Service-Event": event,
                "X-Service-Contract": load.contract,
            }
            answered = await self.system.outbound_http.post(
                load.url or "", body, headers, seconds=PUSH_ANSWER_SECONDS, now=now
            )
        except SealBroken:
            log.exception("a signing secret cannot be opened; pushes are not sent", connection=self.key)
            return Attempt(error="the signing secret cannot be used: make a new one")
        except NotSent as error:
            return Attempt(error=str(error))
        return Attempt(status_code=answered.status, retry_after_ms=answered.retry_after_ms)
