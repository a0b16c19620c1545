"""How many requests are in progress, and the connections that are kept for the next ones."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import trio

from svc.actors.fair_places import FairPlaces
from svc.actors.outbound.connection import Connection
from svc.actors.outbound.errors import NoPlace
from svc.domain.errors import Unavailable
from svc.domain.net.limits import (
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
    """Of these, those to one origin."""
    waiting_max: int = OUTGOING_WAITING_MAX
    """Requests that wait for their turn."""
    wait_seconds: float = OUTGOING_WAIT_SECONDS
    kept_max: int = OUTGOING_KEPT_MAX
    """Idle connections."""
    kept_per_origin_max: int = OUTGOING_KEPT_PER_ORIGIN_MAX
    kept_seconds: float = OUTGOING_KEPT_SECONDS


PUSH_LIMITS = PoolLimits()


class Places:
    """The places of requests in progress: so many in all, and at each origin, both shared by organizations.

    An origin has fewer than there are: one that never answers must not take them all.
    """

    def __init__(self, limits: PoolLimits = PUSH_LIMITS) -> None:
        self._limits = limits
        self._waiting_room = FairPlaces(limits.waiting_max)
        self._all = FairPlaces(limits.connections_max, self._waiting_room)
        self._at_origins: dict[str, FairPlaces] = {}
        """Of the origins at which requests are in progress."""

    @property
    def taken(self) -> int:
        return self._all.taken

    @property
    def waiting(self) -> int:
        return self._waiting_room.taken

    def is_crowded(self, owner: str) -> bool:
        """Whether *owner* should not begin much more: it waits for a place, or holds half of what it may."""
        return bool(self._waiting_room.held_by(owner)) or self._all.held_by(owner) >= self._all.free // 2

    async def acquire(self, owner: str, origin: str) -> None:
        """Acquire a place of *owner* at *origin*, at once if it may have one. Raises `NoPlace`."""
        at_origin = self._at_origins.get(origin)
        if at_origin is None:
            at_origin = FairPlaces(self._limits.connections_per_origin_max, self._waiting_room)
            self._at_origins[origin] = at_origin
        if at_origin.try_acquire(owner):
            if self._all.try_acquire(owner):
                return
            at_origin.release(owner)
        await self._wait(owner, origin, at_origin)

    def release(self, owner: str, origin: str) -> None:
        """Release a place: an organization that waits for it gets it, in turn."""
        self._all.release(owner)
        at_origin = self._at_origins[origin]
        at_origin.release(owner)
        self._forget_idle(origin, at_origin)

    async def _wait(self, owner: str, origin: str, at_origin: FairPlaces) -> None:
        try:
            with trio.fail_after(self._limits.wait_seconds):
                # In this order a request waits for its origin without a place that others could use.
                await at_origin.acquire(owner)
                try:
                    await self._all.acquire(owner)
                except BaseException:
                    at_origin.release(owner)
                    raise
        except (Unavailable, trio.TooSlowError) as error:
            raise NoPlace("too many requests are under way") from error
        finally:
            self._forget_idle(origin, at_origin)

    def _forget_idle(self, origin: str, at_origin: FairPlaces) -> None:
        """Forget the places of *origin* if none is taken: then nothing waits for one either."""
        if not at_origin.taken and self._at_origins.get(origin) is at_origin:
            del self._at_origins[origin]


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
