"""Bridges: between a messenger and the service, by the messenger's two functions.

    class MyBridge(Bridge):
        async def deliver(self, reply): ...   # send it, and return its id there
        async def events(self): ...           # yield what happens there

    async with Channel(base_url, channel_key) as channel:
        await run_bridge(MyBridge(), channel)

What has to go right around them is here: leases, statuses, order, repeats, health, and a graceful end.
"""

import logging
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import anyio
import anyio.lowlevel
import msgspec

from svc.client.channel import Channel
from svc.client.errors import Refused, ServiceError
from svc.client.messages import (
    DeliveryError,
    Evidence,
    Message,
    OfflineReason,
    Reply,
    ReplyStatus,
    StatusReport,
)

log = logging.getLogger("svc.client.bridge")

LEASE_SECONDS: Final = 50.0
"""How long a delivery may take: less than the lease of 60 seconds, counted from when it was handed over.
The time in `leaseExpiresAt` is the service's, and this machine's clock may be wrong."""
PULL_WAIT_SECONDS: Final = 20
DELIVERIES_MAX: Final = 20
"""Replies that are being delivered at once; each is of another conversation."""
REMEMBERED_MAX: Final = 10_000
"""Replies whose outcome is remembered, so that one that is offered again is not sent again."""
FIRST_REST_SECONDS: Final = 1.0
LONGEST_REST_SECONDS: Final = 60.0

Event = Message | Evidence | StatusReport


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What the messenger did with a reply at once."""

    messenger_message_id: str | None = None
    status: ReplyStatus = "sent"
    """`sent` unless it is known already that it arrived."""


class NotDelivered(Exception):
    """Raise it from `deliver` for what the messenger will never take: a blocked user, a text too long."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.message = message


class Offline(Exception):
    """Raise it from either function while the messenger cannot be used.

    The service is told, and it is tried again.
    """

    def __init__(self, reason: OfflineReason = "other", detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason: OfflineReason = reason
        self.detail = detail


class Bridge(ABC):
    """A messenger, as the service needs it."""

    @abstractmethod
    async def deliver(self, reply: Reply) -> Delivery:
        """Send *reply*. Raise `NotDelivered` for never, `Offline` for not now.

        After anything else it comes again. So does a reply that was sent just before this program ended: its
        `attempt` is over 1 then.
        """

    @abstractmethod
    def events(self) -> AsyncIterator[Event]:
        """What happens in the messenger from now on: messages, evidence, and what became of replies.

        The next is asked for once this one is stored: a place to go on from may be kept after each `yield`.
        """


async def run_bridge(
    bridge: Bridge, channel: Channel, *, stop: anyio.Event | None = None, pulls: bool = True
) -> None:
    """Run *bridge* until *stop* is set: then nothing new is taken, and what is under way is finished.

    With `pulls=False` replies come by a `PushReceiver` instead. Raises `Refused`, in a group as task groups
    do, when the channel key is not good any more.
    """
    running = Running(bridge, channel)
    stop = stop or anyio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(running.bring_in)
        if pulls:
            tasks.start_soon(running.pull)
        await running.health.say_online()
        await stop.wait()
        tasks.cancel_scope.cancel()
    await running.courier.wait_idle()


class Health:
    """Tells the service whether the bridge is well, when that changes."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._online: bool | None = None

    async def say_online(self) -> None:
        if self._online is not True:
            self._online = True
            await self._say(lambda: self._channel.report_state("online"))

    async def say_offline(self, why: Offline) -> None:
        if self._online is not False:
            self._online = False
            await self._say(lambda: self._channel.report_state("offline", why.reason, why.detail or None))

    async def _say(self, report: Callable[[], Awaitable[None]]) -> None:
        try:
            await report()
        except ServiceError as error:
            self._online = None  # so that it is said again
            log.warning("the state was not reported: %s", error)


class Courier:
    """Delivers each reply once, as far as this process knows, and reports what came of it."""

    def __init__(self, bridge: Bridge, channel: Channel, health: Health) -> None:
        self._bridge = bridge
        self._channel = channel
        self._health = health
        self._outcomes: OrderedDict[str, StatusReport] = OrderedDict()
        self._under_way: dict[str, anyio.Event] = {}

    @property
    def deliveries(self) -> int:
        """How many are under way."""
        return len(self._under_way)

    async def wait_idle(self) -> None:
        """Wait until nothing is under way."""
        while self._under_way:
            await next(iter(self._under_way.values())).wait()

    async def wait_ended(self) -> None:
        """Wait until one of those under way has ended, if there is any."""
        if self._under_way:
            await next(iter(self._under_way.values())).wait()

    async def carry(self, reply: Reply, seconds: float) -> bool:
        """Have *reply* in the messenger within *seconds*, and the service told. Whether that is so."""
        while (other := self._under_way.get(reply.reply_id)) is not None:
            await other.wait()
        this = self._under_way[reply.reply_id] = anyio.Event()
        done = False
        try:
            with anyio.CancelScope(shield=True):  # what has begun is finished, whoever stops
                outcome = self._outcomes.get(reply.reply_id) or await self._deliver(reply, seconds)
                if outcome is not None:
                    self._remember(reply.reply_id, outcome)
                    done = await self._report(outcome, reply)
        finally:
            del self._under_way[reply.reply_id]
            this.set()
        return done

    async def _deliver(self, reply: Reply, seconds: float) -> StatusReport | None:
        """What became of it; None where nobody knows, so that it is offered again."""
        try:
            with anyio.fail_after(seconds):
                done = await self._bridge.deliver(reply)
        except NotDelivered as failed:
            error = DeliveryError(code=failed.code, message=failed.message or None)
            return StatusReport(reply_id=reply.reply_id, status="failed", error=error)
        except Offline as why:
            await self._health.say_offline(why)
            return None
        except TimeoutError:
            log.warning("reply %s took over %s seconds to deliver", reply.reply_id, seconds)
            return None
        except Exception:
            log.exception("reply %s was not delivered", reply.reply_id)
            return None
        await self._health.say_online()
        return StatusReport(
            reply_id=reply.reply_id, status=done.status, messenger_message_id=done.messenger_message_id
        )

    async def _report(self, outcome: StatusReport, reply: Reply) -> bool:
        lease = msgspec.structs.replace(outcome, lease_id=reply.lease_id)
        try:
            await self._channel.report_status(lease)
        except ServiceError as error:
            # It is offered again, and its outcome is remembered: reported then, not sent again.
            log.warning("the status of reply %s was not reported: %s", reply.reply_id, error)
            return False
        return True

    def _remember(self, reply_id: str, outcome: StatusReport) -> None:
        self._outcomes[reply_id] = outcome
        while len(self._outcomes) > REMEMBERED_MAX:
            self._outcomes.popitem(last=False)


class Running:
    """A bridge at work."""

    def __init__(self, bridge: Bridge, channel: Channel) -> None:
        self.health = Health(channel)
        self.courier = Courier(bridge, channel, self.health)
        self._bridge = bridge
        self._channel = channel

    async def bring_in(self) -> None:
        """Store what happens in the messenger, in its order; go on for ever."""
        rest = _Rest()
        while True:
            try:
                async for event in self._bridge.events():
                    await self.health.say_online()
                    await self._store(event)
                    rest.over()
            except Offline as why:
                await self.health.say_offline(why)
            except Refused:
                raise
            except Exception:
                log.exception("the messenger's events broke off")
            await rest.take()

    async def pull(self) -> None:
        """Take replies and deliver them, each beside the others; go on for ever."""
        rest = _Rest()
        async with anyio.create_task_group() as tasks:
            while True:
                while self.courier.deliveries >= DELIVERIES_MAX:
                    await self.courier.wait_ended()
                room = DELIVERIES_MAX - self.courier.deliveries
                try:
                    pulled = await self._channel.pull(limit=room, wait_seconds=PULL_WAIT_SECONDS)
                except ServiceError as error:
                    _raise_if_for_good(error)
                    log.warning("nothing was pulled: %s", error)
                    await rest.take()
                    continue
                rest.over()
                for reply in pulled.replies:
                    tasks.start_soon(self.courier.carry, reply, LEASE_SECONDS)
                await anyio.lowlevel.checkpoint()

    async def _store(self, event: Event) -> None:
        """Have the service take *event*, however long that needs."""
        rest = _Rest()
        while True:
            try:
                match event:
                    case Message():
                        await self._channel.receive(event)
                    case Evidence():
                        await self._channel.identify(event)
                    case StatusReport():
                        await self._channel.report_status(event)
            except Refused as error:
                _raise_if_for_good(error)
                if not error.is_passing:
                    log.error("the service does not take %r: %s", type(event).__name__, error)  # noqa: TRY400
                    return
                log.warning("%s", error)
            except ServiceError as error:
                log.warning("%s", error)
            else:
                return
            await rest.take()


def _raise_if_for_good(error: ServiceError) -> None:
    """A key that is no good stays so: there is nothing left to run for."""
    if isinstance(error, Refused) and error.code == "unauthorized":
        raise error


class _Rest:
    """Longer and longer rests between failures."""

    def __init__(self) -> None:
        self._seconds = FIRST_REST_SECONDS

    async def take(self) -> None:
        await anyio.sleep(self._seconds)
        self._seconds = min(self._seconds * 2, LONGEST_REST_SECONDS)

    def over(self) -> None:
        self._seconds = FIRST_REST_SECONDS
