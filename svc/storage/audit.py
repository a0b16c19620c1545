"""The audit trail: who did what, through which door, written in the transaction of the deed itself."""

from typing import Annotated, Literal

import msgspec
from sqlalchemy import Connection, insert, select

from svc.domain.callers import Call, CallerKind, Door
from svc.domain.ids import new_id
from svc.domain.limits import AUDIT_PAGE_MAX
from svc.storage.prepared import Prepared
from svc.storage.store import Tx
from svc.storage.tables import audit

Outcome = Literal["done", "refused"]


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the trail. `at` is ms since the epoch."""

    id: str
    organization_id: str
    at: int
    caller_kind: CallerKind
    caller_id: str
    person_id: str | None
    door: Door
    action: str
    """The tool, or what was done where there is no tool."""
    target: str | None
    """The id of what it was done to."""
    outcome: Outcome
    reason: str | None
    """Why it was refused, as a code."""
    request_id: str | None


class AuditAsked(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries to list: all that is given must hold. Times are ms since the epoch."""

    person_id: str | None = None
    caller_id: str | None = None
    action: str | None = None
    target: str | None = None
    outcome: Outcome | None = None
    since: int | None = None
    until: int | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=AUDIT_PAGE_MAX)] = 50
    cursor: str | None = None


class AuditPage(msgspec.Struct, frozen=True):
    """Entries, the newest first, and where the next page begins, if there is one."""

    entries: list[AuditEntry]
    next_cursor: str | None


_INSERT = Prepared(insert(audit))


def note(tx: Tx, call: Call, action: str, target: str | None = None) -> None:
    """Write down that *call* did *action* to *target*, if and only if this transaction is committed."""
    _INSERT.run(tx.conn, msgspec.structs.asdict(_entry(tx, call, action, target)))


def note_refusal(tx: Tx, call: Call, action: str, reason: str, target: str | None = None) -> None:
    """Write down that *call* asked for *action* and lacked the right to it."""
    refused = msgspec.structs.replace(_entry(tx, call, action, target), outcome="refused", reason=reason)
    _INSERT.run(tx.conn, msgspec.structs.asdict(refused))


def _entry(tx: Tx, call: Call, action: str, target: str | None) -> AuditEntry:
    return AuditEntry(
        id=new_id("aud", tx.now),
        organization_id=call.caller.organization_id,
        at=tx.now,
        caller_kind=call.caller.kind,
        caller_id=call.caller.id,
        person_id=call.caller.person_id,
        door=call.door,
        action=action,
        target=target,
        outcome="done",
        reason=None,
        request_id=call.request_id,
    )


def page(conn: Connection, organization_id: str, asked: AuditAsked) -> AuditPage:
    """The page of the organization's trail that is asked for; it is stable, whatever is added meanwhile."""
    column = audit.c
    equal = {
        "person_id": asked.person_id,
        "caller_id": asked.caller_id,
        "action": asked.action,
        "target": asked.target,
        "outcome": asked.outcome,
    }
    matching = [column[name] == value for name, value in equal.items() if value is not None]
    if asked.since is not None:
        matching.append(column.at >= asked.since)
    if asked.until is not None:
        matching.append(column.at < asked.until)
    if asked.cursor is not None:
        matching.append(column.id < asked.cursor)
    rows = conn.execute(
        select(audit)
        .where(column.organization_id == organization_id, *matching)
        .order_by(column.id.desc())
        .limit(asked.limit + 1)
    ).all()
    entries = [AuditEntry(**row._asdict()) for row in rows[: asked.limit]]
    return AuditPage(entries, entries[-1].id if len(rows) > asked.limit else None)
