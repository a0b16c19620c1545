"""A route of Quart on Trio that answers with bytes that lie ready: the least that a door for embeds could be.

`python -m bench.peers.quart_bytes stock|svc PORT FILE`: served by hypercorn as it is installed, or by the
program's own server.
"""

import signal
import sys
from functools import partial
from pathlib import Path
from typing import Final, cast

import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from quart import Response
from quart_trio import QuartTrio

from svc.http import server as own_server
from svc.http.asgi import ASGIApp
from svc.http.quart_app import QuartApp


def make_app(app: QuartTrio, body: bytes) -> QuartTrio:
    """*app* with a route at the embeds' address that answers *body*."""

    @app.get("/api/e/<key>")
    async def embed(key: str) -> Response:
        return Response(body, content_type="application/json")

    return app


async def serve_stock(port: int, body: bytes) -> None:
    """Quart and hypercorn as they come, without an access log."""
    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.accesslog = None
    await serve(make_app(QuartTrio(__name__), body), config)


async def serve_own(port: int, body: bytes) -> None:
    """The program's own Quart and server."""
    app = cast("ASGIApp", make_app(QuartApp(__name__), body))
    with trio.open_signal_receiver(signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            stop = trio.Event()
            nursery.start_soon(partial(own_server.serve, app, binds=[f"127.0.0.1:{port}"], stop=stop))
            await anext(signals)
            stop.set()


SERVERS: Final = {"stock": serve_stock, "svc": serve_own}

if __name__ == "__main__":
    trio.run(SERVERS[sys.argv[1]], int(sys.argv[2]), Path(sys.argv[3]).read_bytes())
