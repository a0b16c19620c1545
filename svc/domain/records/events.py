"""Events of records: what each says of its record."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from svc.domain.events import NewEvent, Source
from svc.domain.records.values import Values
from svc.domain.times import rfc3339

RecordEventType = Literal["record.created", "record.updated", "record.deleted"]


def record_event(
    type_: RecordEventType,
    *,
    record_id: str,
    object_type: str,
    version: int,
    properties: Values,
    created_at: int,
    updated_at: int,
    source: Source,
    **more: Any,
) -> NewEvent:
    """The event of a record as it stands now, with *more* data; times are ms since the epoch."""
    record = {
        "id": record_id,
        "objectType": object_type,
        "version": version,
        "properties": properties,
        "createdAt": rfc3339(created_at),
        "updatedAt": rfc3339(updated_at),
    }
    data = {"objectType": object_type, "recordId": record_id, "record": record, **more}
    return NewEvent(type=type_, subject=record_id, source=source, data=data)


def from_to(difference: Mapping[str, Sequence[Any]]) -> dict[str, dict[str, Any]]:
    """What `record.updated` says was changed, of `{slug: [before, after]}`; None stands for no value."""
    return {slug: {"from": before, "to": after} for slug, (before, after) in difference.items()}
