"""Intake of the messenger's events: stores them in order, and retries until the service accepts each."""

import logging
from contextlib import aclosing
from math import inf
from typing import Final, assert_never

import anyio

from svc.client.backoff import Backoff
from svc.client.bridge import Bridge, Event, Offline
from svc.client.channel import Channel
from svc.client.errors import Refused, ServiceError
from svc.client.health import Health
from svc.client.messages import Identification, Message, StatusReport

log = logging.getLogger("svc.client.intake")

FINISH_SECONDS: Final = 5.0
"""How long storing the current event may still take once the bridge is to stop."""


class Intake:
    """Stores the events of one bridge."""

    def __init__(self, bridge: Bridge, channel: Channel, health: Health) -> None:
        self._bridge = bridge
        self._channel = channel
        self._health = health
        self._finish_at = inf
        self._storing: anyio.CancelScope | None = None

    async def run(self) -> None:
        """Store one event after the other, until cancelled. Raises `Refused` if the key is rejected."""
        backoff = Backoff()
        while True:
            try:
                async with aclosing(self._bridge.events()) as events:
                    async for event in events:
                        self._health.set_online()
                        backoff.reset()
                        await self._store_shielded(event)
            except Offline as why:
                self._health.set_offline(why)
                await self._health.wait_online()
                continue
            except Refused:
                raise
            except Exception:
                log.exception("the messenger's events broke off")
            await backoff.wait()

    def stop(self) -> None:
        """Take no further events; give the current one a few seconds."""
        self._finish_at = anyio.current_time() + FINISH_SECONDS
        if self._storing is not None:
            self._storing.deadline = self._finish_at

    async def _store_shielded(self, event: Event) -> None:
        """Store *event* even if cancelled, since not every messenger repeats its events."""
        with anyio.CancelScope(shield=True, deadline=self._finish_at) as self._storing:
            await self._store(event)
        if self._storing.cancelled_caught:
            log.warning("a %s was not stored before the end", type(event).__name__)
        self._storing = None

    async def _store(self, event: Event) -> None:
        backoff = Backoff()
        while True:
            try:
                await self._send(event)
            except Refused as error:
                if error.is_unauthorized:
                    raise
                if not error.is_transient:
                    # Skip it: one event that is rejected may not block all that follow.
                    log.error("the service does not take a %s: %s", type(event).__name__, error)  # noqa: TRY400
                    return
                log.warning("not stored yet: %s", error)
            except ServiceError as error:
                log.warning("not stored yet: %s", error)
            else:
                return
            await backoff.wait()

    async def _send(self, event: Event) -> None:
        match event:
            case Message():
                await self._channel.receive(event)
            case Identification():
                await self._channel.identify(event)
            case StatusReport():
                await self._channel.report_status(event)
            case _:
                assert_never(event)
