"""Carrying replies into the messenger, each once as far as this process knows, and telling its end."""

import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio
import msgspec

from svc.client.bridge import Bridge, NotDelivered, Offline
from svc.client.channel import DETAIL_CHARS_MAX, ERROR_CODE_CHARS_MAX, Channel
from svc.client.errors import ServiceError
from svc.client.health import Health
from svc.client.messages import DeliveryError, Reply, StatusReport

log = logging.getLogger("svc.client.delivery")

REMEMBERED_MAX: Final = 10_000
"""Replies whose outcome is remembered, so that one that is offered again is not sent again."""


class Courier:
    """The one that knows which replies are under way, and what became of the last ones."""

    def __init__(self, bridge: Bridge, channel: Channel, health: Health) -> None:
        self._bridge = bridge
        self._channel = channel
        self._health = health
        self._outcomes: OrderedDict[str, StatusReport] = OrderedDict()
        self._under_way: dict[str, anyio.Event] = {}

    async def wait_idle(self) -> None:
        """Wait until nothing is under way."""
        while self._under_way:
            await next(iter(self._under_way.values())).wait()

    async def carry(self, reply: Reply, seconds: float) -> bool:
        """Have *reply* in the messenger within *seconds*, and the service told. Whether that is so.

        While the messenger is offline it waits, for as long as there is time.
        """
        until = anyio.current_time() + seconds
        async with self._alone(reply.reply_id):
            while anyio.current_time() < until:
                with anyio.CancelScope(shield=True):  # what has begun is finished, whoever stops
                    try:
                        outcome = self._outcomes.get(reply.reply_id) or await self._deliver(reply, until)
                    except Offline as why:
                        self._health.ill(why)
                    else:
                        return outcome is not None and await self._report(outcome, reply.lease_id)
                with anyio.CancelScope(deadline=until):
                    await self._health.wait_well()
        return False

    @asynccontextmanager
    async def _alone(self, reply_id: str) -> AsyncIterator[None]:
        """With nobody else at the same reply: one that lapsed may come again while it is still at work."""
        while (other := self._under_way.get(reply_id)) is not None:
            await other.wait()
        done = self._under_way[reply_id] = anyio.Event()
        try:
            yield
        finally:
            del self._under_way[reply_id]
            done.set()

    async def _deliver(self, reply: Reply, until: float) -> StatusReport | None:
        """What became of it; None where nobody knows, so that it is offered again. Raises `Offline`."""
        try:
            with anyio.fail_after(until - anyio.current_time()):
                done = await self._bridge.deliver(reply)
        except NotDelivered as failed:
            error = DeliveryError(
                code=failed.code[:ERROR_CODE_CHARS_MAX], message=failed.message[:DETAIL_CHARS_MAX] or None
            )
            outcome = StatusReport(reply_id=reply.reply_id, status="failed", error=error)
        except Offline:
            raise
        except TimeoutError:
            log.warning("reply %s was not delivered in time", reply.reply_id)
            return None
        except Exception:
            log.exception("reply %s was not delivered", reply.reply_id)
            return None
        else:
            self._health.well()
            outcome = StatusReport(
                reply_id=reply.reply_id, status=done.status, messenger_message_id=done.messenger_message_id
            )
        self._outcomes[reply.reply_id] = outcome
        while len(self._outcomes) > REMEMBERED_MAX:
            self._outcomes.popitem(last=False)
        return outcome

    async def _report(self, outcome: StatusReport, lease_id: str | None) -> bool:
        try:
            await self._channel.report_status(msgspec.structs.replace(outcome, lease_id=lease_id))
        except ServiceError as error:
            # It is offered again, and its outcome is remembered: reported then, not sent again.
            log.warning("the status of reply %s was not reported: %s", outcome.reply_id, error)
            return False
        return True
