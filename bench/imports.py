"""Imports: 100,000 lines by the job of a server on one core, beside sqlite3's import of the same rows.

Then as many while 20 webhooks are sent what they make; what programs of another organization feel of an
import, and of one with these webhooks; and ten times SIGKILL on the way.
"""

import csv
import random
import sqlite3
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from bench import _hooked_imports
from bench._import_jobs import BUDGET, HEADINGS, LINES, Job, contacts
from bench._machine import stand_aside
from bench._neighbours import Felt, World, make, print_beside_calm, probe, serving, times_calm
from bench._report import Target, print_table, print_targets, save
from bench._world import DATABASE, workspace

KILLS: Final = 10
KILL_SECONDS: Final = (0.2, 1.2)
"""How long an import runs before each kill, at random."""
PROBE_SECONDS: Final = 10.0
SEED: Final = 20_260_917
RATE_MIN: Final = 5_000
GROWTH_MIB_MAX: Final = 32
P99_TIMES_MAX: Final = 2.0


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What an import alone took."""

    lines: int
    seconds: float
    cpu_seconds: float
    memory_before_mib: float
    memory_max_mib: float
    sqlite_seconds: float
    sqlite_cpu_seconds: float

    @property
    def rate_of_core(self) -> float:
        """Records a second of the core's own time."""
        return self.lines / self.cpu_seconds


class Killed(msgspec.Struct, frozen=True, kw_only=True):
    """What is there after the kills."""

    kills: int
    seed: int
    lines: int
    lost: int
    doubled: int


def main() -> None:
    """Ends with 1 if a line or a delivery was lost or doubled."""
    stand_aside()
    with workspace() as space:
        file = contacts(space / "alone.csv", "alone")
        world = make(space / "world")
        alone = _alone(world, file, space)
        calm, busy = _beside(world, contacts(space / "beside.csv", "beside"))
        killed = _killed(world, contacts(space / "killed.csv", "killed"))
        hooked, busy_hooked = _hooked_imports.measure(
            world,
            contacts(space / "hooked.csv", "hooked"),
            contacts(space / "again.csv", "again"),
            PROBE_SECONDS,
        )
    print_table(
        f"{alone.lines:,} lines of {len(HEADINGS)} cells",
        ["", "records/s", "s", "CPU s", "records/s of CPU"],
        [
            ["an import", alone.lines / alone.seconds, alone.seconds, alone.cpu_seconds, alone.rate_of_core],
            [
                f"an import, and {hooked.webhooks} webhooks",
                hooked.lines / hooked.seconds,
                hooked.seconds,
                hooked.cpu_seconds,
                hooked.rate_of_core,
            ],
            [
                "sqlite3: rows of one table",
                alone.lines / alone.sqlite_seconds,
                alone.sqlite_seconds,
                alone.sqlite_cpu_seconds,
                alone.lines / alone.sqlite_cpu_seconds,
            ],
        ],
    )
    print(
        f"Memory: {alone.memory_before_mib:.0f} MiB before, {alone.memory_max_mib:.0f} MiB at most meanwhile"
    )
    print_beside_calm("Another organization, beside an import", "busy", calm, busy)
    print_beside_calm(
        f"Another organization, beside an import and {hooked.webhooks} webhooks", "busy", calm, busy_hooked
    )
    print_table(
        f"New records to {hooked.webhooks} webhooks",
        ["deliveries", "lost", "doubled", "s until the last"],
        [[hooked.deliveries, hooked.lost, hooked.doubled, hooked.delivered_seconds]],
    )
    print_table(
        f"{killed.kills} times SIGKILL (seed {killed.seed})",
        ["lines", "lost", "doubled"],
        [[killed.lines, killed.lost, killed.doubled]],
    )
    targets = [
        Target(name="records a second of one core", figure=alone.rate_of_core, bound=RATE_MIN, at_least=True),
        Target(
            name="memory more than before",
            figure=alone.memory_max_mib - alone.memory_before_mib,
            bound=GROWTH_MIB_MAX,
            unit="MiB",
        ),
        *times_calm(calm, busy, P99_TIMES_MAX),
        Target(
            name=f"records a second of one core with {hooked.webhooks} webhooks",
            figure=hooked.rate_of_core,
            bound=RATE_MIN,
            at_least=True,
        ),
        Target(name="deliveries lost or doubled", figure=hooked.lost + hooked.doubled, bound=0),
        *times_calm(calm, busy_hooked, P99_TIMES_MAX, " with webhooks"),
    ]
    print_targets(targets)
    save(
        "imports",
        {
            "alone": alone,
            "calm": calm,
            "busy": busy,
            "hooked": hooked,
            "busyHooked": busy_hooked,
            "killed": killed,
        },
        targets,
    )
    if killed.lost or killed.doubled:
        sys.exit("lines were lost or doubled")
    if hooked.lost or hooked.doubled:
        sys.exit("deliveries were lost or doubled")


def _alone(world: World, file: Path, space: Path) -> Run:
    sqlite_seconds, sqlite_cpu_seconds = _by_sqlite(file, space / "plain.db")
    with serving(world, BUDGET) as server:
        job = Job(server, world)
        opened = job.upload(file)
        before, cpu, began = server.rss_mib(), server.cpu_seconds(), time.monotonic()
        job.call("import.start", id=opened["id"])
        most = job.wait()
        seconds, cpu_seconds = time.monotonic() - began, server.cpu_seconds() - cpu
    return Run(
        lines=LINES,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        memory_before_mib=before,
        memory_max_mib=most,
        sqlite_seconds=sqlite_seconds,
        sqlite_cpu_seconds=sqlite_cpu_seconds,
    )


def _by_sqlite(file: Path, database: Path) -> tuple[float, float]:
    """Insert the rows of *file* into one table, in one transaction: seconds, and of those the CPU's."""
    began, cpu = time.monotonic(), time.process_time()
    with closing(sqlite3.connect(database)) as db, file.open(newline="") as content:
        rows = csv.reader(content)
        next(rows)
        db.execute(f"CREATE TABLE contacts (id INTEGER PRIMARY KEY, {', '.join(HEADINGS)})")
        db.executemany(f"INSERT INTO contacts ({', '.join(HEADINGS)}) VALUES (?, ?, ?, ?)", rows)
        db.commit()
    return time.monotonic() - began, time.process_time() - cpu


def _beside(world: World, file: Path) -> tuple[list[Felt], list[Felt]]:
    with serving(world, BUDGET) as server:
        job = Job(server, world)
        opened = job.upload(file)
        probe(server, world, seconds=2)
        calm = probe(server, world, seconds=PROBE_SECONDS)
        job.call("import.start", id=opened["id"])
        busy = probe(server, world, seconds=PROBE_SECONDS)
        if job.call("import.get")["state"] != "running":
            raise SystemExit("the import ended before the probe")
        job.wait()
    return calm, busy


def _killed(world: World, file: Path) -> Killed:
    moments = random.Random(SEED)
    with serving(world, BUDGET) as server:
        job = Job(server, world)
        job.call("import.start", id=job.upload(file)["id"])
        time.sleep(moments.uniform(*KILL_SECONDS))
        server.kill()
    for _ in range(KILLS - 1):
        with serving(world, BUDGET) as server:
            time.sleep(moments.uniform(*KILL_SECONDS))
            server.kill()
    with serving(world, BUDGET) as server:
        Job(server, world).wait()
    with closing(sqlite3.connect(f"file:{world.data / DATABASE}?mode=ro", uri=True)) as db:
        found = Counter(
            name
            for (name,) in db.execute(
                "SELECT json_extract(properties, '$.name') FROM records"
                " WHERE json_extract(properties, '$.name') LIKE 'Anna Petrova killed %'"
            )
        )
    return Killed(
        kills=KILLS,
        seed=SEED,
        lines=LINES,
        lost=LINES - len(found),
        doubled=sum(count > 1 for count in found.values()),
    )


if __name__ == "__main__":
    main()
