"""Makes connections, and only to addresses that may be reached. This prevents SSRF.

A host name is resolved once, its addresses are checked, and the connection is made to an address that passed:
a name that resolves to another address a moment later (DNS rebinding) has no effect. TLS still uses the name.
"""

import ssl
from collections.abc import Sequence
from functools import cached_property, partial
from ipaddress import IPv6Address, ip_address
from socket import AF_INET, AF_INET6, SOCK_STREAM, getaddrinfo
from typing import Final

import certifi
import trio

from svc.actors.outbound.connection import Connection
from svc.actors.outbound.errors import NotSent
from svc.actors.outbound.target import Target
from svc.domain.limits import OUTGOING_LOOKUPS_AT_ONCE
from svc.domain.net.client_addresses import Address, Network
from svc.domain.net.egress import may_reach

_ADDRESSES_TRIED_MAX: Final = 4
_ADDRESS_SECONDS: Final = 3.0
"""Connection timeout for one address of several, before the next is tried."""


class Connector:
    """Makes connections to public addresses, and to those in *allowed* networks; to any if that is None."""

    def __init__(self, allowed: Sequence[Network] | None) -> None:
        self._allowed = allowed
        self._lookups = trio.CapacityLimiter(OUTGOING_LOOKUPS_AT_ONCE)

    async def connect(self, target: Target) -> Connection:
        """Connect to *target*. Raises `NotSent`."""
        connection = Connection(target.origin, await self._connect_tcp(target))
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

    async def _connect_tcp(self, target: Target) -> trio.SocketStream:
        addresses = await self._resolve(target.host, target.port)
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
        raise NotSent("no connection") from failed

    def _may_reach(self, address: Address) -> bool:
        return self._allowed is None or may_reach(address, self._allowed)

    async def _resolve(self, host: str, port: int) -> list[Address]:
        """The distinct addresses of *host*, in the resolver's order of preference.

        A lookup holds its thread until the resolver gives up, even if the request ended before. So lookups
        have threads of their own: names that no server answers for must not keep passwords from being hashed.
        """
        try:
            return [ip_address(host)]
        except ValueError:
            look_up = partial(getaddrinfo, host, port, type=SOCK_STREAM)
        try:
            found = await trio.to_thread.run_sync(look_up, limiter=self._lookups, abandon_on_cancel=True)
        except (OSError, UnicodeError) as error:
            raise NotSent("the name leads nowhere") from error
        return list(dict.fromkeys(ip_address(str(address[0]).partition("%")[0]) for *_, address in found))


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
