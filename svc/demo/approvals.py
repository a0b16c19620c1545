"""Approvals of the demo: runs of a workflow that wait for a person."""

from typing import Final

import msgspec

from svc.domain.approvals.cards import AskedByWorkflow
from svc.domain.identity.callers import Call
from svc.domain.workflows.documents import AddNote, Approval, Manual
from svc.runs.workflows import stepping
from svc.storage.approvals import approvals
from svc.storage.approvals.approvals import Visible
from svc.storage.store import Tx
from svc.tools import execution
from svc.tools.records import lists as record_lists
from svc.tools.records.lists import ListRecords
from svc.tools.workflows import starts, workflows
from svc.tools.workflows.starts import StartRun
from svc.tools.workflows.workflows import CreateWorkflow, WorkflowById

_CATALOGUE: Final = CreateWorkflow(
    name="Catalogue by post",
    trigger=Manual(),
    steps=(
        Approval(
            key="ask",
            reason="Post the printed catalogue to {{record.name}}? It is £6 of postage.",
            then=(AddNote(key="posted", body="The catalogue goes out with the next post."),),
        ),
    ),
)


class _NewId(msgspec.Struct):
    """The part of an answer that is used here."""

    id: str


class _Listing(msgspec.Struct):
    records: list[_NewId]


def ask(tx: Tx, call: Call, count: int) -> list[str]:
    """Have so many runs ask, each for a contact of its own, and return the ids of the approvals."""
    organization_id = call.caller.organization_id
    made = execution.write(tx, workflows.create, call, _CATALOGUE)
    workflow_id = msgspec.json.decode(made.body, type=_NewId).id
    execution.write(tx, workflows.enable, call, WorkflowById(id=workflow_id))
    asked = ListRecords(object_type="contact", limit=count)
    listed = execution.read(tx.conn, tx.now, record_lists.list_, call, asked)
    for contact in msgspec.json.decode(listed.body, type=_Listing).records:
        execution.write(tx, starts.start, call, StartRun(id=workflow_id, record_id=contact.id))
    stepping.step_due(tx, organization_id, count)
    waiting = Visible(tools=(), of_workflows=True)
    found, _ = approvals.list_page(tx, organization_id, waiting, state="waiting")
    return [
        card.id
        for card in found
        if isinstance(card.asked_by, AskedByWorkflow) and card.asked_by.workflow_id == workflow_id
    ]
