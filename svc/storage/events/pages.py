"""Pages of the events that were dispatched, in the order of their positions."""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.cursors import Position
from svc.domain.errors import Gone
from svc.domain.limits import EVENTS_EXAMINED_MAX, EVENTS_PAGE_BYTES_MAX, LIST_ROWS
from svc.storage import tables
from svc.storage.events import events, spans
from svc.storage.events.events import Event


class EventPage(NamedTuple):
    """A page of the events that were dispatched."""

    events: list[Event]
    next_cursor: str
    """Goes on behind it, later too."""
    is_last: bool
    """Whether nothing was behind it when it was read."""


_QUESTION: Final = ["events"]
"""Of the cursor: a reader may go on with other filters."""
_DIGITS_MAX: Final = 18
"""Digits of a position in a cursor: any such number fits into the column."""


def list_page(
    conn: sa.Connection,
    organization_id: str,
    *,
    types: Collection[str] | None = None,
    object_types: Collection[str] | None = None,
    cursor: str | None = None,
    since: int | None = None,
    limit: int = LIST_ROWS,
) -> EventPage:
    """Dispatched events in the order of their positions.

    None of *types* are all of them; *object_types* leaves events out that are of records of other objects. It
    looks at `EVENTS_EXAMINED_MAX` events at most, so a page may be short or empty before the end. Without a
    cursor it begins with the first event of *since*, ms since the epoch, or with the oldest that is kept.

    Raises `InvalidInput` for the cursor and the limit, and `Gone` if events behind the cursor were pruned,
    or those before it never were, as after a restore of older data.
    """
    cursors.check_limit(limit)
    newest, pruned = events.positions(conn, organization_id)
    own = tables.events.c.organization_id == organization_id
    after = _position_of(cursor)
    if after is None:
        begin = 0 if since is None else spans.position_at(conn, organization_id, since, newest)
        after = max(begin - 1, pruned)
    if after < pruned:
        raise Gone("the events behind this cursor are not kept any more: ask again from the start")
    if after > newest:
        raise Gone("there are no events up to this cursor, as after a restore: ask again from the start")
    until = min(after + EVENTS_EXAMINED_MAX, newest)
    wanted = events.EVENTS.select(own, tables.events.c.position > after, tables.events.c.position <= until)
    if types is not None:
        wanted = wanted.where(tables.events.c.type.in_(types))
    if object_types is not None:
        object_type = tables.events.c.object_type
        wanted = wanted.where(sa.or_(object_type.is_(None), object_type.in_(object_types)))
    rows, limit = _page(conn.execute(wanted.order_by(tables.events.c.position).limit(limit + 1)), limit)
    page = [events.EVENTS.make(row) for row in rows[:limit]]
    reached = page[-1].position if len(rows) > limit else max(after, until)
    return EventPage(page, cursors.write(_QUESTION, Position((), str(reached))), reached == newest)


def _position_of(cursor: str | None) -> int | None:
    """The position in a cursor. Raises `InvalidInput`."""
    read = cursors.read(_QUESTION, cursor, 0)
    if read is None:
        return None
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
