"""Messages to the service manager that started this process, such as systemd: sd_notify(3).

They are datagrams to the socket that it names in the environment. Without one, nothing is sent.
"""

import os
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final, Self

import structlog
import trio

log = structlog.get_logger("svc.service")

READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"
ALIVE: Final = "WATCHDOG=1"
_MICROSECONDS: Final = 1_000_000


class ServiceManager:
    """What started this process, if it wants to be told how the service is."""

    def __init__(self, address: str | None, watchdog_seconds: float | None) -> None:
        """*address*: of its socket. *watchdog_seconds*: it ends a process that is silent for that long."""
        self._address = f"\0{address[1:]}" if address and address.startswith("@") else address
        self._watchdog_seconds = watchdog_seconds if address else None

    @classmethod
    def of_environment(cls, environment: Mapping[str, str]) -> Self:
        """The service manager that *environment* names. A watchdog for another process is ignored."""
        address = environment.get("NOTIFY_SOCKET", "")
        if not address.startswith(("/", "@")):
            return cls(None, None)
        microseconds = environment.get("WATCHDOG_USEC", "")
        is_ours = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        is_watched = is_ours and microseconds.isdecimal() and int(microseconds) > 0
        return cls(address, int(microseconds) / _MICROSECONDS if is_watched else None)

    def tell(self, *messages: str) -> None:
        """Send *messages*, such as `READY`. It never waits; what cannot be sent is logged."""
        if self._address is None:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                sender.setblocking(False)
                sender.sendto("\n".join(messages).encode(), self._address)
        except OSError as error:
            log.warning("the service manager could not be told", messages=messages, exc_info=error)

    @asynccontextmanager
    async def assured(self) -> AsyncIterator[None]:
        """While the block runs, say twice in each watchdog interval that the event loop responds."""

        async def assure(interval_seconds: float) -> None:
            while True:
                self.tell(ALIVE)
                await trio.sleep(interval_seconds)

        async with trio.open_nursery() as nursery:
            if self._watchdog_seconds is not None:
                nursery.start_soon(assure, self._watchdog_seconds / 2)
            yield
            nursery.cancel_scope.cancel()
