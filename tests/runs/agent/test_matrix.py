"""What an agent may call: every tool of the registry, by role and by narrowing."""

import json
from typing import Any, Final

import msgspec
import pytest
from sqlalchemy import Connection

from svc.domain.agent.agents import ANSWERING, Agent
from svc.domain.agent.runs import ToolCall
from svc.domain.errors import DomainError, Forbidden, PersonOnly, UnknownTool
from svc.domain.identity.access import Access, Membership, admit_again, admit_agent
from svc.domain.identity.callers import Caller, Narrowing
from svc.domain.identity.roles import BUILTIN_ROLES, PERMISSIONS, Role
from svc.http.tools.contract import example_json
from svc.runs.agent import calls, offers
from svc.storage.channels import conversations
from svc.storage.store import Tx
from svc.tools.catalogue import REGISTRY
from tests import tables
from tests.agents import MODEL
from tests.channels import a_connection, a_message
from tests.people import a_member
from tests.town import town

ROLES: Final = (*BUILTIN_ROLES, *sorted(PERMISSIONS))
"""The built-in roles, and custom ones with a single permission."""
NARROWINGS: Final = ("none named", "all named", "this one named", "another named", "no tool")
DEFAULT: Final = {"record.list", "record.get", "note.create"}


def permissions_of(role: str) -> frozenset[Any]:
    built_in = BUILTIN_ROLES.get(role)
    return frozenset({role}) & PERMISSIONS if built_in is None else built_in.permissions


def named(narrowing: str, name: str) -> tuple[str, ...] | None:
    """The tools that are named for the agent."""
    return {
        "none named": None,
        "all named": tuple(REGISTRY),
        "this one named": (name,),
        "another named": ("tool.search",) if name != "tool.search" else ("tool.describe",),
        "no tool": (),
    }[narrowing]


def expected(name: str, role: str, person: str, narrowing: str) -> str:
    """What becomes of a call, by the words of the rule and by nothing of the program."""
    tool, names = REGISTRY[name], named(narrowing, name)
    if name not in (DEFAULT if names is None else names) or name in ANSWERING:
        return "unknown"
    if tool.runs == "person":
        return "person only"
    both = permissions_of(role) & permissions_of(person)
    if tool.needs is not None and not {tool.needs, tool.own} & both:
        return "forbidden"
    return "card" if tool.runs == "approval" else "runs"


def found(caller: Caller, name: str) -> str:
    """What becomes of a call that is as the tool's example."""
    tool = REGISTRY[name]
    call = ToolCall(id="1", name=tool.wire_name, arguments=json.dumps(example_json(tool.example)))
    try:
        calls.checked(REGISTRY, caller, call)
    except UnknownTool:
        return "unknown"
    except PersonOnly:
        return "person only"
    except Forbidden:
        return "forbidden"
    return "card" if tool.runs == "approval" else "runs"


class Agents:
    """An agent that is set anew for each cell."""

    def __init__(self, tx: Tx, organization_id: str) -> None:
        self.people = {}
        for role in ROLES:
            role_id = role
            if role not in BUILTIN_ROLES:
                role_id = f"rol_{role}"
                tx.conn.execute(
                    tables.roles.insert().values(
                        id=role_id,
                        organization_id=organization_id,
                        name=role,
                        permissions=json.dumps([role]),
                        created_at=tx.now,
                        updated_at=tx.now,
                        version=1,
                    )
                )
            self.people[role] = a_member(tx, organization_id, f"{role}@example.com", role_id).id
        self.organization_id = organization_id
        self.connection = a_connection(tx, organization_id)
        said = a_message(tx, self.connection)
        self.conversation = conversations.get(tx.conn, organization_id, said.conversation)

    def caller(self, conn: Connection, role: str, person: str, tools: tuple[str, ...] | None) -> Caller:
        agent = Agent(
            connection_id=self.connection.id,
            organization_id=self.organization_id,
            enabled=True,
            instructions="",
            model=MODEL,
            role_id=role if role in BUILTIN_ROLES else f"rol_{role}",
            tools=tools,
            daily_micro_credits=1,
            set_by=self.people[person],
            created_at=0,
            updated_at=0,
        )
        return calls.caller_of(conn, agent, self.conversation.contact_id)


@pytest.mark.parametrize("narrowing", NARROWINGS)
async def test_an_agent_may_what_role_person_and_tools_all_permit(narrowing: str):
    """Each tool × each role × each narrowing, set by an Owner, a Viewer and a person with that role."""
    async with town() as here:
        agents = await here.store.write(Agents, here.organization.id)

        def cells(conn: Connection) -> dict[tuple[str, str, str], tuple[str, str]]:
            wrong = {}
            for role in ROLES:
                for person in {"owner", "viewer", role}:
                    shared = narrowing in {"none named", "all named", "no tool"}
                    caller = agents.caller(conn, role, person, named(narrowing, ""))
                    for name in REGISTRY:
                        if not shared:
                            caller = msgspec.structs.replace(
                                caller, tools=frozenset(named(narrowing, name) or ()) - ANSWERING
                            )
                        cell = expected(name, role, person, narrowing), found(caller, name)
                        if cell[0] != cell[1]:
                            wrong[name, role, person] = cell
            return wrong

        assert {} == await here.store.read(cells)


async def test_the_model_is_offered_what_the_agent_may_call():
    """And its own two tools; a tool of a person never."""
    async with town() as here:
        agents = await here.store.write(Agents, here.organization.id)

        def offered(conn: Connection) -> dict[str, tuple[set[str], set[str]]]:
            wrong = {}
            for role in ROLES:
                for narrowing in ("none named", "all named", "no tool"):
                    caller = agents.caller(conn, role, "owner", named(narrowing, ""))
                    names = {
                        msgspec.json.decode(raw)["function"]["name"]
                        for raw in offers.offered(REGISTRY, caller)
                    }
                    may = {
                        REGISTRY[name].wire_name
                        for name in REGISTRY
                        if expected(name, role, "owner", narrowing) in {"runs", "card"}
                    }
                    if names != may | {"reply", "handover"}:
                        wrong[f"{role}, {narrowing}"] = names, may
            return wrong

        assert {} == await here.store.read(offered)


def test_a_narrowed_caller_runs_only_tools_that_keep_to_it():
    """Whatever is named for it: the check of a tool refuses by default."""
    caller = Caller(
        organization_id="org_1",
        kind="agent",
        id="con_1",
        person_id="usr_1",
        permissions=PERMISSIONS,
        tools=frozenset(REGISTRY),
        narrowed_to=Narrowing("rec_1"),
    )

    assert DEFAULT == {name for name in REGISTRY if found(caller, name) in {"runs", "card"}}
    assert DEFAULT == {name for name, tool in REGISTRY.items() if tool.narrows}


def test_an_agent_is_admitted_anew():
    """With what its role and the person may now; not at all once one of them is gone, or all is closed."""
    open_ = Access(
        organization_id="org_1",
        is_open=True,
        roles={"rol_1": Role("rol_1", "Notes", frozenset({"records.read", "ai"}))},
        members={"usr_1": Membership("admin", "active", True)},
        keys={},
        grants={},
    )
    caller = msgspec.structs.replace(
        admit_agent(open_, "con_1", "usr_1", "rol_1"), tools=frozenset({"record.get"})
    )
    weaker = msgspec.structs.replace(open_, members={"usr_1": Membership("viewer", "active", True)})
    gone = [
        msgspec.structs.replace(open_, is_open=False),
        msgspec.structs.replace(open_, roles={}),
        msgspec.structs.replace(open_, members={}),
        msgspec.structs.replace(open_, members={"usr_1": Membership("admin", "deactivated", True)}),
        msgspec.structs.replace(open_, members={"usr_1": Membership("admin", "frozen", True)}),
    ]

    assert {"records.read", "ai"} == admit_again(open_, caller, 0).permissions
    assert {"records.read"} == admit_again(weaker, caller, 0).permissions
    assert caller.tools == admit_again(weaker, caller, 0).tools
    for access in gone:
        with pytest.raises(DomainError):
            admit_again(access, caller, 0)
