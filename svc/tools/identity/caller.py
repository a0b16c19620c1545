"""`caller.get`: who calls, in whose name, and what it may."""

from typing import Annotated, Final, Literal

from svc.domain.errors import Forbidden
from svc.domain.identity.callers import Call
from svc.domain.identity.organizations import Plan
from svc.domain.identity.roles import Permission
from svc.domain.locale.times import Timestamp, rfc3339
from svc.storage.identity import caller_details
from svc.storage.store import View
from svc.tools.identity.members import PersonId
from svc.tools.identity.organizations import Currency, Locale, Name, TimeZone
from svc.tools.identity.roles import RoleId
from svc.tools.registry import registry_of
from svc.tools.tool import ToolInput, ToolOutput, about, reads


class CallerPerson(ToolOutput, frozen=True, kw_only=True):
    """The person in whose name a caller acts."""

    id: PersonId
    name: Annotated[str, about(description="What they are called.", examples=["Ada Lovelace"])]
    email: Annotated[str, about(description="Their e-mail address.", examples=["ada@harbour.example"])]


class CallerRole(ToolOutput, frozen=True, kw_only=True):
    """A role."""

    id: RoleId
    name: Annotated[str, about(description="What it is called.", examples=["Viewer"])]


class CallerOrganization(ToolOutput, frozen=True, kw_only=True):
    """The organization that a caller is in, and its formats."""

    id: Annotated[str, about(description="Its id.", examples=["org_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
    name: Name
    plan: Plan
    locale: Locale
    time_zone: TimeZone
    currency: Currency


class CallerAnswer(ToolOutput, frozen=True, kw_only=True):
    """Who calls."""

    kind: Annotated[
        Literal["key", "grant", "person", "agent"],
        about(description="`grant` for a connected app; `person` for a signed-in one."),
    ]
    id: Annotated[
        str,
        about(
            description="Of the key, grant or person; of an agent its connection's.",
            examples=["key_01K5D3V7Q2M8Z4X6C9B1N0T5RA", "usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"],
        ),
    ]
    name: Annotated[
        str, about(description="What the key, app, person or agent is called.", examples=["Warehouse"])
    ]
    person: CallerPerson
    role: Annotated[
        CallerRole, about(description="The role that it was given; the person's own may be weaker.")
    ]
    permissions: Annotated[
        tuple[Permission, ...],
        about(description="What it may now: what its role and the person's both permit."),
    ]
    tools: Annotated[
        tuple[str, ...] | None,
        about(
            description="The only tools that it may call; null for all that its permissions allow.",
            examples=[["record.list", "record.get"]],
        ),
    ]
    organization: CallerOrganization
    expires_at: Annotated[Timestamp | None, about(description="When it ends; null for a person.")]


class GetCaller(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked."""


_EXAMPLE: Final = CallerAnswer(
    kind="key",
    id="key_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Warehouse",
    person=CallerPerson(
        id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA", name="Ada Lovelace", email="ada@harbour.example"
    ),
    role=CallerRole(id="viewer", name="Viewer"),
    permissions=("records.read",),
    tools=("record.get", "record.list"),
    organization=CallerOrganization(
        id="org_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
        name="Harbour Lamps",
        plan="pro",
        locale="en_GB",
        time_zone="Europe/London",
        currency="GBP",
    ),
    expires_at="2026-12-17T09:30:00.000Z",
)


@reads("caller.get", raises=(Forbidden,), example=GetCaller(), answer=_EXAMPLE)
def get(view: View, call: Call, request: GetCaller) -> CallerAnswer:  # noqa: ARG001  # every tool's
    """Show who calls: the key, app, person or agent, in whose name, in which role, for what and until when.

    Every key but a gateway key may ask, and every connected app, however narrowed.
    """
    caller = call.caller
    details = caller_details.of(view.conn, caller)
    match caller.kind:
        case "key" | "grant" | "person" | "agent":
            kind: Literal["key", "grant", "person", "agent"] = caller.kind
        case _:
            raise Forbidden("this tells keys, apps, people and agents who they are")
    tools = caller.tools
    if caller.only_reads:
        tools = frozenset(tool.name for tool in registry_of(call).values() if tool.effect == "reads")
    organization = details.organization
    return CallerAnswer(
        kind=kind,
        id=caller.id,
        name=details.name,
        person=CallerPerson(id=details.person.id, name=details.person.name, email=details.person.email),
        role=CallerRole(id=details.role.id, name=details.role.name),
        permissions=tuple(sorted(caller.permissions)),
        tools=None if tools is None else tuple(sorted(tools)),
        organization=CallerOrganization(
            id=organization.id,
            name=organization.name,
            plan=organization.plan,
            locale=organization.locale,
            time_zone=organization.time_zone,
            currency=organization.currency,
        ),
        expires_at=None if caller.expires_at is None else rfc3339(caller.expires_at),
    )
