"""`svc` as a program that does a fault to itself at SIGUSR1: `python faulty.py FAULT run …`."""

import errno
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import trio
from aiosqlite.core import _STOP_RUNNING_SENTINEL

from svc.actors._core import Actor, Policy, turn
from svc.actors.system import House
from svc.cli import main
from svc.cli import server_process as service
from svc.storage.sqlite.group_commit import GroupCommitStore


class Core(Actor[House, None]):
    """An actor that the system cannot do without."""

    policy = Policy(escalate=True)

    async def load(self) -> None:
        return None

    @turn
    async def burn(self) -> None:
        raise KeyError("core")


async def crash_actor(house: House) -> None:
    Core(house, "main").burn.tell()


async def crash_trio(_: House) -> None:
    def boom() -> None:
        raise KeyError("boom")

    trio.lowlevel.current_trio_token().run_sync_soon(boom)


async def end_thread(house: House) -> None:
    assert isinstance(house.store, GroupCommitStore)
    writer: Any = house.store._writer
    writer._connection._tx.put_nowait((None, lambda: _STOP_RUNNING_SENTINEL))


async def break_listener(house: House) -> None:
    async def fail(_: object) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    trio.SocketListener.accept = fail  # type: ignore[assignment, method-assign]
    host, _, port = house.base_url.removeprefix("http://").partition(":")
    await (await trio.open_tcp_stream(host, int(port))).aclose()


async def hold_writer(house: House) -> None:
    """Keep the writer busy for ever, with a task that waits for it as a submission does: shielded."""
    held = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def hold(_: object) -> None:
        token.run_sync_soon(held.set)
        threading.Event().wait()

    async def write() -> None:
        with trio.CancelScope(shield=True):
            await house.store.write(hold)

    trio.lowlevel.spawn_system_task(write)
    await held.wait()


async def hold_writer_and_crash_actor(house: House) -> None:
    await hold_writer(house)
    await crash_actor(house)


async def wait_for_signal(fault: Callable[[House], Awaitable[None]], house: House) -> None:
    with trio.open_signal_receiver(signal.SIGUSR1) as signals:
        async for _ in signals:
            await fault(house)
            print("done", flush=True)  # noqa: T201


@asynccontextmanager
async def live(*args: Any) -> AsyncIterator[House]:
    async with live_house(*args) as house:
        trio.lowlevel.spawn_system_task(wait_for_signal, globals()[fault_name], house)
        yield house


if __name__ == "__main__":
    fault_name = sys.argv.pop(1)
    live_house = service._live_house
    service.KINDS = (*service.KINDS, Core)  # type: ignore[attr-defined]
    service._live_house = live  # type: ignore[assignment]
    service.CLOSING_SECONDS = 1  # type: ignore[misc]
    main()
