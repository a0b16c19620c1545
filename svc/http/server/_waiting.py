"""The connections that wait for their client, oldest first, and the share of them that one address may have.

A connection waits while nothing can be done on it before its client acts: during the TLS handshake, a
head or a body, when idle between two requests, when lingering after an error, or when the client does
not read its answer. While an application works on a request, its connection does not wait.
"""

import math
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol

import trio

from svc.domain.limits import UNSENT_ADDRESS_BYTES_MAX
from svc.domain.net.client_addresses import Network, is_trusted, subscriber_of
from svc.http.server._options import default_share
from svc.http.server._unsent import Ledger


class Share:
    """The connections of one address."""

    __slots__ = ("address", "left", "open", "turn", "unsent")

    def __init__(self, address: str, limit: float, unsent_bytes_max: float) -> None:
        self.address = address
        self.open = 0
        self.left = limit
        """Further connections that may wait; below zero if several answers ended at once."""
        self.unsent = Ledger(unsent_bytes_max)
        """What their answers keep."""
        self.turn: AbstractAsyncContextManager[None] = trio.Lock() if limit < math.inf else nullcontext()
        """Taken to begin a request of HTTP/2."""

    def take(self, connection: "Waiter") -> None:
        """Count *connection*, which waits now, or will as soon as its answer is sent."""
        if not connection.counted:
            connection.counted = True
            self.left -= 1


class Waiter(Protocol):
    """What is read and set here of a connection."""

    share: Share
    counted: bool

    def evict(self) -> None:
        """Close it at once."""
        ...


class WaitingConnections:
    """The waiting connections, oldest first, and their number by address."""

    def __init__(
        self, connections_max: int, per_address_max: int | None, trusted_proxies: Sequence[Network]
    ) -> None:
        self._share_max = per_address_max or default_share(connections_max)
        self._trusted_proxies = trusted_proxies
        self._shares: dict[str, Share] = {}
        self._unlimited = Share("", math.inf, math.inf)
        self._order: dict[Waiter, None] = {}

    def __len__(self) -> int:
        """How many connections wait."""
        return len(self._order)

    def share_of(self, address: str | None) -> Share:
        """The share of *address*, without a limit for trusted proxies and for peers without an address."""
        if address is None or (self._trusted_proxies and is_trusted(address, self._trusted_proxies)):
            return self._unlimited
        subscriber = subscriber_of(address)
        return self._shares.get(subscriber) or Share(subscriber, self._share_max, UNSENT_ADDRESS_BYTES_MAX)

    def open(self, connection: Waiter) -> None:
        """Count *connection* until it is closed. It waits from now on."""
        share = connection.share
        share.open += 1
        if share is not self._unlimited:
            self._shares[share.address] = share
        self.begin(connection)

    def close(self, connection: Waiter) -> None:
        """Forget *connection*."""
        self.end(connection)
        share = connection.share
        share.open -= 1
        if not share.open:
            self._shares.pop(share.address, None)

    def begin(self, connection: Waiter) -> None:
        """Note that *connection* waits, unless it does already."""
        self._order[connection] = None
        if not connection.counted:
            connection.share.take(connection)

    def renew(self, connection: Waiter) -> None:
        """Restart the wait of *connection*, which now waits for something else."""
        self._order.pop(connection, None)
        self._order[connection] = None

    def end(self, connection: Waiter) -> None:
        """Note that *connection* waits no more, if it does."""
        self._order.pop(connection, None)
        if connection.counted:
            connection.counted = False
            connection.share.left += 1

    def longest(self) -> Waiter | None:
        """The connection that waits longest."""
        return next(iter(self._order), None)
