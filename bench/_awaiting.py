"""What the dispatch of an event costs while runs wait for events of its type."""

import time
from pathlib import Path
from statistics import median
from typing import Any, Final

import msgspec
import trio

from bench._neighbours import World, make
from bench._runs import first_call, start_runs, step_all
from bench._world import DATABASE
from svc.clock import WallClock
from svc.domain.identity.callers import Call
from svc.domain.workflows.limits import RUNS_WITHOUT_KEY_MAX
from svc.storage.identity import organizations
from svc.storage.records import records
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx
from svc.storage.workflows import dispatch

RUNS: Final = 10_000
CONTACTS: Final = 1_000
EVENTS: Final = 21

BY_RECORD: Final = {"property": "record.id", "op": "eq", "value": "{{record.id}}"}
BY_VALUE: Final = {"property": "record.name", "op": "eq", "value": "{{record.name}}, moved"}
BY_NONE: Final = {"property": "record.name", "op": "contains", "value": "{{record.name}}, moved"}


class Awaiting(msgspec.Struct, frozen=True):
    """The CPU of a unit that dispatches one event, which matches no run."""

    what: str
    runs: int
    dispatch_ms: float


def measure(space: Path) -> list[Awaiting]:
    """Measure with no run waiting, with runs that are found by a key, and with as many as may be without."""
    cases = [
        ("nothing", 0, BY_RECORD),
        ("events of a record", RUNS, BY_RECORD),
        ("events with a value", RUNS, BY_VALUE),
        ("neither", RUNS_WITHOUT_KEY_MAX, BY_NONE),
    ]
    return [
        Awaiting(what, runs, trio.run(_dispatch_ms, make(space / f"awaiting {number}"), runs, where))
        for number, (what, runs, where) in enumerate(cases)
    ]


async def _dispatch_ms(world: World, runs: int, where: dict[str, Any]) -> float:
    async with inline_store(WallClock(), world.data / DATABASE, prepare=migrate_to_head) as store:
        call = await store.write(first_call)
        organization_id = call.caller.organization_id
        step = {
            "key": "pause",
            "type": "wait",
            "event": "record.updated",
            "where": [where],
            "seconds": 86_400,
        }
        await store.write(start_runs, call, [step], runs=runs, contacts=CONTACTS)
        await step_all(store, call)
        while (await store.write(dispatch.dispatch, organization_id)).more:
            pass
        other = await store.write(_other, call)
        taken = []
        for number in range(EVENTS):
            await store.write(_move, call, other, f"Street {number}")
            begun = time.process_time()
            await store.write(dispatch.dispatch, organization_id)
            taken.append(time.process_time() - begun)
        return median(taken) * 1e3


def _other(tx: Tx, call: Call) -> str:
    """A contact for which no run waits."""
    organization = organizations.get(tx.conn, call.caller.organization_id)
    return records.create(tx, organization, "contact", {"name": "Mary"}, source=call.source()).id


def _move(tx: Tx, call: Call, record_id: str, city: str) -> None:
    organization = organizations.get(tx.conn, call.caller.organization_id)
    records.update(tx, organization, None, record_id, {"city": city}, source=call.source())
