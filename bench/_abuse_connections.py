"""One client that holds what connections it can with bodies that never come, and what others feel of it.

`python -m bench._abuse_connections`: honest clients ask while one address, and then while twenty addresses
together, try to hold more connections than there are. All addresses are of 127.0.0.0/8.
"""

import asyncio
import resource
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from typing import Final

from bench._machine import free_port, is_ready, program, running
from bench._world import workspace

HELD: Final = 1_100
"""Connections that are tried to hold: more than the server has by default."""
HONEST: Final = 45
SECONDS_MAX: Final = 5
"""For an honest client to be answered."""
FILES: Final = 2 * HELD
_HOLD: Final = b"POST /api/f/s HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\n"
_ASK: Final = b"GET /t.js HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"


def run() -> None:
    """Hold the real program's connections, and print how the honest clients fare."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (FILES if hard == resource.RLIM_INFINITY else min(FILES, hard), hard)
    )
    for greedy in (["127.0.0.1"], [f"127.0.1.{number}" for number in range(1, 21)]):
        with workspace() as space:
            data, port, operator_port = space / "data", free_port(), free_port()
            log = space / "server.log"
            ready = lambda: is_ready(operator_port, data)  # noqa: B023, E731
            with running(program(data, port, operator_port), port, log=log, ready=ready):
                asyncio.run(_measure(port, greedy))


async def _measure(port: int, greedy: Sequence[str]) -> None:
    async with AsyncExitStack() as stack:
        for number in range(HELD):
            with suppress(OSError):
                await _hold(stack, port, greedy[number % len(greedy)])
        answers = Counter([await _ask(port) for _ in range(HONEST)])
    refused = HONEST - answers["200"]
    print(
        f"{len(greedy)} addresses try to hold {HELD} connections: {refused} of {HONEST} honest requests"
        f" refused ({', '.join(f'{answer}: {times}' for answer, times in sorted(answers.items()))})"
    )


async def _hold(stack: AsyncExitStack, port: int, address: str) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    stack.callback(writer.close)
    writer.write(_HOLD)
    await writer.drain()


async def _ask(port: int) -> str:
    """The status that a client at another address is answered, or that it is not."""
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(SECONDS_MAX):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.99", 0))
            try:
                writer.write(_ASK)
                line = await reader.readline()
            finally:
                writer.close()
            if line:
                return line.split()[1].decode()
    return "none"


if __name__ == "__main__":
    run()
