"""Bridges at work."""

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
from svc.client.delivery import Courier
from svc.client.errors import Refused, ServiceError
from svc.client.health import Health
from svc.client.intake import Intake
from svc.client.messages import Reply
from svc.client.receiver import PushReceiver

log = logging.getLogger("svc.client.runner")

LEASE_SECONDS: Final = 50.0
"""How long a delivery may take: less than the lease of 60 seconds, counted from when it was handed over.
The time in `leaseExpiresAt` is the service's, and this machine's clock may be wrong."""
PULL_WAIT_SECONDS: Final = 20
DELIVERIES_MAX: Final = 20
"""Replies that are being delivered at once; each is of another conversation."""


async def run_bridge(
    bridge: Bridge,
    channel: Channel,
    *,
    receiver: PushReceiver | None = None,
    stop: anyio.Event | None = None,
) -> None:
    """Run *bridge* until *stop* is set: then nothing new is taken, and what is under way is finished.

    Replies are pulled, or come by the *receiver*, which an ASGI server in the same program serves. Raises
    `Refused` when there is no use in going on: the channel key is not good any more, or the connection's
    replies reach their bridge in the other way.
    """
    stop = stop or anyio.Event()
    health = Health(bridge, channel)
    courier = Courier(bridge, channel, health)
    intake = Intake(bridge, channel, health)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(health.keep)
            tasks.start_soon(intake.run)
            if receiver is None:
                tasks.start_soon(_Puller(courier, channel).run)
            else:
                receiver.open(courier)
            await stop.wait()
            intake.stop()
            tasks.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        refused, others = group.split(Refused)
        if refused is None or others is not None:
            raise
        raise _first(refused) from None
    finally:
        if receiver is not None:
            receiver.close()
    await courier.wait_idle()


def run_as_program(bridge: Bridge, base_url: str, channel_key: str, *, backend: str = "asyncio") -> None:
    """Pull and run until SIGINT or SIGTERM; a second one ends the program at once. *backend* as anyio has it.

    Where the service will not have this bridge, or the key is none, the program ends with a line that says so
    and exit code 1.
    """
    refusal = anyio.run(partial(_run_until_signal, bridge, base_url, channel_key), backend=backend)
    if refusal is not None:
        sys.exit(f"the bridge cannot run: {refusal}")


async def _run_until_signal(bridge: Bridge, base_url: str, channel_key: str) -> str | None:
    """Why it cannot go on; None once it was stopped by a signal."""
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
            check = "; check the channel key, or make a new one" if error.is_for_good else ""
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
    """Takes replies, and has each carried beside the others."""

    def __init__(self, courier: Courier, channel: Channel) -> None:
        self._courier = courier
        self._channel = channel
        self._room = DELIVERIES_MAX
        self._freed = anyio.Event()

    async def run(self) -> None:
        """Go on for ever. Raises `Refused` for good."""
        rest = Backoff()
        async with anyio.create_task_group() as tasks:
            while True:
                while not self._room:
                    await self._freed.wait()
                replies = await self._pull(rest)
                for reply in replies:
                    self._room -= 1
                    tasks.start_soon(self._carry, reply)

    async def _pull(self, rest: Backoff) -> list[Reply]:
        """Those that there are, after a rest if there are none though nobody waited for them."""
        asked_at = anyio.current_time()
        try:
            pulled = await self._channel.pull(limit=self._room, wait_seconds=PULL_WAIT_SECONDS)
        except ServiceError as error:
            if isinstance(error, Refused) and not error.is_passing:
                raise
            log.warning("nothing was pulled: %s", error)
            await rest.take()
            return []
        if pulled.replies or anyio.current_time() - asked_at > PULL_WAIT_SECONDS / 2:
            rest.over()
        else:
            await rest.take()  # a service that is about to stop answers at once
        return pulled.replies

    async def _carry(self, reply: Reply) -> None:
        try:
            await self._courier.carry(reply, LEASE_SECONDS)
        finally:
            self._room += 1
            self._freed.set()
            self._freed = anyio.Event()


def _first(group: BaseExceptionGroup[Refused]) -> Refused:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
