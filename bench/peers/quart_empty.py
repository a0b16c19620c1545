"""Empty routes of Quart on Trio: the ground that the form endpoint and the tools stand on.

`python -m bench.peers.quart_empty stock|svc PORT`: served by hypercorn as it is installed, or by the
program's own server.
"""

import signal
import sys
from functools import partial
from typing import Any, Final, cast

import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from quart import request
from quart_trio import QuartTrio

from svc.http import server as own_server
from svc.http.asgi import ASGIApp
from svc.http.quart_app import QuartApp

ANSWER: Final = {"ok": True}
RECORD: Final = {
    "id": "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    "objectType": "lamp",
    "properties": {
        "name": "kind17 given1234 family12345",
        "region": "North",
        "price": 123.45,
        "serial": 4321,
        "made": "2017-03-14",
    },
    "createdAt": "2026-09-18T00:00:00.000Z",
    "updatedAt": "2026-09-18T00:00:00.000Z",
}
"""What `record.get` answers in the bench of tools."""


def make_app(app: QuartTrio) -> QuartTrio:
    """*app* with routes at the form endpoint's address and at a tool's that do nothing.

    The tool's decodes what is asked and encodes what `record.get` would answer.
    """

    @app.post("/api/f/s")
    async def empty() -> dict[str, bool]:
        return ANSWER

    @app.post("/api/v1/tools/record.get")
    async def record() -> dict[str, Any]:
        asked: dict[str, Any] = await request.get_json()
        return {**RECORD, "id": asked["id"]}

    return app


async def serve_stock(port: int) -> None:
    """Quart and hypercorn as they come, without an access log."""
    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.accesslog = None
    await serve(make_app(QuartTrio(__name__)), config)


async def serve_own(port: int) -> None:
    """The program's own Quart and server."""
    app = cast("ASGIApp", make_app(QuartApp(__name__)))
    with trio.open_signal_receiver(signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            stop = trio.Event()
            nursery.start_soon(partial(own_server.serve, app, binds=[f"127.0.0.1:{port}"], stop=stop))
            await anext(signals)
            stop.set()


SERVERS: Final = {"stock": serve_stock, "svc": serve_own}

if __name__ == "__main__":
    trio.run(SERVERS[sys.argv[1]], int(sys.argv[2]))
