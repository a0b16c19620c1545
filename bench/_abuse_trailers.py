"""Trailers without an end, sent without a key: what they take of the server's CPU and memory.

`python -m bench._abuse_trailers`: one connection that sends 32 MB of one trailer, 150 that send 8 MB each.
"""

import asyncio
import time
from contextlib import suppress
from typing import Final

from bench._machine import Server, free_port, is_ready, program, running
from bench._world import workspace

ALONE_BYTES: Final = 32_000_000
CONNECTIONS: Final = 150
EACH_BYTES: Final = 8_000_000
PIECE: Final = b"a" * 64_000
SECONDS_MAX: Final = 60
"""For each of the two."""
SAMPLE_SECONDS: Final = 0.02
_START: Final = (
    b"POST /api/f/s HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx: "
)


def run() -> None:
    """Send both to the real program, and print what they took of it."""
    with workspace() as space:
        data, port, operator_port = space / "data", free_port(), free_port()
        log = space / "server.log"
        ready = lambda: is_ready(operator_port, data)  # noqa: E731
        with running(program(data, port, operator_port), port, log=log, ready=ready) as server:
            asyncio.run(_measure(server, 1, ALONE_BYTES))
            asyncio.run(_measure(server, CONNECTIONS, EACH_BYTES))


async def _measure(server: Server, connections: int, bytes_each: int) -> None:
    memory, cpu, began = server.rss_mib(), server.cpu_seconds(), time.monotonic()
    most = memory
    sending = asyncio.gather(*(_flood(server.port, bytes_each) for _ in range(connections)))
    while not sending.done():
        most = max(most, server.rss_mib())
        await asyncio.sleep(SAMPLE_SECONDS)
    sent = await sending
    print(
        f"{connections} x {bytes_each / 1e6:.0f} MB of trailer: {sum(sent) / 1e6:.1f} MB sent,"
        f" {server.cpu_seconds() - cpu:.2f} s of CPU, {most - memory:.0f} MiB more memory,"
        f" {time.monotonic() - began:.1f} s"
    )


async def _flood(port: int, bytes_max: int) -> int:
    """Send a trailer until it is refused, and nothing more is taken; how many bytes went out."""
    sent = 0
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(SECONDS_MAX):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(_START)
            try:
                while sent < bytes_max and not reader.at_eof():
                    writer.write(PIECE)
                    await writer.drain()
                    sent += len(PIECE)
                writer.write(b"\r\n\r\n")
                await reader.read()
            finally:
                writer.close()
    return sent


if __name__ == "__main__":
    run()
