"""Events: inserted in the transaction of what they report. Delivery reads the rows."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import sqlalchemy as sa

from svc.storage import tables
from svc.storage.statements import Statement
from svc.storage.store import Tx

EventType = Literal[
    "record.created",
    "record.updated",
    "record.deleted",
    "submission.filed",
    "submission.held",
    "message.received",
    "message.status",
    "conversation.created",
    "connection.state",
]


class NewEvent(msgspec.Struct, frozen=True):
    """An event to be recorded; `data` is JSON-ready."""

    type: EventType
    data: dict[str, Any]


_INSERT = Statement(sa.insert(tables.events))


def record(tx: Tx, organization_id: str, happened: Sequence[NewEvent]) -> None:
    """Insert the events, in this order."""
    if happened:
        _INSERT.many(
            tx.conn,
            [
                {
                    "id": tx.new_id("evt"),
                    "organization_id": organization_id,
                    "type": event.type,
                    "at": tx.now,
                    "data": msgspec.json.encode(event.data).decode(),
                }
                for event in happened
            ],
        )
