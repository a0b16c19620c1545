"""Ten thousand waiting runs: what they cost while they wait, and what others feel when all are due."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec
import trio

from bench._machine import actors_live, free_port, stand_aside
from bench._neighbours import Felt, World, make, probe, serving
from bench._report import Target, print_table, print_targets, save
from bench._world import DATABASE, workspace
from svc.clock import WallClock
from svc.domain.identity.callers import Call, Caller
from svc.domain.identity.roles import PERMISSIONS
from svc.domain.limits import CALLS_MAX
from svc.domain.times import SECOND_MS, rfc3339
from svc.domain.workflows.contexts import Event
from svc.storage.identity import organizations
from svc.storage.metadata import metadata
from svc.storage.records import records
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx
from svc.storage.workflows import starting, workflows
from svc.tools.workflows import stepping
from svc.tools.workflows.workflows import CreateWorkflow
from svc.tools.workflows.workflows import create as create_workflow

RUNS: Final = 10_000
RECORDS: Final = 100
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
    _show(
        Found(
            runs=RUNS,
            before_mib=before,
            waiting_mib=waiting,
            waiting_actors=actors,
            calm=calm,
            due=due,
            seconds=(ended - due_at) / SECOND_MS,
        )
    )


async def _fill(world: World) -> int:
    """Have the runs wait in an organization of their own, and return when they are due."""
    async with inline_store(WallClock(), world.data / DATABASE, prepare=migrate_to_head) as store:
        call = await store.write(_started)
        while (await store.write(stepping.step_due, call.caller.organization_id, 1_000)).steps:
            pass
        return await store.write(_due_together, call.caller.organization_id)


def _started(tx: Tx) -> Call:
    """Start every run of a workflow that waits and then writes a note; the call of its owner."""
    organization = organizations.list_all(tx.conn)[0]
    members = metadata.tables["members"]
    person_id = (
        tx.conn.execute(members.select().where(members.c.organization_id == organization.id)).one().person_id
    )
    caller = Caller(
        organization_id=organization.id,
        kind="person",
        id=person_id,
        person_id=person_id,
        permissions=PERMISSIONS,
    )
    call = Call(caller=caller, door="app")
    document = {
        "name": "Remind",
        "trigger": {"type": "manual"},
        "steps": [
            {"key": "pause", "type": "wait", "seconds": 86_400},
            {"key": "note", "type": "add_note", "body": "Call {{record.name}} back"},
        ],
    }
    made = create_workflow(tx, call, msgspec.convert(document, CreateWorkflow))
    workflow = workflows.enable(tx, call, made.id)
    ids = [
        records.create(tx, organization, "contact", {"name": f"Anna {number}"}, source=call.source()).id
        for number in range(RECORDS)
    ]
    for number in range(RUNS):
        data = {"objectType": "contact", "recordId": ids[number % RECORDS]}
        event = Event(
            id=None, type="manual", timestamp=rfc3339(tx.now), organization_id=organization.id, data=data
        )
        starting.start(tx, organization.id, [starting.new_run(workflow, event)])
    tx.conn.execute(_RUNS.update().values(wake_at=tx.now, started_at=tx.now))  # whatever the pace
    return call


_RUNS: Final = metadata.tables["workflow_runs"]


def _due_together(tx: Tx, organization_id: str) -> int:
    due_at = tx.now + WAIT_SECONDS * SECOND_MS
    tx.conn.execute(_RUNS.update().where(_RUNS.c.organization_id == organization_id).values(wake_at=due_at))
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
    calm = {one.what: one for one in found.calm}
    print_table(
        f"Other organizations, while {found.runs:,} runs are stepped",
        ["", "calm p50 ms", "p99 ms", "stepped p50 ms", "p99 ms", "p99, times", "refused"],
        [
            [
                one.what,
                calm[one.what].p50_ms,
                calm[one.what].p99_ms,
                one.p50_ms,
                one.p99_ms,
                one.p99_ms / calm[one.what].p99_ms,
                str(one.refused),
            ]
            for one in found.due
        ],
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
        *(
            Target(
                name=f"p99 of {one.what}, times that of the calm",
                figure=one.p99_ms / calm[one.what].p99_ms,
                bound=P99_TIMES_MAX,
            )
            for one in found.due
        ),
    ]
    print_targets(targets)
    save("workflows", found, targets)


if __name__ == "__main__":
    main()
