"""Events of records."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from svc.domain.events import EXAMPLE_ULID, EventType, NewEvent, Source, caller_source
from svc.domain.records.answers import EXAMPLE, ObjectType, RecordAnswer, RecordId


class PropertyChange(msgspec.Struct, frozen=True, rename={"before": "from", "after": "to"}):
    """The values of one property; null for none."""

    before: Any
    after: Any


class RecordEvent(NewEvent, frozen=True):
    """What happened to a record."""

    object_type: ObjectType
    record_id: RecordId
    record: RecordAnswer

    @property
    def subject(self) -> str:
        return self.record_id


class RecordCreated(RecordEvent, frozen=True):
    """A record was created, or restored.

    A record, as it stood after the write.
    """

    type: ClassVar[EventType] = "record.created"


class RecordUpdated(RecordEvent, frozen=True):
    """A record was changed.

    A record after a change, and what was changed.
    """

    type: ClassVar[EventType] = "record.updated"
    changed: Annotated[
        dict[str, PropertyChange], Meta(description="By the slugs of the properties that were changed.")
    ]


class RecordDeleted(RecordEvent, frozen=True):
    """A record was deleted, or merged into another.

    A record as it was last.
    """

    type: ClassVar[EventType] = "record.deleted"
    merged_into: Annotated[
        RecordId | UnsetType, Meta(description="The record that it was merged into, if it was.")
    ] = UNSET


E = TypeVar("E", bound=RecordEvent)


def record_event(kind: type[E], record: RecordAnswer, source: Source, **more: Any) -> E:
    """The event of a *record* as it stands now, with the members that its *kind* has besides."""
    return kind(object_type=record.object_type, record_id=record.id, record=record, source=source, **more)


def changes(difference: Mapping[str, Sequence[Any]]) -> dict[str, PropertyChange]:
    """What `record.updated` says was changed, of `{slug: [before, after]}`; None stands for no value."""
    return {slug: PropertyChange(before, after) for slug, (before, after) in difference.items()}


_BY_KEY: Final = caller_source("api", f"key_{EXAMPLE_ULID}", f"usr_{EXAMPLE_ULID}")

EXAMPLES: Final[tuple[NewEvent, ...]] = (
    record_event(RecordCreated, EXAMPLE, _BY_KEY),
    record_event(RecordUpdated, EXAMPLE, _BY_KEY, changed=changes({"city": [None, "London"]})),
    record_event(RecordDeleted, EXAMPLE, _BY_KEY),
)
