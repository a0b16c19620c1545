"""Delivery of replies to the messenger, once each within this process, and reports of their status."""

import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import anyio
import msgspec

from svc.client.bridge import Bridge, NotDelivered, Offline
from svc.client.channel import Channel
from svc.client.errors import ServiceError
from svc.client.health import Health
from svc.client.limits import DETAIL_CHARS_MAX, ERROR_CODE_CHARS_MAX
from svc.client.messages import DeliveryError, Reply, StatusReport

log = logging.getLogger("svc.client.delivery")

REMEMBERED_MAX: Final = 10_000
"""Outcomes that are remembered, so that a reply that is offered again is not sent again."""


class Deliverer:
    """Delivers replies through a bridge. It knows which are in progress, and the last outcomes."""

    def __init__(self, bridge: Bridge, channel: Channel, health: Health) -> None:
        self._bridge = bridge
        self._channel = channel
        self._health = health
        self._outcomes: OrderedDict[str, StatusReport] = OrderedDict()
        self._in_progress: dict[str, anyio.Event] = {}

    async def wait_idle(self) -> None:
        """Wait until no delivery is in progress."""
        while self._in_progress:
            await next(iter(self._in_progress.values())).wait()

    async def deliver(self, reply: Reply, seconds: float) -> bool:
        """Deliver *reply* and report its status within *seconds*. Returns whether both succeeded.

        Waits while the messenger is offline, as long as there is time.
        """
        until = anyio.current_time() + seconds
        async with self._exclusive(reply.reply_id):
            while anyio.current_time() < until:
                # Shielded: a delivery that has started is finished.
                with anyio.CancelScope(shield=True):
                    try:
                        outcome = self._outcomes.get(reply.reply_id) or await self._send(reply, until)
                    except Offline as why:
                        self._health.set_offline(why)
                    else:
                        return outcome is not None and await self._report(outcome, reply.lease_id)
                with anyio.CancelScope(deadline=until):
                    await self._health.wait_online()
        return False

    @asynccontextmanager
    async def _exclusive(self, reply_id: str) -> AsyncIterator[None]:
        """Allow one delivery of a reply at a time: it may be offered again while one is in progress."""
        while (earlier := self._in_progress.get(reply_id)) is not None:
            await earlier.wait()
        done = self._in_progress[reply_id] = anyio.Event()
        try:
            yield
        finally:
            del self._in_progress[reply_id]
            done.set()

    async def _send(self, reply: Reply, until: float) -> StatusReport | None:
        """Send *reply*, and return the outcome; None if unknown: it is offered again. Raises `Offline`."""
        try:
            with anyio.fail_after(until - anyio.current_time()):
                delivery = await self._bridge.deliver(reply)
        except NotDelivered as refusal:
            error = DeliveryError(
                code=refusal.code[:ERROR_CODE_CHARS_MAX], message=refusal.message[:DETAIL_CHARS_MAX] or None
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
            self._health.set_online()
            outcome = StatusReport(
                reply_id=reply.reply_id,
                status=delivery.status,
                messenger_message_id=delivery.messenger_message_id,
            )
        self._outcomes[reply.reply_id] = outcome
        while len(self._outcomes) > REMEMBERED_MAX:
            self._outcomes.popitem(last=False)
        return outcome

    async def _report(self, outcome: StatusReport, lease_id: str | None) -> bool:
        try:
            await self._channel.report_status(msgspec.structs.replace(outcome, lease_id=lease_id))
        except ServiceError as error:
            # The reply is offered again. Its outcome is remembered, and reported then.
            log.warning("the status of reply %s was not reported: %s", outcome.reply_id, error)
            return False
        return True
