"""Spans: which positions the events of a range of time have.

Positions are of the order of dispatch. In it, times go up but for units that waited for their commit.
"""

from typing import Final, NamedTuple

import sqlalchemy as sa

from svc.domain.locale.times import MINUTE_MS
from svc.storage import tables
from svc.storage.events import events
from svc.storage.statements import Statement

_WAITED_MS_MAX: Final = MINUTE_MS
"""How much later than another a unit may be dispatched that has an earlier time: it waited for its commit."""
_NO_END: Final = 2**53
"""A time after all others."""


class _Place(NamedTuple):
    """The position and the time of an event."""

    position: int
    at: int


class Span(NamedTuple):
    """The events of an organization from *first* on and before *end*, and of these times."""

    organization_id: str
    first: int
    end: int
    since: int
    until: int


_FROM = Statement(
    sa.select(tables.events.c.position, tables.events.c.at)
    .where(
        tables.events.c.organization_id == sa.bindparam("organization_id"),
        tables.events.c.position >= sa.bindparam("position"),
        tables.events.c.position.is_not(None),
        tables.events.c.at >= sa.bindparam("at"),
    )
    .order_by(tables.events.c.position)
    .limit(1),
    _Place,
)
_EARLIEST = Statement(
    sa.select(sa.func.min(tables.events.c.at).label("at")).where(
        tables.events.c.organization_id == sa.bindparam("organization_id"),
        tables.events.c.position >= sa.bindparam("first"),
        tables.events.c.position < sa.bindparam("end"),
        tables.events.c.position.is_not(None),
        tables.events.c.at >= sa.bindparam("since"),
        tables.events.c.at < sa.bindparam("until"),
    )
)


def position_at(conn: sa.Connection, organization_id: str, at: int, newest: int) -> int:
    """The first position of an event that happened at *at* or later; the one after *newest* if none did.

    By bisection to a minute before, and from there in turn: in the order of dispatch times go up, but for
    those of units that waited for their commit.
    """
    low, high = 1, newest + 1
    while low < high:
        middle = (low + high) // 2
        found = _FROM.one(conn, organization_id=organization_id, position=middle, at=0)
        if found is None or found.at >= at - _WAITED_MS_MAX:
            high = middle
        else:
            low = found.position + 1
    first = _FROM.one(conn, organization_id=organization_id, position=low, at=at)
    return newest + 1 if first is None else first.position


def span(conn: sa.Connection, organization_id: str, since: int, until: int | None) -> Span:
    """The events that happened from *since* on and before *until*: their positions lie within these."""
    newest = events.newest_position(conn, organization_id)
    first = position_at(conn, organization_id, since, newest)
    if until is None:
        return Span(organization_id, first, newest + 1, since, _NO_END)
    end = position_at(conn, organization_id, until + _WAITED_MS_MAX, newest)
    return Span(organization_id, first, end, since, until)


def earliest(conn: sa.Connection, within: Span) -> int | None:
    """The time of the earliest event of a span; None if it has none.

    Those behind the first are later than it but for units that waited for their commit, so few are looked at.
    """
    at_first = _FROM.one(conn, organization_id=within.organization_id, position=within.first, at=within.since)
    if at_first is None:
        return None
    newest = within.end - 1
    end = position_at(conn, within.organization_id, at_first.at + _WAITED_MS_MAX, newest)
    found = _EARLIEST.one(conn, within._replace(end=min(end, within.end))._asdict())
    return None if found is None else found.at
