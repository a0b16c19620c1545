"""The Outbox: delivers the replies of one connection to its bridge, each under a lease, by pull or by push.

Replies and their leases are rows, so this actor may crash at any point. In memory it only has the
time until which there is nothing to deliver, unless it is woken, and the number of pushes in flight.
"""

from contextlib import suppress
from math import inf
from typing import Final

import msgspec
import structlog
import trio

from svc.actors._core import Actor, Policy, turn
from svc.actors.outbound.errors import NoPlace, NotSent
from svc.actors.system import System
from svc.domain.attempts import AttemptOutcome
from svc.domain.channels.connections import Delivery
from svc.domain.crypto.sealing import SealBroken
from svc.domain.crypto.signatures import Signer
from svc.domain.errors import Unavailable
from svc.domain.limits import PUSH_ANSWER_SECONDS, PUSH_HOLD_MS, PUSHES_AT_ONCE_MAX, REPLY_LIFE_MS
from svc.domain.times import SECOND_MS, rfc3339
from svc.domain.tool_results import ToolResult
from svc.storage.channels import outboxes
from svc.storage.channels.deliveries import PushEvent
from svc.storage.channels.outboxes import Push, PushBatch
from svc.storage.channels.reply_batches import PulledBatch
from svc.storage.idempotency import Repeatable
from svc.storage.store import Owner, Units

log = structlog.get_logger("svc.actors.channels.outbox")

RETRY_MS: Final = 2 * SECOND_MS
"""How long to wait after the store rejected a unit of work."""

NO_PLACE_MS: Final = 10 * SECOND_MS
"""How long to wait where all places for requests were taken: they are held for no longer."""

_NOTHING: Final = PulledBatch(replies=(), more=False, next_at=None)


class PushBody(msgspec.Struct, frozen=True):
    """The body of a push. `data` is a reply or, for a `ping`, the id of the connection."""

    type: PushEvent
    timestamp: str
    data: object


class OutboxState(msgspec.Struct, kw_only=True):
    """The memory of an Outbox. Times are ms since the epoch."""

    owner: str = Owner.OUTBOXES
    """The organization of the connection, once loaded."""
    delivery: Delivery | None = None
    """How replies reach the bridge. None until the first load (loads are staggered at start)."""
    empty_until: float = 0
    """There is nothing to deliver before this time, unless `wake` says otherwise."""
    checks_at: float = inf
    """When the timer of `check` is due."""
    push_due: bool = False
    """There may be replies to push that were not loaded yet."""
    loading: bool = False
    pushes_in_flight: int = 0


class Outbox(Actor[System, OutboxState]):
    """Delivers the replies of one connection. Its key is the connection's id."""

    policy = Policy(mailbox_max=256, idle_seconds=300)

    async def load(self) -> OutboxState:
        """Continue what an earlier activation left."""
        self.check.after(0)
        return OutboxState()

    @turn
    async def pull(self, limit: int, call: Repeatable | None = None) -> PulledBatch | ToolResult:
        """Lease up to *limit* waiting replies to the caller, the oldest first.

        With *call*, which has an idempotency key, the batch is stored as its result and returned again when
        the call is repeated. Raises `Conflict` if replies are pushed, and `IdempotencyMismatch`.
        """
        state = self.state
        if self.system.clock.now() < state.empty_until:
            return _NOTHING
        return await self._pull(limit, call)

    @turn
    async def wake(self) -> None:
        """The connection or its replies have changed."""
        state, now = self.state, self.system.clock.now()
        state.empty_until = 0
        # New replies expire no sooner than this; leases are checked when they are granted.
        self._check_by(now + REPLY_LIFE_MS)
        if state.delivery != "pull":
            state.push_due = True
            self._load_pushes()

    @turn
    async def check(self) -> None:
        """Handle what is due by the clock: expired leases and replies, retries, pushes that were cut off."""
        state = self.state
        state.empty_until, state.checks_at = 0, inf
        if state.delivery != "pull":
            state.push_due = True
            self._load_pushes()
            return
        self._check_by(self.system.clock.now() + RETRY_MS)  # fallback; the pull below sets the actual time
        await self._pull(0)
        self.system.wakeups.notify(self.key)

    @turn
    async def pushes_loaded(self, load: PushBatch | None) -> None:
        """Send the pushes that were leased, or give them back if the service is shutting down.

        *load* is None if the store rejected the read.
        """
        state, now = self.state, self.system.clock.now()
        state.loading = False
        if load is None:
            self._check_by(now + RETRY_MS)
        else:
            state.owner, state.delivery = load.organization_id, load.delivery
            begun = [self.start_soon(self._push, load, push) for push in load.pushes]
            state.pushes_in_flight += sum(begun)
            if not all(begun):
                await self.system.store.of(state.owner).write(outboxes.give_back, self.key, load.pushes)
            state.push_due |= load.more
            if load.next_at is not None:
                self._check_by(load.next_at)  # no later: a pull may have set an earlier time since
        self._load_pushes()

    @turn
    async def push_ended(self) -> None:
        """A push has ended, so another may start."""
        self.state.pushes_in_flight -= 1
        self.state.push_due = True
        self._load_pushes()

    @turn
    async def push_postponed(self) -> None:
        """There was no place for a push, which was given back: try again later."""
        self.state.pushes_in_flight -= 1
        self._check_by(self.system.clock.now() + NO_PLACE_MS)
        self._load_pushes()

    async def _pull(self, limit: int, call: Repeatable | None = None) -> PulledBatch | ToolResult:
        state = self.state
        batch = await self.system.store.of(state.owner).write(
            outboxes.pull, self.key, limit, call, self._address_of
        )
        if isinstance(batch, ToolResult):
            return batch
        if limit:
            state.empty_until = 0 if batch.more else batch.next_at or inf
        state.checks_at = inf
        self.check.disarm()
        if batch.next_at is not None:
            self._check_by(batch.next_at)
        return batch

    def _address_of(self, file_id: str, now: int) -> str:
        """An address at which the bridge can fetch an attachment for as long as the reply may wait."""
        address, _ = self.system.file_addresses.sign(self.system.base_url, file_id, now)
        return address

    def _load_pushes(self) -> None:
        state = self.state
        room = PUSHES_AT_ONCE_MAX - state.pushes_in_flight
        if state.push_due and not state.loading and room > 0:
            units = self.system.store.of(state.owner)
            state.loading = self.start_soon(self._load, units, room, known=state.delivery is not None)
            state.push_due = not state.loading

    def _check_by(self, at: int) -> None:
        """Have `check` run at *at* or earlier."""
        if at < self.state.checks_at:
            self.state.checks_at = at
            self.check.after(max(0, at - self.system.clock.now()) / SECOND_MS)

    async def _load(self, units: Units, limit: int, *, known: bool) -> None:
        """Lease the due pushes, in a task. The first load has low priority, since a start has many."""
        try:
            write = units.write if known else units.write_behind
            load = await write(outboxes.load, self.key, limit, self._address_of)
        except Unavailable as error:
            log.warning("pushes have to wait", connection=self.key, why=repr(error))
            self.pushes_loaded.tell(None)
        else:
            self.pushes_loaded.tell(load)

    async def _push(self, load: PushBatch, push: Push) -> None:
        """Send one push and store its outcome, in a task."""
        held_until = self.system.clock.now() + PUSH_HOLD_MS
        try:
            attempt = await self._send(load, push)
        except NoPlace:
            with suppress(Unavailable):  # then it counts as cut off, and is pushed again after a while
                await self.system.store.of(load.organization_id).write(outboxes.give_back, self.key, [push])
            self.push_postponed.tell()
        else:
            await self._note(load, push, attempt, held_until)
            self.push_ended.tell()

    async def _note(self, load: PushBatch, push: Push, attempt: AttemptOutcome, held_until: int) -> None:
        """Store the outcome of a push; retry for as long as the push is held if the store is overloaded.

        A push whose outcome is not stored by then is sent again, even after a 2xx: the bridge recognizes it
        by the delivery id.
        """
        units = self.system.store.of(load.organization_id)
        while True:
            try:
                await units.write(outboxes.note_push, self.key, push, attempt)
            except Unavailable as error:
                log.warning("how a push went could not be kept", connection=self.key, why=repr(error))
            else:
                return
            if self.system.clock.now() >= held_until:
                return
            await trio.sleep(RETRY_MS / SECOND_MS)

    async def _send(self, load: PushBatch, push: Push) -> AttemptOutcome:
        """Send a push. Raises `NoPlace` if nothing was attempted."""
        now = self.system.clock.wall()  # wall time, since the bridge compares it with its own clock
        event: PushEvent = "ping" if push.reply is None else "message.outbound"
        body = msgspec.json.encode(PushBody(event, rfc3339(now), push.reply or {"connectionId": self.key}))
        try:
            secrets = [self.system.sealer.open(sealed, self.key) for sealed in load.sealed_secrets]
            headers = Signer(secrets).delivery_headers(
                push.delivery_id, now // SECOND_MS, body, event=event, contract=load.contract
            )
            result = await self.system.outbound_http.post(
                load.url or "",
                body,
                headers,
                owner=load.organization_id,
                seconds=PUSH_ANSWER_SECONDS,
                now=now,
            )
        except SealBroken:
            log.exception("a signing secret cannot be opened; pushes are not sent", connection=self.key)
            return AttemptOutcome(error="the signing secret cannot be used: make a new one")
        except NoPlace:
            raise
        except NotSent as error:
            return AttemptOutcome(error=str(error))
        return AttemptOutcome(status_code=result.status, retry_after_ms=result.retry_after_ms)
