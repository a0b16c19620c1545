"""An export of the request log: its filters, and its pieces."""

from collections.abc import Iterator

import sqlalchemy as sa

from svc.domain.exports import list_filters
from svc.domain.exports.limits import EXPORT_PIECE_ROWS
from svc.domain.exports.lines import BYTE_ORDER_MARK, Piece, TableWriter
from svc.domain.imports.exported import json_lines
from svc.storage.exports.rows import Export
from svc.storage.identity import api_keys
from svc.storage.requests.lines import HEADINGS, NamesOf, parts
from svc.storage.requests.requests import CallFilter, status_range


def pieces(conn: sa.Connection, export: Export, names_of: NamesOf) -> Iterator[Piece]:
    """What keys of the organization have called, the newest first. Keys are named by *names_of*."""
    csv = TableWriter(HEADINGS) if export.format == "csv" else None
    if csv is not None:
        yield Piece(((BYTE_ORDER_MARK if export.query.bom else "") + csv.head()).encode(), 0)
    for rows in parts(conn, export.organization_id, _filter_of(conn, export), names_of, EXPORT_PIECE_ROWS):
        yield Piece(json_lines(rows) if csv is None else csv.lines(rows).encode(), len(rows))


def _filter_of(conn: sa.Connection, export: Export) -> CallFilter:
    callers: set[str] | None = None
    wanted = {}
    for member, comparison, value in list_filters.read("requests", export.query.filters):
        if member in {"keyId", "personId"}:
            own = {value} if member == "keyId" else {*_keys_of(conn, export, value)}
            callers = own if callers is None else callers & own
        else:
            wanted[f"{member} {comparison}"] = value
    return CallFilter(
        caller_ids=None if callers is None else tuple(sorted(callers)),
        tool=wanted.get("tool eq"),
        status=status_range(wanted.get("status eq")),
        since=wanted.get("at gte"),
        until=wanted.get("at lt"),
    )


def _keys_of(conn: sa.Connection, export: Export, person_id: str) -> tuple[str, ...]:
    return api_keys.ids_of_person(conn, export.organization_id, person_id)
