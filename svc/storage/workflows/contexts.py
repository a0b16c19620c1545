"""What a workflow sees: events as they were, and the records that they are about."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.domain.forms.events import SubmissionFiled
from svc.domain.locale.times import rfc3339
from svc.domain.records.events import RecordUpdated
from svc.domain.workflows.expressions.contexts import Event, Tree, event_context, record_tree
from svc.domain.workflows.expressions.paths import ROOTS
from svc.storage.events import events
from svc.storage.records import records
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record

RECORD_ID: Final = RecordUpdated.data_name("record_id")
_RECORD: Final = RecordUpdated.data_name("record")
_CONTACT_ID: Final = SubmissionFiled.data_name("contact_id")
"""Of messages, too."""
_DEAL_ID: Final = SubmissionFiled.data_name("deal_id")

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
    found = event.data.get(RECORD_ID) or event.data.get(_CONTACT_ID)
    return found if isinstance(found, str) else None


class EventContext(Mapping[str, Any]):
    """The context of an event: what it was about is read when it is first looked at, and as it is then.

    The event's own record is as it was, unless *now*: conditions judge the event, and steps work with what
    is there. `steps` has the results of steps by their keys.
    """

    def __init__(
        self,
        conn: sa.Connection,
        event: Event,
        steps: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        now: bool = False,
        read: dict[str, StoredObject] | None = None,
    ) -> None:
        """*read* has the objects by id that were read in this transaction, and takes others."""
        self._conn = conn
        self._event = event
        self._steps = steps or {}
        self._now = now
        self._objects = {} if read is None else read

    @cached_property
    def _tree(self) -> Tree:
        return event_context(self._event) | {"steps": self._steps}

    @cached_property
    def _record(self) -> Tree | None:
        if _RECORD in self._event.data and not self._now:
            return record_tree(self._event.data[_RECORD])
        return self._read(record_id_of(self._event))

    @cached_property
    def _deal(self) -> Tree | None:
        return self._read(self._event.data.get(_DEAL_ID))

    def _read(self, record_id: str | None) -> Tree | None:
        if record_id is None:
            return None
        try:
            record = records.get(self._conn, self._event.organization_id, None, record_id, read=self._objects)
        except NotFound:
            return None
        return record_tree(_shape(record))

    def __getitem__(self, root: str) -> Any:
        match root:
            case "record":
                return self._record
            case "deal":
                return self._deal
        return self._tree[root]

    def __iter__(self) -> Iterator[str]:
        return iter(ROOTS)

    def __len__(self) -> int:
        return len(ROOTS)


def _shape(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "objectType": record.object_type,
        "properties": record.properties,
        "createdAt": rfc3339(record.created_at),
        "updatedAt": rfc3339(record.updated_at),
    }
