"""Makes connections, and only to addresses that may be reached. This prevents SSRF.

The addresses of a name are checked at every connection, also where they were remembered, and the connection
is made to an address that passed: a name that resolves to another address a moment later (DNS rebinding) has
no effect. TLS still uses the name.
"""

import ssl
from collections.abc import Sequence
from functools import cached_property
from ipaddress import IPv6Address, ip_address
from socket import AF_INET, AF_INET6, SOCK_STREAM
from typing import Final

import certifi
import trio

from svc.actors.outbound.connection import Connection
from svc.actors.outbound.errors import NotSent
from svc.actors.outbound.names import NameLookups
from svc.actors.outbound.target import Target
from svc.domain.net.client_addresses import Address, Network
from svc.domain.net.egress import may_reach
from svc.domain.net.limits import OUTGOING_LOOKUP_SECONDS

_ADDRESSES_TRIED_MAX: Final = 4
_ADDRESS_SECONDS: Final = 3.0
"""Connection timeout for one address of several, before the next is tried."""


class Connector:
    """Makes connections to public addresses, and to those in *allowed* networks; to any if that is None."""

    def __init__(self, allowed: Sequence[Network] | None, names: NameLookups) -> None:
        self._allowed = allowed
        self._names = names

    async def find(
        self, target: Target, owner: str, seconds: float = OUTGOING_LOOKUP_SECONDS
    ) -> Sequence[Address]:
        """The addresses of *target*, which *owner*, an organization, chose. Nothing is asked of it yet.

        This has a time of its own: see `NameLookups`. Raises `NotSent`, and `NoPlace` of these if too many
        names are looked up.
        """
        try:
            return [ip_address(target.host)]
        except ValueError:
            return await self._names.addresses(target.host, owner, seconds)

    async def connect(self, target: Target, addresses: Sequence[Address]) -> Connection:
        """Connect to *target* at one of its *addresses*. Raises `NotSent`."""
        connection = Connection(target.origin, await self._connect_tcp(target, addresses))
        if not target.tls:
            return connection
        try:
            await connection.start_tls(self._tls_context, target.host)
        except trio.BrokenResourceError as error:
            connection.close()
            raise NotSent(_tls_reason(error.__cause__)) from error
        except BaseException:
            connection.close()
            raise
        return connection

    @cached_property
    def _tls_context(self) -> ssl.SSLContext:
        """The context, created at its first use, since loading the certificates takes a while."""
        context = ssl.create_default_context(cafile=certifi.where())
        context.set_alpn_protocols(["http/1.1"])
        # Sending would have to receive, which another task may be doing.
        context.options |= ssl.OP_NO_RENEGOTIATION
        return context

    async def _connect_tcp(self, target: Target, addresses: Sequence[Address]) -> trio.SocketStream:
        reachable = [address for address in addresses if self._may_reach(address)]
        if not reachable:
            raise NotSent("the address is private, or not one that may be reached")
        failed: Exception | None = None
        for address in reachable[:_ADDRESSES_TRIED_MAX]:
            try:
                # A single address has all the time of the request.
                with trio.fail_after(float("inf") if len(reachable) == 1 else _ADDRESS_SECONDS):
                    return await _open_tcp(address, target.port)
            except (OSError, trio.TooSlowError) as error:
                failed = error
        self._names.forget(target.host)  # it may have moved
        raise NotSent("no connection") from failed

    def _may_reach(self, address: Address) -> bool:
        return self._allowed is None or may_reach(address, self._allowed)


async def _open_tcp(address: Address, port: int) -> trio.SocketStream:
    socket = trio.socket.socket(AF_INET6 if isinstance(address, IPv6Address) else AF_INET, SOCK_STREAM)
    try:
        await socket.connect((str(address), port))
    except BaseException:
        socket.close()
        raise
    return trio.SocketStream(socket)


def _tls_reason(error: BaseException | None) -> str:
    """Why a handshake failed, in words that may be shown to the user who entered the address."""
    if not isinstance(error, ssl.SSLError):
        return "no connection"
    return f"TLS failed: {getattr(error, 'verify_message', '') or error.reason or 'not spoken there'}"
