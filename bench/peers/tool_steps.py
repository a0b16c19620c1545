"""The path of a `record.get` on the program's own server, cut off after one step, two steps, and so on.

`python -m bench.peers.tool_steps DATA PORT`: each step is a door of its own, at `/<step>/record.get`, and
does what those before it do as well. So its cost is seen under load, with all that goes on beside it.
"""

import signal
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final, cast

import trio

from svc.actors.kinds import KINDS
from svc.actors.reconciler import Reconciler
from svc.actors.system import Secrets, System
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.identity.callers import Call
from svc.domain.limits import TOOL_BODY_BYTES_MAX
from svc.http import server
from svc.http.app import quart_app
from svc.http.asgi import ASGIApp
from svc.http.fast_path import Answer, FastPath, Request, Routes
from svc.http.problems.problems import problem_for
from svc.http.request.bearer import bearer_token
from svc.http.tools.admission import budget_headers
from svc.http.tools.door import KeyGate, ToolDoor
from svc.services.tools import calls as tool_calls
from svc.storage.sqlite.store import open_store
from svc.tools.catalogue import REGISTRY

STEPS: Final = ("server", "admission", "shape", "reader", "whole")
BUDGET: Final = 10_000_000
_JSON: Final = (b"content-type", b"application/json")
_ANSWER: Final = b"{" + b" " * 250 + b"}"
"""As long as a record."""


class Door:
    """Does one step."""

    def __init__(self, step: Callable[[Request], Awaitable[Answer]]) -> None:
        self._step = step

    async def __call__(self, request: Request) -> Answer:
        return await self._step(request)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        return problem_for(error, request.id)


def doors(system: System) -> dict[str, Door | ToolDoor]:
    """The steps by their paths."""

    async def serve(request: Request) -> Answer:
        await request.read(TOOL_BODY_BYTES_MAX)
        return Answer(200, [_JSON], _ANSWER)

    async def admit(request: Request) -> Answer:
        admission = await tool_calls.admit_key(system, bearer_token(request))
        await request.read(TOOL_BODY_BYTES_MAX)
        return Answer(200, [_JSON, *budget_headers(admission.allowance)], _ANSWER)

    async def understand(request: Request) -> Answer:
        admission = await tool_calls.admit_key(system, bearer_token(request))
        call = Call(caller=admission.caller, door="api", request_id=request.id.decode())
        tool = await tool_calls.find(system, REGISTRY, call, request.path.rpartition("/")[2])
        tool.read(await request.read(TOOL_BODY_BYTES_MAX))
        return Answer(200, [_JSON, *budget_headers(admission.allowance)], _ANSWER)

    async def reach_the_reader(request: Request) -> Answer:
        answer = await understand(request)
        await system.store.read(lambda _conn: None)
        return answer

    steps = dict(zip(STEPS, (serve, admit, understand, reach_the_reader), strict=False))
    return {
        **{f"/{name}/": Door(step) for name, step in steps.items()},
        f"/{STEPS[-1]}/": ToolDoor(system, REGISTRY, KeyGate(system)),
    }


async def main(data: Path, port: int) -> None:
    """Serve until SIGTERM."""
    clock = WallClock()
    async with open_store(DataDirectory(data).database, clock) as store:
        system = System(
            KINDS, store, clock, Secrets(sender=b"s" * 32, sealing=b"s" * 32), calls_per_minute=BUDGET
        )
        async with system.live():
            await Reconciler(system, "main").start()
            app = FastPath(cast("ASGIApp", quart_app()), Routes(doors(system)))
            with trio.open_signal_receiver(signal.SIGTERM) as signals:
                async with trio.open_nursery() as nursery:
                    stop = trio.Event()
                    nursery.start_soon(partial(server.serve, app, binds=[f"127.0.0.1:{port}"], stop=stop))
                    await anext(signals)
                    stop.set()


if __name__ == "__main__":
    trio.run(main, Path(sys.argv[1]), int(sys.argv[2]))
