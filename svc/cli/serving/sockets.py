"""Opening the sockets to listen on, which is the first thing that a server process does."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import trio

from svc.config.settings import Address
from svc.http.server import AddressInUse, bound, close, open_listeners

STEP: Final = 10
"""Distance between the ports that are tried, since 8001 to 8003 have uses of their own."""
TRIES: Final = 100

SocketListeners = list[trio.SocketListener]


@asynccontextmanager
async def opened(binds: Sequence[str], *, may_move: bool = False) -> AsyncIterator[SocketListeners]:
    """Listeners on *binds*, closed when the block ends. Connections queue until they are accepted.

    With *may_move*, for default addresses, other ports are used if one is taken. Raises `ListenError`.
    """
    listeners = await _open(binds, may_move=may_move)
    try:
        yield listeners
    finally:
        close(listeners)


def addresses(listeners: Sequence[trio.SocketListener]) -> list[Address]:
    """The addresses of *listeners*, with the ports that were bound."""
    return [Address(str(bound(listener))) for listener in listeners]


async def _open(binds: Sequence[str], *, may_move: bool) -> SocketListeners:
    try:
        return await open_listeners(binds)
    except AddressInUse:
        if not may_move:
            raise
        for shift in range(STEP, STEP * TRIES, STEP):
            try:
                return await open_listeners(
                    [address.at_port(address.port + shift) for address in map(Address, binds)]
                )
            except AddressInUse:
                continue
        raise
