"""The one file: its size, its first and later starts, and its memory after each, beside the same installed.

`python -m bench.start NAME=FILE…` measures other files in the same turns: they take the arguments of
`svc run`, and unpack below $SVC_UNPACK_DIR, $TMPDIR or $HOME.
"""

import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from bench._machine import PROJECT, STOP_SECONDS_MAX, Server, free_ports
from bench._report import Target, print_table, print_targets, save
from bench._world import workspace

FILE: Final = PROJECT / "dist" / "svc"
OURS: Final = "the one file"
ROUNDS: Final = 3
LATER_STARTS: Final = 3
SETTLE_SECONDS: Final = 3

FILE_MB_MAX: Final = 80
FIRST_SECONDS_MAX: Final = 5
LATER_SECONDS_MAX: Final = 2
IDLE_MIB_MAX: Final = 100


class Started(msgspec.Struct, frozen=True):
    """One start: seconds until it says that it is ready, and what it has resident soon after, in MiB."""

    seconds: float
    idle_mib: float


class Found(msgspec.Struct, frozen=True):
    """What was found of one file."""

    file_mb: float
    first: list[Started]
    """Nothing is unpacked yet, and the data directory is empty."""
    later: list[Started]


def main(others: Mapping[str, Path] | None = None) -> None:
    """Measure in turns, print, and say which targets hold."""
    if not FILE.exists():
        sys.exit(f"{FILE} is not there: `make binary` builds it")
    files = {OURS: FILE, "installed": Path(sys.executable).with_name("svc"), **(others or {})}
    found = {name: Found(path.stat().st_size / 1e6, [], []) for name, path in files.items()}
    with workspace() as space:
        for turn in range(ROUNDS):
            for number, (name, path) in enumerate(files.items()):
                home = space / f"{turn}-{number}"
                home.mkdir(mode=0o700)
                found[name].first.append(_start(path, home))
                found[name].later.extend(_start(path, home) for _ in range(LATER_STARTS))
    _show(found)


def _start(file: Path, home: Path) -> Started:
    """Start *file*, whose data and all that it unpacks are in *home*, and stop it."""
    port, operator_port = free_ports(2)
    binds = [f"--bind=127.0.0.1:{port}", f"--operator-bind=127.0.0.1:{operator_port}"]
    places = dict.fromkeys(("SVC_UNPACK_DIR", "TMPDIR", "HOME"), str(home))
    began = time.monotonic()
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [file, "run", f"--data={home / 'data'}", *binds],
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=home,
            env=places | {"PATH": "/usr/bin:/bin"},
        )
    assert process.stdout is not None
    if b"is ready" not in process.stdout.readline():
        process.kill()
        sys.exit(f"{file} did not start: {(home / 'log').read_text()}")
    seconds = time.monotonic() - began
    time.sleep(SETTLE_SECONDS)
    resident = Server(process, port).rss_mib() + _children_mib(process.pid)
    process.terminate()
    process.communicate(timeout=STOP_SECONDS_MAX)
    return Started(seconds, resident)


def _children_mib(pid: int) -> float:
    """What the children of *pid* have resident: a launcher stays beside some programs."""
    listed = Path("/proc", str(pid), "task", str(pid), "children").read_text().split()
    statuses = (Path("/proc", child, "status").read_text() for child in listed)
    return sum(int(status.partition("VmRSS:")[2].split()[0]) for status in statuses) / 1024


def _show(found: Mapping[str, Found]) -> None:
    rows: list[list[str | float]] = [
        [
            name,
            one.file_mb,
            median(start.seconds for start in one.first),
            median(start.seconds for start in one.later),
            max(start.idle_mib for start in one.first),
            max(start.idle_mib for start in one.later),
        ]
        for name, one in found.items()
    ]
    header = ["", "MB", "first start, s", "later, s", "idle after the first, MiB", "after a later"]
    print_table("Starts, medians, and the most memory", header, rows)
    _, size, first, later, idle_first, idle_later = rows[0]
    targets = [
        Target(name="the file", figure=float(size), bound=FILE_MB_MAX, unit="MB"),
        Target(name="first start", figure=float(first), bound=FIRST_SECONDS_MAX, unit="s"),
        Target(name="later start", figure=float(later), bound=LATER_SECONDS_MAX, unit="s"),
        Target(name="idle", figure=max(float(idle_first), float(idle_later)), bound=IDLE_MIB_MAX, unit="MiB"),
    ]
    print_targets(targets)
    save("start", found, targets)


if __name__ == "__main__":
    main({name: Path(path).resolve() for name, _, path in (one.partition("=") for one in sys.argv[1:])})
