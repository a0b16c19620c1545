"""Workflows for tests: enabled ones, and their runs as tools show them."""

from typing import Any, Final

import msgspec

from svc.domain.identity.callers import Call
from svc.storage.store import Tx
from svc.storage.workflows import workflows
from svc.storage.workflows.workflows import Workflow
from svc.tools.workflows.workflows import CreateWorkflow
from svc.tools.workflows.workflows import create as create_tool
from tests.tooling import ToolTown

NEW_CONTACT: Final = {"type": "record.created", "objectType": "contact"}
NOTE: Final = {"key": "note", "type": "add_note", "body": "Hello {{record.name}}"}


def a_document(*steps: Any, trigger: Any = NEW_CONTACT, **more: Any) -> dict[str, Any]:
    """A document as JSON; it writes a note on each new contact, unless it is told otherwise."""
    return {"name": "Greet", "trigger": trigger, "steps": [*steps] or [NOTE]} | more


def a_workflow(tx: Tx, /, call: Call, document: dict[str, Any]) -> Workflow:
    """An enabled workflow of the caller."""
    made = create_tool(tx, call, msgspec.convert(document, CreateWorkflow))
    return workflows.enable(tx, call, made.id)


async def enabled(here: ToolTown, *steps: Any, key: str | None = None, **more: Any) -> str:
    """The id of a workflow that the Owner's key, or *key*, has made and enabled."""
    made = await here.answer("workflow.create", a_document(*steps, **more), key=key)
    await here.answer("workflow.enable", {"id": made["id"]}, key=key)
    id_: str = made["id"]
    return id_


async def contact(here: ToolTown, **properties: Any) -> str:
    """The id of a new contact."""
    made = await here.answer(
        "record.create", {"objectType": "contact", "properties": {"name": "Ada", **properties}}
    )
    id_: str = made["id"]
    return id_


async def runs_of(here: ToolTown, **asked: Any) -> list[Any]:
    """The runs, the oldest first, with their steps."""
    page = await here.answer("workflow.run_list", asked)
    ids = [run["id"] for run in reversed(page["runs"])]
    return [await here.answer("workflow.run_get", {"id": id_}) for id_ in ids]


def states(run: Any) -> dict[str, str]:
    """The states of a run's steps, by key."""
    return {step["key"]: step["state"] for step in run["steps"]}


def outputs(run: Any) -> dict[str, Any]:
    """What a run's steps have made, by key."""
    return {step["key"]: step["output"] for step in run["steps"]}
