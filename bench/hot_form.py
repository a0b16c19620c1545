"""A flood at one form: what its refusals cost beside an empty route, and what the other forms feel of it."""

import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from bench._load import Load, finish_load, start_load
from bench._machine import free_port, program, running
from bench._report import Target, print_table
from svc.domain.forms.limits import SENDER_SUBMISSIONS_MAX, SENDER_WINDOW_MS

ROUNDS: Final = 3
POSTS: Final = 20_000
"""At the hot form, over the rounds."""
SECONDS: Final = 4
"""Of load in one run at an empty route, and at the other forms."""
FLOOD_SECONDS_MAX: Final = 30
RAMP_SECONDS: Final = 0.5
CONNECTIONS: Final = 64
PROBE_CONNECTIONS: Final = 2
PROBE_PAUSE_MS: Final = 20
EMPTY_SHARE_MIN: Final = 0.9

HOT: Final = "svc, one form, refusing"
STOCK: Final = "empty route, stock hypercorn"
OWN: Final = "empty route, svc's server"


class Flood(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    rounds: dict[str, list[Load]]
    calm: Load
    """Other forms' posts, with nothing else going on."""
    flooded: Load
    """The same during a flood."""

    def rate(self, server: str) -> float:
        return median(load.rate for load in self.rounds[server])


def run(data: Path, listed: Path) -> Flood:
    """Flood the first of the *listed* forms, and the empty routes, in turns."""
    hot, *others = listed.read_text().splitlines(keepends=True)
    calm_forms = listed.with_name("others.forms")
    calm_forms.write_text("".join(line for line in others if line.split()[1] != hot.split()[1]))
    ports = {name: free_port() for name in (HOT, STOCK, OWN)}
    commands = {
        HOT: program(data, ports[HOT], free_port()),
        STOCK: [sys.executable, "-m", "bench.peers.quart_empty", "stock", str(ports[STOCK])],
        OWN: [sys.executable, "-m", "bench.peers.quart_empty", "svc", str(ports[OWN])],
    }
    with ExitStack() as stack:
        urls = {
            name: stack.enter_context(running(command, ports[name], log=data.with_suffix(".log"))).url
            for name, command in commands.items()
        }
        began = time.monotonic()
        rounds: dict[str, list[Load]] = {name: [] for name in commands}
        for seed in range(ROUNDS):
            for name, loads in rounds.items():
                posts = POSTS // ROUNDS + 1 if name == HOT else 0
                loads.append(finish_load(_start_flood(urls[name], listed, seed, posts=posts)))
        minutes = 1 + (time.monotonic() - began) // (SENDER_WINDOW_MS / 1_000)
        _check(rounds[HOT], allowed_max=int(minutes) * SENDER_SUBMISSIONS_MAX)
        calm = finish_load(_start_probe(urls[HOT], calm_forms, "calm"))
        flooding = _start_flood(urls[HOT], listed, ROUNDS)
        time.sleep(RAMP_SECONDS)
        flooded = finish_load(_start_probe(urls[HOT], calm_forms, "flooded"))
        finish_load(flooding)
    for load in (calm, flooded):
        if load.limited + load.other + load.broken:
            raise SystemExit(f"another form was refused: {load}")
    return Flood(rounds=rounds, calm=calm, flooded=flooded)


def _start_flood(url: str, listed: Path, seed: int, *, posts: int = 0) -> "subprocess.Popen[str]":
    """Flood for `SECONDS` and a little longer than a probe, or with so many *posts*."""
    return start_load(
        url,
        listed,
        tail=f"hot{seed}",
        seconds=FLOOD_SECONDS_MAX if posts else SECONDS + 1,
        connections=CONNECTIONS,
        mode="hot",
        posts_max=posts,
        seed=seed,
    )


def _start_probe(url: str, listed: Path, tail: str) -> "subprocess.Popen[str]":
    return start_load(
        url,
        listed,
        tail=tail,
        seconds=SECONDS,
        connections=PROBE_CONNECTIONS,
        pause_ms=PROBE_PAUSE_MS,
    )


def _check(loads: list[Load], allowed_max: int) -> None:
    posts, allowed = sum(load.requests for load in loads), sum(load.ok for load in loads)
    faults = sum(load.other + load.broken for load in loads)
    if posts < POSTS or not 0 < allowed <= allowed_max or faults:
        raise SystemExit(f"the hot form: {posts} posts, {allowed} of {allowed_max} allowed, {faults} faults")


def show(found: Flood) -> None:
    """Print the two tables."""
    print_table(
        "A flood at one form, medians",
        ["", "posts/s", "p50 ms", "p99 ms", "200", "429"],
        [
            [
                name,
                found.rate(name),
                median(load.p50_ms for load in loads),
                median(load.p99_ms for load in loads),
                str(sum(load.ok for load in loads)),
                str(sum(load.limited for load in loads)),
            ]
            for name, loads in found.rounds.items()
        ],
    )
    print_table(
        "Meanwhile, forms of other organizations",
        ["", "posts/s", "p50 ms", "p99 ms", "max ms"],
        [
            [name, load.rate, load.p50_ms, load.p99_ms, load.max_ms]
            for name, load in (("calm", found.calm), ("during the flood", found.flooded))
        ],
    )


def targets(found: Flood) -> list[Target]:
    """The hot form's rate beside each empty route's."""
    return [
        Target(
            name=f"hot form beside the {name}",
            figure=found.rate(HOT) / found.rate(name),
            bound=EMPTY_SHARE_MIN,
            at_least=True,
        )
        for name in (STOCK, OWN)
    ]
