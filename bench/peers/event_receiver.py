"""A receiver of webhooks: `python -m bench.peers.event_receiver PORT…`.

At each port, `/take/NAME` answers 200, `/slow/NAME` does after two seconds, and `/hang/NAME` never does.
`GET /report` at any of them answers what came, by name, and forgets it. `/count/NUMBER` answers 200 and
counts: `GET /counts` tells how many deliveries came, and how many of them again.
"""

import asyncio
import hashlib
import json
import sys
import time
from collections import Counter, defaultdict
from contextlib import suppress
from datetime import datetime
from typing import Any

SLOW_SECONDS = 2

never = asyncio.Event()
"""What hanging requests wait for. One for all, since asyncio forgets a task that nothing refers to."""

got: dict[str, list[Any]] = defaultdict(list)
"""By name: delivery id, digest of the body, subject, number, and ms since it happened."""

counted: Counter[str] = Counter()
"""`deliveries`, and `again`: those of a record's event that had come to the same number before."""
numbers_of: dict[str, int] = defaultdict(int)
"""By record, the numbers to which its event came, as bits."""


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.IncompleteReadError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ", 2)[1]
            if path == "/report":
                answer(writer, json.dumps(got).encode())
                got.clear()
                continue
            if path == "/counts":
                answer(
                    writer,
                    json.dumps(
                        {**counted, "records": Counter(map(int.bit_count, numbers_of.values()))}
                    ).encode(),
                )
                continue
            headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:-2])
            length = headers.get("Content-Length") or headers["content-length"]
            body = await reader.readexactly(int(length))
            await take(path, headers["webhook-id"], body)
            answer(writer, b"ok")
    writer.close()


async def take(path: str, delivery_id: str, body: bytes) -> None:
    _, how, name = path.split("/")
    event = json.loads(body)
    if how == "count":
        count(event["data"]["recordId"], 1 << int(name))
        return
    late_ms = time.time() * 1e3 - datetime.fromisoformat(event["timestamp"]).timestamp() * 1e3
    digest = hashlib.sha256(body).hexdigest()
    got[name].append([delivery_id, digest, event["data"]["recordId"], event["data"]["number"], late_ms])
    if how == "slow":
        await asyncio.sleep(SLOW_SECONDS)
    elif how == "hang":
        await never.wait()


def count(record_id: str, bit: int) -> None:
    counted["deliveries"] += 1
    counted["again"] += bool(numbers_of[record_id] & bit)
    numbers_of[record_id] |= bit


def answer(writer: asyncio.StreamWriter, body: bytes) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))


async def main(ports: list[int]) -> None:
    servers = [await asyncio.start_server(serve, "127.0.0.1", port, backlog=1_000) for port in ports]
    await asyncio.gather(*(server.serve_forever() for server in servers))


if __name__ == "__main__":
    asyncio.run(main([int(port) for port in sys.argv[1:]]))
