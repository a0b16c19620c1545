"""Bridges that wait, and people who write: `python -m bench._bridges FACTS SECONDS RATE` prints it all.

FACTS is a JSON file: the port, the API key to write with, and for each connection its channel key and its
conversations. Every bridge keeps one pull waiting; so many replies a second are written, each to another
conversation.
"""

import sys
import time
from itertools import count
from pathlib import Path
from typing import Final

import msgspec
import trio

WRITERS: Final = 32
WAIT_SECONDS: Final = 20
RAMP_SECONDS: Final = 3.0


class Line(msgspec.Struct, frozen=True):
    """One connection: its bridge's key, and the ids of conversations to write to."""

    key: str
    conversations: list[str]


class Facts(msgspec.Struct, frozen=True):
    """What there is to talk to."""

    port: int
    api_key: str
    lines: list[Line]


class Seen(msgspec.Struct):
    """When what happened, in seconds of one clock, by the reply's text."""

    asked: dict[str, float] = {}
    answered: dict[str, float] = {}
    received: dict[str, float] = {}
    pulling: int = 0
    """Bridges that were waiting when the first reply was written."""


class Peer:
    """One connection to the service, kept for all its requests."""

    def __init__(self, stream: trio.SocketStream, key: str) -> None:
        self._stream = stream
        self._key = key
        self._rest = b""

    async def ask(self, path: str, body: bytes, key: str | None = None) -> bytes:
        """The body of the answer, which must be 200."""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {key or self._key}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        await self._stream.send_all(head.encode() + body)
        data = self._rest
        while True:
            top, found, answer = data.partition(b"\r\n\r\n")
            if found:
                length = int(top.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                if len(answer) >= length:
                    break
            data += bytes(await self._stream.receive_some(65_536))
        if not top.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{path}: {data!r}")
        self._rest = answer[length:]
        return answer[:length]


async def pull(facts: Facts, line: Line, seen: Seen) -> None:
    """Keep a pull waiting, and note what comes."""
    peer = Peer(await trio.open_tcp_stream("127.0.0.1", facts.port), line.key)
    body = msgspec.json.encode({"waitSeconds": WAIT_SECONDS})
    seen.pulling += 1
    while True:
        answer = await peer.ask("/api/channels/v1/channel.outbox.pull", body)
        now = time.monotonic()
        for reply in msgspec.json.decode(answer)["replies"]:
            seen.received[reply["text"]] = now


async def pull_each(port: int, lines: list[Line]) -> None:
    """One pull with every key."""

    async def some(share: list[Line]) -> None:
        peer = Peer(await trio.open_tcp_stream("127.0.0.1", port), "")
        for line in share:
            await peer.ask("/api/channels/v1/channel.outbox.pull", b"{}", line.key)

    async with trio.open_nursery() as nursery:
        for place in range(WRITERS):
            nursery.start_soon(some, lines[place::WRITERS])


async def write(facts: Facts, seen: Seen, numbers: "count[int]", rate: float, until: float) -> None:
    """Write replies, one after the other, at this writer's share of the rate."""
    peer = Peer(await trio.open_tcp_stream("127.0.0.1", facts.port), facts.api_key)
    due = time.monotonic()
    while due < until:
        await trio.sleep(max(0.0, due - time.monotonic()))
        number = next(numbers)
        line = facts.lines[number % len(facts.lines)]
        conversation = line.conversations[number // len(facts.lines) % len(line.conversations)]
        text = f"r-{number}"
        seen.asked[text] = time.monotonic()
        body = msgspec.json.encode({"conversationId": conversation, "text": text})
        await peer.ask("/api/v1/tools/message.reply", body)
        seen.answered[text] = time.monotonic()
        due += WRITERS / rate


async def main(facts: Facts, seconds: float, rate: float) -> Seen:
    """Let the bridges wait, then write for so many seconds, and see what arrives."""
    seen = Seen()
    async with trio.open_nursery() as bridges:
        for line in facts.lines:
            bridges.start_soon(pull, facts, line, seen)
        await trio.sleep(RAMP_SECONDS)
        numbers, until = count(), time.monotonic() + seconds
        async with trio.open_nursery() as writers:
            for place in range(WRITERS):
                writers.start_soon(write, facts, seen, numbers, rate, until)
                await trio.sleep(1 / rate if place < WRITERS else 0)
        await trio.sleep(1)
        bridges.cancel_scope.cancel()
    return seen


if __name__ == "__main__":
    told = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Facts)
    print(msgspec.json.encode(trio.run(main, told, float(sys.argv[2]), float(sys.argv[3]))).decode())
