"""The lines of an export of submissions."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.exports import list_filters
from svc.domain.exports.limits import EXPORT_FIELDS_MAX, EXPORT_PIECE_ROWS
from svc.domain.exports.lines import BYTE_ORDER_MARK, Piece, TableWriter
from svc.domain.imports.exported import json_lines
from svc.domain.locale.times import rfc3339
from svc.domain.records.queries import Filter
from svc.domain.scalars import Scalar
from svc.storage.exports.rows import Export
from svc.storage.forms import tables
from svc.storage.forms.submission_lists import SHOWN, SubmissionSummary
from svc.storage.forms.submissions import DISCARDED, ERASED, LABELS
from svc.storage.rows import Selection

_FIELDS: Final = "fields."
"""What stands before the name of a website's own field, in the heading of its column."""


class _Line(SubmissionSummary, frozen=True, kw_only=True):
    """A submission with what was sent."""

    fields: dict[str, Scalar]


_LINES: Final = Selection(_Line, tables.submissions, members=SHOWN, empty={"fields": dict})
_HEADINGS: Final = (
    "id",
    "formId",
    "state",
    "heldReason",
    "receivedAt",
    "email",
    "phone",
    "name",
    "contactId",
    "dealId",
    "filedAt",
    "filedBy",
)


def pieces(conn: sa.Connection, export: Export) -> Iterator[Piece]:
    """The submissions of the organization, the newest first, without those that were thrown away.

    In CSV each field of a website has a column, up to `EXPORT_FIELDS_MAX` of them; they are found first.
    """
    column = tables.submissions.c
    select = _LINES.select(
        column.organization_id == export.organization_id,
        column.state.not_in([DISCARDED, ERASED]),
        *_matching(export.query.filters),
    ).order_by(column.id.desc())
    csv = None
    if export.format == "csv":
        names: dict[str, None] = {}
        for lines in _parts(conn, select):
            names.update(dict.fromkeys(name for line in lines for name in line.fields))
            yield Piece(b"", 0)  # so that it can be stopped, and makes way for others
        fields = [_FIELDS + name for name in list(names)[:EXPORT_FIELDS_MAX]]
        csv = TableWriter([*_HEADINGS, *fields])
        yield Piece(((BYTE_ORDER_MARK if export.query.bom else "") + csv.head()).encode(), 0)
    for lines in _parts(conn, select):
        rows = [_shown(line) for line in lines]
        if csv is None:
            data = json_lines(rows)
        else:
            data = csv.lines([row | _named(row["fields"]) for row in rows]).encode()
        yield Piece(data, len(rows))


def _matching(filters: Sequence[Filter]) -> Iterator[sa.ColumnElement[bool]]:
    column = tables.submissions.c
    for member, comparison, value in list_filters.read("submissions", filters):
        if member == "formId":
            yield column.form_id == value
        elif member == "state":
            yield column.state.in_([state for state, label in LABELS.items() if label == value])
        else:
            yield column.received_at >= value if comparison == "gte" else column.received_at < value


def _parts(conn: sa.Connection, select: sa.Select[Any]) -> Iterator[list[_Line]]:
    for rows in conn.execute(select, execution_options={"yield_per": EXPORT_PIECE_ROWS}).partitions():
        yield [_LINES.make(row) for row in rows]


def _named(fields: dict[str, Scalar]) -> dict[str, Scalar]:
    return {_FIELDS + name: value for name, value in fields.items()}


def _shown(line: _Line) -> dict[str, Any]:
    """A submission as `submission.list` shows it, and what was sent."""
    return {
        "id": line.id,
        "formId": line.form_id,
        "state": line.label,
        "heldReason": line.held_reason,
        "receivedAt": rfc3339(line.received_at),
        "email": line.email,
        "phone": line.phone,
        "name": line.name,
        "contactId": line.contact_id,
        "dealId": line.deal_id,
        "filedAt": None if line.filed_at is None else rfc3339(line.filed_at),
        "filedBy": line.filed_by,
        "fields": line.fields,
    }
