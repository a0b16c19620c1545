"""Bringing in what happens in the messenger, in its order, however long the service needs to take it."""

import logging
from contextlib import aclosing
from math import inf
from typing import Final

import anyio

from svc.client.backoff import Backoff
from svc.client.bridge import Bridge, Event, Offline
from svc.client.channel import Channel
from svc.client.errors import Refused, ServiceError
from svc.client.health import Health
from svc.client.messages import Identification, Message, StatusReport

log = logging.getLogger("svc.client.intake")

FINISH_SECONDS: Final = 5.0
"""How long the event that is being stored may still take when the bridge is to stop."""


class Intake:
    """Of one bridge."""

    def __init__(self, bridge: Bridge, channel: Channel, health: Health) -> None:
        self._bridge = bridge
        self._channel = channel
        self._health = health
        self._finish_at = inf
        self._storing: anyio.CancelScope | None = None

    async def run(self) -> None:
        """Store one event after the other, for ever. Raises `Refused` for good."""
        rest = Backoff()
        while True:
            try:
                async with aclosing(self._bridge.events()) as events:
                    async for event in events:
                        self._health.well()
                        rest.over()
                        await self._finish(event)
            except Offline as why:
                self._health.ill(why)
                await self._health.wait_well()
                continue
            except Refused:
                raise
            except Exception:
                log.exception("the messenger's events broke off")
            await rest.take()

    def stop(self) -> None:
        """Take nothing new; what is being stored has a few seconds."""
        self._finish_at = anyio.current_time() + FINISH_SECONDS
        if self._storing is not None:
            self._storing.deadline = self._finish_at

    async def _finish(self, event: Event) -> None:
        """Store *event*, though this task be cancelled: not every messenger tells a second time."""
        with anyio.CancelScope(shield=True, deadline=self._finish_at) as self._storing:
            await self._store(event)
        if self._storing.cancelled_caught:
            log.warning("a %s was not stored before the end", type(event).__name__)
        self._storing = None

    async def _store(self, event: Event) -> None:
        rest = Backoff()
        while True:
            try:
                await self._say(event)
            except Refused as error:
                if error.is_for_good:
                    raise
                if not error.is_passing:
                    # The next one may be taken: no message may stand in the way of all that follow.
                    log.error("the service does not take a %s: %s", type(event).__name__, error)  # noqa: TRY400
                    return
                log.warning("not stored yet: %s", error)
            except ServiceError as error:
                log.warning("not stored yet: %s", error)
            else:
                return
            await rest.take()

    async def _say(self, event: Event) -> None:
        match event:
            case Message():
                await self._channel.receive(event)
            case Identification():
                await self._channel.identify(event)
            case StatusReport():
                await self._channel.report_status(event)
