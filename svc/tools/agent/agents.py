"""`agent.*`: how the agent of a connection is set."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from sqlalchemy import Connection

from svc.domain.agent.agents import ANSWERING, Agent
from svc.domain.agent.limits import AGENT_DAILY_MICRO_CREDITS, AGENT_INSTRUCTIONS_CHARS_MAX, AGENT_TOOLS_MAX
from svc.domain.ai.limits import AI_BALANCE_CREDITS_MAX
from svc.domain.ai.money import MICRO
from svc.domain.errors import Fault, Forbidden, InvalidInput, NotFound, Unauthenticated, named_at
from svc.domain.identity.access import admit_agent
from svc.domain.identity.callers import Call
from svc.domain.input.near_names import shown
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.agent import agents
from svc.storage.ai import providers
from svc.storage.channels import connections
from svc.storage.identity import access, roles
from svc.storage.store import Tx, View
from svc.tools.agent.reach import reach_of
from svc.tools.ai.answers import MicroCredits, ModelId, catalogue_of
from svc.tools.channels.answers import ConnectionId
from svc.tools.registry import Registry, registry_of
from svc.tools.tool import ToolInput, ToolOutput, about, reads, writes

RoleId = Annotated[str, about(description="`owner`, `admin`, `viewer`, or a custom role's id.")]
ToolNames = Annotated[
    tuple[str, ...],
    about(
        description="The only tools that it has. Without them it reads what may appear in embeds and its own"
        " contact, and writes notes on that.",
        max_length=AGENT_TOOLS_MAX,
        examples=[["record.list", "record.delete"]],
    ),
]
Instructions = Annotated[
    str,
    about(description="What it is told before each conversation.", max_length=AGENT_INSTRUCTIONS_CHARS_MAX),
]


class AgentAnswer(ToolOutput, frozen=True, kw_only=True):
    """The agent of a connection."""

    connection_id: ConnectionId
    enabled: bool
    instructions: Instructions
    model: ModelId
    role: RoleId
    tools: ToolNames | None
    daily_micro_credits: MicroCredits
    spent_micro_credits: Annotated[int, about(description="Of these, today (UTC).")]
    set_by: Annotated[str, about(description="The person who set it, beyond whom it may do nothing.")]
    reach: Annotated[
        list[str],
        about(description="In words: what a stranger could read and change by writing to it."),
    ]
    created_at: Timestamp
    updated_at: Timestamp


class AgentByConnection(ToolInput, frozen=True, kw_only=True):
    """Of which connection."""

    connection_id: ConnectionId


EXAMPLE: Final = AgentAnswer(
    connection_id="con_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    enabled=True,
    instructions="You answer for a shop that repairs lamps. Be short and friendly.",
    model="demo-echo",
    role="viewer",
    tools=None,
    daily_micro_credits=AGENT_DAILY_MICRO_CREDITS,
    spent_micro_credits=0,
    set_by="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    reach=[
        "A stranger could read no list of records: no object may appear in embeds.",
        "A stranger could read all properties of the contact that their own conversation is with.",
        "It writes to no other conversation, and hands over to a person where it meets a limit.",
    ],
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
)


@reads(
    "agent.get",
    needs="ai",
    raises=(NotFound,),
    example=AgentByConnection(connection_id=EXAMPLE.connection_id),
    answer=EXAMPLE,
)
def get(view: View, call: Call, request: AgentByConnection) -> AgentAnswer:
    """Show the agent of a connection, and what a stranger could read and change by it."""
    connection = connections.get(view.conn, call.caller.organization_id, request.connection_id)
    agent = agents.find(view.conn, connection.id)
    if agent is None:
        raise NotFound("this connection has no agent: `agent.set` makes one")
    return _answer(view.conn, registry_of(call), agent, view.now)


class ListAgents(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: all are listed."""


class AgentSummary(ToolOutput, frozen=True, kw_only=True):
    """An agent, without its instructions and its reach."""

    connection_id: ConnectionId
    enabled: bool
    model: ModelId
    role: RoleId
    tools: ToolNames | None
    daily_micro_credits: MicroCredits
    spent_micro_credits: Annotated[int, about(description="Of these, today (UTC).")]
    updated_at: Timestamp


class AgentList(ToolOutput, frozen=True, kw_only=True):
    """Agents, at most one of each connection."""

    agents: tuple[AgentSummary, ...]


@reads(
    "agent.list",
    needs="ai",
    example=ListAgents(),
    answer=AgentList(
        agents=(
            AgentSummary(
                **{name: getattr(EXAMPLE, name) for name in AgentSummary.__struct_fields__},
            ),
        )
    ),
)
def list_all(view: View, call: Call, request: ListAgents) -> AgentList:  # noqa: ARG001  # every tool's
    """List the agents of all connections; `agent.get` has the instructions and the reach of one."""
    return AgentList(
        agents=tuple(
            AgentSummary(
                connection_id=agent.connection_id,
                enabled=agent.enabled,
                model=agent.model,
                role=agent.role_id,
                tools=agent.tools,
                daily_micro_credits=agent.daily_micro_credits,
                spent_micro_credits=agents.spent(view.conn, agent.connection_id, view.now),
                updated_at=rfc3339(agent.updated_at),
            )
            for agent in agents.list_all(view.conn, call.caller.organization_id)
        )
    )


class SetAgent(ToolInput, frozen=True, kw_only=True):
    """How the agent of a connection is to be, in place of how it was."""

    connection_id: ConnectionId
    enabled: Annotated[bool, about(description="Whether it answers.")]
    instructions: Instructions = ""
    model: ModelId
    role: RoleId
    tools: ToolNames | None = None
    daily_micro_credits: Annotated[
        int,
        about(
            description="What it may take of the credits in a day (UTC).",
            ge=0,
            le=AI_BALANCE_CREDITS_MAX * MICRO,
        ),
    ] = AGENT_DAILY_MICRO_CREDITS


@writes(
    "agent.set",
    needs="ai",
    runs="person",
    raises=(NotFound, Forbidden),
    example=SetAgent(
        connection_id=EXAMPLE.connection_id,
        enabled=True,
        instructions=EXAMPLE.instructions,
        model="demo-echo",
        role="viewer",
    ),
    answer=EXAMPLE,
)
def set_(tx: Tx, call: Call, request: SetAgent) -> AgentAnswer:
    """Set the agent that answers the direct conversations of a connection, or switch it off.

    It takes the permission `channels`, too. The agent may what its role, you, and `tools` all permit, at each
    moment. What is written to it is a stranger's text, and a model may obey it: `reach` says in words what a
    stranger could then read and change. Read it before you leave the agent on.
    """
    agent = agent_for(tx, call, request)
    agents.save(tx, agent)
    return _answer(tx.conn, registry_of(call), agent, tx.now)


def agent_for(view: View | Tx, call: Call, request: SetAgent) -> Agent:
    """The agent that *request* makes of the connection's, if its caller may have it so.

    Raises:
        Forbidden: the caller is no person, or may not manage connections.
        NotFound: there is no such connection or role.
        InvalidInput: the model, a tool or the connection's account does not fit.
    """
    caller = call.caller
    if caller.person_id is None:
        raise Forbidden("an agent acts within what a person may: call as one")
    if "channels" not in caller.permissions:
        raise Forbidden("agent.set needs the permission channels, too")
    connection = connections.get(view.conn, caller.organization_id, request.connection_id)
    faults = [
        *_account_faults(connection.account.kind),
        *_tool_faults(registry_of(call), request.tools),
        *_model_faults(view.conn, call, request.model),
    ]
    if faults:
        raise InvalidInput(faults)
    with named_at("/role"):
        roles.get(view.conn, caller.organization_id, request.role)
    before = agents.find(view.conn, connection.id)
    return Agent(
        connection_id=connection.id,
        organization_id=caller.organization_id,
        enabled=request.enabled,
        instructions=request.instructions,
        model=request.model,
        role_id=request.role,
        tools=request.tools,
        daily_micro_credits=request.daily_micro_credits,
        set_by=caller.person_id,
        created_at=view.now if before is None else before.created_at,
        updated_at=view.now,
    )


def _account_faults(kind: str) -> list[Fault]:
    if kind != "member":
        return []
    detail = "it is a member's own account, from which only that member answers"
    return [Fault("/connectionId", "invalid_value", detail)]


def _tool_faults(registry: Registry, names: Sequence[str] | None) -> list[Fault]:
    faults = []
    for place, name in enumerate(names or ()):
        tool = registry.get(name)
        if tool is None or tool.deprecated is not None:
            detail = f"there is no tool {shown(name)}{registry.hint(name)}"
        elif tool.runs == "person":
            detail = f"only a person may run {name}"
        elif name in ANSWERING:
            detail = "an agent answers in its own conversation alone, by a tool of its own"
        else:
            continue
        faults.append(Fault(f"/tools/{place}", "invalid_value", detail))
    return faults


def _model_faults(conn: Connection, call: Call, model: str) -> list[Fault]:
    offered = providers.load(conn, call.caller.organization_id)
    if offered.choose(catalogue_of(call), model) is not None:
        return []
    return [Fault("/model", "not_found", f"there is no model {shown(model)} here: ai.model_list shows them")]


def _answer(conn: Connection, registry: Registry, agent: Agent, now: int) -> AgentAnswer:
    facts: dict[str, Any] = {
        name: getattr(agent, name)
        for name in ("connection_id", "enabled", "instructions", "model", "tools", "set_by")
    }
    return AgentAnswer(
        **facts,
        role=agent.role_id,
        daily_micro_credits=agent.daily_micro_credits,
        spent_micro_credits=agents.spent(conn, agent.connection_id, now),
        reach=_reach(conn, registry, agent),
        created_at=rfc3339(agent.created_at),
        updated_at=rfc3339(agent.updated_at),
    )


def _reach(conn: Connection, registry: Registry, agent: Agent) -> list[str]:
    facts = access.of_person(conn, agent.organization_id, agent.set_by)
    try:
        caller = admit_agent(facts, agent.connection_id, agent.set_by, agent.role_id)
    except Unauthenticated:
        return ["Nothing: the person who set it is no active member any more, or its role is gone."]
    return reach_of(conn, registry, agent, caller)
