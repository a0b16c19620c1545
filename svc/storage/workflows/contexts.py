"""What a workflow sees: events as they were, and the records that they are about."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.domain.times import rfc3339
from svc.domain.workflows.contexts import Event, Tree, event_context
from svc.storage import events
from svc.storage.records import records
from svc.storage.records.rows import Record

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


def event_of(row: events.Event) -> Event:
    """The event in *row*, as a workflow sees it. Raises `DecodeError`."""
    return Event(
        id=row.id,
        type=row.type,
        timestamp=rfc3339(row.at),
        organization_id=row.organization_id,
        data=_decode(row.data),
    )


def record_id_of(event: Event) -> str | None:
    """The id of the record that *event* is about to a workflow: of a submission or message, the contact."""
    found = event.data.get("recordId") or event.data.get("contactId")
    return found if isinstance(found, str) else None


def as_it_was(conn: sa.Connection, organization_id: str, event: Event) -> Tree:
    """What the conditions of a trigger see: the event's own record, as it was then, and else as it is."""
    if "record" in event.data:
        return event_context(event)
    return as_it_is(conn, organization_id, event)


def as_it_is(conn: sa.Connection, organization_id: str, event: Event) -> Tree:
    """What the steps of a run see, as long as none has run: records as they are now, if they still are."""
    return event_context(
        event,
        record=_record(conn, organization_id, record_id_of(event)) or {},
        deal=_record(conn, organization_id, event.data.get("dealId")),
    )


def _record(conn: sa.Connection, organization_id: str, record_id: str | None) -> dict[str, Any] | None:
    if record_id is None:
        return None
    try:
        return _shape(records.get(conn, organization_id, None, record_id))
    except NotFound:
        return None


def _shape(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "objectType": record.object_type,
        "properties": record.properties,
        "createdAt": rfc3339(record.created_at),
        "updatedAt": rfc3339(record.updated_at),
    }
