"""Events: inserted in the transaction of what they report, and dispatched by their rows.

An event gets its position when it is dispatched. Positions count up in each organization, and readers go by
them: by id or time, an event that is committed late would be skipped.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import EventsDue, ResourceChanged
from svc.domain.errors import NotFound
from svc.domain.events import EventType, NewEvent
from svc.domain.input.near_names import shown
from svc.domain.limits import EVENTS_PAGE_BYTES_MAX
from svc.storage import tables
from svc.storage.readable import is_unreadable, tell
from svc.storage.rows import Rows, as_bytes
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """An event as it is stored. `at` is ms since the epoch; `data` is JSON."""

    id: str
    organization_id: str
    type: EventType
    at: int
    data: str
    subject: str
    object_type: str | None
    """The slug of the object, of an event of a record."""
    depth: int
    position: int | None
    """The place in the order of dispatch; None until it was dispatched."""


EVENTS: Final = Rows(tables.events, Event, undecoded={"data"})

_encode: Final = msgspec.json.Encoder().encode
_GET = EVENTS.prepared(
    EVENTS.select(
        tables.events.c.id == sa.bindparam("event_id"),
        tables.events.c.organization_id == sa.bindparam("organization_id"),
    )
)
_IS_UNDISPATCHED: Final = (
    tables.events.c.organization_id == sa.bindparam("organization_id"),
    tables.events.c.position.is_(None),
)
_LIMIT: Final = sa.bindparam("limit", type_=sa.Integer)
_UNDISPATCHED = EVENTS.prepared(EVENTS.select(*_IS_UNDISPATCHED).order_by(tables.events.c.id).limit(_LIMIT))
_UNDISPATCHED_IDS = Statement(
    sa.select(tables.events.c.id).where(*_IS_UNDISPATCHED).order_by(tables.events.c.id).limit(_LIMIT), str
)
_WITH_BYTES: Final = sa.select(
    *(as_bytes(column) if column is tables.events.c.data else column for column in EVENTS.columns)
).where(tables.events.c.id == sa.bindparam("event_id"))
_DISPATCH = Statement(
    sa.update(tables.events)
    .where(
        tables.events.c.id == sa.bindparam("event_id"),
        tables.events.c.organization_id == sa.bindparam("of_organization"),
        tables.events.c.position.is_(None),
    )
    .values(position=sa.bindparam("new_position"))
)


class Positions(NamedTuple):
    """The position of the event that was dispatched last, and up to which one events were pruned."""

    newest: int
    pruned: int


_POSITIONS = Statement(
    sa.select(*(tables.event_positions.c[name] for name in Positions._fields)).where(
        tables.event_positions.c.organization_id == sa.bindparam("organization_id")
    ),
    Positions,
)
_KEEP_POSITIONS = Statement(insert_or_replace(tables.event_positions, ["organization_id"]))
_KEPT = Statement(sa.select(tables.events.c.id).where(tables.events.c.id == sa.bindparam("event_id")))


def record(tx: Tx, organization_id: str, happened: Sequence[NewEvent]) -> None:
    """Insert the events, in this order, and announce them once for all of the unit."""
    if not happened:
        return
    EVENTS.insert_many(
        tx.conn,
        [
            Event(
                id=tx.new_id("evt"),
                organization_id=organization_id,
                type=event.type,
                at=tx.now,
                data=_encode(event).decode(),
                subject=event.subject,
                object_type=event.object_type,
                depth=event.depth,
                position=None,
            )
            for event in happened
        ],
    )
    due = EventsDue(organization_id)
    if due not in tx.changes:
        tx.announce(due)
    for noun, id_ in dict.fromkeys(event.resource for event in happened):
        tx.announce(ResourceChanged(organization_id, noun, id_))


def get(conn: sa.Connection, organization_id: str, event_id: str) -> Event:
    """The event. Raises `NotFound`."""
    row = _GET.one(conn, event_id=event_id, organization_id=organization_id)
    if row is None:
        raise NotFound(f"there is no event {shown(event_id)}")
    return row


def undispatched(conn: sa.Connection, organization_id: str, limit: int) -> list[Event]:
    """The organization's oldest events that were not dispatched, as many as a batch has: see `is_full`.

    One whose data are unreadable has none.
    """
    try:
        with closing(_UNDISPATCHED.each(conn, organization_id=organization_id, limit=limit)) as waiting:
            return _batch(waiting, limit)
    except Exception as error:
        if not is_unreadable(error):
            raise
    ids = _UNDISPATCHED_IDS.all(conn, organization_id=organization_id, limit=limit)
    return _batch((_readable(conn, event_id) for event_id in ids), limit)


def is_full(batch: Sequence[Event], limit: int) -> bool:
    """Whether *batch* has *limit* events, or `EVENTS_PAGE_BYTES_MAX` of data, so that more may wait."""
    return len(batch) >= limit or sum(len(event.data) for event in batch) >= EVENTS_PAGE_BYTES_MAX


def _batch(waiting: Iterable[Event], limit: int) -> list[Event]:
    batch: list[Event] = []
    length = 0
    for event in waiting:
        batch.append(event)
        length += len(event.data)
        if len(batch) >= limit or length >= EVENTS_PAGE_BYTES_MAX:
            break
    return batch


def _readable(conn: sa.Connection, event_id: str) -> Event:
    """The event, without its data where these are no text."""
    found = conn.execute(_WITH_BYTES, {"event_id": event_id}).one()
    try:
        data = bytes(found.data).decode()
    except UnicodeDecodeError as error:
        tell("events", event_id, error)
        data = "{}"
    return msgspec.structs.replace(EVENTS.make(found), data=data)


def organizations_with_undispatched(conn: sa.Connection) -> list[str]:
    """The organizations that have events to be dispatched, by an index that has no other events."""
    waiting = sa.select(tables.events.c.organization_id).where(tables.events.c.position.is_(None))
    return list(conn.scalars(waiting.distinct()))


def mark_dispatched(tx: Tx, organization_id: str, ids: Sequence[str]) -> range:
    """Give the undispatched events *ids* the next positions, in this order; others keep theirs.

    Returns the positions.
    """
    newest, pruned = positions(tx.conn, organization_id)
    given = range(newest + 1, newest + 1 + len(ids))
    _DISPATCH.many(
        tx.conn,
        [
            {"event_id": event_id, "of_organization": organization_id, "new_position": position}
            for event_id, position in zip(ids, given, strict=True)
        ],
    )
    if ids:
        _keep_positions(tx, organization_id, given[-1], pruned)
    return given


def mark_pruned(tx: Tx, organization_id: str, position: int) -> None:
    """Note that the event at *position* was pruned, so that those up to there are not listed any more."""
    newest, pruned = positions(tx.conn, organization_id)
    _keep_positions(tx, organization_id, newest, max(position, pruned))


def newest_position(conn: sa.Connection, organization_id: str) -> int:
    """The last position that was given; 0 where none was."""
    return positions(conn, organization_id).newest


def positions(conn: sa.Connection, organization_id: str) -> Positions:
    """The last position that was given, and up to which one events were pruned; 0 where none was."""
    return _POSITIONS.one(conn, organization_id=organization_id) or Positions(newest=0, pruned=0)


def _keep_positions(tx: Tx, organization_id: str, newest: int, pruned: int) -> None:
    _KEEP_POSITIONS.run(tx.conn, organization_id=organization_id, newest=newest, pruned=pruned)


def is_kept(conn: sa.Connection, event_id: str) -> bool:
    """Whether the event is still there: see `svc.storage.retention`."""
    return _KEPT.one(conn, event_id=event_id) is not None
