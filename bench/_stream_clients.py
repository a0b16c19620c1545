"""Clients of slow streams: `python -m bench._stream_clients URL KEY STREAMS PARTS PAUSE_MS`.

All streams begin within the first seconds. How long each part was on its way is told by the part, which has
the time at which the provider wrote it.
"""

import re
import sys
import time
from statistics import quantiles
from typing import Final
from urllib.parse import urlsplit

import msgspec
import trio

RAMP_SECONDS: Final = 5.0
_WRITTEN_AT: Final = re.compile(rb'"content":"(\d+) "')
_DONE: Final = b"data: [DONE]"


class Streamed(msgspec.Struct, kw_only=True):
    """What was seen of all streams."""

    complete: int = 0
    """Streams that came to their end."""
    parts: int = 0
    p50_ms: float = 0
    p99_ms: float = 0
    max_ms: float = 0


async def stream(url: str, key: str, body: bytes, took_ms: list[float], seen: Streamed) -> None:
    """Read one stream to its end, and note how long each part took once all have begun."""
    parts = urlsplit(url)
    client = await trio.open_tcp_stream(parts.hostname or "", parts.port or 80)
    head = (
        f"POST {parts.path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {key}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    async with client:
        await client.send_all(head.encode() + body)
        while data := await client.receive_some(65_536):
            now = time.monotonic_ns()
            took_ms += [(now - int(at)) / 1e6 for at in _WRITTEN_AT.findall(data)]
            if _DONE in data:
                seen.complete += 1
                return


async def main(url: str, key: str, streams: int, parts: int, pause_ms: int) -> Streamed:
    """Read so many streams at once, each of so many parts."""
    body = msgspec.json.encode(
        {
            "model": "small",
            "stream": True,
            "max_tokens": 500,
            "messages": [{"role": "user", "content": f"At a pace {parts}x{pause_ms}, please."}],
        }
    )
    took_ms: list[float] = []
    seen = Streamed()
    async with trio.open_nursery() as nursery:
        for _ in range(streams):
            nursery.start_soon(stream, url, key, body, took_ms, seen)
            await trio.sleep(RAMP_SECONDS / streams)
        took_ms.clear()
    seen.parts, seen.max_ms = len(took_ms), max(took_ms)
    cuts = quantiles(took_ms, n=100)
    seen.p50_ms, seen.p99_ms = cuts[49], cuts[98]
    return seen


if __name__ == "__main__":
    url, key, *numbers = sys.argv[1:]
    streams, parts, pause_ms = map(int, numbers)
    print(msgspec.json.encode(trio.run(main, url, key, streams, parts, pause_ms)).decode())
