"""The request log in memory: a call adds a line in its own step, and batches of lines are written behind.

This is a plain buffer and no actor: a line costs an append, with no message and no task. So no call waits for
the log, and none fails by it; a crash loses what is not written yet, the last second at most.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import msgspec
import structlog
import trio

from svc.clock import Clock
from svc.domain.errors import Unavailable
from svc.domain.requests.limits import REQUEST_BATCH_ROWS, REQUESTS_BUFFERED_MAX
from svc.domain.requests.requests import LoggedCall
from svc.storage.requests import requests
from svc.storage.store import Store

log = structlog.get_logger("svc.actors.requests")

BATCH_SECONDS: Final = 0.5
"""How long lines are collected: half of what a crash may lose, since a batch takes its time, too."""
RETRY_SECONDS: Final = 2.0
"""How long to wait after the store has refused a batch."""
WRITTEN_AT_ONCE: Final = 4
"""Organizations whose lines are written at once."""


class RequestLogStatistics(msgspec.Struct, frozen=True):
    """Lines since the start."""

    waiting: int
    """In memory, and not written yet."""
    written: int
    lost: int
    """Not logged: too many waited, or the store failed in the middle of a batch."""


class RequestLog:
    """The lines of all organizations. `live` writes them."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lines: dict[str, list[LoggedCall]] = {}
        self._waiting = self._written = self._lost = 0
        self._wakeup = trio.Event()

    def now(self) -> int:
        """The time of a line, ms since the epoch."""
        return self._clock.now()

    def add(self, organization_id: str, line: LoggedCall) -> None:
        """Have *line* written with the next batch. Where too many wait already, it is lost, and counted."""
        if self._waiting >= REQUESTS_BUFFERED_MAX:
            self._lose(1, "too many wait to be written")
            return
        self._waiting += 1
        lines = self._lines.get(organization_id)
        if lines is None:
            self._lines[organization_id] = [line]
            self._wakeup.set()
        else:
            lines.append(line)

    @asynccontextmanager
    async def live(self) -> AsyncIterator[None]:
        """Write lines until the block ends; then what is left."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write_for_ever)
            try:
                yield
            finally:
                nursery.cancel_scope.cancel()
                with trio.CancelScope(shield=True):
                    await self.write()
        if self._waiting:
            log.error("calls are not in the request log: the store refuses them", calls=self._waiting)

    def statistics(self) -> RequestLogStatistics:
        return RequestLogStatistics(waiting=self._waiting, written=self._written, lost=self._lost)

    async def _write_for_ever(self) -> None:
        while True:
            await self._wakeup.wait()
            await trio.sleep(BATCH_SECONDS)
            self._wakeup = trio.Event()
            with trio.CancelScope(shield=True):  # else it would not be known whether a batch was written
                await self.write()
            if self._lines:
                await trio.sleep(RETRY_SECONDS)
                self._wakeup.set()

    async def write(self) -> None:
        """Write all lines that wait. Those that the store refuses wait on."""
        lines, self._lines = self._lines, {}
        places = trio.CapacityLimiter(WRITTEN_AT_ONCE)
        async with trio.open_nursery() as nursery:
            for organization_id, of_organization in lines.items():
                nursery.start_soon(self._write_of, places, organization_id, of_organization)

    async def _write_of(
        self, places: trio.CapacityLimiter, organization_id: str, lines: list[LoggedCall]
    ) -> None:
        units = self._store.of(organization_id)
        first = 0
        async with places:
            while batch := lines[first : first + REQUEST_BATCH_ROWS]:
                try:
                    await units.write_behind(requests.append, organization_id, batch)
                except Unavailable as error:
                    log.warning("the request log has to wait", organization=organization_id, why=error)
                    self._lines[organization_id] = lines[first:] + self._lines.get(organization_id, [])
                    return
                except Exception as error:  # noqa: BLE001  # a log must not take the service down
                    self._waiting -= len(batch)
                    self._lose(len(batch), error)
                else:
                    self._waiting -= len(batch)
                    self._written += len(batch)
                first += len(batch)

    def _lose(self, lines: int, why: str | Exception) -> None:
        if not self._lost:
            log.error("calls are missing in the request log; the metrics count them", why=why)
        self._lost += lines
