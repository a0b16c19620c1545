"""Contexts: what the templates and conditions of a run see, as one tree of JSON under the roots of paths.

Conditions of a trigger see the event's own record, as it was then, so that an event matches or not whenever
it is dispatched. Steps see the record as it is when they run: their caller loads it.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from svc.domain.workflows.expressions.event_roots import CHANGED, MESSAGE, OBJECT_TYPE, SUBMISSION

Context = Mapping[str, Any]
"""Values by the roots of paths."""
Tree = dict[str, Any]


class Event(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An event as a workflow sees it. A schedule's has no id, and no data."""

    id: str | None
    type: str
    timestamp: str
    """RFC 3339."""
    organization_id: str
    data: dict[str, Any] = {}

    @property
    def object_type(self) -> str | None:
        """The object of the record that it is about; None if it is about none."""
        object_type = self.data.get(OBJECT_TYPE)
        return object_type if isinstance(object_type, str) else None


def record_tree(record: Mapping[str, Any]) -> Tree:
    """What is below `record` and `deal`: the values by slug, beside `id`, `objectType` and the times.

    *record* is of the shape `{id, objectType, properties, createdAt, updatedAt}`. A property called `id` is
    hidden by the record's own.
    """
    facts = {name: record.get(name) for name in ("id", "objectType", "createdAt", "updatedAt")}
    return {**record.get("properties", {}), **facts}


def event_context(
    event: Event, *, record: Mapping[str, Any] | None = None, deal: Mapping[str, Any] | None = None
) -> Tree:
    """What *event* is to a workflow, before any step.

    Without a *record*, it is the one in the event's data. A submission's contact and *deal*, and a message's
    contact, are loaded by the caller.
    """
    data = event.data
    record = data.get("record") if record is None else record
    return {
        "event": {"id": event.id, "type": event.type, "timestamp": event.timestamp, "data": data},
        "record": None if record is None else record_tree(record),
        "deal": None if deal is None else record_tree(deal),
        "submission": SUBMISSION.values(data),
        "message": MESSAGE.values(data),
        "changed": data.get(CHANGED, {}),
        "steps": {},
    }
