"""Messages to the service manager that started this process, such as systemd: sd_notify(3).

They are datagrams to the socket that it names in the environment. Without one, nothing is sent.
"""

import os
import socket
from collections import deque
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
        self._unsent: deque[bytes] = deque()
        self._waits = trio.Event()
        """Set while there are unsent ones, which the manager has no room for."""

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
        """Send *messages*, such as `READY`. It never waits: what the manager has no room for is sent later.

        What cannot be sent for another reason is logged.
        """
        if self._address is not None:
            self._unsent.append("\n".join(messages).encode())
            self._send()

    def _send(self) -> None:
        while self._unsent:
            try:
                with self._connected() as sender:
                    sender.send(self._unsent[0])
            except BlockingIOError:
                self._waits.set()
                return
            except OSError as error:
                log.warning(
                    "the service manager could not be told", messages=self._unsent[0].decode(), exc_info=error
                )
            self._unsent.popleft()

    def _connected(self) -> socket.socket:
        """A socket to the manager, which does not block. Raises `OSError`."""
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
        try:
            sender.connect(self._address or "")
        except OSError:
            sender.close()
            raise
        return sender

    @asynccontextmanager
    async def assured(self) -> AsyncIterator[None]:
        """While the block runs, say twice in each watchdog interval that the event loop responds.

        What could not be sent is sent as soon as the manager has room.
        """

        async def assure(interval_seconds: float) -> None:
            while True:
                if not self._unsent:  # those say it as well
                    self.tell(ALIVE)
                await trio.sleep(interval_seconds)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._send_later)
            if self._watchdog_seconds is not None:
                nursery.start_soon(assure, self._watchdog_seconds / 2)
            yield
            nursery.cancel_scope.cancel()

    async def _send_later(self) -> None:
        while True:
            await self._waits.wait()
            self._waits = trio.Event()
            try:
                with self._connected() as sender:
                    await trio.lowlevel.wait_writable(sender)
            except OSError:
                await trio.lowlevel.checkpoint()
            self._send()
