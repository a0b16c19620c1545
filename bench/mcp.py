"""The MCP door: calls and lists a second beside FastMCP's stateless server, and how well tools are found."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from statistics import median
from typing import Any, Final

import msgspec
import trio

from bench import _owners as owners
from bench._load import Load, finish_load, require_wrk
from bench._machine import PROJECT, Server, free_port, load_prefix, running
from bench._report import Target, print_table, print_targets, save
from bench._tools import TOOLS, eighty
from bench._world import DATABASE, copy_of, workspace
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.identity.limits import LIVE_KEYS_MAX
from svc.domain.limits import TOOLS_FOUND
from svc.http.mcp.door import FULL_PATH
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import records
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx
from svc.tools.catalogue import REGISTRY

ORGANIZATIONS: Final = 20
ROUNDS: Final = 3
SECONDS: Final = 5
WARM_UP_SECONDS: Final = 2
CONNECTIONS: Final = 16
SCRIPT: Final = Path(__file__).with_name("mcp.lua")
SENTENCES: Final = PROJECT / "tests" / "mcp" / "sentences.toml"
UNSEEN: Final = SENTENCES.with_name("unseen.toml")

OURS: Final = "svc"
PEER: Final = "FastMCP, stateless"
CALLS: Final = "tools/call"
LISTS: Final = f"tools/list, {TOOLS} tools"
CALLS_TIMES_MIN: Final = 1.5
LISTS_TIMES_MIN: Final = 5.0
RECALL_MIN: Final = 0.95


class Key(msgspec.Struct, frozen=True):
    """A key, and a record that it may read."""

    key: str
    record_id: str


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one contender."""

    contender: str
    asked: str
    load: Load
    cpu_us: float
    """User and system time of the server for each answer."""


def make_keys(data: Path) -> list[Key]:
    """A data directory with organizations, each with as many keys as it may have."""
    directory = DataDirectory(data)
    directory.make()
    directory.open_key()

    async def make() -> list[Key]:
        async with inline_store(WallClock(), directory.database, prepare=migrate_to_head) as store:
            return [key for number in range(ORGANIZATIONS) for key in await store.write(_fill, number)]

    return trio.run(make)


def _fill(tx: Tx, number: int) -> list[Key]:
    organization = provisioning.create(tx, NewOrganization(name=f"Organization {number}", country="DE"))
    owner = owners.add(tx, organization.id)
    values = {"name": "Ada Lovelace", "email": f"ada@customers{number}.example", "city": "London"}
    record = records.create(tx, organization, "contact", values, source=owner.source())
    return [Key(key, record.id) for key in owners.mint(tx, owner, LIVE_KEYS_MAX)]


def write_requests(keys: list[Key], asked: str, to: Path) -> Path:
    """The requests that wrk sends."""
    lines: list[str] = []
    for key in keys:
        arguments = {"objectType": "contact", "id": key.record_id}
        params = {"name": "record_get", "arguments": arguments} if asked == CALLS else {}
        method = asked.partition(",")[0]
        lines += [key.key, msgspec.json.encode(_request(method, params)).decode()]
    to.write_text("\n".join(lines) + "\n")
    return to


def _request(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def load(server: Server, requests: Path, seconds: int) -> Load:
    """Ask the server for so long."""
    url = f"http://127.0.0.1:{server.port}{FULL_PATH}"
    limits = [f"--connections={CONNECTIONS}", f"--duration={seconds}s", "--timeout=10s", "--threads=1"]
    wrk = subprocess.Popen(
        [*load_prefix(), "wrk", *limits, f"--script={SCRIPT}", url],
        env=os.environ | {"BENCH_REQUESTS": str(requests)},
        stdout=subprocess.PIPE,
        text=True,
    )
    found = finish_load(wrk)
    if found.limited + found.other + found.broken or not found.ok:
        raise SystemExit(f"{requests.name}, not every answer was 200: {found}")
    return found


def run_rounds(keys: list[Key], data: Path, here: Path) -> list[Run]:
    """Both servers in turns, each with a copy of its own of the data, for lists and for calls."""
    files = {asked: write_requests(keys, asked, here / f"{asked[6:10]}.requests") for asked in (CALLS, LISTS)}
    runs: list[Run] = []
    for _ in range(ROUNDS):
        for contender in (OURS, PEER):
            own = copy_of(data, here / "own")
            port = free_port()
            with running(command(contender, own, port), port, log=here / "server.log") as server:
                for asked, requests in files.items():
                    load(server, requests, WARM_UP_SECONDS)
                    before = server.cpu_seconds()
                    found = load(server, requests, SECONDS)
                    cpu_us = (server.cpu_seconds() - before) / found.requests * 1e6
                    runs.append(Run(contender=contender, asked=asked, load=found, cpu_us=cpu_us))
    return runs


def command(contender: str, data: Path, port: int) -> list[str]:
    if contender == OURS:
        return [sys.executable, "-m", "bench._mcp_server", str(data.absolute()), str(port)]
    database = str((data / DATABASE).absolute())
    return [sys.executable, "-m", "bench.peers.fastmcp_stateless", database, str(port)]


class Recall(msgspec.Struct, frozen=True):
    """Of how many sentences the tool is among the first five."""

    found: int
    sentences: int

    @property
    def share(self) -> float:
        return self.found / self.sentences


def recall(file: Path) -> Recall:
    """How well the tools that there are are found by the sentences of a *file*."""
    asked = [
        (sentence, name)
        for tools in tomllib.loads(file.read_text("utf-8")).values()
        for name, sentences in tools.items()
        for sentence in sentences
        if name in REGISTRY
    ]
    return Recall(sum(name in REGISTRY.rank(sentence)[:TOOLS_FOUND] for sentence, name in asked), len(asked))


def main() -> None:
    """Run everything and print what was found."""
    require_wrk()
    if len(eighty()) != TOOLS:
        raise SystemExit(f"there are {len(eighty())} tools, not {TOOLS}")
    with workspace() as here:
        data = here / "data"
        runs = run_rounds(make_keys(data), data, here)
    rate = {
        (contender, asked): median(
            run.load.rate for run in runs if (run.contender, run.asked) == (contender, asked)
        )
        for contender in (OURS, PEER)
        for asked in (CALLS, LISTS)
    }
    _show(runs, rate)
    known, unseen = recall(SENTENCES), recall(UNSEEN)
    targets = [
        Target(
            name=f"{asked}, times those of {PEER}",
            figure=rate[OURS, asked] / rate[PEER, asked],
            bound=bound,
            at_least=True,
        )
        for asked, bound in ((CALLS, CALLS_TIMES_MIN), (LISTS, LISTS_TIMES_MIN))
    ]
    name = f"{known.sentences} sentences: tool among the first {TOOLS_FOUND}"
    targets.append(Target(name=name, figure=known.share, bound=RECALL_MIN, at_least=True))
    print_targets(targets)
    print(f"Of {unseen.sentences} that the ranking was not tuned for: {unseen.found}, {unseen.share:.2f}")
    save("mcp", {"runs": msgspec.to_builtins(runs), "known": known, "unseen": unseen}, targets)


def _show(runs: list[Run], rate: dict[tuple[str, str], float]) -> None:
    rows: list[list[str | float]] = []
    for (contender, asked), answers in rate.items():
        same = [run for run in runs if (run.contender, run.asked) == (contender, asked)]
        rows.append(
            [
                f"{contender}: {asked}",
                answers,
                median(run.load.p50_ms for run in same),
                median(run.load.p99_ms for run in same),
                median(run.cpu_us for run in same),
            ]
        )
    header = ["", "answers/s", "p50 ms", "p99 ms", "CPU µs each"]
    print_table(f"MCP, {CONNECTIONS} connections, medians of {ROUNDS} rounds", header, rows)


if __name__ == "__main__":
    main()
