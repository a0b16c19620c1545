"""How many requests are in progress, and the connections that are kept for the next ones."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
import trio

from svc.actors.concurrency_limits import KeyedLimiter
from svc.actors.outbound.connection import Connection
from svc.actors.outbound.errors import NoPlace
from svc.domain.limits import (
    OUTGOING_CONNECTIONS_MAX,
    OUTGOING_CONNECTIONS_PER_ORIGIN_MAX,
    OUTGOING_KEPT_MAX,
    OUTGOING_KEPT_PER_ORIGIN_MAX,
    OUTGOING_KEPT_SECONDS,
    OUTGOING_WAIT_SECONDS,
    OUTGOING_WAITING_MAX,
)


class PoolLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one client. Those of pushes are the default."""

    connections_max: int = OUTGOING_CONNECTIONS_MAX
    """Requests in progress at once."""
    connections_per_origin_max: int = OUTGOING_CONNECTIONS_PER_ORIGIN_MAX
    """Of these, those to one origin, and those of one organization."""
    waiting_max: int = OUTGOING_WAITING_MAX
    """Requests that wait for their turn."""
    wait_seconds: float = OUTGOING_WAIT_SECONDS
    kept_max: int = OUTGOING_KEPT_MAX
    """Idle connections."""
    kept_per_origin_max: int = OUTGOING_KEPT_PER_ORIGIN_MAX
    kept_seconds: float = OUTGOING_KEPT_SECONDS


PUSH_LIMITS = PoolLimits()


class Places:
    """The places of requests in progress: so many in all, and of each share. First come, first served.

    Shares are an origin and an organization. Each has fewer than there are: an origin that never answers must
    not take them all, nor an organization with many such origins.
    """

    def __init__(self, limits: PoolLimits = PUSH_LIMITS) -> None:
        self._limits = limits
        self._shares = KeyedLimiter(limits.connections_per_origin_max, limits.waiting_max)
        self._free = trio.Semaphore(limits.connections_max)
        self._waiting = 0

    @property
    def taken(self) -> int:
        return self._limits.connections_max - self._free.value

    @property
    def waiting(self) -> int:
        return self._waiting

    async def acquire(self, *shares: str) -> None:
        """Acquire a place that counts in all of *shares*, at once if one is free. Raises `NoPlace`."""
        if not self._try_acquire(shares):
            await self._wait(shares)

    def release(self, *shares: str) -> None:
        """Release a place: the request that has waited longest gets it."""
        self._free.release()
        for share in shares:
            self._shares.release(share)

    def _try_acquire(self, shares: Sequence[str]) -> bool:
        for number, share in enumerate(shares):
            if not self._shares.try_acquire(share):
                self._give_back(shares[:number])
                return False
        try:
            self._free.acquire_nowait()
        except trio.WouldBlock:
            self._give_back(shares)
            return False
        return True

    def _give_back(self, shares: Sequence[str]) -> None:
        for share in shares:
            self._shares.release(share)

    async def _wait(self, shares: Sequence[str]) -> None:
        if self._waiting >= self._limits.waiting_max:
            raise NoPlace("too many requests are under way")
        self._waiting += 1
        acquired = 0
        try:
            with trio.move_on_after(self._limits.wait_seconds) as patience:
                try:
                    # In this order a request waits for its shares without a place that others could use.
                    for share in shares:
                        await self._shares.acquire(share)
                        acquired += 1
                    await self._free.acquire()
                except BaseException:
                    self._give_back(shares[:acquired])
                    raise
        finally:
            self._waiting -= 1
        if patience.cancelled_caught:
            raise NoPlace("too many requests are under way")


class KeptConnections:
    """Idle connections, for the next request to their origin. The longest idle are closed first."""

    def __init__(self, limits: PoolLimits = PUSH_LIMITS) -> None:
        self._limits = limits
        self._expiries: dict[Connection, float] = {}  # in the order in which they expire
        self._by_origin: dict[str, list[Connection]] = {}
        self._arrival = trio.Event()

    def __len__(self) -> int:
        return len(self._expiries)

    def take(self, origin: str) -> Connection | None:
        """The connection to *origin* that was used last; None if there is none.

        One that is readable is closed: its peer has closed it, or has sent what no request asked for.
        """
        self._close_expired()
        while connections := self._by_origin.get(origin):
            connection = connections[-1]
            self._forget(connection)
            if not connection.is_readable():
                return connection
            connection.close()
        return None

    def put(self, connection: Connection) -> None:
        """Keep *connection*, on which nothing may arrive until it is taken."""
        connections = self._by_origin.setdefault(connection.origin, [])
        connections.append(connection)
        self._expiries[connection] = trio.current_time() + self._limits.kept_seconds
        self._arrival.set()
        if len(connections) > self._limits.kept_per_origin_max:
            self._drop(connections[0])
        elif len(self._expiries) > self._limits.kept_max:
            self._drop(next(iter(self._expiries)))

    @asynccontextmanager
    async def live(self) -> AsyncIterator[None]:
        """Close connections when their time is over, and all at the end of the block."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.expire)
                yield
                nursery.cancel_scope.cancel()
        finally:
            self.close()

    async def expire(self) -> None:
        """Close connections when their time is over, for ever."""
        while True:
            await self._arrival.wait()
            self._arrival = trio.Event()
            while self._expiries:
                await trio.sleep_until(next(iter(self._expiries.values())))
                self._close_expired()

    def close(self) -> None:
        """Close all."""
        while self._expiries:
            self._drop(next(iter(self._expiries)))

    def _close_expired(self) -> None:
        now = trio.current_time()
        while self._expiries:
            connection, expiry = next(iter(self._expiries.items()))
            if expiry > now:
                return
            self._drop(connection)

    def _drop(self, connection: Connection) -> None:
        self._forget(connection)
        connection.close()

    def _forget(self, connection: Connection) -> None:
        del self._expiries[connection]
        connections = self._by_origin[connection.origin]
        connections.remove(connection)
        if not connections:
            del self._by_origin[connection.origin]
