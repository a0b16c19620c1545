"""Who calls, through which door, and what that one may do at this moment."""

from typing import Any, Final, Literal

import msgspec

from svc.domain.errors import ApprovalRequired, Forbidden, PersonOnly
from svc.domain.identity.roles import PERMISSIONS, Permission
from svc.domain.net.client_addresses import Network

CallerKind = Literal["person", "key", "agent", "workflow", "operator"]
"""An operator is whoever has the machine, at its command line."""

DoorName = Literal["app", "api", "mcp", "gateway", "cli", "inside"]

Limit = Literal["ai.gateway"]
"""What a key may be limited to as a whole."""

Runs = Literal["open", "approval", "person"]
"""Who may run a tool: a key too; a key never and an agent once a person approves; a person alone."""


FINDING: Final = frozenset({"tool.search", "tool.describe"})
"""What the narrowest key may call too: it shows nothing that is not in the contract, which needs no key."""


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """One that is known, as of the moment of the call. Nothing of it is kept longer than the call."""

    organization_id: str
    kind: CallerKind
    id: str
    """`usr_…`, `key_…`, …: which one of its kind."""
    person_id: str | None
    """The person that it acts as, who made the key for example."""
    permissions: frozenset[Permission]
    tools: frozenset[str] | None = None
    """The only tools that it may call; None for all that the permissions allow."""
    limited_to: Limit | None = None
    confirmed_at: int | None = None
    """When a person last showed who they are, ms since the epoch."""
    access_revision: int | None = None
    """Which of the system's revisions of the organization's access let it in; None if none had to."""


class ToolRegistry:
    """The tools that a call may name. Opaque here: `svc.tools.registry` has the implementation."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call: by whom, through which door, under which request id."""

    caller: Caller
    door: DoorName
    request_id: str | None = None
    allowed_networks: tuple[Network, ...] = ()
    """Non-public networks that this installation may send requests to; see `svc.domain.net.egress`."""
    registry: ToolRegistry | None = None
    """The registry of the door, for tools that are about tools; `svc.tools.registry.registry_of` reads it."""

    def source(self) -> dict[str, Any]:
        """Where what it writes comes from, as timelines and events say it (decisions §10)."""
        kinds = {"key": self.door, "operator": "person"}
        kind = kinds.get(self.caller.kind, self.caller.kind)
        return {"kind": kind, "id": self.caller.id, "personId": self.caller.person_id}


def operator_call(
    organization_id: str,
    *,
    person_id: str | None = None,
    allowed_networks: tuple[Network, ...] = (),
    registry: ToolRegistry | None = None,
) -> Call:
    """What the operator does in an organization from the command line, for the person *person_id* if any."""
    caller = Caller(
        organization_id=organization_id,
        kind="operator",
        id="operator",
        person_id=person_id,
        permissions=PERMISSIONS,
    )
    return Call(caller=caller, door="cli", allowed_networks=allowed_networks, registry=registry)


def permit(
    caller: Caller, tool: str, *, needs: Permission | None, own: Permission | None = None, runs: Runs
) -> None:
    """Let *caller* run *tool*, which needs a permission and is for `runs`.

    With *own* it may be run too, for what is the caller's own: the tool itself looks at that.

    Raises `Forbidden`, `PersonOnly` or `ApprovalRequired`. The order is that of what says most to the caller:
    what no key ever does comes before what this key may not.
    """
    if caller.limited_to is not None:
        raise Forbidden(f"this key is limited to {caller.limited_to}")
    by_hand = caller.kind in {"person", "operator"}
    if runs == "person" and not by_hand:
        raise PersonOnly(f"only a person may run {tool}")
    if caller.tools is not None and tool not in caller.tools and tool not in FINDING:
        raise Forbidden(f"this key is not for {tool}")
    if runs == "approval" and caller.kind in {"key", "agent"}:
        raise ApprovalRequired(f"{tool} needs a person's approval")
    if needs is not None and needs not in caller.permissions and own not in caller.permissions:
        raise Forbidden(f"{tool} needs the permission {needs}")
