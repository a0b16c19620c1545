"""Execution of approved cards: the tool of one is run with its input, as who approves it."""

from typing import Any

import msgspec

from svc.domain.approvals.cards import Card
from svc.domain.errors import Conflict, UnknownTool
from svc.domain.identity.callers import Call
from svc.domain.input.near_names import shown
from svc.storage.store import Tx
from svc.tools import execution
from svc.tools.registry import Registry, registry_of
from svc.tools.tool import Tool


def perform(tx: Tx, call: Call, card: Card) -> bytes:
    """Run the tool of *card*, and return its answer, as JSON. Raises as `Runner.run_card`."""
    with tx.savepoint():
        tool = _tool(registry_of(call), card.tool or "")
        tool.permit(call.caller)
        asked = tool.read(card.input or b"")
        return msgspec.json.encode(execution.perform(tx, tool, call, asked))


def _tool(registry: Registry, name: str) -> Tool[Any, Any]:
    tool = registry.get(name)
    if tool is None:
        raise UnknownTool(f"there is no tool {shown(name)} any more, and so nothing was done")
    if tool.shows_secret or tool.effect != "writes":
        raise Conflict(f"{tool.name} is not run by an approval any more: call it yourself")
    return tool
