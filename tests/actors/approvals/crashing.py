"""A program in which a person approves what a workflow and an agent ask for, killed on the way.

    python -m tests.actors.approvals.crashing DIRECTORY [STATEMENT…]

As `tests.actors.workflows.crashing`: the next life goes on alone, and the person approves what still waits.
"""

import sys
from pathlib import Path

import msgspec
import trio
from sqlalchemy import Connection, select

from svc.domain.identity.callers import Call, Installation
from svc.runs.runner import RUNNER
from svc.storage import provisioning
from svc.storage.approvals.tables import approvals
from svc.storage.identity import accounts
from svc.storage.identity.organizations import NewOrganization
from svc.storage.identity.tables import members
from svc.storage.records import records
from svc.storage.store import Store, Tx
from svc.tools import execution
from svc.tools.catalogue import REGISTRY
from tests.actors.workflows.crashing import PATIENCE_SECONDS, armed, life, main, wait_done
from tests.approvals import a_card
from tests.http.tools.crashing import Steps
from tests.people import a_member, call_of
from tests.workflows import NOTE, a_document, a_workflow

DOCUMENT = a_document(
    {"key": "ask", "type": "approval", "reason": "Greet {{record.name}}?", "then": [NOTE]},
    conditions=[{"property": "city", "op": "eq", "value": "Leeds"}],
)


def fill(tx: Tx) -> None:
    """An enabled workflow, a contact for it, and another that an agent asks to delete."""
    organization = provisioning.create(tx, NewOrganization(name="Lamps"))
    call = call_of(a_member(tx, organization.id, "owner@example.com"))
    a_workflow(tx, call, DOCUMENT)
    for city in ("Leeds", "Rome"):
        made = records.create(
            tx, organization, "contact", {"name": "Ada", "city": city}, source=call.source()
        )
    a_card(tx, organization.id, "record.delete", {"id": made.id})


async def work(path: Path, steps: Steps | None) -> None:
    """Live until both cards are approved and the run has ended."""
    async with life(path, steps) as store, armed(steps):
        await _approve_all(store)
        await wait_done(store)


async def _approve_all(store: Store) -> None:
    """Approve cards until the two that are made in this program's life are decided."""
    with trio.fail_after(PATIENCE_SECONDS):
        while len(found := await store.read(_cards)) < 2 or "waiting" in found.values():
            for card_id, state in found.items():
                if state == "waiting":
                    await store.write(_approve, card_id)
            await trio.sleep(0.01)


def _cards(conn: Connection) -> dict[str, str]:
    return {row.id: row.state for row in conn.execute(select(approvals.c.id, approvals.c.state))}


def _approve(tx: Tx, card_id: str) -> None:
    """The very unit of the tool, as the owner."""
    tool = REGISTRY["approval.approve"]
    result = execution.write(
        tx, tool, _owner_call(tx.conn), tool.read(msgspec.json.encode({"id": card_id})), f"approve-{card_id}"
    )
    result.answered()


def _owner_call(conn: Connection) -> Call:
    person = accounts.get(conn, conn.scalars(select(members.c.person_id)).one())
    return msgspec.structs.replace(
        call_of(person), installation=Installation(registry=REGISTRY, runner=RUNNER)
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:], fill=fill, work=work)
