"""The lines of an export of the audit trail."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.exports import list_filters
from svc.domain.exports.limits import EXPORT_PIECE_ROWS
from svc.domain.exports.lines import BYTE_ORDER_MARK, Piece, TableWriter
from svc.domain.imports.exported import json_lines
from svc.domain.locale.times import rfc3339
from svc.domain.records.queries import Filter
from svc.storage.audit import ENTRIES, AuditEntry
from svc.storage.exports.rows import Export
from svc.storage.tables import audit

_HEADINGS = (
    "id",
    "at",
    "callerKind",
    "callerId",
    "personId",
    "door",
    "action",
    "target",
    "outcome",
    "reason",
    "requestId",
    "askedBy",
)

_COLUMNS: Final = {
    "personId": audit.c.person_id,
    "callerId": audit.c.caller_id,
    "action": audit.c.action,
    "target": audit.c.target,
    "outcome": audit.c.outcome,
    "at": audit.c.at,
}


def pieces(conn: sa.Connection, export: Export) -> Iterator[Piece]:
    """The trail of the organization, the newest first, with the members that `audit.list` shows."""
    csv = TableWriter(_HEADINGS) if export.format == "csv" else None
    if csv is not None:
        yield Piece(((BYTE_ORDER_MARK if export.query.bom else "") + csv.head()).encode(), 0)
    select = ENTRIES.select(
        audit.c.organization_id == export.organization_id, *_matching(export.query.filters)
    ).order_by(audit.c.id.desc())
    for rows in conn.execute(select, execution_options={"yield_per": EXPORT_PIECE_ROWS}).partitions():
        entries = [_shown(ENTRIES.make(row)) for row in rows]
        yield Piece(json_lines(entries) if csv is None else csv.lines(entries).encode(), len(entries))


def _matching(filters: Sequence[Filter]) -> Iterator[sa.ColumnElement[bool]]:
    for member, comparison, value in list_filters.read("audit", filters):
        column = _COLUMNS[member]
        yield (
            column == value
            if comparison == "eq"
            else column >= value
            if comparison == "gte"
            else column < value
        )


def _shown(entry: AuditEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "at": rfc3339(entry.at),
        "callerKind": entry.caller_kind,
        "callerId": entry.caller_id,
        "personId": entry.person_id,
        "door": entry.door,
        "action": entry.action,
        "target": entry.target,
        "outcome": entry.outcome,
        "reason": entry.reason,
        "requestId": entry.request_id,
        "askedBy": entry.asked_by,
    }
