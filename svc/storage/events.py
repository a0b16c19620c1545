"""Events: inserted in the transaction of what they report, and dispatched by their rows.

An event gets its position when it is dispatched. Positions count up in each organization, and readers go by
them: by id or time, an event that is committed late would be skipped.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.changes import EventsDue
from svc.domain.cursors import Position
from svc.domain.errors import Gone
from svc.domain.events import NewEvent
from svc.domain.limits import EVENTS_EXAMINED_MAX, EVENTS_PAGE_BYTES_MAX, LIST_ROWS
from svc.storage import tables
from svc.storage.identity import tables as identity_tables
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace


class Event(NamedTuple):
    """An event as it is stored. `at` is ms since the epoch; `data` is JSON."""

    id: str
    organization_id: str
    type: str
    at: int
    data: str
    subject: str
    object_type: str | None
    """The slug of the object, of an event of a record."""
    depth: int
    position: int | None
    """The place in the order of dispatch; None until it was dispatched."""


_COLUMNS: Final = tuple(tables.events.c[name] for name in Event._fields)
_QUESTION: Final = ["events"]
"""Of the cursor: a reader may go on with other filters."""
_DIGITS_MAX: Final = 18
"""Digits of a position in a cursor: any such number fits into the column."""

_encode: Final = msgspec.json.Encoder().encode
_INSERT = Statement(sa.insert(tables.events))
_UNDISPATCHED = Statement(
    sa.select(*_COLUMNS)
    .where(
        tables.events.c.organization_id == sa.bindparam("organization_id"),
        tables.events.c.position.is_(None),
    )
    .order_by(tables.events.c.id)
    .limit(sa.bindparam("limit", type_=sa.Integer)),
    Event,
)
_DISPATCH = Statement(
    sa.update(tables.events)
    .where(
        tables.events.c.id == sa.bindparam("event_id"),
        tables.events.c.organization_id == sa.bindparam("of_organization"),
        tables.events.c.position.is_(None),
    )
    .values(position=sa.bindparam("new_position"))
)


class _Newest(NamedTuple):
    """The position of the event that was dispatched last."""

    newest: int


_NEWEST = Statement(
    sa.select(tables.event_positions.c.newest).where(
        tables.event_positions.c.organization_id == sa.bindparam("organization_id")
    ),
    _Newest,
)
_KEEP_NEWEST = Statement(insert_or_replace(tables.event_positions, ["organization_id"]))


def record(tx: Tx, organization_id: str, happened: Sequence[NewEvent]) -> None:
    """Insert the events, in this order, and announce them once for all of the unit."""
    if not happened:
        return
    _INSERT.many(
        tx.conn,
        [
            {
                "id": tx.new_id("evt"),
                "organization_id": organization_id,
                "type": event.type,
                "at": tx.now,
                "data": _encode({**event.data, "source": event.source}).decode(),
                "subject": event.subject,
                "object_type": event.data.get("objectType"),
                "depth": event.depth,
                "position": None,
            }
            for event in happened
        ],
    )
    due = EventsDue(organization_id)
    if due not in tx.changes:
        tx.announce(due)


def undispatched(conn: sa.Connection, organization_id: str, limit: int) -> list[Event]:
    """The organization's oldest events that were not dispatched, at most *limit*."""
    return _UNDISPATCHED.all(conn, organization_id=organization_id, limit=limit)


def organizations_with_undispatched(conn: sa.Connection) -> list[str]:
    """The organizations that have events to be dispatched: one look into an index for each organization."""
    waiting = sa.select(tables.events.c.id).where(
        tables.events.c.organization_id == identity_tables.organizations.c.id,
        tables.events.c.position.is_(None),
    )
    return list(conn.scalars(sa.select(identity_tables.organizations.c.id).where(waiting.exists())))


def mark_dispatched(tx: Tx, organization_id: str, ids: Sequence[str]) -> None:
    """Give the undispatched events *ids* the next positions, in this order; others keep theirs."""
    newest = _newest(tx.conn, organization_id)
    _DISPATCH.many(
        tx.conn,
        [
            {"event_id": event_id, "of_organization": organization_id, "new_position": position}
            for position, event_id in enumerate(ids, start=newest + 1)
        ],
    )
    if ids:
        _KEEP_NEWEST.run(tx.conn, organization_id=organization_id, newest=newest + len(ids))


def list_page(
    conn: sa.Connection,
    organization_id: str,
    *,
    types: Collection[str] | None = None,
    object_types: Collection[str] | None = None,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Event], str]:
    """Dispatched events in the order of their positions, and the cursor that goes on, later too.

    None of *types* are all of them; *object_types* leaves events out that are of records of other objects. It
    looks at `EVENTS_EXAMINED_MAX` events at most, so a page may be short or empty before the end. Without a
    cursor it begins with the oldest that is kept.

    Raises `InvalidInput` for the cursor and the limit, and `Gone` if events behind the cursor were pruned
    or the cursor is ahead of all.
    """
    cursors.check_limit(limit)
    newest = _newest(conn, organization_id)
    own = tables.events.c.organization_id == organization_id
    oldest = conn.scalar(
        sa.select(tables.events.c.position)
        .where(own, tables.events.c.position.is_not(None))
        .order_by(tables.events.c.position)
        .limit(1)
    )
    first = newest + 1 if oldest is None else oldest
    after = _position_of(cursor, default=first - 1)
    if after < first - 1:
        raise Gone("the events behind this cursor are not kept any more: ask again from the start")
    if after > newest:  # positions of after a backup that was restored since
        raise Gone("this cursor is ahead of all events: ask again from the start")
    until = min(after + EVENTS_EXAMINED_MAX, newest)
    events = sa.select(*_COLUMNS).where(
        own, tables.events.c.position > after, tables.events.c.position <= until
    )
    if types is not None:
        events = events.where(tables.events.c.type.in_(types))
    if object_types is not None:
        object_type = tables.events.c.object_type
        events = events.where(sa.or_(object_type.is_(None), object_type.in_(object_types)))
    rows, limit = _page(conn.execute(events.order_by(tables.events.c.position).limit(limit + 1)), limit)
    page = [Event._make(row) for row in rows[:limit]]
    reached = page[-1].position if len(rows) > limit else max(after, until)
    return page, cursors.write(_QUESTION, Position((), str(reached)))


def _newest(conn: sa.Connection, organization_id: str) -> int:
    """The last position that was given; 0 where none was."""
    row = _NEWEST.one(conn, organization_id=organization_id)
    return 0 if row is None else int(row.newest)


def _position_of(cursor: str | None, *, default: int) -> int:
    """The position in a cursor. Raises `InvalidInput`."""
    read = cursors.read(_QUESTION, cursor, 0)
    if read is None:
        return default
    if not (read.id.isascii() and read.id.isdigit() and len(read.id) <= _DIGITS_MAX):
        raise cursors.refused()
    return int(read.id)


def _page(found: sa.CursorResult[Any], limit: int) -> tuple[list[sa.Row[Any]], int]:
    """The rows of a page, with the one behind it if there is one, and how many rows make the page.

    It ends with the event that passes `EVENTS_PAGE_BYTES_MAX`, if no earlier.
    """
    rows: list[sa.Row[Any]] = []
    bytes_read = 0
    with found:
        for row in found:
            rows.append(row)
            if bytes_read > EVENTS_PAGE_BYTES_MAX:
                return rows, len(rows) - 1
            bytes_read += len(row.data)
    return rows, limit
