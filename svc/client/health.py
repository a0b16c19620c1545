"""Whether the messenger can be used: set by all code that uses it, reported to the service by one task."""

import logging
from typing import Final

import anyio

from svc.client.backoff import Backoff
from svc.client.bridge import Bridge, Offline
from svc.client.channel import Channel
from svc.client.errors import Refused, ServiceError
from svc.client.messages import OfflineReason

log = logging.getLogger("svc.client.health")

CHECK_SECONDS: Final = 30.0
REPEAT_SECONDS: Final = 600.0
"""Interval of reports of an unchanged state: another program may have reported another."""


class Health:
    """The health of one bridge. While it is offline, it gets no replies, and is checked with backoff."""

    def __init__(self, bridge: Bridge, channel: Channel) -> None:
        self._bridge = bridge
        self._channel = channel
        self._offline: Offline | None = None
        self._changed = anyio.Event()
        self._backoff = Backoff()

    def set_online(self) -> None:
        """The messenger was just used successfully."""
        self._backoff.reset()
        self._set(None)

    def set_offline(self, why: Offline) -> None:
        """The messenger could not be used."""
        if self._offline is None:
            log.warning("offline: %s", why)
        self._set(why)

    async def wait_online(self) -> None:
        """Wait until the messenger is believed to be usable."""
        while self._offline is not None:
            await self._changed.wait()

    async def run(self) -> None:
        """Check the messenger and report its state until cancelled. Raises `Refused` for a rejected key."""
        await self._check()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._recover)
            tasks.start_soon(self._report)

    def _set(self, why: Offline | None) -> None:
        if self._shown(why) != self._shown(self._offline):
            self._changed.set()
            self._changed = anyio.Event()
        self._offline = why

    async def _check(self) -> None:
        try:
            with anyio.fail_after(CHECK_SECONDS):
                await self._bridge.check()
        except Offline as why:
            self.set_offline(why)
        except TimeoutError:
            self.set_offline(Offline("network", f"no answer within {CHECK_SECONDS:.0f} seconds"))
        except Exception as error:
            log.exception("the messenger could not be checked")
            self.set_offline(Offline("other", repr(error)))
        else:
            if self._offline is not None:
                log.info("tried again")
            self._set(None)  # the backoff is reset only when the messenger is used

    async def _recover(self) -> None:
        while True:
            while self._offline is None:
                await self._changed.wait()
            await self._backoff.wait()
            if self._offline is not None:
                await self._check()

    async def _report(self) -> None:
        backoff = Backoff()
        while True:
            changed, why = self._changed, self._offline
            try:
                if why is None:
                    await self._channel.report_state("online")
                else:
                    await self._channel.report_state("offline", why.reason, why.detail)
            except ServiceError as error:
                if isinstance(error, Refused) and error.is_unauthorized:
                    raise
                log.warning("the state was not told: %s", error)
                await backoff.wait()
                continue
            backoff.reset()
            with anyio.move_on_after(REPEAT_SECONDS):
                await changed.wait()

    @staticmethod
    def _shown(why: Offline | None) -> tuple[OfflineReason, str] | None:
        return None if why is None else (why.reason, why.detail)
