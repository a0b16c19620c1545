"""The sockets that a program of this package listens on, opened before it does anything else."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import trio

from svc.http.server import AddressInUse, bound, close, open_listeners
from svc.settings import Address

STEP: Final = 10
"""Between a port that is taken and the next that is tried, since 8001 to 8003 have uses of their own."""
TRIES: Final = 100

SocketListeners = list[trio.SocketListener]


@asynccontextmanager
async def opened(binds: Sequence[str], *, may_move: bool = False) -> AsyncIterator[SocketListeners]:
    """Listeners on *binds*, closed on leaving. Connections wait there until they are accepted.

    With *may_move*, which is for addresses that nobody asked for, ports that are taken give way to the next
    free ones. Raises `ListenError`.
    """
    listeners = await _open(binds, may_move=may_move)
    try:
        yield listeners
    finally:
        close(listeners)


def addresses(listeners: Sequence[trio.SocketListener]) -> list[Address]:
    """Where they listen, with their real ports."""
    return [Address(str(bound(listener))) for listener in listeners]


async def _open(binds: Sequence[str], *, may_move: bool) -> SocketListeners:
    try:
        return await open_listeners(binds)
    except AddressInUse:
        if not may_move:
            raise
        for shift in range(STEP, STEP * TRIES, STEP):
            try:
                return await open_listeners([one.at_port(one.port + shift) for one in map(Address, binds)])
            except AddressInUse:
                continue
        raise
