"""The screens: the shell, 300 open streams of live events beside other doors, and what a browser shows."""

import http.client
import time
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import msgspec
import trio

from bench import _neighbours, _screens_in_browser
from bench._client import Client
from bench._machine import Server, free_port, is_ready, program, running, stand_aside
from bench._neighbours import Felt, World
from bench._report import Target, print_table, print_targets, save
from bench._screens_in_browser import Seen
from bench._streams import Streams, open_streams
from bench._world import DATABASE, workspace
from svc.clock import WallClock
from svc.domain.crypto.keys import SESSION, digest, new_key
from svc.domain.identity.callers import operator_call
from svc.domain.limits import SCREEN_STREAMS_MAX
from svc.domain.randomness import SYSTEM
from svc.storage.identity import accounts, members, organizations, sessions
from svc.storage.identity.accounts import NewAccount
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

STREAMS: Final = 300
CONNECTIONS_MAX: Final = 2_000
"""So that one organization may have 300 streams: half of a third."""
BUDGET: Final = 100_000
SHELLS: Final = 300
CHANGES: Final = 20
CHANGE_SECONDS: Final = 1.2
"""Between two changes: longer than a change may take to be seen."""
ROUNDS: Final = 4
PHASE_SECONDS: Final = 8.0
SETTLE_SECONDS: Final = 3

SHELL_MS_MAX: Final = 10
STREAMS_MIB_MAX: Final = 20
SEEN_SECONDS_MAX: Final = 1
TIMES_MAX: Final = 1.5


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    shell_ms: list[float]
    shell_cpu_ms: float
    """CPU of the server for one shell."""
    bytes_of_shell: int
    before_mib: float
    open_mib: float
    seen_seconds: list[float]
    """Of each change: until the last stream had heard of it."""
    seen_first_seconds: list[float]
    calm: list[list[Felt]]
    beside: list[list[Felt]]
    hints: int
    stream_cpu_share: float
    """Of a core, what the streams cost while nothing changes."""

    def p99(self, rounds: list[list[Felt]], what: str) -> float:
        """The median of the rounds."""
        return median(felt.p99_ms for phase in rounds for felt in phase if felt.what == what)


def main() -> None:
    """Measure, print, and say which targets hold."""
    _screens_in_browser.require_chromium()
    stand_aside()
    with workspace() as space:
        found = _measure(space)
        seen = _screens_in_browser.measure(space)
    _show(found, seen)


def _measure(space: Path) -> Found:
    world = _neighbours.make(space / "screens")
    organization_id, tokens = _sign_in(world, STREAMS // SCREEN_STREAMS_MAX)
    port, operator_port = free_port(), free_port()
    command = [
        "env",
        f"SVC_TOOLS__CALLS_PER_MINUTE={BUDGET}",
        f"SVC_SERVER__CONNECTIONS_MAX={CONNECTIONS_MAX}",
        *program(world.data, port, operator_port),
    ]
    log = world.data.with_suffix(".log")
    with running(command, port, log=log, ready=lambda: is_ready(operator_port, world.data)) as server:
        _neighbours.probe(server, world, seconds=2)
        shell_ms, shell_cpu_ms, size = _shells(server, tokens[0])
        calm, beside, hints = [], [], 0
        time.sleep(SETTLE_SECONDS)
        before = server.rss_mib()
        with open_streams(port, tokens, STREAMS, organization_id) as streams:
            time.sleep(SETTLE_SECONDS)
            opened = server.rss_mib()
            began, cpu = time.monotonic(), server.cpu_seconds()
            time.sleep(2 * SETTLE_SECONDS)
            idle_share = (server.cpu_seconds() - cpu) / (time.monotonic() - began)
            first, last = _changes(server, world, streams)
        for _ in range(ROUNDS):
            calm.append(_neighbours.probe(server, world, seconds=PHASE_SECONDS))
            with open_streams(port, tokens, STREAMS, organization_id) as streams:
                beside.append(_neighbours.probe(server, world, seconds=PHASE_SECONDS))
                hints += streams.hints
    return Found(
        shell_ms=shell_ms,
        shell_cpu_ms=shell_cpu_ms,
        bytes_of_shell=size,
        before_mib=before,
        open_mib=opened,
        seen_seconds=last,
        seen_first_seconds=first,
        calm=calm,
        beside=beside,
        hints=hints,
        stream_cpu_share=idle_share,
    )


def _sign_in(world: World, people: int) -> tuple[str, list[str]]:
    """The organization of the honest keys, and sessions of so many members of it."""

    async def make() -> tuple[str, list[str]]:
        async with inline_store(WallClock(), world.data / DATABASE, prepare=migrate_to_head) as store:
            return await store.write(_members, people)

    return trio.run(make)


def _members(tx: Tx, people: int) -> tuple[str, list[str]]:
    _, honest, *_ = organizations.list_all(tx.conn)
    tokens = []
    for number in range(people):
        new = NewAccount(email=f"m{number}@members.example", name="M", home_organization_id=honest.id)
        person = accounts.create(tx, new)
        members.add(tx, operator_call(honest.id), person.id, "admin")
        token = new_key(SESSION, SYSTEM)
        sessions.create(tx, person.id, digest(token), "bench")
        tokens.append(token)
    return honest.id, tokens


def _shells(server: Server, token: str) -> tuple[list[float], float, int]:
    """How long each shell took as its browser sees it, the server's CPU for one, and its size."""
    took, size = [], 0
    cpu = server.cpu_seconds()
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        for _ in range(SHELLS):
            began = time.perf_counter()
            connection.request("GET", "/app/forms", headers={"cookie": f"svc_session={token}"})
            answer = connection.getresponse()
            size = len(answer.read())
            took.append((time.perf_counter() - began) * 1e3)
            if answer.status != http.client.OK:
                raise SystemExit(f"the shell answered {answer.status}")
    return took, (server.cpu_seconds() - cpu) / SHELLS * 1e3, size


def _changes(server: Server, world: World, streams: Streams) -> tuple[list[float], list[float]]:
    """Seconds from before a call that writes until the first and the last stream had its hint."""
    first, last = [], []
    with Client(server.port, "content-type: application/json") as client:
        for number in range(CHANGES):
            key = world.honest_keys[number % len(world.honest_keys)]
            streams.look_for('"id":"rec_')
            began = time.perf_counter()
            status, _ = client.post(
                "/api/v1/tools/record.create", _neighbours.CREATE, f"authorization: Bearer {key}"
            )
            time.sleep(CHANGE_SECONDS)
            seen = streams.seen()
            if status != http.client.OK or len(seen) < STREAMS:
                raise SystemExit(f"{len(seen)} of {STREAMS} streams had heard of a change in time")
            first.append(min(seen) - began)
            last.append(max(seen) - began)
    return first, last


def _show(found: Found, seen: Seen) -> None:
    shell = quantiles(found.shell_ms, n=100)
    print_table(
        f"The shell, {found.bytes_of_shell:,} bytes, one at a time",
        ["", "p50 ms", "p99 ms", "CPU ms"],
        [["GET /app/forms, signed in", median(found.shell_ms), shell[98], found.shell_cpu_ms]],
    )
    print_table(
        f"{STREAMS} open streams of one organization",
        ["MiB before", "MiB with them", "CPU, idle", "first hears s", "last hears s", "worst s"],
        [
            [
                f"{found.before_mib:.1f}",
                found.open_mib,
                f"{found.stream_cpu_share:.1%}",
                median(found.seen_first_seconds),
                median(found.seen_seconds),
                max(found.seen_seconds),
            ]
        ],
    )
    rows: list[list[str | float]] = []
    taken = found.open_mib - found.before_mib
    targets = [
        Target(name="shell, median", figure=median(found.shell_ms), bound=SHELL_MS_MAX, unit="ms"),
        Target(name=f"{STREAMS} streams", figure=taken, bound=STREAMS_MIB_MAX, unit="MiB"),
        Target(name="a change is seen", figure=max(found.seen_seconds), bound=SEEN_SECONDS_MAX, unit="s"),
    ]
    for what in sorted({felt.what for felt in found.calm[0]}):
        calm, beside = found.p99(found.calm, what), found.p99(found.beside, what)
        rows.append([what, calm, beside, beside / calm])
        targets.append(Target(name=f"p99 of {what}", figure=beside / calm, bound=TIMES_MAX, unit="times"))
    print_table(
        f"Other doors under changes, beside {STREAMS} streams that hear of them ({found.hints:,} hints)",
        ["", "p99 without ms", "p99 beside ms", "times"],
        rows,
    )
    targets += _screens_in_browser.show(seen)
    print_targets(targets)
    save("screens", {"server": found, "browser": seen}, targets)
