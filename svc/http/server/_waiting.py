"""The connections that wait for their client, oldest first, and the share of them that one address may have.

A connection waits while nothing can be done on it before its client acts: it does its TLS
handshake, sends a head or a body, sits idle between two requests, is listened to after a refusal,
or does not take its answer. While an application works on a request, its connection does not wait.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from svc.domain.net.client_addresses import Network, is_trusted, subscriber_of

if TYPE_CHECKING:
    from svc.http.server._connection import Connection

_SHARES: Final = 4
"""One address may have this part of all connections, unless it is configured."""


class Share:
    """The connections of one address."""

    __slots__ = ("address", "left", "open")

    def __init__(self, address: str, limit: float) -> None:
        self.address = address
        self.open = 0
        self.left = limit
        """Connections that may wait besides those that do; below zero if answers ended at once."""

    def take(self, connection: "Connection") -> None:
        """Count *connection*, which waits now, or will as soon as its answer is sent."""
        if not connection.counted:
            connection.counted = True
            self.left -= 1


class WaitingConnections:
    """Which connections wait, in the order in which they began, and for which addresses."""

    def __init__(
        self, connections_max: int, per_address_max: int | None, trusted_proxies: Sequence[Network]
    ) -> None:
        self._share_max = per_address_max or max(1, connections_max // _SHARES)
        self._trusted_proxies = trusted_proxies
        self._shares: dict[str, Share] = {}
        self._unlimited = Share("", math.inf)
        self._order: dict[Connection, None] = {}

    def __len__(self) -> int:
        """How many connections wait."""
        return len(self._order)

    def share_of(self, address: str | None) -> Share:
        """The share of *address*, without a limit for trusted proxies and for peers without an address."""
        if address is None or (self._trusted_proxies and is_trusted(address, self._trusted_proxies)):
            return self._unlimited
        subscriber = subscriber_of(address)
        return self._shares.get(subscriber) or Share(subscriber, self._share_max)

    def open(self, connection: "Connection") -> None:
        """Count *connection* until it is closed. It waits from now on."""
        share = connection.share
        share.open += 1
        if share is not self._unlimited:
            self._shares[share.address] = share
        self.begin(connection)

    def close(self, connection: "Connection") -> None:
        """Forget *connection*."""
        self.end(connection)
        share = connection.share
        share.open -= 1
        if not share.open:
            self._shares.pop(share.address, None)

    def begin(self, connection: "Connection") -> None:
        """Have *connection* wait, unless it does already."""
        self._order[connection] = None
        if not connection.counted:
            connection.share.take(connection)

    def renew(self, connection: "Connection") -> None:
        """Have *connection*, which waits already, wait from now on only: for something else."""
        self._order.pop(connection, None)
        self._order[connection] = None

    def end(self, connection: "Connection") -> None:
        """Have *connection* wait no more, if it does."""
        self._order.pop(connection, None)
        if connection.counted:
            connection.counted = False
            connection.share.left += 1

    def longest(self) -> "Connection | None":
        """The connection that waits longest."""
        return next(iter(self._order), None)
