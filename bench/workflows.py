"""Ten thousand waiting runs: what they cost while they wait, and what others feel when all are due."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec
import trio

from bench import _awaiting
from bench._awaiting import Awaiting
from bench._machine import actors_live, free_port, stand_aside
from bench._neighbours import Felt, World, make, print_beside_calm, probe, serving, times_calm
from bench._report import Target, print_table, print_targets, save
from bench._runs import RUNS as ROWS
from bench._runs import first_call, start_runs, step_all
from bench._world import DATABASE, workspace
from svc.clock import WallClock
from svc.domain.limits import CALLS_MAX
from svc.domain.locale.times import SECOND_MS
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

RUNS: Final = 10_000
RECORDS: Final = 100
STEPS: Final = [
    {"key": "pause", "type": "wait", "seconds": 86_400},
    {"key": "note", "type": "add_note", "body": "Call {{record.name}} back"},
]
WAIT_SECONDS: Final = 75
"""From when they begin to wait until all are due."""
SETTLE_SECONDS: Final = 3
PROBE_SECONDS: Final = 8
PATIENCE_SECONDS: Final = 120

WAITING_MIB_MAX: Final = 5
STEPS_A_SECOND_MIN: Final = 1_000
P99_TIMES_MAX: Final = 3


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found. Memory is resident, in MiB."""

    runs: int
    before_mib: float
    waiting_mib: float
    waiting_actors: int
    calm: list[Felt]
    due: list[Felt]
    """What the others felt while all were stepped."""
    seconds: float
    """From when they were due to when the last of them had ended."""
    awaiting: list[Awaiting]


def main() -> None:
    """Measure, print, and say which targets hold."""
    stand_aside()
    with workspace() as space:
        world = make(space / "world")
        with serving(world, CALLS_MAX) as server:
            time.sleep(SETTLE_SECONDS)
            before = server.rss_mib()
        due_at = trio.run(_fill, world)
        operator_port = free_port()
        with serving(world, CALLS_MAX, operator_port) as server:
            time.sleep(SETTLE_SECONDS)
            waiting, actors = server.rss_mib(), actors_live(operator_port, world.data, "Workflows")
            probe(server, world, seconds=2)
            calm = probe(server, world, seconds=PROBE_SECONDS)
            time.sleep(max(0, due_at / SECOND_MS - time.time()))
            due = probe(server, world, seconds=PROBE_SECONDS)
            ended = _wait_ended(world.data)
        awaiting = _awaiting.measure(space)
    _show(
        Found(
            runs=RUNS,
            before_mib=before,
            waiting_mib=waiting,
            waiting_actors=actors,
            calm=calm,
            due=due,
            seconds=(ended - due_at) / SECOND_MS,
            awaiting=awaiting,
        )
    )


async def _fill(world: World) -> int:
    """Have the runs wait in an organization of their own, and return when they are due."""
    async with inline_store(WallClock(), world.data / DATABASE, prepare=migrate_to_head) as store:
        call = await store.write(first_call)
        await store.write(start_runs, call, STEPS, runs=RUNS, contacts=RECORDS)
        await step_all(store, call)
        return await store.write(_due_together, call.caller.organization_id)


def _due_together(tx: Tx, organization_id: str) -> int:
    due_at = tx.now + WAIT_SECONDS * SECOND_MS
    tx.conn.execute(ROWS.update().where(ROWS.c.organization_id == organization_id).values(wake_at=due_at))
    return due_at


def _wait_ended(data: Path) -> int:
    """When the last run had ended. Ends the program if one failed, or they take too long."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    with closing(sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)) as db:
        while time.monotonic() < deadline:
            found = dict(db.execute("SELECT state, count(*) FROM workflow_runs GROUP BY state").fetchall())
            if found == {"done": RUNS}:
                [ended] = db.execute("SELECT max(ended_at) FROM workflow_runs").fetchone()
                return int(ended)
            time.sleep(0.5)
    raise SystemExit(f"the runs did not end: {found}")


def _show(found: Found) -> None:
    print_beside_calm(
        f"Other organizations, while {found.runs:,} runs are stepped",
        "stepped",
        found.calm,
        found.due,
    )
    print_table(
        "CPU of the dispatch of an event that matches no run, while runs wait for",
        ["", "runs", "ms"],
        [[one.what, f"{one.runs:,}", one.dispatch_ms] for one in found.awaiting],
    )
    targets = [
        Target(
            name="memory of waiting runs",
            figure=found.waiting_mib - found.before_mib,
            bound=WAITING_MIB_MAX,
            unit="MiB",
        ),
        Target(name="actors of waiting runs", figure=found.waiting_actors, bound=0),
        Target(
            name="steps with an effect a second",
            figure=found.runs / found.seconds,
            bound=STEPS_A_SECOND_MIN,
            at_least=True,
        ),
        *times_calm(found.calm, found.due, P99_TIMES_MAX),
    ]
    print_targets(targets)
    save("workflows", found, targets)


if __name__ == "__main__":
    main()
