"""Runs of a workflow by the thousand, as the benches need them: all begun, however fast."""

from typing import Any, Final

import msgspec

from bench import _owners as owners
from svc.domain.identity.callers import Call
from svc.domain.locale.times import rfc3339
from svc.domain.workflows.expressions.contexts import Event
from svc.runs.workflows import stepping
from svc.storage.identity import organizations
from svc.storage.metadata import metadata
from svc.storage.records import records
from svc.storage.store import Store, Tx
from svc.storage.workflows import starting, workflows
from svc.tools.workflows.workflows import CreateWorkflow
from svc.tools.workflows.workflows import create as create_workflow

RUNS: Final = metadata.tables["workflow_runs"]


def first_call(tx: Tx) -> Call:
    """A call of a member of the first organization."""
    return owners.call_of_one(tx, organizations.list_all(tx.conn)[0].id)


def start_runs(tx: Tx, call: Call, steps: list[Any], *, runs: int, contacts: int) -> list[str]:
    """Start *runs* of a new workflow with these *steps*, for new *contacts* in turns; these contacts' ids."""
    organization = organizations.get(tx.conn, call.caller.organization_id)
    document = {"name": "Remind", "trigger": {"type": "manual"}, "steps": steps}
    made = create_workflow(tx, call, msgspec.convert(document, CreateWorkflow))
    workflow = workflows.enable(tx, call, made.id)
    ids = [
        records.create(tx, organization, "contact", {"name": f"Anna {number}"}, source=call.source()).id
        for number in range(contacts)
    ]
    for number in range(runs):
        data = {"objectType": "contact", "recordId": ids[number % contacts]}
        event = Event(
            id=None, type="manual", timestamp=rfc3339(tx.now), organization_id=organization.id, data=data
        )
        starting.start(tx, organization.id, [starting.new_run(workflow, event)])
    begun = RUNS.update().where(RUNS.c.workflow_id == workflow.id)
    tx.conn.execute(begun.values(wake_at=tx.now, started_at=tx.now))  # whatever the pace
    return ids


async def step_all(store: Store, call: Call) -> None:
    """Step the runs until none is due."""
    while (await store.write(stepping.step_due, call.caller.organization_id, 1_000)).steps:
        pass
