"""Callers: their kind, the door of a call, and their permissions at that moment."""

from collections.abc import Collection
from typing import Final, Literal, assert_never

import msgspec

from svc.domain.errors import ApprovalRequired, Forbidden, PersonOnly
from svc.domain.events import Source, agent_source, caller_source, workflow_source
from svc.domain.identity.roles import PERMISSIONS, Permission
from svc.domain.identity.tool_names import lasting_name
from svc.domain.net.client_addresses import Network

CallerKind = Literal["person", "key", "grant", "agent", "workflow", "operator", "service"]
"""A grant is that of a connected app. An operator is a person with access to the machine, at its command
line. The service itself is named in the audit trail, for what it does of its own accord."""

DoorName = Literal["app", "api", "mcp", "gateway", "cli", "inside"]

Limit = Literal["ai.gateway"]
"""What a key may be limited to as a whole."""
GATEWAY: Final[Limit] = "ai.gateway"
GATEWAY_NEEDS: Final[Permission] = "ai"
"""The permission that a gateway key has to have, at each of its calls."""

Runs = Literal["open", "approval", "person"]
"""Callers that may run a tool: keys too; agents once a person approves, and never keys; people alone."""


CALLED_BY_ALL: Final = frozenset({"tool.search", "tool.describe", "caller.get"})
"""Tools that every key and grant may call, however narrowed: they show what is in the contract,
which is public, and the caller itself."""
BY_TOKEN: Final = frozenset[CallerKind]({"key", "grant"})
"""Callers that are programs with a token of a person's: they share every rule."""


class Narrowing(msgspec.Struct, frozen=True):
    """What an agent is narrowed to that was given no tools by name.

    Of records of objects that may appear in embeds, what is not personal; and its conversation's contact.
    """

    contact_id: str | None


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """An authenticated caller, as of the moment of the call. It is not cached beyond the call."""

    organization_id: str
    kind: CallerKind
    id: str
    """`usr_…`, `key_…`, …"""
    person_id: str | None
    """The person that it acts as, for example the creator of the key."""
    permissions: frozenset[Permission]
    tools: frozenset[str] | None = None
    """The only tools that it may call; None for all that its permissions allow."""
    only_reads: bool = False
    """Whether it may call tools that read, and no others."""
    narrowed_to: Narrowing | None = None
    """What of the organization's records it may see and change; None for all that its permissions allow."""
    role_id: str | None = None
    """The role beyond which an agent may do nothing."""
    limited_to: Limit | None = None
    models: frozenset[str] | None = None
    """The only models that a gateway key may name; None for all that the organization may run."""
    has_budget: bool = False
    """Whether a gateway key has a monthly budget."""
    expires_at: int | None = None
    """When the key or grant expires, ms since the epoch; None for what is neither."""
    confirmed_at: int | None = None
    """When the person last confirmed their identity, ms since the epoch."""
    access_revision: int | None = None
    """The revision of the organization's access facts that admitted it; None if it needed no admission."""

    @property
    def by_hand(self) -> bool:
        """Whether a person calls, signed in or at the command line; no key, no agent and no workflow."""
        return self.kind in {"person", "operator"}


class ToolRegistry:
    """The tools that a call may name. Opaque here: `svc.tools.registry` has the implementation."""


class ModelOffer:
    """The service's models. Opaque here: `svc.domain.ai.models.ModelCatalogue` has the implementation."""


class ToolRunner:
    """What runs tools for tools. Opaque here: `svc.tools.runner.Runner` says what it does."""


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """What tools are given of the installation that they run in, whoever calls them."""

    registry: ToolRegistry | None = None
    """The registry of the door, for tools that are about tools; `svc.tools.registry.registry_of` reads it."""
    runner: ToolRunner | None = None
    """What tries runs of workflows, and runs approved cards; `svc.tools.runner.runner_of` reads it."""
    models: ModelOffer | None = None
    """The service's models, for tools about them; `svc.tools.ai.answers.catalogue_of` reads it."""
    allowed_networks: tuple[Network, ...] = ()
    """Non-public networks that this installation may send requests to; see `svc.domain.net.egress`."""


class FileLinks:
    """What signs addresses of files. Opaque here: `svc.domain.files.addresses` has the implementation."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call: its caller, its door, its request id."""

    caller: Caller
    door: DoorName
    request_id: str | None = None
    installation: Installation = Installation()
    run_id: str | None = None
    """The run, of a workflow or of an agent, that makes the call."""
    conversation_id: str | None = None
    """The conversation that an agent answers."""
    asked_by: dict[str, str] | None = None
    """What asked for the call, where a person has approved it: the agent's run, JSON-ready."""
    base_url: str = ""
    """The public address of this installation, for links in answers; empty where it is not known."""
    file_links: FileLinks | None = None
    """What signs addresses of files, where the answer may have some; `svc.tools.files` reads it."""
    depth: int = 0
    """The depth of the workflow's run that makes the call; 0 where none does."""

    def source(self) -> Source:
        """The source of what it writes, as timelines and events have it."""
        caller, kind = self.caller, self.caller.kind
        match kind:
            case "workflow":
                return workflow_source(caller.id, self.run_id or "", self.depth)
            case "agent":
                return agent_source(caller.id, self.conversation_id or "", self.run_id or "")
            case "key" | "grant":
                return caller_source(self.door, caller.id, caller.person_id)
            case "operator":
                return caller_source("person", caller.id, caller.person_id)
            case "person" | "service":
                return caller_source(kind, caller.id, caller.person_id)
            case _:
                assert_never(kind)


def operator_call(
    organization_id: str,
    *,
    person_id: str | None = None,
    installation: Installation = Installation(),  # noqa: B008  # it is frozen
    base_url: str = "",
) -> Call:
    """A call of the operator in an organization, on behalf of the person *person_id* if any."""
    caller = Caller(
        organization_id=organization_id,
        kind="operator",
        id="operator",
        person_id=person_id,
        permissions=PERMISSIONS,
    )
    return Call(caller=caller, door="cli", installation=installation, base_url=base_url)


def person_call(
    organization_id: str, person_id: str, *, door: DoorName = "app", confirmed_at: int | None = None
) -> Call:
    """A call of the person, who is permitted nothing by it: their permissions are read from the store."""
    caller = Caller(
        organization_id=organization_id,
        kind="person",
        id=person_id,
        person_id=person_id,
        permissions=frozenset(),
        confirmed_at=confirmed_at,
    )
    return Call(caller=caller, door=door)


def service_call(organization_id: str) -> Call:
    """What the service does of its own accord, as the audit trail names it. It is permitted nothing."""
    caller = Caller(
        organization_id=organization_id, kind="service", id="service", person_id=None, permissions=frozenset()
    )
    return Call(caller=caller, door="inside")


def permit(
    caller: Caller,
    tool: str,
    *,
    needs: Permission | None,
    own: Permission | None = None,
    runs: Runs,
    reads: bool = False,
    narrows: bool = False,
) -> None:
    """Check that *caller* may run *tool*, by permission and by kind of caller.

    A caller that is narrowed runs only tools that keep to it, which *narrows* says; one that only reads, only
    tools that read, which *reads* says.

    The permission *own* suffices, too: the tool itself checks that the object is the caller's own. The most
    informative error comes first: what no key may ever do comes before what this key may not.

    Raises:
        PersonOnly: a key or an agent calls what only a person may.
        ApprovalRequired: a key calls what needs a person's approval.
        Forbidden: the caller lacks the permission, or its key is not for this tool.
    """
    if caller.limited_to is not None:
        raise Forbidden(f"this key is limited to {caller.limited_to}")
    if runs == "person" and not caller.by_hand:
        raise PersonOnly(f"only a person may run {tool}")
    if caller.tools is not None and not _is_among(tool, caller.tools):
        raise Forbidden(f"this {caller.kind} is not for {tool}")
    if caller.only_reads and not reads:
        raise Forbidden(f"this {caller.kind} only reads, and {tool} writes")
    if caller.narrowed_to is not None and not narrows:
        raise Forbidden(f"{tool} shows or changes more than this {caller.kind} may see")
    if runs == "approval" and (caller.kind in BY_TOKEN or caller.kind == "agent"):
        raise ApprovalRequired(f"{tool} needs a person's approval")
    if needs is not None and needs not in caller.permissions and own not in caller.permissions:
        raise Forbidden(f"{tool} needs the permission {needs}")


def permit_models(caller: Caller) -> None:
    """Check that *caller* may ask models: of keys those for the gateway, with the permission `ai`.

    An agent's model is chosen by those who set the agent. Raises `Forbidden`.
    """
    if caller.kind == "grant":
        raise Forbidden("an app is connected to tools, not to the AI gateway")
    if caller.kind != "key":
        return
    if caller.limited_to != GATEWAY:
        raise Forbidden(f"this key is not for the AI gateway: mint one that is limited to {GATEWAY}")
    if GATEWAY_NEEDS not in caller.permissions:
        raise Forbidden(
            f"this key needs the permission {GATEWAY_NEEDS}, which its role or the person who made it lacks"
        )


def _is_among(tool: str, tools: Collection[str]) -> bool:
    """Whether *tool* is one of *tools*, or of all: by its name of today or by an earlier one."""
    return tool in CALLED_BY_ALL or lasting_name(tool) in map(lasting_name, tools)
