"""500 slow streams for a minute: memory, how long each part is on its way, and what other doors feel.

The service is on one core; the provider, the clients and those who ask at other doors are on the others. The
clients also read as many streams from the provider itself, which tells what of the time is theirs.
"""

import subprocess
import sys
import time
from typing import Final

import msgspec

from bench._gateway_contenders import OUR_PATH, THEIR_PATH, provider
from bench._machine import PROJECT, Server, free_port, load_prefix, stand_aside
from bench._report import Target, print_table, print_targets, save
from bench._stream_clients import Streamed
from bench._stream_doors import Bridge, Doors, Felt
from bench._stream_world import make, serving
from bench._world import workspace

STREAMS: Final = 500
PAUSE_MS: Final = 500
PARTS: Final = 130
"""So that each takes over a minute."""
BARE_PARTS: Final = 40
CALM_SECONDS: Final = 20
EARLY_SECONDS: Final = 10
LATE_SECONDS: Final = 60

GROWTH_MIB_MAX: Final = 5
PART_P99_MS_MAX: Final = 10
TIMES_MAX: Final = 3


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    idle_mib: float
    early_mib: float
    """Ten seconds after the first stream began."""
    late_mib: float
    """After sixty."""
    bare: Streamed
    """From the provider itself."""
    streamed: Streamed
    calm: list[Felt]
    meanwhile: list[Felt]
    cpu_share: float
    """Of one core, what the service took between the two."""
    waited_share: float
    """Of the time between the two, for how much it was ready to run and others had its core."""


def main() -> None:
    """Measure, print, and say which targets hold."""
    stand_aside()
    bridge = Bridge(free_port())
    with workspace() as space, provider(space) as upstream, bridge.serving():
        bare = _read(_clients(upstream, THEIR_PATH, "none", BARE_PARTS))
        world = make(space / "data", bridge.url)
        with serving(space, world, upstream.port) as server:
            doors = Doors(server.port, world, bridge)
            doors.probe(1)  # warm
            calm = doors.probe(CALM_SECONDS)
            found = _stream(server, world.gateway_key, doors, bare, calm)
    _show(found)


def _stream(server: Server, key: str, doors: Doors, bare: Streamed, calm: list[Felt]) -> Found:
    idle_mib = server.rss_mib()
    began = time.monotonic()
    clients = _clients(server, OUR_PATH, key, PARTS)
    time.sleep(EARLY_SECONDS)
    early_mib, early_cpu, early_waited = server.rss_mib(), server.cpu_seconds(), server.waited_seconds()
    meanwhile = doors.probe(LATE_SECONDS - EARLY_SECONDS)
    late_mib, late_cpu, late_waited = server.rss_mib(), server.cpu_seconds(), server.waited_seconds()
    took = time.monotonic() - began - EARLY_SECONDS
    streamed = _read(clients)
    if streamed.complete < STREAMS:
        raise SystemExit(f"{streamed.complete} of {STREAMS} streams came to their end")
    return Found(
        idle_mib=idle_mib,
        early_mib=early_mib,
        late_mib=late_mib,
        bare=bare,
        streamed=streamed,
        calm=calm,
        meanwhile=meanwhile,
        cpu_share=(late_cpu - early_cpu) / took,
        waited_share=(late_waited - early_waited) / took,
    )


def _clients(server: Server, path: str, key: str, parts: int) -> "subprocess.Popen[bytes]":
    url = f"http://127.0.0.1:{server.port}{path}"
    command = [
        sys.executable,
        "-m",
        "bench._stream_clients",
        url,
        key,
        str(STREAMS),
        str(parts),
        str(PAUSE_MS),
    ]
    return subprocess.Popen([*load_prefix(), *command], cwd=PROJECT, stdout=subprocess.PIPE)


def _read(clients: "subprocess.Popen[bytes]") -> Streamed:
    said, _ = clients.communicate()
    if clients.returncode:
        raise SystemExit("the clients of the streams failed")
    return msgspec.json.decode(said, type=Streamed)


def _show(found: Found) -> None:
    print_table(
        f"{STREAMS} streams, a part each {PAUSE_MS} ms",
        ["", "parts", "p50 ms", "p99 ms", "slowest ms"],
        [
            [name, one.parts, one.p50_ms, one.p99_ms, one.max_ms]
            for name, one in (
                ("through the gateway", found.streamed),
                ("from the provider itself", found.bare),
            )
        ],
    )
    print_table(
        "Memory, MiB",
        ["", "RSS"],
        [["before", found.idle_mib], ["at 10 s", found.early_mib], ["at 60 s", found.late_mib]],
    )
    pairs = list(zip(found.calm, found.meanwhile, strict=True))
    print_table(
        "Other doors, ms",
        ["", "calm p50", "p99", "meanwhile p50", "p99", "asked"],
        [[calm.what, calm.p50_ms, calm.p99_ms, busy.p50_ms, busy.p99_ms, busy.count] for calm, busy in pairs],
    )
    print(
        f"\nMeanwhile the service took {found.cpu_share:.0%} of its core, and waited for it"
        f" {found.waited_share:.0%} of the time."
    )
    targets = [
        Target(
            name="memory, from 10 s to 60 s",
            figure=found.late_mib - found.early_mib,
            bound=GROWTH_MIB_MAX,
            unit="MiB",
        ),
        Target(name="a part on its way, p99", figure=found.streamed.p99_ms, bound=PART_P99_MS_MAX, unit="ms"),
        *(
            Target(
                name=f"{calm.what}: p99, times the calm one",
                figure=busy.p99_ms / calm.p99_ms,
                bound=TIMES_MAX,
            )
            for calm, busy in pairs
        ),
    ]
    print_targets(targets)
    save("gateway_streams", found, targets)


if __name__ == "__main__":
    main()
