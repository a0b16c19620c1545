"""`python -m bench.against CHECKOUT`: this checkout beside another, by CPU an answer.

Both serve their demo at once and are loaded in turns, a second each, so that what else the machine does falls
on both alike. What is compared is each pair's ratio; single figures of one such run say little.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import httpx
import msgspec

from bench._load import finish_load, require_wrk, start_calls
from bench._machine import PROJECT, Server, free_port, is_ready, server_prefix, stand_aside
from bench._report import print_table
from bench._world import workspace

ROUNDS: Final = 40
SECONDS: Final = 1
CONNECTIONS: Final = 16
CALLS_PER_MINUTE: Final = 100_000
"""The largest budget that the configuration takes. A burst that exceeds it counts for neither."""
POLL_SECONDS: Final = 0.05


class Request(msgspec.Struct, frozen=True):
    """A request that is sent again and again. Where *refused* it is answered 429 nearly always."""

    path: str
    body: Any
    """A tuple's are sent in turn."""
    key: str = ""
    method: str = "POST"
    refused: bool = False


class Side(msgspec.Struct, frozen=True):
    """A checkout's server and the requests to it, by name."""

    server: Server
    requests: dict[str, Request]


def main(asked: list[str]) -> None:
    """Print the ratio of this checkout to the one at the path that is given."""
    if len(asked) != 1 or not (Path(asked[0]) / "svc").is_dir():
        sys.exit("usage: python -m bench.against CHECKOUT")
    require_wrk()
    stand_aside()
    with workspace() as space, ExitStack() as stack:
        sides = [
            stack.enter_context(_demo(checkout, space / name))
            for name, checkout in (("other", Path(asked[0]).resolve()), ("this", PROJECT))
        ]
        rows = [_compare(name, sides, space) for name in sides[0].requests]
    print_table(
        "CPU an answer, this checkout by the other",
        ["", "other µs", "this µs", "ratio", "lower quartile", "upper quartile", "pairs"],
        rows,
    )


@contextmanager
def _demo(checkout: Path, space: Path) -> Iterator[Side]:
    """The demo of *checkout*, in the environment of this one."""
    space.mkdir()
    port, operator_port, data = free_port(), free_port(), space / "data"
    binds = [f"--bind=127.0.0.1:{port}", f"--operator-bind=127.0.0.1:{operator_port}"]
    command = [sys.executable, "-m", "svc", "run", "--demo", f"--data={data}", *binds]
    environment = {"PYTHONPATH": str(checkout), "SVC_TOOLS__CALLS_PER_MINUTE": str(CALLS_PER_MINUTE)}
    with (space / "log").open("wb") as log:
        process = subprocess.Popen(
            [*server_prefix(), *command], cwd=space, env=os.environ | environment, stdout=log, stderr=log
        )
    server = Server(process, port)
    try:
        while not ((data / "demo.json").exists() and is_ready(operator_port, data)):
            if process.poll() is not None:
                sys.exit(f"the server of {checkout} did not start:\n{(space / 'log').read_text()}")
            time.sleep(POLL_SECONDS)
        yield Side(server, _requests(port, json.loads((data / "demo.json").read_text())))
    finally:
        server.stop()


def _requests(port: int, facts: Mapping[str, Any]) -> dict[str, Request]:
    key: str = facts["apiKey"]
    found = httpx.post(
        f"http://127.0.0.1:{port}/api/v1/tools/record.list",
        json={"objectType": "contact", "limit": 1},
        headers={"authorization": f"Bearer {key}"},
    ).json()["records"][0]
    get = {"objectType": "contact", "id": found["id"]}
    called = {"name": "tool_call", "arguments": {"name": "record_get", "arguments": get}}
    tools = "/api/v1/tools/"
    return {
        "record.get": Request(f"{tools}record.get", get, key),
        "record.list": Request(f"{tools}record.list", {"objectType": "contact", "limit": 50}, key),
        "record.create": Request(
            f"{tools}record.create",
            {"objectType": "contact", "properties": {"name": "Anna Petrova", "city": "Kiel"}},
            key,
        ),
        "record.update": Request(
            f"{tools}record.update",
            tuple(get | {"properties": {"city": city}} for city in ("Kiel", "Mainz")),
            key,
        ),
        "record.get over MCP": Request(
            "/api/v1/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}, key
        ),
        "a form, refused": Request(
            "/api/f/s", {"f": facts["formKey"], "v": {"email": "anna@mail.example"}}, refused=True
        ),
        "an embed, fresh": Request(f"/api/e/{facts['embedKey']}", None, method="GET"),
    }


def _compare(name: str, sides: list[Side], space: Path) -> tuple[str | float, ...]:
    taken: list[tuple[float, float]] = []
    for turn in range(ROUNDS):
        cost: dict[int, float | None] = {}
        for at in (0, 1) if turn % 2 else (1, 0):  # neither is always the first
            cost[at] = _cost(sides[at], name, space / "bodies")
        if cost[0] is not None and cost[1] is not None:
            taken.append((cost[0], cost[1]))
    ratios = [this / other for other, this in taken]
    lower, _, upper = quantiles(ratios, n=4)
    other, this = (median(side) for side in zip(*taken, strict=True))
    return (name, other, this, median(ratios), lower, upper, len(taken))


def _cost(side: Side, name: str, bodies: Path) -> float | None:
    """µs of CPU an answer; None where answers were not those that are meant."""
    request = side.requests[name]
    each = request.body if isinstance(request.body, tuple) else (request.body,)
    bodies.write_bytes(b"".join(msgspec.json.encode(body) + b"\n" for body in each))
    url = f"http://127.0.0.1:{side.server.port}{request.path}"
    begun = side.server.cpu_seconds()
    wrk = start_calls(
        url, bodies, [request.key], seconds=SECONDS, connections=CONNECTIONS, method=request.method
    )
    load = finish_load(wrk)
    meant = load.limited if request.refused else load.ok
    if not meant or load.requests - meant > load.requests / 100:
        return None
    return (side.server.cpu_seconds() - begun) / load.requests * 1e6


if __name__ == "__main__":
    main(sys.argv[1:])
