"""A relay of bytes over Trio streams: `python -m bench.peers.bare_relay PORT UPSTREAM_PORT`.

It is the floor of what a gateway on Trio can cost: one task a connection, one connection to the provider
beside it, and of HTTP only as much as tells where an answer ends.
"""

import sys
from functools import partial
from typing import Final

import trio

from bench.peers.chat_upstream import LAST, WHOLE

READ_BYTES: Final = 65_536
ENDS: Final = (LAST, WHOLE[-16:])


async def handle(upstream_port: int, client: trio.SocketStream) -> None:
    """Relay the requests of one connection, each of which comes in one read, and their answers."""
    upstream = await trio.open_tcp_stream("127.0.0.1", upstream_port)
    async with client, upstream:
        try:
            while request := await client.receive_some(READ_BYTES):
                await upstream.send_all(request)
                ended = False
                while not ended:
                    part = await upstream.receive_some(READ_BYTES)
                    ended = not part or part.endswith(ENDS)
                    await client.send_all(part)
        except trio.BrokenResourceError:
            pass  # one of the two left


if __name__ == "__main__":
    relay = partial(handle, int(sys.argv[2]))
    trio.run(partial(trio.serve_tcp, relay, int(sys.argv[1]), host="127.0.0.1", backlog=1_000))
