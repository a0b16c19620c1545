"""Rights: which permissions it takes to see events, over the permission for webhooks itself."""

from collections.abc import Collection
from typing import Final

from svc.domain.errors import Forbidden
from svc.domain.events import EventType
from svc.domain.identity.callers import Caller
from svc.domain.identity.roles import Permission

_NEEDS: Final[dict[str, frozenset[Permission]]] = {
    "record": frozenset({"records.read"}),
    "submission": frozenset({"forms"}),
    "message": frozenset({"conversations"}),
    "conversation": frozenset({"conversations"}),
    "connection": frozenset({"channels"}),
    "workflow": frozenset({"workflows"}),
    "approval": frozenset({"conversations", "workflows"}),
    "ai": frozenset({"ai"}),
}
"""By the first part of an event's type."""
TEMPLATE_NEEDS: Final[frozenset[Permission]] = frozenset().union(
    *(_NEEDS[noun] for noun in ("record", "submission", "message"))
)
"""The permissions to see all that the templates of a workflow may name."""


def event_needs(event_type: str) -> frozenset[Permission]:
    """The permissions to see events of *event_type*: those to see what it is about.

    Raises `KeyError` for a type that nothing is said of, which is a fault of the program.
    """
    return _NEEDS[event_type.partition(".")[0]]


def visible_types(caller: Caller, types: Collection[EventType]) -> list[EventType]:
    """Those of *types* that *caller* may see."""
    return [event_type for event_type in types if event_needs(event_type) <= caller.permissions]


def check_may_see(caller: Caller, types: Collection[EventType]) -> None:
    """Raises `Forbidden` if *caller* may not see all of *types*."""
    for event_type in types:
        missing = event_needs(event_type) - caller.permissions
        if missing:
            raise Forbidden(f"events {event_type} need the permission {', '.join(sorted(missing))}, too")
