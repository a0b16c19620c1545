"""A receiver of requests that costs next to nothing: `python -m bench.peers.raw_receiver PORT`."""

import sys
from functools import partial
from typing import Final

import trio

from bench.outgoing import BODY

ANSWER: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


async def handle(stream: trio.SocketStream) -> None:
    """Answer as soon as the body of a request has come, which is always the same."""
    received = b""
    while data := await stream.receive_some(65_536):
        received += data
        if received.endswith(BODY):
            received = b""
            await stream.send_all(ANSWER)


if __name__ == "__main__":
    trio.run(partial(trio.serve_tcp, handle, int(sys.argv[1]), host="127.0.0.1"))
