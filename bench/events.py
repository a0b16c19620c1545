"""Events on their way to webhooks: what a delivery costs, how late it is beside dead receivers, and kills."""

import asyncio
import subprocess
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import httpx
import msgspec

from bench import _event_kills, _event_units
from bench._event_kills import Killed
from bench._event_life import Lived
from bench._event_receivers import life, make, receiver, report
from bench._machine import PROJECT, free_ports
from bench._report import Target, print_table, print_targets, save
from bench._world import workspace

SUBSCRIPTIONS: Final = 20
EVENTS_A_SECOND: Final = 20
SECONDS: Final = 20
DEAD_ELSEWHERE: Final = 300
DEAD_OF_EACH: Final = 100
"""Of one organization, which has no more."""
PORTS: Final = SUBSCRIPTIONS + 10
"""Of receivers: each subscription has an origin of its own, and those elsewhere share ten."""
HTTPX_ROUNDS: Final = 11

CPU_US_MAX: Final = 400
P99_MS_MAX: Final = 2_000
SLOWER_MAX: Final = 1.5
GROWTH_MIB_MAX: Final = 8
UNIT_SHARE_MAX: Final = 1.05


class Late(msgspec.Struct, frozen=True, kw_only=True):
    """Deliveries of a while, to the receivers that are well."""

    deliveries: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    cpu_us: float
    """Of the service, for each of them."""
    httpx_us: float
    """A POST of a bare httpx loop, beside it."""
    grown_mib: float
    """What the resident memory grew from a third of the time to its end."""
    waiting: int
    """Requests that waited for a place, at most."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    calm: Late
    beside_dead: Late
    killed: Killed
    unit_us: dict[str, tuple[float, float, float]]
    """CPU of a unit with no subscription, with 20, and the ratio of these."""


def main() -> None:
    """Measure, print, and say which targets hold."""
    with workspace() as space:
        calm = _measure(space / "calm.db", dead_elsewhere=0)
        beside = _measure(space / "dead.db", dead_elsewhere=DEAD_ELSEWHERE)
        killed = _event_kills.kill_again_and_again(space / "killed.db")
    found = Found(calm=calm, beside_dead=beside, killed=killed, unit_us=_event_units.time_units())
    _show(found)


def _measure(path: Path, *, dead_elsewhere: int) -> Late:
    """20 subscriptions, one dead, one slow, and others elsewhere that are all dead."""
    ports = free_ports(PORTS)
    urls = [f"http://127.0.0.1:{ports[number]}/take/{number}" for number in range(SUBSCRIPTIONS - 2)]
    urls += [f"http://127.0.0.1:{ports[18]}/hang/dead", f"http://127.0.0.1:{ports[19]}/slow/slow"]
    elsewhere = [
        [
            f"http://127.0.0.1:{ports[SUBSCRIPTIONS + number % 10]}/hang/elsewhere"
            for number in range(DEAD_OF_EACH)
        ]
        for _ in range(dead_elsewhere // DEAD_OF_EACH)
    ]
    make(path, [urls, *elsewhere])
    with receiver(ports):
        command = life(path, EVENTS_A_SECOND, SECONDS)
        with (PROJECT / "bench" / "results" / "events.log").open("wb") as log:
            ran = subprocess.run(
                command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=log, check=True, timeout=600
            )
        lived = msgspec.json.decode(ran.stdout, type=Lived)
        came = report(ports[0])
        httpx_us = asyncio.run(_time_httpx(f"http://127.0.0.1:{ports[0]}/take/bare"))
    late = sorted(one[4] for number in range(SUBSCRIPTIONS - 2) for one in came.get(str(number), []))
    cuts = quantiles(late, n=100)
    return Late(
        deliveries=len(late),
        p50_ms=cuts[49],
        p99_ms=cuts[98],
        max_ms=late[-1],
        cpu_us=lived.cpu_seconds / len(late) * 1e6,
        httpx_us=httpx_us,
        grown_mib=lived.rss_mib[1] - lived.rss_mib[0],
        waiting=lived.requests_waiting,
    )


async def _time_httpx(url: str) -> float:
    """CPU of a POST of about the same size in a loop of httpx, microseconds."""
    event = {
        "timestamp": "2026-09-18T00:00:00.000Z",
        "data": {"recordId": "", "number": 0, "filling": "x" * 500},
    }
    body = msgspec.json.encode(event)
    async with httpx.AsyncClient() as client:
        took = []
        for _ in range(HTTPX_ROUNDS):
            began = time.process_time()
            for _ in range(100):
                await client.post(url, content=body, headers={"webhook-id": "dlv_1"})
            took.append((time.process_time() - began) / 100 * 1e6)
    return median(took)


def _show(found: Found) -> None:
    lates = {"20 subscriptions, one dead, one slow": found.calm, "and 300 dead elsewhere": found.beside_dead}
    print_table(
        f"{EVENTS_A_SECOND} events a second to receivers that are well",
        [
            "",
            "deliveries",
            "p50 ms",
            "p99 ms",
            "max ms",
            "µs of CPU each",
            "httpx alone",
            "MiB grown",
            "waiting",
        ],
        [[name, *msgspec.structs.astuple(late)] for name, late in lates.items()],
    )
    killed = found.killed
    print_table(
        f"{killed.kills} times SIGKILL on the way (seed {killed.seed})",
        ["", ""],
        [[name, str(value)] for name, value in msgspec.structs.asdict(killed).items()],
    )
    print_table(
        "CPU of a unit of work, µs",
        ["", "no subscription", f"{SUBSCRIPTIONS} of them", "ratio"],
        [[name, *took] for name, took in found.unit_us.items()],
    )
    targets = [
        Target(name="CPU of a delivery", figure=found.calm.cpu_us, bound=CPU_US_MAX, unit="µs"),
        Target(
            name="p99 beside one dead and one slow", figure=found.calm.p99_ms, bound=P99_MS_MAX, unit="ms"
        ),
        Target(
            name="p99 beside 300 dead elsewhere, times that",
            figure=found.beside_dead.p99_ms / found.calm.p99_ms,
            bound=SLOWER_MAX,
        ),
        Target(name="memory grown", figure=found.calm.grown_mib, bound=GROWTH_MIB_MAX, unit="MiB"),
        *(
            Target(
                name=f"{name} with {SUBSCRIPTIONS} subscriptions, times without",
                figure=ratio,
                bound=UNIT_SHARE_MAX,
            )
            for name, (_, _, ratio) in found.unit_us.items()
        ),
        Target(
            name="lost, doubled, changed or disordered",
            figure=killed.lost + killed.doubled + killed.changed + killed.disordered,
            bound=0,
        ),
    ]
    print_targets(targets)
    save("events", found, targets)


if __name__ == "__main__":
    main()
