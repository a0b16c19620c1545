"""Memory, idle and with many forms awake; and the start with a million stored submissions."""

import time
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from bench._archive import fill_archive
from bench._load import finish_load, require_wrk, start_load
from bench._machine import Server, actors_live, free_port, is_ready, program, start
from bench._report import Target, print_table, print_targets, save
from bench._world import make_world, wait_filed, workspace

FORMS: Final = 10_000
ORGANIZATIONS: Final = 1_000
STORED: Final = 1_000_000
STARTS: Final = 5
SETTLE_SECONDS: Final = 3
AWAKE_SECONDS_MAX: Final = 60

IDLE_MIB_MAX: Final = 90
AWAKE_MIB_MAX: Final = 150
START_SECONDS_MAX: Final = 2


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found. Memory is resident, in MiB."""

    first_start_mib: float
    """Idle after the start that made the database."""
    idle_mib: float
    """Idle after a later start."""
    before_mib: float
    """Idle beside the forms, which sleep."""
    awake_mib: float
    """After one submission to each of them, all filed."""
    forms: int
    starts: list[float]
    """Seconds from the exec until the program says that it is ready, with the archive."""
    archive_bytes: int
    archive_rss_mib: float


def main() -> None:
    """Measure, print, and say which targets hold."""
    require_wrk()
    with workspace() as space:
        first = _idle(space / "empty")
        again = _idle(space / "empty")
        before, awake = _awake(space / "forms")
        archive = space / "archive"
        size = fill_archive(archive, STORED)
        started = [_timed_start(archive) for _ in range(STARTS)]
    found = Found(
        first_start_mib=first,
        idle_mib=again,
        before_mib=before,
        awake_mib=awake,
        forms=FORMS,
        starts=[seconds for seconds, _ in started],
        archive_bytes=size,
        archive_rss_mib=median(rss for _, rss in started),
    )
    _show(found)


def _start(data: Path) -> tuple[Server, int]:
    """The program over *data*, ready, and its operator's port."""
    port, operator_port = free_port(), free_port()
    server = start(
        program(data, port, operator_port),
        port,
        log=data.with_suffix(".log"),
        ready=lambda: is_ready(operator_port, data),
    )
    return server, operator_port


def _idle(data: Path) -> float:
    server, _ = _start(data)
    time.sleep(SETTLE_SECONDS)
    rss = server.rss_mib()
    server.stop()
    return rss


def _awake(data: Path) -> tuple[float, float]:
    """Idle, and with every form awake."""
    listed = make_world(data, organizations_count=ORGANIZATIONS, forms_count=FORMS)
    server, operator_port = _start(data)
    time.sleep(SETTLE_SECONDS)
    before = server.rss_mib()
    load = finish_load(
        start_load(
            server.url,
            listed,
            tail="awake",
            seconds=AWAKE_SECONDS_MAX,
            connections=32,
            posts_max=FORMS,
        )
    )
    wait_filed(data)
    time.sleep(SETTLE_SECONDS)
    awake = server.rss_mib()
    live = actors_live(operator_port, data, "FormWindow")
    server.stop()
    if live < FORMS:
        raise SystemExit(f"{live} of {FORMS} forms are awake: {load}")
    return before, awake


def _timed_start(data: Path) -> tuple[float, float]:
    """Seconds until it is ready, and its memory then."""
    began = time.monotonic()
    server, _ = _start(data)
    seconds = time.monotonic() - began
    rss = server.rss_mib()
    server.stop()
    return seconds, rss


def _show(found: Found) -> None:
    start_seconds = median(found.starts)
    print_table(
        "Memory, resident, MiB",
        ["", "MiB"],
        [
            ["idle after the first start", found.first_start_mib],
            ["idle after a later start", found.idle_mib],
            [f"idle beside {found.forms:,} sleeping forms", found.before_mib],
            [f"with {found.forms:,} forms awake", found.awake_mib],
            [f"at the start with {STORED:,} submissions", found.archive_rss_mib],
        ],
    )
    print_table(
        f"Start with {STORED:,} stored submissions ({found.archive_bytes / 2**20:,.0f} MiB)",
        ["", "seconds"],
        [["median", start_seconds], ["slowest", max(found.starts)]],
    )
    targets = [
        Target(
            name="idle", figure=max(found.first_start_mib, found.idle_mib), bound=IDLE_MIB_MAX, unit="MiB"
        ),
        Target(
            name=f"{found.forms:,} forms awake, more than idle",
            figure=found.awake_mib - found.before_mib,
            bound=AWAKE_MIB_MAX,
            unit="MiB",
        ),
        Target(
            name=f"start with {STORED:,} submissions", figure=start_seconds, bound=START_SECONDS_MAX, unit="s"
        ),
    ]
    print_targets(targets)
    save("memory", found, targets)
