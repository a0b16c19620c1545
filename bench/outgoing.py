"""What a POST of 1 KB to another server costs, beside httpx and beside the same bytes on a bare stream.

The ways take turns within each round, in one process; the receiver is another one, on another core. A figure
is the median of the rounds, in microseconds of this process' CPU.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from ipaddress import ip_network
from statistics import median
from typing import Final

import httpx
import trio

from bench._machine import PROJECT, START_SECONDS_MAX, free_port, load_prefix
from bench._report import Target, print_table, print_targets, save
from bench.peers import httpx_outbound
from svc.actors.outbound.client import OutboundHttp
from svc.actors.outbound.exchange import encode_post
from svc.actors.outbound.target import parse_target

BODY: Final = b"{" + b"x" * 1_022 + b"}"
HEADERS: Final = {
    "X-Service-Delivery": "dlv_01J8ZQ2T3V4W5X6Y7Z8A9B0C1D",
    "X-Service-Timestamp": "1789689600",
    "X-Service-Signature": "v1," + "a" * 44,
    "webhook-id": "dlv_01J8ZQ2T3V4W5X6Y7Z8A9B0C1D",
    "webhook-timestamp": "1789689600",
    "webhook-signature": "v1," + "a" * 44,
    "Content-Type": "application/json",
    "X-Service-Event": "message.outbound",
    "X-Service-Contract": "2026-09",
}
"""What a push has."""
ROUNDS: Final = 15
POSTS: Final = 400
"""Of one way in one round."""
AT_ONCE: Final = 20
SHARE_MAX: Final = 1 / 6

OURS: Final = "svc"
BEFORE: Final = "svc over httpx, as it was"
HTTPX: Final = "httpx"
STREAM: Final = "the same bytes, bare stream"

Way = Callable[[], Awaitable[None]]


async def time_all(url: str) -> dict[str, dict[str, float]]:
    """Microseconds of CPU a POST of each way, one after the other and `AT_ONCE` at a time."""
    allowed = [ip_network("127.0.0.1/32")]
    ours, before = OutboundHttp(allowed), httpx_outbound.OutboundHttp(allowed)
    target = parse_target(url)
    request = encode_post(target, HEADERS, BODY)
    streams = [await trio.open_tcp_stream("127.0.0.1", target.port) for _ in range(AT_ONCE)]
    async with ours.live(), httpx.AsyncClient() as plain:
        ways: dict[str, Way] = {
            OURS: partial(_post, ours, url),
            BEFORE: partial(_post, before, url),
            HTTPX: partial(_post_httpx, plain, url),
            STREAM: partial(_post_bare, streams, request),
        }
        one_by_one = await _time(ways, 1)
        at_once = await _time(ways, AT_ONCE)
    await before.aclose()
    return {name: {"one by one": one_by_one[name], f"{AT_ONCE} at once": at_once[name]} for name in ways}


async def _time(ways: dict[str, Way], at_once: int) -> dict[str, float]:
    took: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(ROUNDS + 1):
        for name, way in ways.items():
            began = time.process_time()
            async with trio.open_nursery() as nursery:
                for _ in range(at_once):
                    nursery.start_soon(_repeat, way, POSTS // at_once)
            if number:  # the first round opens the connections
                took[name].append((time.process_time() - began) / POSTS * 1e6)
    return {name: median(rounds) for name, rounds in took.items()}


async def _repeat(way: Way, times: int) -> None:
    for _ in range(times):
        await way()


async def _post(client: OutboundHttp | httpx_outbound.OutboundHttp, url: str) -> None:
    result = await client.post(url, BODY, HEADERS, owner="org_1", seconds=10, now=0)
    assert result.status == httpx.codes.OK


async def _post_httpx(client: httpx.AsyncClient, url: str) -> None:
    answer = await client.post(url, content=BODY, headers=HEADERS)
    assert answer.status_code == httpx.codes.OK


async def _post_bare(streams: list[trio.SocketStream], request: bytes) -> None:
    stream = streams.pop()
    await stream.send_all(request)
    assert (await stream.receive_some(65_536)).endswith(b"ok")
    streams.append(stream)


def _wait_listening(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS_MAX
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def main() -> None:
    """Time the ways, and print them beside each other."""
    port = free_port()
    receiver = subprocess.Popen(
        [*load_prefix(), sys.executable, "-m", "bench.peers.raw_receiver", str(port)], cwd=PROJECT
    )
    try:
        _wait_listening(port)
        figures = trio.run(time_all, f"http://127.0.0.1:{port}/hook")
    finally:
        receiver.kill()
        receiver.wait()
    print_table(
        "A POST of 1 KB, µs of CPU",
        ["", *figures[OURS]],
        [[name, *figure.values()] for name, figure in figures.items()],
    )
    targets = [
        Target(
            name=f"svc beside svc over httpx, {how}",
            figure=figure / figures[BEFORE][how],
            bound=SHARE_MAX,
        )
        for how, figure in figures[OURS].items()
    ]
    print_targets(targets)
    save("outgoing", figures, targets)


if __name__ == "__main__":
    main()
