"""The program's MCP door with eighty tools, on its own server: `python -m bench._mcp_server DATA PORT`."""

import signal
import sys
from functools import partial
from pathlib import Path

import trio

from bench._tools import eighty
from svc.actors.change_dispatch import ChangeDispatcher
from svc.actors.kinds import KINDS
from svc.actors.system import Secrets, System
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.http.app import quart_app
from svc.http.fast_path import FastPath, Routes
from svc.http.grants.places import Issuer
from svc.http.mcp.door import FULL_PATH, McpDoor
from svc.http.server import serve
from svc.storage.sqlite.store import open_store

CALLS_PER_MINUTE = 100_000


async def main(data: Path, port: int) -> None:
    """Serve until SIGTERM."""
    directory = DataDirectory(data)
    key = directory.open_key()
    secrets = Secrets(sender=key.derive("sender"), sealing=key.derive("sealing"))
    clock = WallClock()
    with trio.open_signal_receiver(signal.SIGTERM) as signals:
        async with open_store(directory.database, clock) as store, trio.open_nursery() as nursery:
            system = System(KINDS, store, clock, secrets, calls_per_minute=CALLS_PER_MINUTE)
            store.listen(ChangeDispatcher(system))
            async with system.live():
                door = McpDoor(system, eighty(), Issuer(""), flat=True)
                app = FastPath(quart_app(), Routes({FULL_PATH: door}))
                stop = trio.Event()
                nursery.start_soon(partial(serve, app, binds=[f"127.0.0.1:{port}"], stop=stop))
                await anext(signals)
                stop.set()


if __name__ == "__main__":
    trio.run(main, Path(sys.argv[1]), int(sys.argv[2]))
