"""Whether the messenger can be used: found out by all that use it, told to the service by one task."""

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
"""How often the state is told though it stays: another program with this connection may have told another."""


class Health:
    """Of one bridge. While it is not well, the service hands out no replies, and it is looked after."""

    def __init__(self, bridge: Bridge, channel: Channel) -> None:
        self._bridge = bridge
        self._channel = channel
        self._why: Offline | None = None
        self._changed = anyio.Event()
        self._rest = Backoff()

    def well(self) -> None:
        """The messenger was just used."""
        self._rest.over()
        self._turn(None)

    def ill(self, why: Offline) -> None:
        """It could not be used."""
        if self._why is None:
            log.warning("offline: %s", why)
        self._turn(why)

    async def wait_well(self) -> None:
        """Return once it can be used again, as far as anybody knows."""
        while self._why is not None:
            await self._changed.wait()

    async def keep(self) -> None:
        """Look after it, and keep the service informed, for ever. Raises `Refused` for good."""
        await self._look()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._mend)
            tasks.start_soon(self._tell)

    def _turn(self, why: Offline | None) -> None:
        if self._said(why) != self._said(self._why):
            self._changed.set()
            self._changed = anyio.Event()
        self._why = why

    async def _look(self) -> None:
        try:
            with anyio.fail_after(CHECK_SECONDS):
                await self._bridge.check()
        except Offline as why:
            self.ill(why)
        except TimeoutError:
            self.ill(Offline("network", f"no answer within {CHECK_SECONDS:.0f} seconds"))
        except Exception as error:
            log.exception("the messenger could not be checked")
            self.ill(Offline("other", repr(error)))
        else:
            if self._why is not None:
                log.info("tried again")
            self._turn(None)  # the rests go on growing until it was used

    async def _mend(self) -> None:
        while True:
            while self._why is None:
                await self._changed.wait()
            await self._rest.take()
            if self._why is not None:
                await self._look()

    async def _tell(self) -> None:
        rest = Backoff()
        while True:
            changed, why = self._changed, self._why
            try:
                if why is None:
                    await self._channel.report_state("online")
                else:
                    await self._channel.report_state("offline", why.reason, why.detail)
            except ServiceError as error:
                if isinstance(error, Refused) and error.is_for_good:
                    raise
                log.warning("the state was not told: %s", error)
                await rest.take()
                continue
            rest.over()
            with anyio.move_on_after(REPEAT_SECONDS):
                await changed.wait()

    @staticmethod
    def _said(why: Offline | None) -> tuple[OfflineReason, str] | None:
        return None if why is None else (why.reason, why.detail)
