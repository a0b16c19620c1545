"""Signals that stop the service."""

import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import structlog
import trio

log = structlog.get_logger("svc.cli.server_process")

_STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@asynccontextmanager
async def stop_on_signal(on_signal: Callable[[], None]) -> AsyncIterator[trio.Event]:
    """An event that the first SIGINT or SIGTERM sets, after *on_signal*. The second kills the process.

    The kernel does that, so it works even if this program hangs; nothing that was answered is lost.
    """
    stop = trio.Event()

    async def wait(signals: AsyncIterator[int]) -> None:
        async for number in signals:
            for stop_signal in _STOP_SIGNALS:
                signal.signal(stop_signal, signal.SIG_DFL)
            on_signal()
            stop.set()
            log.info("stopping", signal=signal.Signals(number).name)
            return

    with trio.open_signal_receiver(*_STOP_SIGNALS) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, signals)
            yield stop
            nursery.cancel_scope.cancel()
