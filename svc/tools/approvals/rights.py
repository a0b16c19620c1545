"""Who may see and decide a card: callers that may run its tool."""

from collections.abc import Iterable
from typing import Any, Final

from svc.domain.approvals.cards import Card
from svc.domain.errors import Forbidden
from svc.domain.identity.callers import Caller
from svc.domain.identity.roles import Permission
from svc.storage.approvals.approvals import Visible
from svc.tools.registry import Registry
from svc.tools.tool import Tool

FOR_WORKFLOWS: Final[Permission] = "workflows"
"""The permission for a workflow's card."""
FOR_UNKNOWN: Final[Permission] = "settings"
"""The permission for the card of a tool that there is no more, as after an upgrade."""


def check(caller: Caller, registry: Registry, card: Card) -> None:
    """Raises `Forbidden` unless *caller* may see and decide *card*.

    It is about permissions alone: what kind of caller decides is the matter of the tools.
    """
    tool = None if card.tool is None else registry.get(card.tool)
    if tool is not None:
        if not _permitted(caller, tool):
            raise Forbidden(f"this approval is for callers that may run {tool.name}")
        return
    needs = FOR_WORKFLOWS if card.tool is None else FOR_UNKNOWN
    if needs not in caller.permissions:
        raise Forbidden(f"this approval needs the permission {needs}")


def visible_to(caller: Caller, registry: Registry) -> Visible:
    """The cards that `check` lets *caller* see."""
    return Visible(
        tools=_names(tool for tool in registry.values() if _permitted(caller, tool)),
        others_but=frozenset(registry) if FOR_UNKNOWN in caller.permissions else None,
        of_workflows=FOR_WORKFLOWS in caller.permissions,
    )


def _permitted(caller: Caller, tool: Tool[Any, Any]) -> bool:
    if caller.tools is not None and tool.name not in caller.tools:
        return False
    # What suffices for things of one's own does not: the card may be about another's.
    return tool.needs is None or tool.needs in caller.permissions


def _names(tools: Iterable[Tool[Any, Any]]) -> frozenset[str]:
    return frozenset(tool.name for tool in tools if tool.runs == "approval")
