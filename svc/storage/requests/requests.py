"""The request log: appended in batches, read by its numbers, the newest first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.changes import ResourceChanged
from svc.domain.cursors import Position
from svc.domain.limits import LIST_ROWS
from svc.domain.requests.limits import REQUEST_BATCH_ROWS, REQUESTS_MAX
from svc.domain.requests.requests import FAILED_STATUS_MIN, LoggedCall
from svc.storage.pages import Keyset
from svc.storage.requests.tables import requests
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.steps import Deletion
from svc.storage.store import Tx, View

NOUN: Final = "request"
_DIGITS_MAX: Final = 18
"""Of a number in a cursor: it fits into 64 bits."""

CALLS: Final = Rows(requests, LoggedCall, beside=["organization_id", "failed_in"])
# Numbers are taken as they are: to convert one flag took as long as the rest of a row.
_INSERT: Final = Statement(
    sa.insert(requests).values(
        {name: sa.bindparam(name, type_=sa.types.NullType()) for name in requests.c.keys()}  # noqa: SIM118
    )
)
_column: Final = requests.c
_OF_ORGANIZATION: Final = _column.organization_id == sa.bindparam("organization_id")
_PLACES: Final = sa.select(_column.number, _column.at).where(_OF_ORGANIZATION).limit(1)
_NEWEST: Final = Statement(_PLACES.order_by(_column.number.desc()))
_OLDEST: Final = Statement(_PLACES.order_by(_column.number))
_FIRST_FROM: Final = Statement(
    _PLACES.where(_column.number >= sa.bindparam("number", type_=sa.BigInteger)).order_by(_column.number)
)
_BEYOND: Final = Deletion(
    requests,
    _OF_ORGANIZATION,
    _column.number <= sa.bindparam("last", type_=sa.BigInteger),
    oldest_by=_column.number,
    rows_max=2 * REQUEST_BATCH_ROWS,
)
"""Twice what a batch may add, so that a log that is too long gets shorter."""


class StatusRange(msgspec.Struct, frozen=True):
    """Statuses from *first* to *last*."""

    first: int
    last: int


_CLASSES: Final[Mapping[str, StatusRange]] = {"4xx": StatusRange(400, 499), "5xx": StatusRange(500, 599)}


def status_range(status: int | str | None) -> StatusRange | None:
    """The statuses that are meant by one of them, by `4xx` or by `5xx`."""
    if status is None:
        return None
    return StatusRange(status, status) if isinstance(status, int) else _CLASSES[status]


class CallFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which calls: all that is given must hold. Times are ms since the epoch."""

    caller_ids: tuple[str, ...] | None = None
    """Only those of these callers; None for all."""
    tool: str | None = None
    status: StatusRange | None = None
    since: int | None = None
    until: int | None = None


class CallPage(msgspec.Struct, frozen=True):
    """Calls, the newest first, and where the next page begins, if there is one."""

    calls: Sequence[LoggedCall]
    next_cursor: str | None


def append(tx: Tx, organization_id: str, calls: Sequence[LoggedCall]) -> None:
    """Store *calls*, the oldest first, and delete some of those that are beyond the newest `REQUESTS_MAX`."""
    newest = _NEWEST.one(tx.conn, organization_id=organization_id)
    number, at = (0, 0) if newest is None else newest
    rows = []
    for call in calls:
        call.number = number = number + 1
        call.at = at = max(at, call.at)
        row = msgspec.structs.asdict(call)
        row["organization_id"] = organization_id
        row["failed_in"] = organization_id if call.status >= FAILED_STATUS_MIN else None
        rows.append(row)
    _INSERT.many(tx.conn, rows)
    last = number - REQUESTS_MAX
    if last > 0:
        _BEYOND.step(tx, organization_id=organization_id, last=last)
    tx.announce(ResourceChanged(organization_id, NOUN, None))


def list_page(
    view: View, organization_id: str, filter_: CallFilter, cursor: str | None = None, limit: int = LIST_ROWS
) -> CallPage:
    """A page of the organization's calls; new ones do not shift the pages.

    Raises `InvalidInput` for a cursor that is none of this list, and `TakesLong` from a view that is not
    patient: the log is in the order of time, of all and of each caller, and what else is asked has to be
    looked for along it, or along its failures.
    """
    question = [NOUN, msgspec.to_builtins(filter_)]
    keyset = Keyset(question, cursor, limit)
    if filter_.tool is not None or filter_.status is not None or len(filter_.caller_ids or ()) > 1:
        view.expect_long()
    select = newest_first(view.conn, organization_id, filter_).limit(limit + 1)
    if keyset.after is not None:
        select = select.where(_column.number < _number_in(keyset.after))
    rows, next_cursor = keyset.cut(CALLS.all(view.conn, select), lambda call: Position((), str(call.number)))
    return CallPage(rows, next_cursor)


def newest_first(conn: sa.Connection, organization_id: str, filter_: CallFilter) -> sa.Select[Any]:
    """All calls of *filter_*, as rows of `CALLS`."""
    return CALLS.select(*_matching(conn, organization_id, filter_)).order_by(_column.number.desc())


def _matching(
    conn: sa.Connection, organization_id: str, filter_: CallFilter
) -> Iterator[sa.ColumnElement[bool]]:
    """What selects the calls of *filter_*. Times become numbers, which the log is in the order of."""
    callers, status = filter_.caller_ids, filter_.status
    if status is not None and status.first >= FAILED_STATUS_MIN:
        yield _column.failed_in == organization_id
    elif callers is not None and len(callers) == 1:
        # No index has that, so that the key's is taken. What it finds is the organization's alone.
        yield _column.organization_id.concat("") == organization_id
    else:
        yield _column.organization_id == organization_id
    if callers is not None:
        yield _column.caller_id == callers[0] if len(callers) == 1 else _column.caller_id.in_(callers)
    if filter_.tool is not None:
        yield _column.tool == filter_.tool
    if status is not None:
        yield _column.status.between(status.first, status.last)
    if filter_.since is not None:
        yield _column.number >= first_since(conn, organization_id, filter_.since)
    if filter_.until is not None:
        yield _column.number < first_since(conn, organization_id, filter_.until)


def first_since(conn: sa.Connection, organization_id: str, at: int) -> int:
    """The number of the first call at *at* or later, or the one after the newest call.

    It is found by halving: no call is earlier than the one before it.
    """
    oldest = _OLDEST.one(conn, organization_id=organization_id)
    newest = _NEWEST.one(conn, organization_id=organization_id)
    if oldest is None or newest is None:
        return 0
    low, high = oldest.number, newest.number + 1
    while low < high:
        middle = (low + high) // 2
        found = _FIRST_FROM.one(conn, organization_id=organization_id, number=middle)
        if found is not None and found.at < at:
            low = found.number + 1
        else:
            high = middle
    return int(low)


def _number_in(position: Position) -> int:
    """Raises `InvalidInput` for what was never in a cursor."""
    if not position.id.isascii() or not position.id.isdigit() or len(position.id) > _DIGITS_MAX:
        raise cursors.refused()
    return int(position.id)
