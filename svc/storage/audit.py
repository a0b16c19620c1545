"""The audit trail: caller, action, target and door, inserted in the transaction of the action itself."""

from typing import Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ResourceChanged
from svc.domain.identity.callers import Call, CallerKind, DoorName
from svc.domain.ids import first_id
from svc.domain.limits import LIST_ROWS
from svc.storage import tables
from svc.storage.pages import Keyset, Total, total
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.store import Tx, View

Outcome = Literal["done", "refused"]


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the trail. `at` is ms since the epoch."""

    id: str
    organization_id: str
    at: int
    caller_kind: CallerKind
    caller_id: str
    person_id: str | None
    door: DoorName
    action: str
    """The tool, or the name of what no tool does."""
    target: str | None
    """The id of what it acted on."""
    outcome: Outcome
    reason: str | None
    """The code of the refusal."""
    request_id: str | None
    asked_by: dict[str, str] | None = None
    """What asked for the call, where a person has approved it."""


class AuditFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Filter of a list: all that is given must hold. Times are ms since the epoch."""

    person_id: str | None = None
    caller_id: str | None = None
    action: str | None = None
    target: str | None = None
    outcome: Outcome | None = None
    since: int | None = None
    until: int | None = None
    limit: int = LIST_ROWS
    cursor: str | None = None
    total: bool = False


class AuditPage(msgspec.Struct, frozen=True):
    """Entries, the newest first, and where the next page begins, if there is one."""

    entries: list[AuditEntry]
    next_cursor: str | None
    total: Total | None
    """How many entries the list has, if that was asked."""


class Act(NamedTuple):
    """What somebody did, of the newest entries. `at` is ms since the epoch."""

    at: int
    caller_kind: CallerKind
    caller_id: str
    action: str
    target: str | None
    outcome: Outcome


ENTRIES: Final = Rows(tables.audit, AuditEntry, empty={"asked_by": dict})
_LATEST: Final = Statement(
    sa.select(*(tables.audit.c[name] for name in Act._fields))
    .where(tables.audit.c.organization_id == sa.bindparam("organization_id"))
    .order_by(tables.audit.c.id.desc())
    .limit(sa.bindparam("most", type_=sa.Integer)),
    Act,
)


def note(tx: Tx, call: Call, action: str, target: str | None = None) -> None:
    """Insert the entry that *call* did *action* to *target*; it is committed with the action.

    What is audited as done has changed something, so that is announced, too.
    """
    _insert(tx, call, action, target, "done", None)
    tx.announce(ResourceChanged(call.caller.organization_id, action.partition(".")[0], target))


def note_refusal(tx: Tx, call: Call, action: str, reason: str, target: str | None = None) -> None:
    """Insert the entry that *call* was refused *action*."""
    _insert(tx, call, action, target, "refused", reason)


def _insert(  # noqa: PLR0917  # the parts of one row
    tx: Tx, call: Call, action: str, target: str | None, outcome: Outcome, reason: str | None
) -> None:
    caller = call.caller
    entry = AuditEntry(
        id=tx.new_id("aud"),
        organization_id=caller.organization_id,
        at=tx.now,
        caller_kind=caller.kind,
        caller_id=caller.id,
        person_id=caller.person_id,
        door=call.door,
        action=action,
        target=target,
        outcome=outcome,
        reason=reason,
        request_id=call.request_id,
        asked_by=call.asked_by,
    )
    ENTRIES.insert(tx.conn, entry)


def list_actions(conn: sa.Connection, organization_id: str) -> list[str]:
    """All actions that the organization's trail has, of all time, in the order of their names.

    Each is one search in the index of actions, from the one before to the next: the entries are not read.
    """
    column = tables.audit.c
    own = column.organization_id == organization_id
    found = sa.select(sa.func.min(column.action).label("action")).where(own).cte("found", recursive=True)
    following = sa.select(sa.func.min(column.action)).where(own, column.action > found.c.action)
    found = found.union_all(
        sa.select(following.scalar_subquery().correlate(found)).where(found.c.action.is_not(None))
    )
    return list(conn.scalars(sa.select(found.c.action).where(found.c.action.is_not(None))))


def list_page(view: View, organization_id: str, filter_: AuditFilter) -> AuditPage:
    """A page of the organization's trail, the newest first; new entries do not shift the pages.

    Raises `InvalidInput` for a cursor that is none of this list, and `TakesLong` from a view that is not
    patient: the trail is in order of time, of all and of each person, and what else is asked has to be looked
    for along it.
    """
    wanted = {
        "caller_id": filter_.caller_id,
        "action": filter_.action,
        "target": filter_.target,
        "outcome": filter_.outcome,
    }
    searched = {name: value for name, value in wanted.items() if value is not None}
    question = ["audit", filter_.person_id, searched, filter_.since, filter_.until]
    keyset = Keyset(question, filter_.cursor, filter_.limit)
    if searched or filter_.until is not None:
        view.expect_long()
    column = tables.audit.c
    matching = [column[name] == value for name, value in searched.items()]
    if filter_.person_id is not None:
        matching.append(column.person_id == filter_.person_id)
    if filter_.since is not None:
        # An id is never of an earlier time than its entry; of a later one it may be (see `Ids`).
        matching += [column.at >= filter_.since, column.id >= first_id("aud", max(0, filter_.since))]
    if filter_.until is not None:
        matching.append(column.at < filter_.until)
    entries = ENTRIES.select(column.organization_id == organization_id, *matching)
    rows, next_cursor = keyset.fetch(view.conn, entries, column.id, newest_first=True)
    counted = total(view.conn, entries) if filter_.total else None
    return AuditPage([*map(ENTRIES.make, rows)], next_cursor, counted)


def latest(conn: sa.Connection, organization_id: str, most: int) -> list[Act]:
    """What was done of the newest *most* entries, the newest first; refusals are left out of it."""
    return [
        act for act in _LATEST.all(conn, organization_id=organization_id, most=most) if act.outcome == "done"
    ]
