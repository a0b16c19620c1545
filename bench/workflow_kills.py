"""SIGKILL while records start runs, again and again: each record has one run, and each step is done once."""

import random
import sqlite3
import sys
import threading
import time
from contextlib import closing
from itertools import cycle
from pathlib import Path
from typing import Final

import msgspec
import trio

from bench import _owners as owners
from bench._client import Client
from bench._neighbours import World, make, serving
from bench._report import print_table, save
from bench._world import DATABASE, workspace
from svc.clock import WallClock
from svc.storage.metadata import metadata
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx
from svc.storage.workflows import workflows
from svc.tools.workflows.workflows import CreateWorkflow
from svc.tools.workflows.workflows import create as create_workflow

KILLS: Final = 20
CLIENTS: Final = 8
LOAD_SECONDS: Final = (0.3, 1.5)
"""Between the first call and the kill, at random."""
PAUSE_SECONDS: Final = 0.15
"""Of each client, so that all runs start within the pace of a workflow, a thousand a minute."""
SEED: Final = 20_260_901
BUDGET: Final = 100_000
PATIENCE_SECONDS: Final = 180
STEPS: Final = (
    {"key": "first", "type": "add_note", "body": "first"},
    {"key": "deal", "type": "create_deal", "name": "Lamp for {{record.name}}"},
    {"key": "pause", "type": "wait", "seconds": 1},
    {"key": "second", "type": "add_note", "body": "second, of {{steps.deal.recordId}}"},
)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found after the last restart."""

    kills: int
    seed: int
    answered: int
    """Records that were answered 200."""
    lost: int
    """Of these, not there."""
    records: int
    runs: int
    without_run: int
    doubled_runs: int
    unfinished: int
    wrong_notes: int
    """Records without exactly one note of each step that writes one."""
    wrong_deals: int
    """Records without exactly one deal."""


def main() -> None:
    """Kill, restart and count; ends with 1 on any loss and any double."""
    with workspace() as space:
        world = make(space / "world")
        trio.run(_enable, world)
        answered: set[str] = set()
        moments = random.Random(SEED)
        for _ in range(KILLS):
            _load_and_kill(world, answered, moments.uniform(*LOAD_SECONDS))
        with serving(world, BUDGET):
            _wait_ended(world.data)
        found = _judge(world.data, answered)
    print_table(
        f"{found.kills} times SIGKILL while records start runs (seed {found.seed})",
        ["", ""],
        [[name.replace("_", " "), str(getattr(found, name))] for name in Found.__struct_fields__[2:]],
    )
    save("workflow_kills", found)
    if found.lost or found.without_run or found.doubled_runs or found.unfinished:
        sys.exit("runs were lost or doubled")
    if found.wrong_notes or found.wrong_deals:
        sys.exit("steps were lost or doubled")


async def _enable(world: World) -> None:
    async with inline_store(WallClock(), world.data / DATABASE, prepare=migrate_to_head) as store:
        await store.write(_workflow)


def _workflow(tx: Tx) -> None:
    """An enabled workflow of the organization that the honest keys are of."""
    keys = metadata.tables["api_keys"]
    second = sorted({row.organization_id for row in tx.conn.execute(keys.select())})[1]
    call = owners.call_of_one(tx, second)
    document = {
        "name": "Greet",
        "trigger": {"type": "record.created", "objectType": "contact"},
        "steps": list(STEPS),
    }
    made = create_workflow(tx, call, msgspec.convert(document, CreateWorkflow))
    workflows.enable(tx, call, made.id)


def _load_and_kill(world: World, answered: set[str], seconds: float) -> None:
    with serving(world, BUDGET) as server:
        threads = [
            threading.Thread(target=_create_until_cut, args=(server.port, world.honest_keys, answered))
            for _ in range(CLIENTS)
        ]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        server.kill()
        for thread in threads:
            thread.join()


def _create_until_cut(port: int, keys: list[str], answered: set[str]) -> None:
    body = b'{"objectType":"contact","properties":{"name":"Anna Petrova","job_title":"Kept"}}'
    try:
        with Client(port, "content-type: application/json") as client:
            for key in cycle(keys):
                status, answer = client.post(
                    "/api/v1/tools/record.create", body, f"authorization: Bearer {key}"
                )
                if status == 200:
                    answered.add(msgspec.json.decode(answer)["id"])
                time.sleep(PAUSE_SECONDS)
    except (OSError, ValueError, EOFError):
        return  # the server is gone


def _connect(data: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{data / DATABASE}?mode=ro", uri=True)


def _wait_ended(data: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    with closing(_connect(data)) as db:
        while time.monotonic() < deadline:
            [waiting] = db.execute("SELECT count(*) FROM events WHERE position IS NULL").fetchone()
            [still] = db.execute("SELECT count(*) FROM workflow_runs WHERE ended_at IS NULL").fetchone()
            if not waiting and not still:
                return
            time.sleep(0.5)


def _judge(data: Path, answered: set[str]) -> Found:
    with closing(_connect(data)) as db:

        def counts(sql: str) -> dict[str, int]:
            return dict(db.execute(sql).fetchall())

        made = {
            row[0]
            for row in db.execute(
                "SELECT id FROM records WHERE json_extract(properties, '$.job_title') = 'Kept'"
            ).fetchall()
        }
        by_record = counts(
            "SELECT json_extract(event, '$.data.recordId'), count(*) FROM workflow_runs GROUP BY 1"
        )
        [runs] = db.execute("SELECT count(*) FROM workflow_runs").fetchone()
        [unfinished] = db.execute("SELECT count(*) FROM workflow_runs WHERE state <> 'done'").fetchone()
        notes = {
            kind: counts(f"SELECT record_id, count(*) FROM notes WHERE body LIKE '{kind}%' GROUP BY 1")
            for kind in ("first", "second")
        }
        deals = counts(
            "SELECT json_extract(properties, '$.contact'), count(*) FROM records"
            " WHERE json_extract(properties, '$.stage') IS NOT NULL GROUP BY 1"
        )
    return Found(
        kills=KILLS,
        seed=SEED,
        answered=len(answered),
        lost=len(answered - made),
        records=len(made),
        runs=runs,
        without_run=sum(id_ not in by_record for id_ in made),
        doubled_runs=sum(count > 1 for count in by_record.values()),
        unfinished=unfinished,
        wrong_notes=sum(any(known.get(id_) != 1 for known in notes.values()) for id_ in made),
        wrong_deals=sum(deals.get(id_) != 1 for id_ in made),
    )


if __name__ == "__main__":
    main()
