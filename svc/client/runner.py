"""Running a bridge."""

import logging
import os
import signal
import sys
from functools import partial
from typing import Final

import anyio

from svc.client.backoff import Backoff
from svc.client.bridge import Bridge
from svc.client.channel import Channel
from svc.client.delivery import Deliverer
from svc.client.errors import Refused, ServiceError
from svc.client.health import Health
from svc.client.intake import Intake
from svc.client.limits import LEASE_SECONDS, PULL_WAIT_SECONDS_MAX
from svc.client.messages import Reply
from svc.client.receiver import PushReceiver

log = logging.getLogger("svc.client.runner")

MARGIN_SECONDS: Final = 10
"""How long before its lease ends a delivery is cancelled."""
DELIVERY_SECONDS: Final = float(LEASE_SECONDS - MARGIN_SECONDS)
"""Time limit of a delivery. It is counted from the pull, not from `leaseExpiresAt`, which is by the service's
clock."""
PULL_WAIT_SECONDS: Final = PULL_WAIT_SECONDS_MAX
DELIVERIES_MAX: Final = 20
"""Concurrent deliveries, each of another conversation."""


async def run_bridge(
    bridge: Bridge,
    channel: Channel,
    *,
    receiver: PushReceiver | None = None,
    stop: anyio.Event | None = None,
) -> None:
    """Run *bridge* until *stop* is set; then take nothing new, and finish what is in progress.

    Events are stored, the health of the bridge is reported, and replies are delivered: pulled, or with a
    *receiver*, pushed. An ASGI server in the same program has to serve the receiver. Failed calls are retried
    with backoff, for as long as it takes.

    Raises `Refused` if running on is pointless: the channel key is rejected, or the connection delivers its
    replies by push while there is no *receiver*, or by pull while there is one.
    """
    stop = stop or anyio.Event()
    health = Health(bridge, channel)
    deliverer = Deliverer(bridge, channel, health)
    intake = Intake(bridge, channel, health)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(health.run)
            tasks.start_soon(intake.run)
            if receiver is None:
                tasks.start_soon(_Puller(deliverer, channel).run)
            else:
                receiver.open(deliverer)
            await stop.wait()
            intake.stop()
            tasks.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        refused, other_errors = group.split(Refused)
        if refused is None or other_errors is not None:
            raise
        raise _first(refused) from None
    finally:
        if receiver is not None:
            receiver.close()
    await deliverer.wait_idle()


def run_as_program(bridge: Bridge, base_url: str, channel_key: str, *, backend: str = "asyncio") -> None:
    """Run *bridge* as a whole program, with pulled replies, until SIGINT or SIGTERM.

    The first signal finishes what is in progress, the second ends the program at once. If the service rejects
    the bridge or its key, the program ends with a message and exit code 1. *backend* is `asyncio` or `trio`.
    """
    refusal = anyio.run(partial(_run_until_signal, bridge, base_url, channel_key), backend=backend)
    if refusal is not None:
        sys.exit(f"the bridge cannot run: {refusal}")


async def _run_until_signal(bridge: Bridge, base_url: str, channel_key: str) -> str | None:
    """Run until a signal, and return None; return a message if the service rejects the bridge."""
    refusal: str | None = None
    try:
        channel = Channel(base_url, channel_key)
    except ValueError as error:
        return str(error)
    stop = anyio.Event()
    async with channel, anyio.create_task_group() as tasks:
        tasks.start_soon(_stop_on_signal, stop)
        try:
            await run_bridge(bridge, channel, stop=stop)
        except Refused as error:
            check = "; check the channel key, or make a new one" if error.is_unauthorized else ""
            refusal = f"{base_url} answers {error}{check}"
        tasks.cancel_scope.cancel()
    return refusal


async def _stop_on_signal(stop: anyio.Event) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            if stop.is_set():
                os._exit(128 + number)
            log.info("stopping")
            stop.set()


class _Puller:
    """Pulls replies, and delivers them concurrently."""

    def __init__(self, deliverer: Deliverer, channel: Channel) -> None:
        self._deliverer = deliverer
        self._channel = channel
        self._free_slots = DELIVERIES_MAX
        self._slot_freed = anyio.Event()

    async def run(self) -> None:
        """Pull and deliver until cancelled. Raises `Refused` if pulls are rejected for good."""
        backoff = Backoff()
        async with anyio.create_task_group() as tasks:
            while True:
                while not self._free_slots:
                    await self._slot_freed.wait()
                replies = await self._pull(backoff)
                for reply in replies:
                    self._free_slots -= 1
                    tasks.start_soon(self._deliver, reply)

    async def _pull(self, backoff: Backoff) -> list[Reply]:
        """The next replies. Waits with backoff after a failure, or if an empty response came too early."""
        asked_at = anyio.current_time()
        try:
            pulled = await self._channel.pull(limit=self._free_slots, wait_seconds=PULL_WAIT_SECONDS)
        except ServiceError as error:
            if isinstance(error, Refused) and not error.is_transient:
                raise
            log.warning("nothing was pulled: %s", error)
            await backoff.wait()
            return []
        if pulled.replies or anyio.current_time() - asked_at > PULL_WAIT_SECONDS / 2:
            backoff.reset()
        else:
            await backoff.wait()  # a service that is shutting down responds at once
        return pulled.replies

    async def _deliver(self, reply: Reply) -> None:
        try:
            await self._deliverer.deliver(reply, DELIVERY_SECONDS)
        finally:
            self._free_slots += 1
            self._slot_freed.set()
            self._slot_freed = anyio.Event()


def _first(group: BaseExceptionGroup[Refused]) -> Refused:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
