"""`svc` as a program that does a fault to itself at SIGUSR2: `python faulty.py FAULT run …`."""

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
from svc.actors.system import System
from svc.cli import main, server_process
from svc.cli.serving import live_system as live_systems
from svc.storage.commit.group_commit import GroupCommitStore


class Core(Actor[System, None]):
    """An actor that the system cannot do without."""

    policy = Policy(escalate=True)

    async def load(self) -> None:
        return None

    @turn
    async def burn(self) -> None:
        raise KeyError("core")


class Slow(Actor[System, None]):
    """An actor whose turn waits for something that does not come."""

    async def load(self) -> None:
        return None

    @turn
    async def wait(self) -> None:
        await trio.sleep_forever()


class Cancelled(Slow):
    """One whose turn is soon cancelled."""

    policy = Policy(turn_seconds=0.1)


async def hang_actor(system: System) -> None:
    Slow(system, "main").wait.tell()
    Cancelled(system, "main").wait.tell()


async def crash_actor(system: System) -> None:
    Core(system, "main").burn.tell()


async def crash_trio(_: System) -> None:
    def boom() -> None:
        raise KeyError("boom")

    trio.lowlevel.current_trio_token().run_sync_soon(boom)


async def end_thread(system: System) -> None:
    assert isinstance(system.store, GroupCommitStore)
    writer: Any = system.store.queues[0].lane
    writer._connection._tx.put_nowait((None, lambda: _STOP_RUNNING_SENTINEL))


async def break_listener(system: System) -> None:
    async def fail(_: object) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")

    trio.SocketListener.accept = fail  # type: ignore[assignment, method-assign]
    host, _, port = system.base_url.removeprefix("http://").partition(":")
    await (await trio.open_tcp_stream(host, int(port))).aclose()


async def hold_writer(system: System) -> None:
    """Keep the writer busy for ever, with a task that waits for it as a submission does: shielded."""
    held = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def hold(_: object) -> None:
        token.run_sync_soon(held.set)
        threading.Event().wait()

    async def write() -> None:
        with trio.CancelScope(shield=True):
            await system.store.write(hold)

    trio.lowlevel.spawn_system_task(write)
    await held.wait()


async def hold_writer_and_crash_actor(system: System) -> None:
    await hold_writer(system)
    await crash_actor(system)


async def wait_for_signal(fault: Callable[[System], Awaitable[None]], system: System) -> None:
    with trio.open_signal_receiver(signal.SIGUSR2) as signals:
        async for _ in signals:
            await fault(system)
            print("done", flush=True)  # noqa: T201


@asynccontextmanager
async def live(*args: Any, **options: Any) -> AsyncIterator[System]:
    async with live_system(*args, **options) as system:
        trio.lowlevel.spawn_system_task(wait_for_signal, globals()[fault_name], system)
        yield system


if __name__ == "__main__":
    fault_name = sys.argv.pop(1)
    live_system = live_systems.live_system
    live_systems.KINDS = (*live_systems.KINDS, Core, Slow, Cancelled)  # type: ignore[attr-defined]
    server_process.live_system = live  # type: ignore[attr-defined]
    server_process.CLOSING_SECONDS = 1  # type: ignore[misc]
    main()
