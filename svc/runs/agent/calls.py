"""Calls of an agent: what it may call at this moment, and how a call is made in its name.

There is no other way from a model to a tool; its reply, which it writes as text, is sent by `run_execution`
in the same name. What an agent is, and what it may, is read and judged anew in
each unit of work; a tool that is not among those named for it does not exist for it.
"""

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection

from svc.domain.agent.agents import ANSWERING, DEFAULT_TOOLS, Agent
from svc.domain.agent.runs import ToolCall
from svc.domain.approvals.cards import error_of
from svc.domain.errors import DomainError, Forbidden, UnknownTool
from svc.domain.identity.access import admit_agent
from svc.domain.identity.callers import Call, Caller, Installation, Narrowing, permit
from svc.domain.input.near_names import shown
from svc.storage.agent.runs import Run
from svc.storage.identity import access
from svc.tools.registry import Registry
from svc.tools.tool import Tool, ToolInput


class CheckedCall(NamedTuple):
    """A call that may be made."""

    tool: Tool[Any, Any]
    request: ToolInput


def caller_of(conn: Connection, agent: Agent, contact_id: str | None) -> Caller:
    """The agent as a caller in a conversation with that contact, with what it may now.

    Raises `Unauthenticated` when the organization is closed, the person who set it is no active member, or
    its role is gone.
    """
    facts = access.of_person(conn, agent.organization_id, agent.set_by)
    admitted = admit_agent(facts, agent.connection_id, agent.set_by, agent.role_id)
    named = agent.tools
    return msgspec.structs.replace(
        admitted,
        tools=(DEFAULT_TOOLS if named is None else frozenset(named)) - ANSWERING,
        narrowed_to=Narrowing(contact_id) if named is None else None,
    )


def call_of(installation: Installation, caller: Caller, run: Run) -> Call:
    """What *run* does in the name of its agent."""
    return Call(
        caller=caller,
        door="inside",
        installation=installation,
        run_id=run.id,
        conversation_id=run.conversation_id,
    )


def checked(registry: Registry, caller: Caller, call: ToolCall) -> CheckedCall:
    """The tool and the request of a model's call, if *caller* may make it, or may ask for its approval.

    Raises what the tool says of the arguments, `UnknownTool` for a tool that the agent has not, and
    `Forbidden`.
    """
    tool = registry.named(call.name)
    if tool is None or tool.name not in (caller.tools or ()):
        raise UnknownTool(f"you have no tool {shown(call.name)}")
    check_permitted(caller, tool)
    return CheckedCall(tool, tool.read(call.arguments.encode()))


def check_permitted(caller: Caller, tool: Tool[Any, Any]) -> None:
    """Raises `Forbidden` unless *caller* may call *tool*, or ask for its approval."""
    runs = "open" if tool.runs == "approval" else tool.runs
    permit(
        caller,
        tool.name,
        needs=tool.needs,
        own=tool.own,
        runs=runs,
        reads=tool.effect == "reads",
        narrows=tool.narrows,
    )


def may_call(registry: Registry, caller: Caller, name: str) -> bool:
    """Whether there is a tool *name* that *caller* may call, or ask the approval of."""
    tool = registry.get(name)
    if tool is None:
        return False
    try:
        check_permitted(caller, tool)
    except Forbidden:
        return False
    return True


def problem(error: DomainError) -> dict[str, Any]:
    """What the model is told of a call that was refused, so that it may mend it."""
    return {"error": error_of(error)}
