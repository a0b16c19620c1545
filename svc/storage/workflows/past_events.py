"""Past events that a trigger is for: what a draft is judged by, and tried with."""

from contextlib import closing
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.workflows.documents import AnyTrigger
from svc.domain.workflows.expressions.contexts import Event
from svc.domain.workflows.limits import PAST_EVENTS_MAX, PAST_EVENTS_SCANNED_MAX
from svc.domain.workflows.triggers import event_type_of, starts
from svc.storage import tables
from svc.storage.events import events as event_rows
from svc.storage.events.events import EVENTS
from svc.storage.workflows.contexts import EventContext, event_of

_events = tables.events
_NAME_CHARS_MAX: Final = 100
_NEWEST: Final = (
    sa.select(_events.c.id, _events.c.type)
    .where(_events.c.organization_id == sa.bindparam("organization_id"), _events.c.position.is_not(None))
    .order_by(_events.c.position.desc())
    .limit(PAST_EVENTS_SCANNED_MAX)
    .subquery()
)
_OF_TYPE: Final = EVENTS.prepared(
    EVENTS.select(
        _events.c.id.in_(sa.select(_NEWEST.c.id).where(_NEWEST.c.type == sa.bindparam("type")))
    ).order_by(_events.c.position.desc())
)


def list_latest(
    conn: sa.Connection, organization_id: str, trigger: AnyTrigger
) -> list[tuple[event_rows.Event, str | None]]:
    """The latest events that *trigger* is for, the newest first, each with a name for people.

    At most `PAST_EVENTS_MAX`, among the newest `PAST_EVENTS_SCANNED_MAX` of the organization.
    """
    found: list[tuple[event_rows.Event, Event]] = []
    asked = {"organization_id": organization_id, "type": event_type_of(trigger)}
    with closing(_OF_TYPE.each(conn, asked)) as rows:
        for row in rows:
            try:
                event = event_of(row)
            except msgspec.DecodeError:
                continue
            if starts(trigger, event):
                found.append((row, event))
            if len(found) == PAST_EVENTS_MAX:
                break
    return [(row, _name_of(conn, event)) for row, event in found]


def _name_of(conn: sa.Connection, event: Event) -> str | None:
    """The name of the record that it was about, or else what a message says."""
    context: Any = EventContext(conn, event)
    record, text = context["record"] or {}, context["message"].get("text")
    for name in (record.get("name"), text):
        if isinstance(name, str) and name:
            return name[:_NAME_CHARS_MAX]
    return None
