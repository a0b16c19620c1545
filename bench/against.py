"""`python -m bench.against CHECKOUT`: this checkout beside another, or a revision, by CPU an answer.

Both serve their demo at once and are loaded in turns, a second each, so that what else the machine does falls
on both alike. What is compared is each pair's ratio; single figures of one such run say little.
"""

import argparse
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import httpx
import msgspec

from bench._checkouts import Demo, checkout, demo
from bench._load import finish_load, require_wrk, start_calls
from bench._machine import PROJECT, Server, stand_aside
from bench._report import print_table
from bench._world import workspace

ROUNDS: Final = 40
ROUNDS_MIN: Final = 2
SECONDS: Final = 1
CONNECTIONS: Final = 16


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


def main(arguments: list[str] | None = None) -> None:
    """Print the ratio of this checkout to the one that is given."""
    asked = _parser().parse_args(arguments)
    require_wrk()
    stand_aside()
    with workspace() as space, ExitStack() as stack:
        sides = [
            _side(stack.enter_context(demo(directory, space / name)))
            for name, directory in (("other", checkout(asked.checkout, space)), ("this", PROJECT))
        ]
        known = sides[0].requests
        if unknown := set(asked.requests) - set(known):
            sys.exit(f"no such request: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
        rows = [_compare(name, sides, space, asked.rounds) for name in asked.requests or known]
    print_table(
        "CPU an answer, this checkout by the other",
        ["", "other µs", "this µs", "ratio", "lower quartile", "upper quartile", "pairs"],
        rows,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.against", description="CPU an answer, beside another checkout"
    )
    parser.add_argument("checkout", metavar="CHECKOUT", help="the path of another checkout, or a revision")
    parser.add_argument(
        "--rounds",
        type=_rounds,
        default=ROUNDS,
        help="pairs of each request, two seconds each (default: %(default)s)",
    )
    parser.add_argument(
        "--request",
        dest="requests",
        metavar="NAME",
        action="append",
        default=[],
        help='only this request, such as "record.get"; may be given again (default: all)',
    )
    return parser


def _rounds(text: str) -> int:
    rounds = int(text)
    if rounds < ROUNDS_MIN:
        raise argparse.ArgumentTypeError(f"at least {ROUNDS_MIN}: quartiles need them")
    return rounds


def _side(running: Demo) -> Side:
    return Side(running.server, _requests(running.server.port, running.facts))


def _requests(port: int, facts: Mapping[str, Any]) -> dict[str, Request]:
    key: str = facts["apiKey"]
    found = httpx.post(
        f"http://127.0.0.1:{port}/api/v1/tools/record.list",
        json={"objectType": "contact", "limit": 1},
        headers={"authorization": f"Bearer {key}"},
    ).json()["records"][0]
    get = {"objectType": "contact", "id": found["id"]}
    called = {"name": "tool_call", "arguments": {"name": "record_get", "arguments": get}}
    tools, completions = "/api/v1/tools/", "/api/ai/v1/chat/completions"
    question = "Which of these lamps suits a harbour, and which one a kitchen of four square metres?"
    asked = {"model": "demo-echo", "messages": [{"role": "user", "content": question}], "max_tokens": 100}
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
        "a gateway call": Request(completions, asked, facts["gatewayKey"]),
        "a gateway stream": Request(completions, asked | {"stream": True}, facts["gatewayKey"]),
        "a form, refused": Request(
            "/api/f/s", {"f": facts["formKey"], "v": {"email": "anna@mail.example"}}, refused=True
        ),
        "an embed, fresh": Request(f"/api/e/{facts['embedKey']}", None, method="GET"),
    }


def _compare(name: str, sides: list[Side], space: Path, rounds: int) -> tuple[str | float, ...]:
    taken: list[tuple[float, float]] = []
    for turn in range(rounds):
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
    main()
