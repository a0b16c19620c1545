"""Events for tests whose data are whatever a test needs, where those of the domain are typed."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import msgspec

from svc.domain.events import EventType, NewEvent, Source


class _FreeEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What is recorded of an event, without members of its own. It is no `NewEvent`: those are all listed."""

    type: ClassVar[EventType]
    subject: ClassVar[str]
    resource: ClassVar[tuple[str, str]]
    object_type: ClassVar[str | None]
    depth: ClassVar[int]
    source: Source


def free_event(type_: EventType, subject: str, source: Source, data: Mapping[str, Any]) -> NewEvent:
    """An event of a type, with any *data*, by the names that JSON has."""
    noun = type_.partition(".")[0]
    namespace = {
        "type": type_,
        "subject": subject,
        "resource": ("conversation" if noun == "message" else noun, subject),
        "object_type": data.get("objectType"),
        "depth": source.get("depth", 0),
    }
    names = {f"data_{place}": name for place, name in enumerate(data)}
    kind = msgspec.defstruct(
        "FreeEvent",
        [(member, Any) for member in names],
        bases=(_FreeEvent,),
        namespace=namespace,
        rename=names,
        frozen=True,
    )
    values = dict(zip(names, data.values(), strict=True))
    return cast("NewEvent", kind(**values, source=source))
